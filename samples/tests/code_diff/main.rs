//! `--code-diff`: variants by way of RADV, files without any device, and what is said where neither can be.
//!
//! They pin no version of Mesa: that one form costs fewer registers than another is a finding, no promise.

mod files;
mod refusals;
#[path = "../support/mod.rs"]
mod support;
mod variants;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use common::isa::diff::DiffReport;
use libtest_mimic::Arguments;
use support::{Call, Ended};

const SAMPLE: &str = "codegen";
/// Mesa's driver for AMD, which scripts/setup installs.
const RADV: &str = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";

fn main() -> ExitCode {
    let here = Path::new(RADV).exists();
    let mut trials: Vec<_> =
        variants::trials().into_iter().map(|trial| trial.with_ignored_flag(!here)).collect();
    trials.extend(files::trials());
    trials.extend(refusals::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A call that finds no Vulkan device.
fn without_devices() -> Result<Call> {
    let call = Call::on_any_device(&Call::binary(SAMPLE)?);
    let nowhere = "/nonexistent/no-driver.json";
    Ok(call.env("VK_DRIVER_FILES", nowhere).env("VK_ICD_FILENAMES", nowhere))
}

fn parsed(ended: &Ended) -> Result<DiffReport> {
    serde_json::from_str(&ended.stdout).with_context(|| format!("stdout is no comparison: {ended}"))
}
