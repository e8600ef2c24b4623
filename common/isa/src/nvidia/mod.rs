//! Machine code that NVIDIA's driver does not report: it stands in the driver's pipeline cache.

mod container;
mod disassembler;
mod sass;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use record::DeviceFacts;
use record::error::{Halt, one_line};
use serde::{Deserialize, Serialize};

use crate::Executable;
use crate::diff::{KernelFigures, Listing, listings};
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

/// The machine code of all kernels.
#[derive(Debug)]
pub struct Sass {
    /// The GPU's architecture, as `SM90`.
    pub architecture: String,
    /// Each kernel's instructions, with the driver's figures.
    pub kernels: Vec<(KernelFigures, Listing)>,
}

/// Whether machine code stands in the pipeline cache of this driver: NVIDIA's own.
#[must_use]
pub fn keeps_machine_code(device: &DeviceFacts) -> bool {
    (device.vendor_id, device.driver_id) == (container::VENDOR, PROPRIETARY)
}

/// Counts in the machine code of all kernels, of which the driver reports these forms; `cache` returns the data of a
/// pipeline cache with the kernel of this index alone. `None` for a driver other than NVIDIA's own, which has no such
/// cache.
pub fn machine_code(
    device: &DeviceFacts,
    reported: &[Vec<Executable>],
    cache: impl Fn(usize) -> Result<Vec<u8>>,
) -> Option<MachineCode> {
    keeps_machine_code(device).then(|| {
        let found = read(device, reported, cache, &disassembler::folders(), disassembler::PATIENCE);
        found.map_or_else(|error| MachineCode::Unread(one_line(&error)), |code| code.counted())
    })
}

/// The machine code of all kernels, from the same as [`machine_code`].
///
/// # Errors
/// [`Halt::Skip`] with what to do if it cannot be read here; a lost device.
pub fn sass(
    device: &DeviceFacts,
    reported: &[Vec<Executable>],
    cache: impl Fn(usize) -> Result<Vec<u8>>,
) -> Result<Sass> {
    let found = read(device, reported, cache, &disassembler::folders(), disassembler::PATIENCE);
    found.and_then(|code| code.listed(reported)).map_err(unread)
}

/// Says what to do where machine code cannot be read.
fn unread(error: anyhow::Error) -> anyhow::Error {
    if error.is::<Halt>() {
        return error;
    }
    let why = one_line(&error);
    let instead = "--code amd:CHIP compares the code for an AMD chip, with Mesa's RADV";
    Halt::Skip(format!("--code-diff needs the machine code of NVIDIA's driver: {why} ({instead})")).into()
}

/// The disassembler's text of each kernel, with the counts in it.
#[derive(Debug)]
struct Code {
    architecture: String,
    kernels: Vec<(SassCounts, String)>,
}

impl Code {
    fn counted(self) -> MachineCode {
        let kernels = self.kernels.into_iter().map(|(counts, _)| counts).collect();
        MachineCode::Read { by: format!("nvdisasm -b {}", self.architecture), kernels }
    }

    fn listed(self, reported: &[Vec<Executable>]) -> Result<Sass> {
        let of = |((_, text), forms): (&(SassCounts, String), &Vec<Executable>)| {
            let form = forms.first().context("no form of a kernel")?;
            let figure = |name| form.figure(name, &form.name);
            let (vgprs, code_bytes) = (figure("Register Count")?, figure("Binary Size")?);
            let listing = listings(text).into_iter().next().context("no instruction")?;
            Ok((KernelFigures { vgprs, sgprs: None, code_bytes }, listing))
        };
        let kernels = self.kernels.iter().zip(reported).map(of).collect::<Result<_>>()?;
        Ok(Sass { architecture: self.architecture, kernels })
    }
}

/// Reads all kernels with programs in these folders, or none.
fn read(
    device: &DeviceFacts,
    reported: &[Vec<Executable>],
    cache: impl Fn(usize) -> Result<Vec<u8>>,
    folders: &[PathBuf],
    patience: Duration,
) -> Result<Code> {
    let disassembler = Disassembler::find(folders, &device.uuid, patience)?;
    let read = |(at, forms): (usize, &Vec<Executable>)| {
        let [form] = &forms[..] else { bail!("{} forms of a kernel, not one", forms.len()) };
        let size = form.figure("Binary Size", &form.name)?;
        let code = container::machine_code(&cache(at)?, size)
            .with_context(|| format!("{} keeps machine code in another form", device.driver()))?;
        let text = disassembler.listing(&code)?;
        let counts = sass::count(&text, code.len()).context("nvdisasm wrote something else")?;
        Ok((counts, text))
    };
    let kernels = reported.iter().enumerate().map(read).collect::<Result<_>>()?;
    Ok(Code { architecture: disassembler.architecture, kernels })
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
