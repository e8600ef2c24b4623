//! Pairs the equal instructions of two listings, ignoring register numbers.

use std::ops::Range;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::instruction::Instruction;

/// Time after which the rest is aligned coarsely: listings of 100,000 instructions without anything in common would
/// otherwise take minutes.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// A run of instructions in both listings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// The instructions pair one by one; at most their register numbers differ.
    Paired {
        /// Position of the first in A.
        a: usize,
        /// Position of the first in B.
        b: usize,
        /// Number of pairs.
        count: usize,
    },
    /// The instructions at the same place differ; one of the ranges may be empty.
    Differing {
        /// Positions in A.
        a: Range<usize>,
        /// Positions in B.
        b: Range<usize>,
    },
}

/// Pairs as many instructions of two listings as possible, in order, within `patience`. The flag is set if that was
/// too short. Among equally good alignments the choice does not depend on the order of the arguments: otherwise a
/// comparison and its reverse could find different places.
pub(super) fn align(a: &[Instruction], b: &[Instruction], patience: Duration) -> (Vec<Block>, bool) {
    let [ours, theirs] = [a, b].map(|all| all.iter().map(Instruction::masked).collect::<Vec<_>>());
    let turned = theirs < ours;
    let (old, new) = if turned { (&theirs, &ours) } else { (&ours, &theirs) };
    let deadline = Instant::now() + patience;
    let operations = capture_diff_slices_deadline(Algorithm::Myers, old, new, Some(deadline));
    let coarse = Instant::now() >= deadline;
    let mut blocks: Vec<Block> = Vec::new();
    for operation in operations {
        let (old, new) = (operation.old_range(), operation.new_range());
        let (a, b) = if turned { (new, old) } else { (old, new) };
        match (operation, blocks.last_mut()) {
            (DiffOp::Equal { len, .. }, _) => {
                blocks.push(Block::Paired { a: a.start, b: b.start, count: len });
            }
            (_, Some(Block::Differing { a: before, b: beside })) => {
                before.end = before.end.max(a.end);
                beside.end = beside.end.max(b.end);
            }
            _ => blocks.push(Block::Differing { a, b }),
        }
    }
    (blocks, coarse)
}

/// The positions of all pairs, in order.
pub(super) fn pairs(blocks: &[Block]) -> Vec<[usize; 2]> {
    let of = |block: &Block| match block {
        Block::Paired { a, b, count } => (0..*count).map(|i| [a + i, b + i]).collect(),
        Block::Differing { .. } => Vec::new(),
    };
    blocks.iter().flat_map(of).collect()
}
