//! The same product by a vendor's library, from a program beside this one, in the same rounds. A library of another API cannot
//! be called from here: it has its own device, its own memory and its own clock.
//!
//! ```text
//! sgemm ── 1000 3000 777 1 0 /tmp/folder ──▶ program     a, b and c in the folder, as floats row by row
//!       ── 3 ──────────────────────────────▶             multiplies three times, one after another
//!       ◀───────────────────────── 8012.5 ──             how long that took in µs; its last C is `result` in the folder
//! ```
//!
//! It begins by telling its name in a line. `anchors/cuda/sgemm.cu` is such a program. What it computes is copied into this
//! device's C, and checked there like any result.

use std::cell::RefCell;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use common::{BadNotes, Gpu, LONGEST_LABEL, Lab};
use tempfile::TempDir;

use crate::device::Matrices;

/// How long a program may take to answer. The first time it makes a device of its own.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a program that answers no more may take to end.
const GRACE: Duration = Duration::from_secs(1);

/// Adds the product by this program as a variant.
///
/// # Errors
/// The program cannot be run, or does not tell its name.
pub fn library(lab: &mut Lab, matrices: Matrices, program: &Path) -> Result<()> {
    let of = format!("--library {}", program.display());
    let started =
        Library::start(program).context("no program that runs (anchors/cuda/sgemm.cu is one to build)");
    let mut library = started.with_context(|| of.clone())?;
    let name = library.answer().context(of.clone())?.trim().to_owned();
    ensure!(
        (1..=LONGEST_LABEL).contains(&name.chars().count()),
        "{of}: '{name}' is no name of 1 to {LONGEST_LABEL} characters"
    );
    lab.report.setting("library", &name);
    lab.report.note(&format!(
        "{name} runs in a program of its own in the same rounds, timed by its own clock. Its last result is compared."
    ));
    let elements = matrices.size.m * matrices.size.n;
    let result =
        lab.input_buffer("what the library computed", move || vec![f32::NAN.to_bits(); elements as usize]);
    let kernel = lab.kernel("sgemm/take.comp").constant("ELEMENTS", elements).build();
    let library = RefCell::new(library);
    let sample = move |gpu: &Gpu, repetitions: u32| {
        let product = library.borrow_mut().product(&matrices, repetitions).context(of.clone());
        let (us, c) = product.map_err(BadNotes::from)?;
        gpu.refill(result, "what the library computed", &c)?;
        Ok(us)
    };
    let variant = lab.variant("library", move |cmd, rep| matrices.take(cmd, rep.index, kernel, result));
    variant.declares(matrices.declared()).timed_by(sample).label = name;
    Ok(())
}

/// A program that runs a library.
struct Library {
    child: Child,
    told: ChildStdin,
    answers: Receiver<String>,
    folder: TempDir,
    /// Whether it has the matrices.
    is_ready: bool,
    /// Its first failure, after which it is ended.
    failure: Option<String>,
}

impl Library {
    fn start(program: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // A terminal sends Ctrl-C to a whole process group. The sample takes its last sample to the end then, and needs it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let told = child.stdin.take().context("no pipe")?;
        let lines = BufReader::new(child.stdout.take().context("no pipe")?).lines();
        let (sender, answers) = mpsc::channel();
        // It ends with the program's output.
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Ok(Self { child, told, answers, folder: TempDir::new()?, is_ready: false, failure: None })
    }

    /// Multiplies so often. Returns how long that took in µs, and the last C.
    fn product(&mut self, matrices: &Matrices, repetitions: u32) -> Result<(f64, Vec<u32>)> {
        if let Some(failure) = &self.failure {
            bail!("{failure}");
        }
        let product = self.try_product(matrices, repetitions);
        if let Err(error) = &product {
            self.failure = Some(format!("{error:#}"));
            self.end();
        }
        product
    }

    fn try_product(&mut self, matrices: &Matrices, repetitions: u32) -> Result<(f64, Vec<u32>)> {
        if !self.is_ready {
            self.give(matrices)?;
        }
        // What an earlier answer left behind is none to this question.
        ensure!(self.answers.try_recv().is_err(), "it said more than it was asked");
        let began = Instant::now();
        self.tell(&format!("{repetitions}"))?;
        let answer = self.answer()?;
        let most = began.elapsed().as_secs_f64() * 1e6;
        let us: Option<f64> = answer.trim().parse().ok().filter(|us| (0.0..=most).contains(us) && *us > 0.0);
        let Some(us) = us else {
            bail!("it said '{}', which is no time in µs, or more than passed", answer.trim());
        };
        // It has read them by now, and each result must be a new one.
        self.remove(if self.is_ready { &[] } else { &["a", "b", "c"] });
        self.is_ready = true;
        let bytes = fs::read(self.path("result")).context("reading its result")?;
        self.remove(&["result"]);
        ensure!(
            bytes.len() == 4 * (matrices.size.m * matrices.size.n) as usize,
            "its result has {} bytes",
            bytes.len()
        );
        Ok((us, bytemuck::pod_collect_to_vec(&bytes)))
    }

    /// Puts the matrices into files and says where they are.
    fn give(&mut self, matrices: &Matrices) -> Result<()> {
        for (name, values) in ["a", "b", "c"].into_iter().zip(matrices.values()) {
            let bytes: &[u8] = bytemuck::cast_slice(&values);
            fs::write(self.path(name), bytes).context("writing matrices for it")?;
        }
        let (size, [alpha, beta]) = (matrices.size, matrices.factors);
        let folder = self.folder.path().display();
        self.tell(&format!("{} {} {} {alpha} {beta} {folder}", size.m, size.n, size.k))
    }

    fn tell(&mut self, line: &str) -> Result<()> {
        writeln!(self.told, "{line}").or_else(|_| self.has_ended())
    }

    /// The next line of the program.
    fn answer(&mut self) -> Result<String> {
        match self.answers.recv_timeout(PATIENCE) {
            Ok(answer) => Ok(answer),
            Err(RecvTimeoutError::Disconnected) => self.has_ended(),
            Err(RecvTimeoutError::Timeout) => bail!("it did not answer within {} s", PATIENCE.as_secs()),
        }
    }

    /// Says how it ended.
    fn has_ended<T>(&mut self) -> Result<T> {
        let began = Instant::now();
        while began.elapsed() < GRACE {
            if let Some(status) = self.child.try_wait()? {
                bail!("it has ended ({status})");
            }
            thread::sleep(GRACE / 100);
        }
        bail!("it listens no more")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Removes files at once, since this process may end without clean-up.
    fn remove(&self, names: &[&str]) {
        names.iter().for_each(|name| drop(fs::remove_file(self.path(name))));
    }

    /// Ends it. Both calls fail if it has ended before, which is fine.
    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        self.end();
    }
}
