//! `suite self-test`: runs the self-test, which all samples have, through one of them.

use std::process::Command;

use anyhow::{Context, Result};
use report::terminal::on_interrupt;

use crate::samples::Samples;

/// Test on the device that times are to be trusted
///
/// The same kernel twice must come out SAME and 2 % more work SLOWER; the step and the rate of timestamps and
/// whether anything else uses the device are looked at. Exit codes: 0 passed, 2 failed. Every measuring run
/// does the same first and keeps it in its record.
#[derive(clap::Args, Clone, Debug)]
pub struct SelfTest {
    /// Device to test: index in the list of a sample's --list-devices, part of its name, or UUID
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// Seconds that one submit may take before the device counts as hung [default: 10, on a CPU
    /// device 60]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<String>,
    /// Write the certificate as JSON to FILE, or to standard output with -
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
}

impl SelfTest {
    /// Runs the self-test and returns the sample's exit code.
    ///
    /// # Errors
    /// If there is no sample, it does not start, or it crashes.
    pub fn run(&self) -> Result<u8> {
        let sample = Samples::ready()?.any()?;
        // The sample receives Ctrl-C as well and ends by itself.
        let _stop = on_interrupt()?;
        let mut call = Command::new(&sample);
        call.arg("--self-test");
        for (name, value) in [("device", &self.device), ("timeout", &self.timeout), ("json", &self.json)] {
            call.args(value.iter().map(|value| format!("--{name}={value}")));
        }
        let shown = || format!("running {} --self-test", sample.display());
        let status = call.status().with_context(shown)?;
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        code.with_context(|| format!("{}: {status}", shown()))
    }
}
