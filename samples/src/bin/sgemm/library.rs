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

use std::cell::{OnceCell, RefCell};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use common::{Gpu, LONGEST_LABEL, Lab};
use tempfile::TempDir;

use crate::device::Matrices;

/// How long a program may take to answer. The first time it makes a device of its own.
const PATIENCE: Duration = Duration::from_secs(60);

/// Adds the product by this program as a variant.
///
/// # Errors
/// The program cannot be run, or does not tell its name.
pub fn library(lab: &mut Lab, matrices: Matrices, program: &Path) -> Result<()> {
    let mut library = Library::start(program).with_context(|| {
        format!(
            "--library {}: no program that runs (anchors/cuda/sgemm.cu is one to build)",
            program.display()
        )
    })?;
    let name = library.answer()?.trim().to_owned();
    ensure!(
        (1..=LONGEST_LABEL).contains(&name.chars().count()),
        "the program of --library has no name of 1 to {LONGEST_LABEL} characters: '{name}'"
    );
    lab.report.setting("library", &name);
    lab.report.note(&format!(
        "{name} runs in a program of its own in the same rounds, timed by its own clock. Its last result is compared."
    ));
    let elements = matrices.size.m * matrices.size.n;
    let result =
        lab.input_buffer("what the library computed", move || vec![f32::NAN.to_bits(); elements as usize]);
    let kernel = lab.kernel("sgemm/take.comp").constant("ELEMENTS", elements).build();
    let (library, given) = (RefCell::new(library), OnceCell::new());
    let sample = move |gpu: &Gpu, repetitions: u32| {
        let mut library = library.borrow_mut();
        if given.get().is_none() {
            library.give(&matrices)?;
            let _ = given.set(());
        }
        let us = library.multiply(repetitions)?;
        gpu.refill(result, "what the library computed", &library.result(elements as usize)?)?;
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
}

impl Library {
    fn start(program: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let told = child.stdin.take().context("no pipe")?;
        let lines = BufReader::new(child.stdout.take().context("no pipe")?).lines();
        let (sender, answers) = mpsc::channel();
        // It ends with the program's output.
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Ok(Self { child, told, answers, folder: TempDir::new()? })
    }

    /// The next line of the program.
    fn answer(&mut self) -> Result<String> {
        self.answers.recv_timeout(PATIENCE).map_err(|error| match error {
            RecvTimeoutError::Disconnected => anyhow!("the program of --library has ended"),
            RecvTimeoutError::Timeout => anyhow!("the program of --library does not answer"),
        })
    }

    /// Puts the matrices into files and says where they are.
    fn give(&mut self, matrices: &Matrices) -> Result<()> {
        for (name, values) in ["a", "b", "c"].into_iter().zip(matrices.values()) {
            let bytes: &[u8] = bytemuck::cast_slice(&values);
            fs::write(self.folder.path().join(name), bytes).context("writing matrices for --library")?;
        }
        let (size, [alpha, beta]) = (matrices.size, matrices.factors);
        let folder = self.folder.path().display();
        self.tell(&format!("{} {} {} {alpha} {beta} {folder}", size.m, size.n, size.k))
    }

    fn tell(&mut self, line: &str) -> Result<()> {
        writeln!(self.told, "{line}").map_err(|_| anyhow!("the program of --library has ended"))
    }

    /// Multiplies so often, and returns how long that took in µs.
    fn multiply(&mut self, repetitions: u32) -> Result<f64> {
        // What an earlier answer left behind is none to this question.
        ensure!(self.answers.try_recv().is_err(), "the program of --library said more than it was asked");
        let _ = fs::remove_file(self.folder.path().join("result"));
        let began = Instant::now();
        self.tell(&format!("{repetitions}"))?;
        let answer = self.answer()?;
        let most = began.elapsed().as_secs_f64() * 1e6;
        let us: Option<f64> = answer.trim().parse().ok().filter(|us| (0.0..=most).contains(us) && *us > 0.0);
        us.with_context(|| {
            format!(
                "the program of --library said '{}', which is no time in µs, or more than passed",
                answer.trim()
            )
        })
    }

    /// What it has computed last.
    fn result(&self, elements: usize) -> Result<Vec<u32>> {
        let bytes = fs::read(self.folder.path().join("result")).context("reading the result of --library")?;
        ensure!(bytes.len() == 4 * elements, "the result of --library has {} bytes", bytes.len());
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // Both fail if the program has ended, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
