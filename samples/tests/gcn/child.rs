//! Kernels of the tests' own, given to the process that compiles for one chip.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::support::Call;
use crate::{RADV, SAMPLE};

/// `VK_DESCRIPTOR_TYPE_STORAGE_BUFFER`.
pub const STORAGE_BUFFER: i32 = 7;
/// `VK_DESCRIPTOR_TYPE_STORAGE_IMAGE`.
pub const STORAGE_IMAGE: i32 = 3;

/// A kernel as the process takes it.
pub fn request(
    name: &str,
    spirv: &[u32],
    constants: &BTreeMap<u32, u32>,
    bindings: &[i32],
    push_bytes: u32,
) -> Value {
    serde_json::json!({
        "name": name,
        "spirv": spirv,
        "constants": constants,
        "bindings": bindings,
        "push_bytes": push_bytes,
    })
}

/// A line for each kernel, from the compiler of one chip with an option of `RADV_PERFTEST`.
pub fn compile(chip: &str, option: &str, requests: Vec<Value>) -> Result<Vec<Value>> {
    let count = requests.len();
    let request = serde_json::to_vec(&requests)?;
    let mut child = Command::new(Call::binary(SAMPLE)?)
        .arg("--compile-for-null-device")
        .env("RADV_FORCE_FAMILY", chip)
        .env("RADV_PERFTEST", option)
        .env("VK_DRIVER_FILES", RADV)
        .env("VK_ICD_FILENAMES", RADV)
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    // The child reads all of it before it writes anything.
    child.stdin.take().context("no pipe")?.write_all(&request)?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{chip}: {}", output.status);
    let lines = String::from_utf8(output.stdout)?;
    let lines = lines.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    ensure!(lines.len() == 1 + count, "{chip} ended early: {:?}", lines.last());
    Ok(lines.into_iter().skip(1).collect())
}
