//! The statistics of compiled kernels as data.

use std::collections::BTreeMap;

use anyhow::Result;
use record::Tool;
use serde::{Deserialize, Serialize};

use super::Line;
use super::child::Answer;
use super::chip::{Chip, INSTRUCTION_CACHE};
use super::count::{Counts, count};
use super::executable::Executable;
use super::nvidia::MachineCode;
use super::occupancy::{Occupancy, Use};

/// Version of the layout of [`CodeReport`].
pub const SCHEMA: u32 = 4;

/// The kernels of a sample, compiled for the current device or for other chips.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CodeReport {
    /// [`SCHEMA`] of the program that wrote the report.
    pub schema: u32,
    /// The program.
    pub tool: Tool,
    /// Name of the sample.
    pub sample: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The arguments of the sample, defaults included.
    pub configuration: BTreeMap<String, String>,
    /// The device for which the sample chose its kernels.
    pub declared_on: String,
    /// Subgroup size of that device, on which the choice may depend.
    pub declared_for_subgroups_of: u32,
    /// The distinct kernels.
    pub kernels: Vec<KernelCode>,
    /// The variants, in the sample's order.
    pub variants: Vec<VariantCode>,
    /// The statistics of the current device's driver, unless they belong to a chip in [`CodeReport::chips`].
    pub reported: Option<Reported>,
    /// The chips, in the order given by the user.
    pub chips: Vec<ChipCode>,
    /// The error of each chip that failed, by its name.
    pub failed: BTreeMap<String, String>,
}

/// A kernel as the compilers received it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelCode {
    /// Path below `shaders/`, with the macros that it was built with.
    pub name: String,
    /// SHA-256 of the SPIR-V, in hex.
    pub spirv_sha256: String,
    /// Specialisation constants.
    pub constants: BTreeMap<String, u32>,
    /// Invocations of a workgroup, x, y, z.
    pub workgroup: [u32; 3],
}

/// The kernels of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantCode {
    /// Its name.
    pub variant: String,
    /// Indices into [`CodeReport::kernels`], in the order of their first dispatch.
    pub kernels: Vec<usize>,
    /// Why the variant is left out; `None` if it is not.
    pub left_out: Option<String>,
}

/// The statistics that the driver of the current device reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// The device.
    pub device: String,
    /// Its driver, with the version.
    pub driver: String,
    /// The extension that reported them.
    pub extension: String,
    /// The compiled forms of each of [`CodeReport::kernels`].
    pub kernels: Vec<Vec<Executable>>,
    /// Counts in machine code that the driver does not report; `None` where none is looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_code: Option<MachineCode>,
}

/// The kernels as compiled for a chip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChipCode {
    /// Mesa's name of the chip.
    pub chip: String,
    /// The device that compiled them.
    pub device: String,
    /// Its driver, with the version.
    pub driver: String,
    /// Size in bytes of the instruction cache.
    pub instruction_cache: u32,
    /// One for each of [`CodeReport::kernels`].
    pub kernels: Vec<Outcome>,
}

/// The result of compiling a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was compiled.
    Compiled(Box<Compiled>),
    /// The chip does not support the kernel, for this reason.
    Refused(String),
}

/// Figures of a compiled kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    /// Lanes of a wave.
    pub subgroup_size: u32,
    /// Vector registers per lane.
    pub vgprs: u64,
    /// Scalar registers per wave.
    pub sgprs: u64,
    /// Vector registers that are spilled to memory.
    pub spilled_vgprs: u64,
    /// Scalar registers that are spilled to vector registers or memory.
    pub spilled_sgprs: u64,
    /// Bytes of scratch memory per wave, for spilled registers and for arrays with dynamic indices.
    pub scratch_bytes: u64,
    /// Bytes of shared memory per workgroup.
    pub lds_bytes: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// *Subgroups per SIMD* as the driver reports it: whether or not whole workgroups fit, and on RDNA in a unit of
    /// its own.
    pub subgroups_per_simd: u64,
    /// The same number as waves per SIMD ([`Chip::waves_of`]); `None` if the chip is not modelled.
    pub waves_per_simd: Option<u64>,
    /// The computed occupancy; `None` if the chip is not modelled.
    pub occupancy: Option<Occupancy>,
    /// Instruction counts; `None` if the driver provides no machine code.
    pub counts: Option<Counts>,
}

impl Outcome {
    /// The figures; `None` if the kernel was refused.
    #[must_use]
    pub fn compiled(&self) -> Option<&Compiled> {
        if let Self::Compiled(compiled) = self { Some(compiled) } else { None }
    }

    /// Converts a line of the driver's answer.
    pub(super) fn of(chip: &str, kernel: &KernelCode, line: Line) -> Result<Self> {
        match line {
            Line::Kernel(form) => Ok(Self::Compiled(Box::new(Compiled::of(chip, kernel, &form)?))),
            Line::Refused(reason) => Ok(Self::Refused(reason)),
            other => anyhow::bail!("{other:?} is no answer"),
        }
    }
}

impl Compiled {
    fn of(chip: &str, kernel: &KernelCode, form: &Executable) -> Result<Self> {
        let figure = |name| form.figure(name, &kernel.name);
        let mut compiled = Self {
            subgroup_size: form.subgroup_size,
            vgprs: figure("VGPRs")?,
            sgprs: figure("SGPRs")?,
            spilled_vgprs: figure("Spilled VGPRs")?,
            spilled_sgprs: figure("Spilled SGPRs")?,
            scratch_bytes: figure("Scratch size")?,
            lds_bytes: figure("LDS size")?,
            code_bytes: figure("Code size")?,
            subgroups_per_simd: figure("Subgroups per SIMD")?,
            waves_per_simd: None,
            occupancy: None,
            counts: form.assembly.as_deref().and_then(count),
        };
        if let Some(chip) = Chip::named(chip) {
            compiled.waves_per_simd = Some(chip.waves_of(compiled.subgroups_per_simd, form.subgroup_size));
            let kernel = Use {
                lanes: form.subgroup_size,
                vgprs: u32::try_from(compiled.vgprs)?,
                sgprs: u32::try_from(compiled.sgprs)?,
                lds: u32::try_from(compiled.lds_bytes)?,
                threads: kernel.workgroup.iter().product(),
            };
            compiled.occupancy = Some(Occupancy::of(chip, kernel));
        }
        Ok(compiled)
    }
}

impl CodeReport {
    /// Adds the answer of a chip's compiler.
    ///
    /// # Errors
    /// If a line is no kernel, or lacks a figure.
    pub fn add(&mut self, chip: &str, (device, driver, lines): Answer) -> Result<()> {
        let kernels = self.kernels.iter().zip(lines).map(|(kernel, line)| Outcome::of(chip, kernel, line));
        let kernels = kernels.collect::<Result<_>>()?;
        self.chips.push(ChipCode {
            chip: chip.to_owned(),
            device,
            driver,
            instruction_cache: INSTRUCTION_CACHE,
            kernels,
        });
        Ok(())
    }

    /// Adds the statistics of the current device's driver. If it is RADV, they are added as those of its chip.
    pub fn add_reported(&mut self, mut reported: Reported) {
        let lines = reported.kernels.iter().filter_map(|forms| match &forms[..] {
            [form] => Some(Line::Kernel(form.clone())),
            _ => None,
        });
        let lines: Vec<Line> = lines.collect();
        let chip = radv_chip(&reported.device).filter(|_| lines.len() == self.kernels.len());
        let answer = (reported.device.clone(), reported.driver.clone(), lines);
        // A version of RADV with other names for its figures is shown like any other driver.
        if chip.is_none_or(|chip| self.add(chip, answer).is_err()) {
            reported.kernels.iter_mut().flatten().for_each(|form| form.assembly = None);
            self.reported = Some(reported);
        }
    }

    /// The results of a variant's kernels for a chip.
    #[must_use]
    pub fn of(&self, chip: &str, variant: &str) -> Vec<&Outcome> {
        let chip = self.chips.iter().find(|known| known.chip.eq_ignore_ascii_case(chip));
        let variant = self.variants.iter().find(|known| known.variant == variant);
        let kernels = variant.map_or(&[][..], |variant| &variant.kernels);
        kernels.iter().filter_map(|&at| chip?.kernels.get(at)).collect()
    }
}

/// The chip in the name of a RADV device: `NAVI21` of `AMD Radeon RX 6800 (RADV NAVI21)`.
fn radv_chip(device: &str) -> Option<&str> {
    let (_, rest) = device.split_once("(RADV ")?;
    rest.split([')', ' ', ',']).next()
}
