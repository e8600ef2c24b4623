//! Starts a sample's process, watches it, and ends it if necessary.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::stop::Stop;

/// Interval between checks of the process.
const POLL: Duration = Duration::from_millis(40);

/// Time that a process has after a request to end, for the current sample and for writing its results.
pub const GRACE: Duration = Duration::from_secs(10);

/// Number of characters that are kept of a line of its output.
const LONGEST_LINE: usize = 500;

/// A call of a sample's binary.
pub struct Call<'a> {
    /// The binary.
    pub binary: &'a Path,
    /// Its arguments, without `--progress`.
    pub arguments: Vec<OsString>,
    /// The file to which it writes its progress.
    pub progress: PathBuf,
    /// How long it may take.
    pub limit: Duration,
    /// How long it may continue after a request to end.
    pub grace: Duration,
    /// Whether its error output is hidden; the last line is kept.
    pub is_quiet: bool,
    /// Requests of the user to end the run.
    pub stop: &'a Stop,
}

/// The progress of a sample, as it writes it to the file of `--progress`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Progress {
    /// The current phase.
    pub phase: Phase,
    /// The variant that is sampled next; empty if there is none.
    #[serde(default)]
    pub variant: String,
    /// The share of its budget that is used, 0 to 1.
    pub spent: f64,
}

/// The phases of a sample's process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It opens the device, builds kernels, and computes the CPU reference.
    #[default]
    Starting,
    /// It takes samples.
    Measuring,
    /// It traces waves.
    Tracing,
    /// It writes its results.
    Writing,
}

/// How a sample's process ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The cause of its end.
    pub how: How,
    /// The last line of its error output.
    pub said: Option<String>,
    /// Its last progress.
    pub progress: Progress,
    /// How long it took.
    pub took: Duration,
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// It exited with this code.
    Code(i32),
    /// A signal of this name ended it.
    Signal(String),
    /// It reached its time limit, and ended when asked to.
    TooLong,
    /// It reached its time limit, and had to be killed.
    Hung,
    /// The user asked it to end, and it was killed because it did not end in time.
    Stopped,
}

impl Call<'_> {
    /// Runs the process to its end; calls `watch` with its progress.
    ///
    /// # Errors
    /// If the process cannot be started or waited for.
    pub fn run(&self, watch: &mut dyn FnMut(&Progress)) -> Result<Ended> {
        let mut command = Command::new(self.binary);
        command.args(&self.arguments).arg("--progress").arg(&self.progress);
        // The output is not needed, since the record contains it. The input stays open while this process lives: a
        // sample ends when its input closes, so it never continues alone.
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        let file = || {
            let folder = self.progress.parent().unwrap_or(Path::new("."));
            tempfile::tempfile_in(folder).with_context(|| {
                format!("making a file for what a sample says in {}; let it be written", folder.display())
            })
        };
        let said = self.is_quiet.then(file).transpose()?;
        if let Some(said) = &said {
            command.stderr(said.try_clone().context("giving a sample a file for what it says")?);
        }
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            // A terminal sends Ctrl-C to a whole process group. In a group of its own, the sample gets only the
            // signal that this process sends on, once.
            command.process_group(0);
        }
        let child = command.spawn().with_context(|| format!("starting {}", self.binary.display()))?;
        let mut running =
            Running { child, began: Instant::now(), asked: None, progress: Progress::default() };
        let (status, killed) = self.attend(&mut running, watch)?;
        let took = running.began.elapsed();
        let how = match running.asked.map(|(because, _)| because) {
            Some(_) if killed && self.stop.is_asked() => How::Stopped,
            _ if killed => How::Hung,
            Some(Because::Limit) => How::TooLong,
            _ => how(status),
        };
        let said = said.and_then(last_line);
        Ok(Ended { how, said, progress: running.progress.clone(), took })
    }

    /// Waits for the end of the process, and asks it to end if the user or the time limit requires it. Returns its
    /// status and whether it had to be killed.
    fn attend(&self, running: &mut Running, watch: &mut dyn FnMut(&Progress)) -> Result<(ExitStatus, bool)> {
        loop {
            let ended = running.child.try_wait().context("waiting for a sample")?;
            // Also read after its end: the last progress tells where it died.
            if let Some(progress) = read(&self.progress) {
                running.progress = progress;
            }
            if let Some(status) = ended {
                return Ok((status, false));
            }
            watch(&running.progress);
            match running.asked {
                None if self.stop.is_asked() => running.ask(Because::User, self.grace),
                None if running.began.elapsed() > self.limit => running.ask(Because::Limit, self.grace),
                Some((_, until)) if self.stop.is_urgent() || Instant::now() > until => {
                    running.child.kill().context("ending a sample that hangs")?;
                    return Ok((running.child.wait().context("waiting for a sample")?, true));
                }
                _ => {}
            }
            std::thread::sleep(POLL);
        }
    }
}

/// A running process, which is killed when dropped.
struct Running {
    child: Child,
    began: Instant,
    /// Who asked it to end, and its deadline.
    asked: Option<(Because, Instant)>,
    progress: Progress,
}

#[derive(Clone, Copy)]
enum Because {
    User,
    Limit,
}

impl Running {
    /// Asks it to end, like Ctrl-C: it finishes the current sample and writes its results.
    fn ask(&mut self, because: Because, grace: Duration) {
        self.asked = Some((because, Instant::now() + grace));
        #[cfg(unix)]
        {
            let id = rustix::process::Pid::from_child(&self.child);
            // The process has not been waited for, so its id cannot have been reused. The signal fails if it has
            // just ended.
            let _ = rustix::process::kill_process(id, rustix::process::Signal::INT);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both calls fail if the process has already ended, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(path: &Path) -> Option<Progress> {
    // A line that is only partly written does not parse.
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

fn how(status: ExitStatus) -> How {
    status.code().map_or_else(|| How::Signal(signal(status)), How::Code)
}

/// The signal's name in the text of the standard library: `signal: 6 (SIGABRT) (core dumped)`.
fn signal(status: ExitStatus) -> String {
    let text = status.to_string();
    let name = text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(name, _)| name);
    name.filter(|name| name.starts_with("SIG")).map_or_else(|| text.clone(), str::to_owned)
}

/// The last line of a file of any length.
fn last_line(mut file: File) -> Option<String> {
    let length = file.metadata().ok()?.len();
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(1 << 16))).ok()?;
    file.read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.lines().map(str::trim).rev();
    // Skips Rust's hint below a panic message.
    let line = lines.find(|line| !line.is_empty() && !line.starts_with("note: run with `RUST_BACKTRACE"))?;
    Some(line.chars().take(LONGEST_LINE).collect())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a shell script in place of a sample.
    fn run(script: &str, limit: Duration, stop: &Stop) -> Ended {
        run_watched(script, limit, stop, &mut |_| ())
    }

    fn run_watched(script: &str, limit: Duration, stop: &Stop, watch: &mut dyn FnMut(&Progress)) -> Ended {
        // A shell cannot trap a signal that was ignored when it started, as in a background job. Installing a
        // handler here resets that; only the first call succeeds.
        let _ = ctrlc::set_handler(|| std::process::exit(130));
        // Scripts that ignore the signal are killed soon; those that answer get enough time even on a busy machine.
        let grace = if script.contains(DEAF) { SHORT } else { LONG };
        let folder = tempfile::tempdir().unwrap();
        let progress = folder.path().join("progress");
        let arguments = ["-c", script, "sh"].map(OsString::from).into();
        let call =
            Call { binary: Path::new("/bin/sh"), arguments, progress, limit, grace, is_quiet: true, stop };
        call.run(watch).unwrap()
    }

    const SHORT: Duration = Duration::from_millis(500);
    const LONG: Duration = Duration::from_secs(600);

    fn ended(script: &str) -> Ended {
        run(script, LONG, &Stop::default())
    }

    #[test]
    fn codes_signals_and_last_words_are_told_apart() {
        assert_eq!(ended("exit 3").how, How::Code(3));
        assert_eq!(ended("kill -ABRT $$").how, How::Signal("SIGABRT".into()));
        let script =
            "echo one >&2; echo two >&2; echo >&2; printf 'note: run with `RUST_BACKTRACE=1`\\n' >&2";
        assert_eq!(ended(script).said.as_deref(), Some("two"));
        assert_eq!(ended("true").said, None);
    }

    #[test]
    fn it_is_known_where_it_died() {
        // The script is called with `--progress FILE`.
        let line = r#"{"phase":"measuring","variant":"events_2","spent":0.42}   "#;
        let ended = ended(&format!("echo '{line}' > $2; kill -SEGV $$"));
        assert_eq!(ended.how, How::Signal("SIGSEGV".into()));
        let variant = "events_2".to_owned();
        assert_eq!(ended.progress, Progress { phase: Phase::Measuring, variant, spent: 0.42 });
    }

    #[test]
    fn half_a_line_of_progress_is_none() {
        assert_eq!(ended(r#"echo '{"phase":"meas' > $2"#).progress, Progress::default());
    }

    #[test]
    fn one_that_takes_too_long_is_asked_before_it_is_killed() {
        let limit = Duration::from_millis(200);
        let polite = run("trap 'exit 130' INT; while :; do sleep 0.01; done", limit, &Stop::default());
        assert_eq!(polite.how, How::TooLong);
        let deaf = run(&format!("{DEAF}; {ENDLESS}"), limit, &Stop::default());
        assert_eq!(deaf.how, How::Hung);
        assert!(deaf.took >= limit + SHORT);
    }

    #[test]
    fn the_user_is_heard_once() {
        let stop = Stop::default();
        let line = r#"{"phase":"measuring","variant":"","spent":0.0}"#;
        let script = format!(
            "n=0; trap 'n=$((n+1))' INT; echo '{line}' > $2; i=0; while [ $n -eq 0 ] && [ $i -lt 1000 ]; do i=$((i+1)); \
             sleep 0.02; done; i=0; while [ $i -lt 30 ]; do i=$((i+1)); sleep 0.02; done; exit $n"
        );
        let heard = run_watched(&script, LONG, &stop, &mut |progress| {
            if progress.phase == Phase::Measuring && !stop.is_asked() {
                stop.ask();
            }
        });
        assert_eq!(heard.how, How::Code(1));
    }

    const DEAF: &str = "trap '' INT";
    const ENDLESS: &str = "while :; do sleep 0.01; done";

    /// The result of a script that gets `times` requests of the user to end, once its trap is set.
    fn asked(trap: &str, times: usize) -> Ended {
        let stop = Stop::default();
        let line = r#"{"phase":"measuring","variant":"","spent":0.0}"#;
        let script = format!("{trap}; echo '{line}' > $2; {ENDLESS}");
        run_watched(&script, LONG, &stop, &mut |progress| {
            if progress.phase == Phase::Measuring && !stop.is_asked() {
                for _ in 0..times {
                    stop.ask();
                }
            }
        })
    }

    /// The rest of its time limit does not matter.
    #[test]
    fn one_that_does_not_hear_the_user_is_killed() {
        let deaf = asked(DEAF, 1);
        assert_eq!(deaf.how, How::Stopped);
        assert!(deaf.took >= SHORT && deaf.took < LONG, "{:?}", deaf.took);
    }

    #[test]
    fn asked_twice_the_user_does_not_wait() {
        // The script ignores the signal and has a long time limit.
        let deaf = asked("trap : INT", 2);
        assert_eq!(deaf.how, How::Stopped);
        assert!(deaf.took < LONG, "{:?}", deaf.took);
    }
}
