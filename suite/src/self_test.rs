//! `suite self-test`.

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, Result};
use common::OpenOptions;
use common::cli::seconds;
use common::self_test::{Options, certify_device};
use record::DeviceFacts;
use record::self_test::Certificate;
use report::terminal::{fitted, on_interrupt, print, say};
use report::{Charset, Destination, certificate};
use serde::Serialize;

/// Test on the device that times are to be trusted
///
/// The same kernel twice must come out SAME and 2 % more work SLOWER; the empty interval, the step and the
/// wrap of timestamps, the rates of clocks and whether anything else uses the device are looked at. Exit
/// codes: 0 passed, 2 failed. Every measuring run does the same first and keeps it in its record.
#[derive(clap::Args, Clone, Debug)]
pub struct SelfTest {
    /// Device to test: index in the list of a sample's --list-devices, part of its name, or UUID
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// Seconds that one submit may take before the device counts as hung [default: 10, on a CPU
    /// device 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Write the certificate as JSON to FILE, or to standard output with -
    #[arg(long, value_name = "FILE")]
    json: Option<Destination>,
}

/// What stands in the file.
#[derive(Debug, Serialize)]
struct Tested<'a> {
    device: &'a DeviceFacts,
    passed: bool,
    interrupted: bool,
    #[serde(flatten)]
    certificate: &'a Certificate,
}

impl SelfTest {
    /// Does it; returns the exit code.
    ///
    /// # Errors
    /// What hindered it.
    pub fn run(&self) -> Result<u8> {
        if let Some(json) = &self.json {
            json.probe()?;
        }
        let stop = on_interrupt()?;
        let options = Options { stopped: &|| stop.load(Ordering::Relaxed) };
        let open =
            OpenOptions { device: self.device.clone(), timeout: self.timeout, ..OpenOptions::default() };
        let certified = certify_device(&open, &options)?;
        let page = certificate(Charset::of_terminal(), &certified.gpu.facts, &certified.certificate);
        if self.json == Some(Destination::Stdout) {
            say(&page);
        } else {
            print(&fitted(&page))?;
        }
        if let Some(json) = &self.json {
            let (certificate, interrupted) = (&certified.certificate, certified.interrupted);
            let passed = certificate.passed() && !interrupted;
            let tested = Tested { device: &certified.gpu.facts, passed, interrupted, certificate };
            let text =
                serde_json::to_string_pretty(&tested).context("the certificate has no form in JSON")?;
            json.write(text + "\n")?;
        }
        Ok(certified.exit_code())
    }
}
