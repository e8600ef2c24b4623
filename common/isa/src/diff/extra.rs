//! Finds the first additional register of one listing.
//!
//! Along the pairs of two aligned listings, the highest register used so far can only rise in each. One more
//! register in use puts one listing above the other from there on, so that a look at the middle pair rules out half
//! of the pairs. Unrelated optimisations add noise. Each search is therefore compared with a scan of every pair; if
//! they differ, the place that most pairs agree with is taken. The place of the last rise would be wrong in a third
//! to a half of the listings in which one instruction in ten or twenty is moved or added: a single wrong pair adds a
//! rise.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Side;
use super::align::{Block, pairs};
use super::instruction::Instruction;
use super::registers::{File, Registers};

/// Most values that are named as possible causes.
const MOST_CAUSES: usize = 4;

/// The use of a register file in two listings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extra {
    /// The register file.
    pub file: File,
    /// The highest register of each listing; `None` if it uses none.
    pub highest: [Option<u32>; 2],
    /// Where one of them begins to use more; `None` if both use the same number.
    pub first: Option<First>,
}

/// Where a listing begins to use more registers than the other, up to the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct First {
    /// The listing that uses more.
    pub side: Side,
    /// Position of its instruction that uses the register.
    pub at: usize,
    /// The register's number.
    pub register: u32,
    /// Position of the paired instruction in the other listing, if any.
    pub pair: Option<usize>,
    /// How it was found.
    pub method: Method,
    /// Positions of unpaired instructions of this listing before `at` whose results are still needed there, nearest
    /// first: they keep registers occupied.
    pub causes: Vec<usize>,
}

/// How a place was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// By bisection; a scan of all pairs confirmed it.
    Search {
        /// Number of pairs that were looked at.
        looks: usize,
        /// Number of all pairs.
        pairs: usize,
    },
    /// By a scan of every pair: the listings overtake each other, so that a bisection may end at any of these
    /// places.
    Scan {
        /// Number of places at which this side starts to use more registers, most of them only temporarily.
        rises: usize,
        /// Number of all pairs.
        pairs: usize,
        /// Number of pairs that agree with the place: before it this side does not use more, from it on it does. No
        /// other place has more of them.
        agreeing: usize,
        /// Position of this side's instruction at the first rise.
        first: usize,
        /// Position of this side's instruction at the last rise, after which it always uses more.
        last: usize,
    },
}

/// The use of each register file that occurs in either listing.
pub(super) fn registers(a: &[Instruction], b: &[Instruction], blocks: &[Block]) -> Vec<Extra> {
    let pairs = pairs(blocks);
    let of = |file| {
        let heights = [Heights::of(a, file), Heights::of(b, file)];
        let highest = [heights[0].top(), heights[1].top()];
        let side = if highest[0] > highest[1] { Side::A } else { Side::B };
        let first = (highest[0] != highest[1]).then(|| {
            let [ours, theirs] = [side, side.other()].map(|side| &heights[side as usize]);
            let pairs: Vec<_> = pairs.iter().map(|&pair| [side.of(pair), side.other().of(pair)]).collect();
            Sides { ours, theirs, pairs: &pairs }.first(side, side.of([a, b]), file)
        });
        Extra { file, highest, first }
    };
    let used = |extra: &Extra| extra.highest.iter().any(Option::is_some);
    File::ALL.into_iter().map(of).filter(used).collect()
}

/// The highest register up to each instruction, counted from 1; 0 means none.
struct Heights(Vec<u32>);

impl Heights {
    fn of(instructions: &[Instruction], file: File) -> Self {
        let mut highest = 0;
        let upto = instructions.iter().map(|instruction| {
            highest = highest.max(instruction.highest(file).map_or(0, |last| last.saturating_add(1)));
            highest
        });
        Self(upto.collect())
    }

    fn top(&self) -> Option<u32> {
        self.0.last()?.checked_sub(1)
    }

    fn upto(&self, at: usize) -> u32 {
        self.0.get(at).or(self.0.last()).copied().unwrap_or(0)
    }
}

/// A listing that uses more registers than another one at the end.
struct Sides<'s> {
    ours: &'s Heights,
    theirs: &'s Heights,
    /// Positions in `ours` and `theirs`.
    pairs: &'s [[usize; 2]],
}

impl Sides<'_> {
    fn first(&self, side: Side, instructions: &[Instruction], file: File) -> First {
        let (at, method) = find(self.pairs.len(), |pair| self.above(pair), |pair| self.introduced(pair));
        let register = instructions[at].highest(file).unwrap_or(0);
        let pair = self.pairs.iter().find(|[mine, _]| *mine == at).map(|&[_, other]| other);
        let paired: BTreeSet<usize> = self.pairs.iter().map(|&[mine, _]| mine).collect();
        let mut causes = still_needed(instructions, at, file);
        causes.retain(|position| !paired.contains(position));
        causes.truncate(MOST_CAUSES);
        First { side, at, register, pair, method, causes }
    }

    /// Whether `ours` uses a higher register than `theirs` up to this pair. The index after the last pair stands for
    /// the ends.
    fn above(&self, pair: usize) -> bool {
        let [mine, other] = self.pairs.get(pair).copied().unwrap_or([usize::MAX; 2]);
        self.ours.upto(mine) > self.theirs.upto(other)
    }

    /// The instruction that puts `ours` above `theirs` at the pair `found`: an unpaired instruction before that pair
    /// if it exceeds the other side's registers so far, otherwise our half of the pair.
    fn introduced(&self, found: usize) -> usize {
        let end = [self.ours.0.len(), self.theirs.0.len()];
        let [mine, other] = self.pairs.get(found).copied().unwrap_or(end);
        let from = found.checked_sub(1).map_or(0, |last| self.pairs[last][0] + 1);
        let before = other.checked_sub(1).map_or(0, |last| self.theirs.upto(last));
        (from..mine).find(|&at| self.ours.upto(at) > before).unwrap_or(mine.min(end[0].saturating_sub(1)))
    }
}

/// The instruction of the place in `0..=pairs` from which on `above` holds, and how it was found. `above` must hold
/// at the end. `at` returns the instruction of a place.
fn find(pairs: usize, above: impl Fn(usize) -> bool, at: impl Fn(usize) -> usize) -> (usize, Method) {
    let rises = (0..=pairs).filter(|&pair| above(pair) && (pair == 0 || !above(pair - 1)));
    let rises: Vec<usize> = rises.collect();
    if let [first, .., last] = rises[..] {
        let (pair, agreeing) = most_agreed(pairs, above);
        let (rises, first, last) = (rises.len(), at(first), at(last));
        return (at(pair), Method::Scan { rises, pairs, agreeing, first, last });
    }
    // With a single rise, all pairs agree.
    let (mut low, mut high, mut looks) = (0, pairs, 0);
    while low < high {
        let middle = low + (high - low) / 2;
        looks += 1;
        if above(middle) { high = middle } else { low = middle + 1 }
    }
    (at(low), Method::Search { looks, pairs })
}

/// The place that the most pairs agree with (the first of several), and their number.
fn most_agreed(pairs: usize, above: impl Fn(usize) -> bool) -> (usize, usize) {
    let mut agreeing = (0..pairs).filter(|&pair| above(pair)).count();
    let mut most = (0, agreeing);
    for pair in 0..pairs {
        if above(pair) {
            agreeing -= 1
        } else {
            agreeing += 1
        }
        if agreeing > most.1 {
            most = (pair + 1, agreeing);
        }
    }
    most
}

/// The instructions before `at` whose results are read at `at` or later, nearest first. Control flow is ignored.
fn still_needed(instructions: &[Instruction], at: usize, file: File) -> Vec<usize> {
    let of = |registers: Registers| (registers.file == file).then_some(registers.first..=registers.last);
    let (mut needed, mut over) = (BTreeSet::new(), BTreeSet::new());
    for instruction in &instructions[at..] {
        let read = instruction.read().filter_map(of).flatten();
        needed.extend(read.filter(|register| !over.contains(register)));
        over.extend(instruction.written().and_then(of).into_iter().flatten());
    }
    let mut found = Vec::new();
    for (position, instruction) in instructions[..at].iter().enumerate().rev() {
        let written = instruction.written().and_then(of).into_iter().flatten();
        // The register is removed from `needed`: earlier results in it are not the needed one.
        if written.filter(|register| needed.remove(register)).count() > 0 {
            found.push(position);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(above: &[bool]) -> (usize, Method) {
        find(above.len() - 1, |pair| above[pair], |pair| pair + 10)
    }

    #[test]
    fn a_single_rise_is_found_by_halves() {
        for rise in 0..=100 {
            let (at, method) = found(&(0..=100).map(|pair| pair >= rise).collect::<Vec<bool>>());
            assert_eq!(at, rise + 10);
            assert!(matches!(method, Method::Search { looks: 6..=7, pairs: 100 }), "{method:?}");
        }
        assert_eq!(found(&[true]), (10, Method::Search { looks: 0, pairs: 0 }));
    }

    #[test]
    fn of_several_rises_the_one_counts_that_most_pairs_agree_with() {
        let above = [false, true, false, false, true, true, false, true, true];
        let scanned = Method::Scan { rises: 3, pairs: 8, agreeing: 6, first: 11, last: 17 };
        assert_eq!(found(&above), (14, scanned));
        let tie = Method::Scan { rises: 2, pairs: 2, agreeing: 1, first: 10, last: 12 };
        assert_eq!(found(&[true, false, true]), (10, tie));
    }
}
