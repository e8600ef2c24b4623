//! The results of `--code-diff` as data.

use std::collections::BTreeMap;

use record::Tool;
use serde::{Deserialize, Serialize};

use super::Diff;

/// Version of the layout of [`DiffReport`].
pub const DIFF_SCHEMA: u32 = 3;

/// The comparison of two variants or two files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DiffReport {
    /// [`DIFF_SCHEMA`] of the program that wrote the report.
    pub schema: u32,
    /// The program.
    pub tool: Tool,
    /// Name of the sample.
    pub sample: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The names of the two sides, as given by the user.
    pub sides: [String; 2],
    /// One per chip; a single one for files.
    pub comparisons: Vec<Comparison>,
    /// The error of each chip that failed, by its name.
    pub failed: BTreeMap<String, String>,
}

/// The code of both sides for one chip, or of two files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparison {
    /// The compiler; `None` for files.
    pub compiler: Option<Compiler>,
    /// The pairs of kernels, in the order of their first dispatch or of the files.
    pub kernels: Vec<KernelPair>,
    /// Names of the kernels without a pair.
    pub unpaired: [Vec<String>; 2],
}

/// What compiled the kernels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiler {
    /// Mesa's name of the chip, or NVIDIA's of the architecture.
    pub chip: String,
    /// The device.
    pub device: String,
    /// Its driver, with the version.
    pub driver: String,
}

/// The comparison of two kernels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelPair {
    /// Their names; empty if a file has none.
    pub names: [String; 2],
    /// The driver's figures for each; `None` for files.
    pub figures: Option<[KernelFigures; 2]>,
    /// How they differ.
    pub diff: Diff,
}

/// The costs of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelFigures {
    /// Registers per lane, on AMD rounded up to the chip's granule.
    pub vgprs: u64,
    /// Scalar registers per wave; NVIDIA's driver does not tell those.
    pub sgprs: Option<u64>,
    /// Bytes of machine code.
    pub code_bytes: u64,
}

impl Comparison {
    /// Pairs kernels by their position; those that are left on one side have no pair.
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
