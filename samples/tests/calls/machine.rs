//! Machines that lack something, and a checkout that does.

use std::fs;
use std::path::Path;

use anyhow::Result;
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_SKIPPED};

use crate::SAMPLE;
use crate::support::{Call, Checkout, told_on_one_line, trial};

/// Mesa's driver for AMD, which can make a device without hardware.
const RADV: &str = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";

pub fn trials() -> Vec<Trial> {
    vec![
        trial("shader_missing", shader_missing),
        trial("validation_layer_missing", validation_layer_missing),
        trial("device_unusable", device_unusable).with_ignored_flag(!Path::new(RADV).exists()),
        trial("loader_missing", loader_missing).with_ignored_flag(!cfg!(target_os = "linux")),
    ]
}

/// A device that is there and cannot compute is no driver that is missing.
fn device_unusable() -> Result<()> {
    for words in ["", "--check", "--device polaris"] {
        let call = Call::on_any_device(&Call::binary(SAMPLE)?).words(words);
        let call = call.env("VK_DRIVER_FILES", RADV).env("VK_ICD_FILENAMES", RADV);
        let ended = call.env("RADV_FORCE_FAMILY", "POLARIS10").run()?;
        told_on_one_line(ended, EXIT_SKIPPED, &["POLARIS10", "it has no memory"])?;
    }
    Ok(())
}

fn loader_missing() -> Result<()> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("libvulkan.so.1"), "This is a text and no library. ".repeat(99))?;
    for words in ["", "--check", "--list-devices"] {
        let ended = Call::new(SAMPLE)?.words(words).env("LD_LIBRARY_PATH", folder.path()).run()?;
        told_on_one_line(ended, EXIT_SKIPPED, &["no Vulkan loader", "libvulkan1", "scripts/run"])?;
    }
    Ok(())
}

fn validation_layer_missing() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = || -> Result<Call> { Ok(Call::new(SAMPLE)?.env("VK_LAYER_PATH", folder.path())) };
    let says = ["validation layer", "vulkan-validationlayers", "scripts/run"];
    told_on_one_line(call()?.words("--check").run()?, EXIT_FAILED, &says)?;
    // Who only measures does not need it.
    call()?.words("--size 96 --samples 1").right()?;
    Ok(())
}

fn shader_missing() -> Result<()> {
    const STEP: &str = "chain/step.comp";
    let checkout = Checkout::copy()?;
    fs::remove_file(checkout.path().join("shaders").join(STEP))?;
    told_on_one_line(checkout.call(SAMPLE)?.run()?, EXIT_FAILED, &[STEP])
}
