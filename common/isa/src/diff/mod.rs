//! Compares two listings of AMD's (GCN, RDNA) or NVIDIA's machine code: which instructions pair, which side first uses an additional
//! register, and what replaces a constant that only one side keeps in a register.
//!
//! ```text
//! text ── listing ──▶ instructions ── align ──▶ blocks that pair or differ ──▶ extra: first register
//!                     (register numbers hidden)                           └──▶ constants: the trade
//! ```
//!
//! The method is that of *Optimizing HIP Assembly*: registers are assigned in ascending order, so one more register
//! in use raises the indices of all that follow, and a bisection finds the place.

mod align;
mod constants;
mod dialect;
mod extra;
mod instruction;
mod listing;
mod registers;
mod report;
mod sass;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use align::Block;
pub use constants::{Constant, Instead};
pub use dialect::Dialect;
pub use extra::{Extra, First, Method};
pub use instruction::Instruction;
pub(crate) use instruction::number;
pub use listing::{Listing, listings};
pub use registers::{File, Registers};
pub use report::{Comparison, Compiler, DIFF_SCHEMA, DiffReport, KernelFigures, KernelPair};
pub(crate) use sass::{BYTES, class, parse as parse_sass, target};

use crate::count::Counts;

/// One of the two listings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

impl Side {
    /// The other of the two.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// The element of this side.
    #[must_use]
    pub fn of<T>(self, [a, b]: [T; 2]) -> T {
        match self {
            Self::A => a,
            Self::B => b,
        }
    }
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.of(["A", "B"]))
    }
}

/// The differences of two kernels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diff {
    /// Both listings.
    pub listings: [Listing; 2],
    /// Their instructions in order, as runs that pair and runs that do not.
    pub blocks: Vec<Block>,
    /// Whether the alignment is unreliable because the listings have too little in common: wrong instructions may
    /// pair, and equal ones may not.
    pub coarse: bool,
    /// Use of each register file.
    pub registers: Vec<Extra>,
    /// Instruction counts by class.
    pub classes: [Counts; 2],
    /// Mnemonics whose counts differ, with the count of each side.
    pub mnemonics: BTreeMap<String, [u64; 2]>,
    /// Literals that one side keeps in a register and the other does not.
    pub constants: Vec<Constant>,
}

impl Diff {
    /// Compares two kernels.
    #[must_use]
    pub fn of(a: Listing, b: Listing) -> Self {
        let (ours, theirs) = (&a.instructions[..], &b.instructions[..]);
        let (blocks, coarse) = align::align(ours, theirs, align::PATIENCE);
        let registers = extra::registers(ours, theirs, &blocks);
        let constants = constants::constants(ours, theirs, &blocks);
        let (classes, mnemonics) = ([Counts::of(&a), Counts::of(&b)], mnemonics(ours, theirs));
        Self { blocks, coarse, registers, classes, mnemonics, constants, listings: [a, b] }
    }

    /// Whose machine code it is.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.listings.iter().find_map(Listing::dialect).unwrap_or(Dialect::Gcn)
    }

    /// Whether every instruction has a pair, so that at most register numbers differ.
    #[must_use]
    pub fn pairs_throughout(&self) -> bool {
        self.blocks.iter().all(|block| matches!(block, Block::Paired { .. }))
    }
}

fn mnemonics(a: &[Instruction], b: &[Instruction]) -> BTreeMap<String, [u64; 2]> {
    let mut counted: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for (side, instructions) in [a, b].into_iter().enumerate() {
        for instruction in instructions {
            counted.entry(instruction.mnemonic.clone()).or_default()[side] += 1;
        }
    }
    counted.retain(|_, [a, b]| a != b);
    counted
}

#[cfg(test)]
mod noise;
#[cfg(test)]
mod tests;
