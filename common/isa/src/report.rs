//! What is known of the compiled kernels, as data.

use std::collections::BTreeMap;

use anyhow::Result;
use record::Tool;
use serde::{Deserialize, Serialize};

use super::Line;
use super::child::Answer;
use super::chip::{Chip, INSTRUCTION_CACHE};
use super::count::{Counts, count};
use super::executable::Executable;
use super::occupancy::{Occupancy, Use};

/// Version of the layout of [`CodeReport`].
pub const SCHEMA: u32 = 3;

/// The kernels of a sample, compiled for chips that are not there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CodeReport {
    /// [`SCHEMA`] of the program that wrote it.
    pub schema: u32,
    /// The program.
    pub tool: Tool,
    /// Name of the sample.
    pub sample: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Arguments as they were used.
    pub configuration: BTreeMap<String, String>,
    /// The device that the sample chose its kernels for.
    pub declared_on: String,
    /// Its subgroup size, which samples look at.
    pub declared_for_subgroups_of: u32,
    /// The kernels, each once.
    pub kernels: Vec<KernelCode>,
    /// The variants, in the sample's order.
    pub variants: Vec<VariantCode>,
    /// What the driver of the device in use says, where it is of no chip in [`CodeReport::chips`].
    pub reported: Option<Reported>,
    /// The chips, in the order given.
    pub chips: Vec<ChipCode>,
    /// Why nothing is known of a chip, by its name.
    pub failed: BTreeMap<String, String>,
}

/// A kernel, as it was given to the compilers.
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

/// What a variant dispatches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantCode {
    /// Its name.
    pub variant: String,
    /// Positions in [`CodeReport::kernels`], in the order of their first dispatch.
    pub kernels: Vec<usize>,
    /// Why it is left out, where it is.
    pub left_out: Option<String>,
}

/// What the driver of the device in use says of the kernels that it compiled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// The device.
    pub device: String,
    /// Its driver, with the version.
    pub driver: String,
    /// The extension that it was asked through.
    pub extension: String,
    /// The forms of each of [`CodeReport::kernels`].
    pub kernels: Vec<Vec<Executable>>,
}

/// What a chip's compiler made of the kernels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChipCode {
    /// Mesa's name of the chip.
    pub chip: String,
    /// The device that compiled.
    pub device: String,
    /// Its driver, with the version.
    pub driver: String,
    /// Bytes of the instruction cache that code has to fit in.
    pub instruction_cache: u32,
    /// One for each of [`CodeReport::kernels`].
    pub kernels: Vec<Outcome>,
}

/// What became of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was compiled.
    Compiled(Box<Compiled>),
    /// The chip cannot have it, for this reason.
    Refused(String),
}

/// Figures of a compiled kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    /// Lanes of a wave.
    pub subgroup_size: u32,
    /// Vector registers of a lane.
    pub vgprs: u64,
    /// Scalar registers of a wave.
    pub sgprs: u64,
    /// Vector registers that are kept in memory.
    pub spilled_vgprs: u64,
    /// Scalar registers that are kept in vector registers or memory.
    pub spilled_sgprs: u64,
    /// Bytes of memory of a wave, for spilled registers and for arrays that are indexed by values.
    pub scratch_bytes: u64,
    /// Bytes of shared memory of a workgroup.
    pub lds_bytes: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// *Subgroups per SIMD*, as the driver says: without regard to whether whole workgroups fit, and for
    /// RDNA in a unit of its own.
    pub subgroups_per_simd: u64,
    /// The same in waves that a SIMD of the chip holds ([`Chip::waves_of`]); none where the chip is not
    /// modelled.
    pub waves_per_simd: Option<u64>,
    /// What fits by the model; none where the chip is not modelled.
    pub occupancy: Option<Occupancy>,
    /// Instructions; none where the driver does not show its code.
    pub counts: Option<Counts>,
}

impl Outcome {
    /// The figures, where there are any.
    #[must_use]
    pub fn compiled(&self) -> Option<&Compiled> {
        if let Self::Compiled(compiled) = self { Some(compiled) } else { None }
    }

    /// From the driver's answer.
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
    /// Takes in what a chip's compiler answered.
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

    /// Takes in what the driver of the device in use says. RADV's own figures are those of its chip.
    pub fn add_reported(&mut self, mut reported: Reported) {
        let lines = reported.kernels.iter().filter_map(|forms| match &forms[..] {
            [form] => Some(Line::Kernel(form.clone())),
            _ => None,
        });
        let lines: Vec<Line> = lines.collect();
        let chip = radv_chip(&reported.device).filter(|_| lines.len() == self.kernels.len());
        let answer = (reported.device.clone(), reported.driver.clone(), lines);
        // A version of RADV that names its figures otherwise is shown as any other driver is.
        if chip.is_none_or(|chip| self.add(chip, answer).is_err()) {
            reported.kernels.iter_mut().flatten().for_each(|form| form.assembly = None);
            self.reported = Some(reported);
        }
    }

    /// What a chip's compiler made of the kernels of a variant.
    #[must_use]
    pub fn of(&self, chip: &str, variant: &str) -> Vec<&Outcome> {
        let chip = self.chips.iter().find(|known| known.chip.eq_ignore_ascii_case(chip));
        let variant = self.variants.iter().find(|known| known.variant == variant);
        let kernels = variant.map_or(&[][..], |variant| &variant.kernels);
        kernels.iter().filter_map(|&at| chip?.kernels.get(at)).collect()
    }
}

/// `NAVI21` of `AMD Radeon RX 6800 (RADV NAVI21)`.
fn radv_chip(device: &str) -> Option<&str> {
    let (_, rest) = device.split_once("(RADV ")?;
    rest.split([')', ' ', ',']).next()
}
