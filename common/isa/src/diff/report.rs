//! What `--code-diff` finds, as data.

use std::collections::BTreeMap;

use record::Tool;
use serde::{Deserialize, Serialize};

use super::Diff;

/// Version of the layout of [`DiffReport`].
pub const DIFF_SCHEMA: u32 = 2;

/// Two variants or two files, compared.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DiffReport {
    /// [`DIFF_SCHEMA`] of the program that wrote it.
    pub schema: u32,
    /// The program.
    pub tool: Tool,
    /// Name of the sample.
    pub sample: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// What was compared, as it was named.
    pub sides: [String; 2],
    /// One a chip; of files one in all.
    pub comparisons: Vec<Comparison>,
    /// Why nothing is known of a chip, by its name.
    pub failed: BTreeMap<String, String>,
}

/// The code of both sides for one chip, or of two files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparison {
    /// Who compiled; none of files.
    pub compiler: Option<Compiler>,
    /// Kernels of both, in the order of their first dispatch, or of the files.
    pub kernels: Vec<KernelPair>,
    /// Names of the kernels that the other side has no pair for.
    pub unpaired: [Vec<String>; 2],
}

/// What compiled the kernels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiler {
    /// Mesa's name of the chip.
    pub chip: String,
    /// The device.
    pub device: String,
    /// Its driver, with the version.
    pub driver: String,
}

/// Two kernels, compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelPair {
    /// Their names; empty where a file names none.
    pub names: [String; 2],
    /// What the driver says of each; none of files.
    pub figures: Option<[KernelFigures; 2]>,
    /// How they differ.
    pub diff: Diff,
}

/// What a kernel costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelFigures {
    /// Vector registers of a lane, in the chip's own steps.
    pub vgprs: u64,
    /// Scalar registers of a wave.
    pub sgprs: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
}

impl Comparison {
    /// Kernels in the order in which they come; what is left on one side has no pair.
    pub fn of(
        compiler: Option<Compiler>,
        [a, b]: [Vec<(String, Option<KernelFigures>, super::Listing)>; 2],
    ) -> Self {
        let rest = |all: &[(String, _, _)], from: usize| -> Vec<String> {
            all.iter().skip(from).map(|(name, ..)| name.clone()).collect()
        };
        let unpaired = [rest(&a, b.len()), rest(&b, a.len())];
        let pairs = a.into_iter().zip(b);
        let kernels = pairs.map(|((one, of_one, a), (other, of_other, b))| KernelPair {
            names: [one, other],
            figures: of_one.zip(of_other).map(|(one, other)| [one, other]),
            diff: Diff::of(a, b),
        });
        Self { compiler, kernels: kernels.collect(), unpaired }
    }
}
