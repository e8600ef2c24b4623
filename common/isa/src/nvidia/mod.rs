//! Figures of machine code that NVIDIA's driver does not report: it stands in the driver's pipeline cache.

mod container;
mod disassembler;
mod sass;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use record::DeviceFacts;
use record::error::one_line;
use serde::{Deserialize, Serialize};

use crate::Executable;
use disassembler::Disassembler;
pub use sass::SassCounts;

/// `VK_DRIVER_ID_NVIDIA_PROPRIETARY`. Mesa's NVK has another cache.
const PROPRIETARY: i32 = 4;

/// What machine code in a pipeline cache tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MachineCode {
    /// It was read.
    Read {
        /// The disassembler, with the architecture.
        by: String,
        /// Counts in each of [`CodeReport::kernels`](crate::CodeReport::kernels).
        kernels: Vec<SassCounts>,
    },
    /// It was not read, for this reason.
    Unread(String),
}

/// Counts in the machine code of all kernels, of which the driver reports these forms; `cache` returns the data of a
/// pipeline cache with the kernel of this index alone. `None` for a driver other than NVIDIA's own, which has no such
/// cache.
pub fn machine_code(
    device: &DeviceFacts,
    reported: &[Vec<Executable>],
    cache: impl Fn(usize) -> Result<Vec<u8>>,
) -> Option<MachineCode> {
    let is_known = (device.vendor_id, device.driver_id) == (container::VENDOR, PROPRIETARY);
    is_known.then(|| {
        read(device, reported, cache, &disassembler::folders(), disassembler::PATIENCE)
            .unwrap_or_else(|error| MachineCode::Unread(one_line(&error)))
    })
}

/// As [`machine_code`], with programs in these folders.
fn read(
    device: &DeviceFacts,
    reported: &[Vec<Executable>],
    cache: impl Fn(usize) -> Result<Vec<u8>>,
    folders: &[PathBuf],
    patience: Duration,
) -> Result<MachineCode> {
    let disassembler = Disassembler::find(folders, &device.uuid, patience)?;
    let read = |(at, forms): (usize, &Vec<Executable>)| {
        let [form] = &forms[..] else { bail!("{} forms of a kernel, not one", forms.len()) };
        let size = form.figure("Binary Size", &form.name)?;
        let code = container::machine_code(&cache(at)?, size)
            .with_context(|| format!("{} keeps machine code in another form", device.driver()))?;
        sass::count(&disassembler.listing(&code)?, code.len()).context("nvdisasm wrote something else")
    };
    let kernels = reported.iter().enumerate().map(read).collect::<Result<_>>()?;
    Ok(MachineCode::Read { by: format!("nvdisasm -b {}", disassembler.architecture), kernels })
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
