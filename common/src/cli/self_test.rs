//! `--self-test`: runs only the self-test of a device and shows its certificate.

use std::sync::atomic::Ordering;

use anyhow::Result;
use bench::self_test::{Certified, certify, exit_code};
use record::DeviceFacts;
use record::self_test::Certificate;
use report::Charset;
use report::terminal::fitted;
use serde::Serialize;
use vulkan::gpu::{Gpu, OpenOptions};

use super::Run;

/// Contents of the JSON file.
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
        if let Some(json) = &self.common.output.json {
            json.probe()?;
        }
        let stop = self.stop()?;
        let gpu = Gpu::open(&OpenOptions { statistics: false, ..self.open_options() })?;
        let certified = certify(gpu, &|| stop.load(Ordering::Relaxed))?;
        let Certified { gpu, certificate, interrupted } = &certified;
        let page = report::certificate(Charset::of_terminal(), &gpu.facts, certificate);
        let passed = certificate.passed() && !interrupted;
        let tested = Tested { device: &gpu.facts, passed, interrupted: *interrupted, certificate };
        self.show(|_| fitted(&page), &tested)?;
        Ok(exit_code(certificate, *interrupted))
    }
}
