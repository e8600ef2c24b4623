//! Failures that the program handles differently, and the exit codes of the process.

use thiserror::Error;

/// A failure with special handling. Any other error has the exit code [`EXIT_FAILED`].
#[derive(Debug, Error)]
pub enum Halt {
    /// Nothing could be measured here, for a reason that is no failure.
    #[error("cannot run here: {0}")]
    Skip(String),
    /// A submit did not end in time.
    #[error(
        "the device did not finish {what} within {seconds} s: it hangs, or the work is too large \
         (--timeout SECONDS waits longer, a smaller size needs less)"
    )]
    Hung {
        /// What was submitted.
        what: String,
        /// How long the program waited, in seconds.
        seconds: f64,
    },
    /// The driver reported the device as lost.
    #[error("the device was lost while {0}: the driver reset it; see the system log")]
    DeviceLost(String),
}

/// The memory of the device is full; it would suffice if other contents were freed.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct NoRoom(pub String);

/// The request exceeds the limits of the device, no matter how much memory is free.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct BeyondLimits(pub String);

/// Everything that ran was right.
pub const EXIT_RIGHT: u8 = 0;
/// Nothing could be run here.
pub const EXIT_SKIPPED: u8 = 1;
/// A result was wrong, or the program could not do what it was asked.
pub const EXIT_FAILED: u8 = 2;
/// A submit did not end.
pub const EXIT_HUNG: u8 = 3;
/// The user stopped the run (the shell's number for SIGINT).
pub const EXIT_INTERRUPTED: u8 = 130;

/// The exit code of an error.
#[must_use]
pub fn exit_code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Halt>() {
        Some(Halt::Skip(_)) => EXIT_SKIPPED,
        Some(Halt::Hung { .. }) => EXIT_HUNG,
        Some(Halt::DeviceLost(_)) | None => EXIT_FAILED,
    }
}

/// The error's chain of causes on one line, without repeated texts.
#[must_use]
pub fn one_line(error: &anyhow::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in error.chain() {
        let text = cause.to_string().trim().replace(":\n", ": ").replace('\n', "; ");
        if !parts.last().is_some_and(|last| last.contains(&text)) {
            parts.push(text);
        }
    }
    parts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn codes_survive_context() {
        let hung = anyhow::Error::from(Halt::Hung { what: "x".into(), seconds: 1.0 });
        assert_eq!(exit_code(&hung.context("measuring")), EXIT_HUNG);
        assert_eq!(exit_code(&anyhow::anyhow!("other")), EXIT_FAILED);
        assert_eq!(exit_code(&Halt::DeviceLost("submitting".into()).into()), EXIT_FAILED);
    }

    #[test]
    fn causes_come_on_one_line() {
        let error = Err::<(), _>(anyhow::anyhow!("disk full")).context("writing a.json").unwrap_err();
        assert_eq!(one_line(&error), "writing a.json: disk full");
    }
}
