//! Runs the child process that compiles for one chip, and reads its answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

use crate::{Line, Source};

/// The only argument of a process that compiles instead of running the sample.
pub const ARGUMENT: &str = "--compile-for-null-device";

/// A child's answer: the device, its driver, and a line per kernel.
pub type Answer = (String, String, Vec<Line>);

/// Runs `call`, sends it the kernels and reads the answer. Each line may take `patience`.
///
/// # Errors
/// If the process cannot be started, crashes, takes too long, or answers in another format.
pub(crate) fn ask(mut call: Command, sources: &[Source], patience: Duration) -> Result<Answer> {
    call.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Running(call.spawn().context("starting a process that compiles")?);
    let stdout = child.0.stdout.take().context("no pipe")?;
    let mut stdin = child.0.stdin.take().context("no pipe")?;
    let said = read_all(child.0.stderr.take().context("no pipe")?);
    let request = serde_json::to_vec(sources).context("writing kernels down")?;
    let sent = thread::spawn(move || stdin.write_all(&request));
    let answer = listen(&lines_of(stdout), patience, sources);
    // Not for a silent child: the wait might never end.
    let ends = matches!(answer, Ok(_) | Err(NoAnswer::Closed(_)));
    let status = if ends { child.0.wait().ok() } else { None };
    drop(child);
    // Both threads end with the child. Their errors add nothing to its exit status.
    let _ = sent.join();
    let said = said.join().unwrap_or_default();
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    match (answer, status) {
        (Ok(answer), Some(status)) if status.success() => Ok(answer),
        (Ok(_), status) => Err(died(status, last).context("RADV ended badly after the last kernel")),
        (Err(NoAnswer::Closed(doing)), status) => {
            Err(died(status, last).context(format!("RADV failed while {doing}")))
        }
        (Err(NoAnswer::Said(error)), _) => Err(error),
    }
}

/// The reason why a child ended: its exit status and its last message.
fn died(status: Option<std::process::ExitStatus>, last: Option<&str>) -> anyhow::Error {
    let status =
        status.map_or_else(|| "it was stopped".into(), |status| format!("its process ended with {status}"));
    match last {
        Some(last) => anyhow!("{status}, after it said '{last}'"),
        None => anyhow!("{status}"),
    }
}

/// Why an answer is incomplete.
enum NoAnswer {
    /// The child ended; contains what it was doing.
    Closed(String),
    /// The child takes too long or its output is not understood.
    Said(anyhow::Error),
}

fn listen(lines: &Receiver<String>, patience: Duration, sources: &[Source]) -> Result<Answer, NoAnswer> {
    let next = |doing: String| -> Result<Line, NoAnswer> {
        let line = lines.recv_timeout(patience).map_err(|error| match error {
            RecvTimeoutError::Timeout => NoAnswer::Said(anyhow!(
                "RADV was not done with {doing} after {} s (--timeout SECONDS waits longer)",
                patience.as_secs_f64()
            )),
            RecvTimeoutError::Disconnected => NoAnswer::Closed(doing.clone()),
        })?;
        let said = || NoAnswer::Said(anyhow!("RADV's process said '{}' while {doing}", line.trim_end()));
        serde_json::from_str(&line).map_err(|_| said())
    };
    let (name, driver) = match next("opening the device".into())? {
        Line::Device { name, driver } => (name, driver),
        other => return Err(NoAnswer::Said(unexpected(&other))),
    };
    let kernel = |source: &Source| match next(format!("compiling {}", source.name))? {
        line @ (Line::Kernel(_) | Line::Refused(_)) => Ok(line),
        other => Err(NoAnswer::Said(unexpected(&other))),
    };
    Ok((name, driver, sources.iter().map(kernel).collect::<Result<_, _>>()?))
}

fn unexpected(line: &Line) -> anyhow::Error {
    match line {
        Line::Failed(reason) => anyhow!("RADV failed: {reason}"),
        other => anyhow!("RADV's process answered out of turn: {other:?}"),
    }
}

/// A child process that is killed when dropped.
pub(crate) struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both calls fail if the child has already ended, which is fine.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn lines_of(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

fn read_all(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // The bytes read before an error are still useful.
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use record::error::one_line;

    use super::*;

    fn sources() -> Vec<Source> {
        let source = |name: &str| Source {
            name: name.into(),
            // More than fits into a pipe: a child that reads nothing must not block its parent.
            spirv: vec![u32::MAX; 100_000],
            constants: [(0, 64)].into(),
            bindings: vec![7],
            push_bytes: 4,
        };
        vec![source("first.comp"), source("second.comp")]
    }

    /// The error message for a child that runs this script.
    fn told(script: &str) -> String {
        let mut call = Command::new("sh");
        call.args(["-c", script]);
        let error = ask(call, &sources(), Duration::from_millis(500)).unwrap_err();
        one_line(&error)
    }

    const DEVICE: &str = r#"{"Device":{"name":"Null","driver":"Mesa"}}"#;
    const KERNEL: &str = r#"{"Kernel":{"name":"compute","subgroup_size":64,"statistics":[{"name":"VGPRs","description":"","value":4,"kind":null}]}}"#;

    #[test]
    fn a_child_that_answers_is_heard() {
        let mut call = Command::new("sh");
        let refused = r#"{"Refused":"no float16"}"#;
        call.args(["-c", &format!("cat >/dev/null; echo '{DEVICE}'; echo '{KERNEL}'; echo '{refused}'")]);
        let (name, driver, lines) = ask(call, &sources(), Duration::from_secs(10)).unwrap();
        assert_eq!((name.as_str(), driver.as_str()), ("Null", "Mesa"));
        assert!(
            matches!(&lines[..], [Line::Kernel(form), Line::Refused(_)] if form.figure("VGPRs", "k").unwrap() == 4)
        );
    }

    #[test]
    fn a_child_that_is_killed_is_told_with_its_kernel() {
        let text =
            told(&format!("cat >/dev/null; echo '{DEVICE}'; echo '{KERNEL}'; echo oops >&2; kill -9 $$"));
        assert!(text.contains("compiling second.comp") && text.contains("signal: 9"), "{text}");
        assert!(text.contains("after it said 'oops'"), "{text}");
        // The child is killed before it has read anything.
        let text = told("kill -9 $$");
        assert!(text.contains("opening the device") && text.contains("signal: 9"), "{text}");
        let text =
            told(&format!("cat >/dev/null; echo '{DEVICE}'; echo '{KERNEL}'; echo '{KERNEL}'; exit 7"));
        assert!(text.contains("after the last kernel") && text.contains("exit status: 7"), "{text}");
    }

    #[test]
    fn a_child_that_is_silent_is_not_waited_for() {
        let began = std::time::Instant::now();
        let text = told(&format!("cat >/dev/null; echo '{DEVICE}'; exec sleep 60"));
        assert!(text.contains("compiling first.comp after 0.5 s") && text.contains("--timeout"), "{text}");
        assert!(began.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_child_that_says_something_else_is_quoted() {
        let text = told("cat >/dev/null; echo hello; exec sleep 60");
        assert!(text.contains("said 'hello' while opening the device"), "{text}");
        let text = told(&format!("cat >/dev/null; echo '{KERNEL}'; exec sleep 60"));
        assert!(text.contains("out of turn"), "{text}");
        let text = told("cat >/dev/null; echo '{\"Failed\":\"no such thing\"}'; exec sleep 60");
        assert!(text.contains("RADV failed: no such thing"), "{text}");
    }
}
