//! A sample as a child process that may not hang.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use record::error::Halt;

/// How often a child is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// How long a child that was interrupted may take to write what it has.
const GRACE: Duration = Duration::from_secs(10);

/// Runs a sample in `folder`; its table goes nowhere, what it says to standard error. `stop` is set by
/// Ctrl-C, which reaches the child too. Its input stays open as long as this process lives: a sample with
/// `--progress` leaves when that closes, so that it never goes on alone.
///
/// # Errors
/// Where it does not start, and where it takes longer than `limit`.
pub fn run(
    binary: &Path,
    words: &[OsString],
    folder: &Path,
    limit: Duration,
    stop: &AtomicBool,
) -> Result<ExitStatus> {
    let shown = || format!("running {}", binary.display());
    let mut child = Command::new(binary)
        .args(words)
        .arg("--progress")
        .arg(folder.join("progress"))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .with_context(shown)?;
    let began = Instant::now();
    let mut stopped: Option<Instant> = None;
    loop {
        if let Some(status) = child.try_wait().with_context(shown)? {
            return Ok(status);
        }
        if stopped.is_none() && stop.load(Ordering::Relaxed) {
            stopped = Some(Instant::now());
        }
        let late = stopped.map_or(began.elapsed() > limit, |at| at.elapsed() > GRACE);
        if late {
            let _ = child.kill();
            let status = child.wait().with_context(shown)?;
            if stopped.is_some() {
                return Ok(status);
            }
            return Err(Halt::Hung { what: "the run".into(), seconds: limit.as_secs_f64() }.into());
        }
        std::thread::sleep(LOOK);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(line: &str, limit: f64, stop: bool) -> Result<ExitStatus> {
        let words = ["-c".into(), line.into()];
        let limit = Duration::from_secs_f64(limit);
        run(Path::new("/bin/sh"), &words, Path::new("/"), limit, &AtomicBool::new(stop))
    }

    #[test]
    fn what_ends_has_its_code_and_what_hangs_is_ended() {
        assert_eq!(shell("exit 4", 60.0, false).unwrap().code(), Some(4));
        let began = Instant::now();
        let error = shell("exec sleep 60", 0.2, false).unwrap_err();
        assert!(matches!(error.downcast_ref(), Some(Halt::Hung { .. })), "{error:?}");
        assert!(began.elapsed() < Duration::from_secs(30));
        // Interrupted, it may still end by itself.
        assert_eq!(shell("sleep 0.1; exit 5", 0.0, true).unwrap().code(), Some(5));
    }

    /// It would take its parent for dead otherwise.
    #[test]
    fn its_input_stays_open() {
        let error = shell("read line; exit 7", 0.3, false).unwrap_err();
        assert!(matches!(error.downcast_ref(), Some(Halt::Hung { .. })), "{error:?}");
    }
}
