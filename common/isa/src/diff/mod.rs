//! Two listings of GCN or RDNA machine code side by side: which instructions pair, which register comes
//! first that the other does without, and what a constant became that one of them keeps in a register.
//!
//! ```text
//! text ── listing ──▶ instructions ── align ──▶ blocks that pair or differ ──▶ extra: first register
//!                     (register numbers hidden)                           └──▶ constants: the trade
//! ```
//!
//! The method is that of *Optimizing HIP Assembly*: registers are handed out in ascending order, so that
//! one more in use raises the indices of all that follow it, and a search by halves finds where.

mod align;
mod constants;
mod extra;
mod instruction;
mod listing;
mod registers;
mod report;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use align::Block;
pub use constants::{Constant, Instead};
pub use extra::{Extra, First, Method};
pub use instruction::Instruction;
pub(crate) use instruction::number;
pub use listing::{Listing, listings};
pub use registers::{File, Registers};
pub use report::{Comparison, Compiler, DIFF_SCHEMA, DiffReport, KernelFigures, KernelPair};

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

    /// This side's of two.
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

/// How two kernels differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diff {
    /// Both listings.
    pub listings: [Listing; 2],
    /// Their instructions, in order: runs that pair and runs that do not.
    pub blocks: Vec<Block>,
    /// They have so little in common that instructions may pair which are not the same ones, or not pair
    /// which are.
    pub coarse: bool,
    /// Registers of each file that either uses.
    pub registers: Vec<Extra>,
    /// Instructions by class.
    pub classes: [Counts; 2],
    /// Mnemonics that one has more often than the other, with how often each has them.
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

    /// Every instruction has its pair; at most the numbers of their registers differ.
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
