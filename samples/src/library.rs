//! The same work by a library or another API, from a program beside this one, in the same rounds. What it offers cannot be
//! called from here: it has its own device, its own memory and its own clock.
//!
//! ```text
//! sgemm ── program 1000 3000 777 1 0 /tmp/folder     a, b and c will lie in the folder, words as they are in memory
//!       ◀── cuBLAS 13.1.0: multiply ──               its name, and what it can do of this
//!       ── multiply 3 ──▶                            three times, one after another
//!       ◀── 8012.5 1099511628211 ──                  how long that took in µs, and the checksum of the last C
//!       ── result ──▶                                asked once per way, and if the checksum is not that of what was read last
//!       ◀── written ──                               as the file `result` in the folder
//! ```
//!
//! The checksum of words `w` is the sum of `w[i] (2 i + 1)`, modulo 2^64.
//!
//! It has to run on the device of which CUDA_VISIBLE_DEVICES has the UUID. `anchors/cuda/sgemm.cu` and `chain.cu` are such
//! programs. What they compute is copied to where the sample's own results lie, and is checked there like any result.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::rc::Rc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use common::record::Promise;
use common::{BadNotes, Buffer, Buffers, Gpu, Kernel, LONGEST_LABEL, Lab, Variant};
use tempfile::TempDir;

use crate::in_rows;

/// How long a program may take to answer. The first time it makes a device of its own.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a program may take to end once it has closed its output.
const GRACE: Duration = Duration::from_secs(1);
/// Longest name, so that a word fits behind it in a label.
const LONGEST_NAME: usize = LONGEST_LABEL - 16;
/// Name of the buffer that a program's results are copied into.
const RESULT: &str = "what the library computed";

/// Computes the words of an input.
pub type Words = Box<dyn Fn() -> Vec<u32>>;

/// What a program is to compute.
pub struct Task {
    /// What it is told before the folder.
    pub arguments: Vec<String>,
    /// The files that it reads in the folder.
    pub inputs: Vec<(&'static str, Words)>,
    /// Words of its result.
    pub words: u32,
}

/// A program that offers one or more ways to do a task.
pub struct Library {
    /// Its name and version.
    pub name: String,
    methods: Vec<String>,
    program: Rc<RefCell<Program>>,
    option: String,
    take: Kernel,
    result: Buffer,
    words: u32,
}

impl Library {
    /// Starts a program, and tells it the task.
    ///
    /// # Errors
    /// It cannot be run, or does not tell its name.
    pub fn start(lab: &mut Lab, program: &Path, task: Task) -> Result<Self> {
        let option = format!("--library {}", program.display());
        let (path, device, words) = (program.to_owned(), lab.device().uuid.clone(), task.words);
        let mut program = Program {
            path,
            device,
            task,
            running: None,
            seen: None,
            read: BTreeSet::new(),
            failures: BTreeMap::new(),
        };
        let (name, methods) = program.start().with_context(|| option.clone())?;
        lab.report.setting("library", &name);
        lab.report.note(&format!(
            "{name} runs in a program of its own in the same rounds, timed by its own clock. Of its repetitions only the last is \
             compared. The program's checksum tells that a result is what was compared before."
        ));
        let result = lab.input_buffer(RESULT, move || vec![f32::NAN.to_bits(); words as usize]);
        let take = lab.kernel("library/take.comp").constant("WORDS", words).build();
        Ok(Self { name, methods, program: Rc::new(RefCell::new(program)), option, take, result, words })
    }

    /// Adds a way to do the task as a variant, whose results are copied to `slice` of `target`. Of what the program lacks there
    /// is no time.
    pub fn variant<'l>(
        &self,
        lab: &'l mut Lab,
        name: &str,
        method: &str,
        target: Buffers,
        slice: u32,
    ) -> &'l mut Variant {
        let (program, option, asked) = (Rc::clone(&self.program), self.option.clone(), method.to_owned());
        let (take, result, groups) = (self.take, self.result, in_rows(self.words.div_ceil(256)));
        let sample = move |gpu: &Gpu, repetitions: u32| {
            let done = program.borrow_mut().done(&asked, repetitions).context(option.clone());
            let (us, words) = done.map_err(BadNotes::from)?;
            if let Some(words) = words {
                gpu.refill(result, RESULT, &words)?;
            }
            Ok(us)
        };
        let lacks = !self.methods.iter().any(|known| known == method);
        lab.variant(name, move |cmd, rep| {
            cmd.dispatch(take, &[result, target.get(rep.index, slice)], &(), groups);
        })
        .timed_by(sample)
        .promise(Promise::OtherApi { api: self.name.clone() })
        .skip(lacks.then(|| format!("{} does not offer '{method}' for this", self.name)))
    }
}

/// The checksum that programs tell.
fn checksum(words: &[u32]) -> u64 {
    let parts = words.iter().zip(0..).map(|(&word, at)| u64::from(word).wrapping_mul(2 * at + 1));
    parts.fold(0, u64::wrapping_add)
}

/// A program that is started when it is asked, and again after a failure.
struct Program {
    path: PathBuf,
    /// UUID of the sample's device, which is the same in other APIs.
    device: String,
    task: Task,
    running: Option<Running>,
    /// Checksum of the result that was read last, and the ways of which one was read.
    seen: Option<u64>,
    read: BTreeSet<String>,
    /// Why a method has no more results.
    failures: BTreeMap<String, String>,
}

impl Program {
    /// Starts it. Returns its name and its methods.
    fn start(&mut self) -> Result<(String, Vec<String>)> {
        let mut running = Running::start(self)?;
        let answer = running.answer()?;
        self.running = Some(running);
        let (name, methods) = answer.split_once(':').unwrap_or((&answer, ""));
        let name = name.trim();
        let is_name = (1..=LONGEST_NAME).contains(&name.chars().count());
        ensure!(is_name, "'{name}' is no name of 1 to {LONGEST_NAME} characters");
        Ok((name.to_owned(), methods.split_whitespace().map(str::to_owned).collect()))
    }

    /// Does the task this many times. Returns how long that took in µs, and the last result, unless its checksum tells that it is
    /// what was read last.
    fn done(&mut self, method: &str, repetitions: u32) -> Result<(f64, Option<Vec<u32>>)> {
        if let Some(failure) = self.failures.get(method) {
            bail!("{failure}");
        }
        let done = self.try_done(method, repetitions);
        if let Err(error) = &done {
            self.failures.insert(method.to_owned(), format!("{error:#}"));
            self.running = None;
        }
        done
    }

    fn try_done(&mut self, method: &str, repetitions: u32) -> Result<(f64, Option<Vec<u32>>)> {
        if self.running.is_none() {
            self.start()?;
        }
        let running = self.running.as_mut().context("it does not run")?;
        let (us, sum) = running.done(&self.task, method, repetitions)?;
        if self.seen == Some(sum) && self.read.contains(method) {
            return Ok((us, None));
        }
        let bytes = running.result()?;
        ensure!(bytes.len() == 4 * self.task.words as usize, "its result has {} bytes", bytes.len());
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        ensure!(checksum(&words) == sum, "it told another checksum than its result has");
        self.seen = Some(sum);
        self.read.insert(method.to_owned());
        Ok((us, Some(words)))
    }
}

/// A running program. It is ended, and its folder removed, when this is dropped.
struct Running {
    child: Child,
    told: ChildStdin,
    answers: Receiver<String>,
    folder: TempDir,
    has_inputs: bool,
}

impl Running {
    fn start(Program { path, device, task, .. }: &Program) -> Result<Self> {
        let folder = TempDir::new()?;
        let mut command = Command::new(path);
        command.args(&task.arguments).arg(folder.path()).env("CUDA_VISIBLE_DEVICES", format!("GPU-{device}"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A terminal sends Ctrl-C to a whole process group. The sample takes its last sample to the end then, and needs it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().context("no program that runs (anchors/cuda has some to build)")?;
        let told = child.stdin.take().context("no pipe")?;
        let lines = BufReader::new(child.stdout.take().context("no pipe")?).lines();
        let (sender, answers) = mpsc::sync_channel(1);
        // It ends with the program's output.
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Ok(Self { child, told, answers, folder, has_inputs: false })
    }

    /// Does the task this many times. Returns how long that took in µs, and the checksum of the last result.
    fn done(&mut self, task: &Task, method: &str, repetitions: u32) -> Result<(f64, u64)> {
        let inputs = if self.has_inputs { &[][..] } else { &task.inputs };
        for (name, words) in inputs {
            fs::write(self.path(name), bytemuck::cast_slice(&words())).context("writing inputs for it")?;
        }
        let began = Instant::now();
        let answer = self.ask(&format!("{method} {repetitions}"))?;
        let most = began.elapsed().as_secs_f64() * 1e6;
        let told = answer.trim().split_once(' ');
        let told = told.and_then(|(us, sum)| Some((us.parse().ok()?, sum.parse().ok()?)));
        let told = told.filter(|(us, _)| (0.0..=most).contains(us) && *us > 0.0);
        let told = told.with_context(|| {
            format!("it said '{answer}', which is no time in µs with a checksum, or more time than passed")
        })?;
        // They have been read by now. They go at once, since this process may end without clean-up.
        inputs.iter().for_each(|(name, _)| drop(fs::remove_file(self.path(name))));
        self.has_inputs = true;
        Ok(told)
    }

    /// The last result.
    fn result(&mut self) -> Result<Vec<u8>> {
        let answer = self.ask("result")?;
        ensure!(answer == "written", "it said '{answer}' when asked for its result");
        let path = self.path("result");
        let bytes = fs::read(&path).context("reading its result")?;
        let _ = fs::remove_file(path);
        Ok(bytes)
    }

    fn ask(&mut self, question: &str) -> Result<String> {
        // What it has said before does not answer this question.
        ensure!(self.answers.try_recv().is_err(), "it said more than it was asked");
        writeln!(self.told, "{question}").or_else(|_| self.has_ended())?;
        self.answer()
    }

    /// The next line of the program.
    fn answer(&mut self) -> Result<String> {
        match self.answers.recv_timeout(PATIENCE) {
            Ok(answer) => Ok(answer),
            Err(RecvTimeoutError::Disconnected) => self.has_ended(),
            Err(RecvTimeoutError::Timeout) => bail!("it did not answer within {} s", PATIENCE.as_secs()),
        }
    }

    /// Says how it ended, and its last words.
    fn has_ended<T>(&mut self) -> Result<T> {
        let began = Instant::now();
        while began.elapsed() < GRACE {
            if let Some(status) = self.child.try_wait()? {
                let mut said = Vec::new();
                let errors = self.child.stderr.take();
                errors.map(|mut errors| errors.read_to_end(&mut said)).transpose()?;
                let said = String::from_utf8_lossy(&said);
                let last = said.lines().last().map_or_else(String::new, |line| format!(": {line}"));
                bail!("it has ended ({status}){last}");
            }
            thread::sleep(GRACE / 100);
        }
        bail!("it has closed its output")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Drop for Running {
    /// Ends it. Both calls fail if it has ended before, which is fine.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
