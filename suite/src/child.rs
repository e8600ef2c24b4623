//! A sample's process: started, listened to, ended where it must be.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::stop::Stop;

/// How often it is looked after.
const POLL: Duration = Duration::from_millis(40);

/// How long one that was asked to end may take for the sample under way and for writing what it has.
pub const GRACE: Duration = Duration::from_secs(10);

/// What is kept of a line that it says.
const LONGEST_LINE: usize = 500;

/// A call of a sample's binary.
pub struct Call<'a> {
    /// The binary.
    pub binary: &'a Path,
    /// Its arguments but for `--progress`.
    pub arguments: Vec<OsString>,
    /// The folder that it works in.
    pub folder: &'a Path,
    /// The file that it tells its progress in.
    pub progress: PathBuf,
    /// How long it may take.
    pub limit: Duration,
    /// How long it may go on once it is asked to end.
    pub grace: Duration,
    /// What it says is not shown; the last line of it is kept.
    pub is_quiet: bool,
    /// The user has asked the run to end.
    pub stop: &'a Stop,
}

/// Where a sample is, as it writes it to the file of `--progress`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Progress {
    /// What it does.
    pub phase: Phase,
    /// The variant that is about to be sampled; empty where there is none.
    #[serde(default)]
    pub variant: String,
    /// How much of its budget it has used, 0 to 1.
    pub spent: f64,
}

/// What a sample does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It opens the device, builds kernels, computes the CPU reference.
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
    /// By itself, or how else.
    pub how: How,
    /// The last line that it said.
    pub said: Option<String>,
    /// Where it was.
    pub progress: Progress,
    /// How long it took.
    pub took: Duration,
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// With an exit code.
    Code(i32),
    /// By a signal of this name.
    Signal(String),
    /// It used up its time, and ended when it was asked to.
    TooLong,
    /// It used up its time, and had to be killed.
    Hung,
    /// The user asked it to end, and it was killed since it did not soon enough.
    Stopped,
}

impl Call<'_> {
    /// Runs it to its end; `watch` hears where it is.
    ///
    /// # Errors
    /// A process that cannot be started or waited for.
    pub fn run(&self, watch: &mut dyn FnMut(&Progress)) -> Result<Ended> {
        let mut command = Command::new(self.binary);
        command.args(&self.arguments).arg("--progress").arg(&self.progress);
        command.current_dir(self.folder);
        // What it would print stands in its record. Its input stays open as long as this process lives: a sample
        // leaves when that closes, so that it never goes on alone.
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
            // A terminal sends Ctrl-C to all of a group. Sent on by hand, it comes once wherever it came from.
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

    /// Waits for its end, and asks for it where the user or the time wants it; whether it had to be killed.
    fn attend(&self, running: &mut Running, watch: &mut dyn FnMut(&Progress)) -> Result<(ExitStatus, bool)> {
        loop {
            let ended = running.child.try_wait().context("waiting for a sample")?;
            // After its end too: what it wrote last tells where it died.
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

/// A process that runs; killed where nobody waits for it any more.
struct Running {
    child: Child,
    began: Instant,
    /// Who asked it to end, and until when it may answer.
    asked: Option<(Because, Instant)>,
    progress: Progress,
}

#[derive(Clone, Copy)]
enum Because {
    User,
    Limit,
}

impl Running {
    /// As Ctrl-C does: it ends after the sample under way and writes what it has.
    fn ask(&mut self, because: Because, grace: Duration) {
        self.asked = Some((because, Instant::now() + grace));
        #[cfg(unix)]
        {
            let id = rustix::process::Pid::from_child(&self.child);
            // It has not been waited for, so the number is still its own; one that has just ended hears nothing.
            let _ = rustix::process::kill_process(id, rustix::process::Signal::INT);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail where it has ended, which is what they are for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(path: &Path) -> Option<Progress> {
    // Half a line, while it is being written, is none.
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

fn how(status: ExitStatus) -> How {
    status.code().map_or_else(|| How::Signal(signal(status)), How::Code)
}

/// The name of the signal in what the standard library says: `signal: 6 (SIGABRT) (core dumped)`.
fn signal(status: ExitStatus) -> String {
    let text = status.to_string();
    let name = text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(name, _)| name);
    name.filter(|name| name.starts_with("SIG")).map_or_else(|| text.clone(), str::to_owned)
}

/// The last line of a file. What a program says before may be of any length.
fn last_line(mut file: File) -> Option<String> {
    let length = file.metadata().ok()?.len();
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(1 << 16))).ok()?;
    file.read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.lines().map(str::trim).rev();
    // Rust's advice below a panic says nothing about it.
    let line = lines.find(|line| !line.is_empty() && !line.starts_with("note: run with `RUST_BACKTRACE"))?;
    Some(line.chars().take(LONGEST_LINE).collect())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    /// What a shell script that is called like a sample comes to.
    fn run(script: &str, limit: Duration, stop: &Stop) -> Ended {
        run_watched(script, limit, stop, &mut |_| ())
    }

    fn run_watched(script: &str, limit: Duration, stop: &Stop, watch: &mut dyn FnMut(&Progress)) -> Ended {
        // A shell cannot trap what it was started to ignore, as in a job in the background: what is handled here is
        // not ignored there. The first call alone succeeds.
        let _ = ctrlc::set_handler(|| std::process::exit(130));
        // What ignores the signal is killed soon; what answers has time to, on a busy machine too.
        let grace = if script.contains(DEAF) { SHORT } else { LONG };
        let folder = tempfile::tempdir().unwrap();
        let progress = folder.path().join("progress");
        let arguments = ["-c", script, "sh"].map(OsString::from).into();
        let call = Call {
            binary: Path::new("/bin/sh"),
            arguments,
            folder: folder.path(),
            progress,
            limit,
            grace,
            is_quiet: true,
            stop,
        };
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
        // Called with `--progress FILE`.
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

    /// The user asks so often, once it does not hear any more.
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

    /// However much of its time is left.
    #[test]
    fn one_that_does_not_hear_the_user_is_killed() {
        let deaf = asked(DEAF, 1);
        assert_eq!(deaf.how, How::Stopped);
        assert!(deaf.took >= SHORT && deaf.took < LONG, "{:?}", deaf.took);
    }

    #[test]
    fn asked_twice_the_user_does_not_wait() {
        // As deaf, and with all the time that it wants.
        let deaf = asked("trap : INT", 2);
        assert_eq!(deaf.how, How::Stopped);
        assert!(deaf.took < LONG, "{:?}", deaf.took);
    }
}
