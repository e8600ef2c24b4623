//! `--self-test`: the certificate of a device alone.

use std::sync::atomic::Ordering;

use anyhow::{Context, Result};
use bench::self_test::{Certified, Options, certify};
use record::DeviceFacts;
use record::self_test::Certificate;
use report::terminal::{fitted, print, say};
use report::{Charset, Destination, certificate};
use serde::Serialize;
use vulkan::gpu::{Gpu, OpenOptions};

use super::Run;

/// What stands in the file.
#[derive(Debug, Serialize)]
struct Tested<'a> {
    device: &'a DeviceFacts,
    passed: bool,
    interrupted: bool,
    #[serde(flatten)]
    certificate: &'a Certificate,
}

impl Run {
    pub(super) fn only_test_the_device(&self) -> Result<u8> {
        if let Some(json) = &self.common.json {
            json.probe()?;
        }
        let stop = self.stop()?;
        let options = Options { stopped: &|| stop.load(Ordering::Relaxed) };
        let gpu = Gpu::open(&OpenOptions { statistics: false, ..self.open_options() })?;
        let certified = certify(gpu, &options)?;
        let page = certificate(Charset::of_terminal(), &certified.gpu.facts, &certified.certificate);
        if self.common.json == Some(Destination::Stdout) {
            say(&page);
        } else {
            print(&fitted(&page))?;
        }
        if let Some(json) = &self.common.json {
            json.write(in_json(&certified)? + "\n")?;
        }
        Ok(certified.exit_code())
    }
}

fn in_json(Certified { gpu, certificate, interrupted }: &Certified) -> Result<String> {
    let passed = certificate.passed() && !interrupted;
    let tested = Tested { device: &gpu.facts, passed, interrupted: *interrupted, certificate };
    serde_json::to_string_pretty(&tested).context("the certificate has no form in JSON")
}
