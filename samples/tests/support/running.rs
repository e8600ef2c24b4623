//! A call that was started, and what it said.

use std::io::Read;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use record::{Record, read_json};

/// A queue that hangs must not hang the tests.
const LIMIT: Duration = Duration::from_secs(60);
/// So many times as long as on an idle machine may anything take: other work may have the processors.
pub const OVERLOADED: u32 = 10;
const POLL: Duration = Duration::from_millis(10);

/// A process that runs. It is killed when it is dropped or runs too long.
#[derive(Debug)]
pub struct Running {
    child: Child,
    program: String,
    call: String,
    began: Instant,
    limit: Duration,
    stdout: Option<Heard>,
    stderr: Option<Heard>,
}

/// A process that has ended.
#[derive(Debug)]
pub struct Ended {
    /// What the program calls itself.
    program: String,
    /// The command line, for messages.
    pub call: String,
    /// Exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// Standard output; empty when it went elsewhere.
    pub stdout: String,
    /// Standard error; empty when it went elsewhere.
    pub stderr: String,
}

impl Running {
    pub(super) fn new(mut child: Child, program: String, call: String) -> Self {
        let stdout = child.stdout.take().map(Heard::new);
        let stderr = child.stderr.take().map(Heard::new);
        Self { child, program, call, began: Instant::now(), limit: LIMIT, stdout, stderr }
    }

    /// Its number in the system.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Lets it run longer than calls of samples do; a time on an idle machine.
    pub fn for_at_most(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Makes sure that it still runs, and not for too long.
    pub fn ensure_alive(&mut self) -> Result<()> {
        match self.status()? {
            None => Ok(()),
            Some(status) => bail!("{} has ended with {status}:\n{}", self.call, self.said()),
        }
    }

    /// Waits until the standard error holds `text`.
    pub fn until_stderr_has(&mut self, text: &str) -> Result<()> {
        while !self.said().contains(text) {
            self.ensure_alive().with_context(|| format!("it has not said '{text}'"))?;
            std::thread::sleep(POLL);
        }
        Ok(())
    }

    /// Waits until it has a handler for a signal. Only Linux tells; elsewhere, as long as that takes.
    pub fn until_it_catches(&mut self, signal: u32) -> Result<()> {
        let path = format!("/proc/{}/status", self.id());
        while let Ok(status) = std::fs::read_to_string(&path) {
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            let caught = u64::from_str_radix(caught.context("no mask of signals")?.trim(), 16)?;
            if caught & 1 << (signal - 1) != 0 {
                return Ok(());
            }
            self.ensure_alive().with_context(|| format!("it has not listened to signal {signal}"))?;
            std::thread::sleep(POLL);
        }
        std::thread::sleep(Duration::from_secs(2));
        Ok(())
    }

    /// Waits for its end. Whatever it was asked, a panic is never the answer.
    pub fn wait(mut self) -> Result<Ended> {
        let status = loop {
            match self.status()? {
                Some(status) => break status,
                None => std::thread::sleep(POLL),
            }
        };
        let ended = Ended {
            program: self.program.clone(),
            call: self.call.clone(),
            code: status.code(),
            stdout: self.stdout.take().map(Heard::all).unwrap_or_default(),
            stderr: self.stderr.take().map(Heard::all).unwrap_or_default(),
        };
        ensure!(!ended.stderr.contains("panicked"), "{ended}");
        Ok(ended)
    }

    /// What it has said so far.
    fn said(&self) -> String {
        self.stderr.as_ref().map(Heard::text).unwrap_or_default()
    }

    fn status(&mut self) -> Result<Option<ExitStatus>> {
        let status = self.child.try_wait().with_context(|| format!("waiting for {}", self.call))?;
        // How long an honest run takes is a matter of what else runs here.
        if status.is_none() && self.began.elapsed() > OVERLOADED * self.limit {
            bail!("{} does not end; so far it said:\n{}", self.call, self.said());
        }
        Ok(status)
    }
}

/// Seconds of CPU time that a process has taken with the children that it waited for. Only Linux tells.
pub fn cpu_time(process: u32) -> Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name, in parentheses, may hold anything.
    let (_, rest) = text.rsplit_once(')').context("no name")?;
    let times = rest.split_whitespace().skip(11).take(4).map(str::parse::<f64>);
    let ticks = times.sum::<Result<f64, _>>()?;
    #[cfg(unix)]
    let second = rustix::param::clock_ticks_per_second();
    #[cfg(not(unix))]
    let second = 100_u64;
    Ok(ticks / second as f64)
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when it has ended already, which is what they are for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    /// Makes sure that it ended with `code`.
    pub fn with_code(self, code: i32) -> Result<Self> {
        ensure!(self.code == Some(code), "expected exit code {code} of {self}");
        Ok(self)
    }

    /// The reason that it gives on the standard error, without the name of the program: one line, beside what every run
    /// says of itself.
    pub fn reason(&self) -> Result<&str> {
        let own = |line| str::strip_prefix(line, &self.program).and_then(|line| line.strip_prefix(": "));
        let reasons: Vec<&str> = self.stderr.lines().filter_map(own).collect();
        ensure!(reasons.len() == 1, "{} lines of error in place of one: {self}", reasons.len());
        Ok(reasons[0])
    }

    /// Makes sure that the standard error says all of it.
    pub fn says(&self, texts: &[impl AsRef<str>]) -> Result<()> {
        self.holds(&self.stderr, texts)
    }

    /// Makes sure that the standard output shows all of it, on one line or wrapped.
    pub fn shows(&self, texts: &[impl AsRef<str>]) -> Result<()> {
        self.holds(&self.stdout, texts)
    }

    fn holds(&self, heard: &str, texts: &[impl AsRef<str>]) -> Result<()> {
        for text in texts.iter().map(AsRef::as_ref) {
            let is_there = heard.contains(text) || heard.replace("\n  ", " ").contains(text);
            ensure!(is_there, "no word of '{text}': {self}");
        }
        Ok(())
    }

    /// Makes sure that a terminal without UTF-8 can show it.
    pub fn is_ascii(&self) -> Result<()> {
        ensure!(self.stdout.is_ascii() && self.stderr.is_ascii(), "not ASCII: {self}");
        Ok(())
    }

    /// The record on its standard output.
    pub fn record(&self) -> Result<Record> {
        read_json(&self.stdout).with_context(|| format!("stdout is no record: {self}"))
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (out, err) = (start(&self.stdout), start(&self.stderr));
        write!(f, "{}\n-- exit code: {:?}\n-- stdout:\n{out}\n-- stderr:\n{err}", self.call, self.code)
    }
}

/// As much of a text as a message bears: a record has thousands of lines.
fn start(text: &str) -> String {
    text.chars().take(4000).collect()
}

/// A pipe that is read as long as it is open, so that the process never waits for its reader.
#[derive(Debug)]
struct Heard {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Heard {
    fn new(mut pipe: impl Read + Send + 'static) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let written = Arc::clone(&bytes);
        let reader = std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(n @ 1..) = pipe.read(&mut chunk) {
                written.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&chunk[..n]);
            }
        });
        Self { bytes, reader }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    fn all(self) -> String {
        let Self { bytes, reader } = self;
        // A reader that failed has kept what it had read.
        let _ = reader.join();
        String::from_utf8_lossy(&bytes.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

/// It ended with this code, and said what is asked for on one line that begins with its name, and nothing else.
pub fn told_on_one_line(ended: Ended, code: u8, says: &[&str]) -> Result<()> {
    let ended = ended.with_code(code.into())?;
    ended.reason()?;
    ensure!(ended.stdout.is_empty() && ended.stderr.trim_end().lines().count() == 1, "not one line: {ended}");
    ended.says(says)
}
