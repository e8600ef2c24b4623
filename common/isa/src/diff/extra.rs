//! The first register that one listing has and the other does without.
//!
//! Over the pairs of two aligned listings, the highest register named so far can only rise in each. One
//! more register in use puts one of the two above the other from there on, so that half of the pairs can
//! be ruled out with a look at the middle one. Optimisations that have nothing to do with it make noise:
//! each search is therefore compared with a look at every pair, and where the two differ the place holds
//! that most pairs agree with. The last rise, taken for the place, was wrong in a third to a half of the
//! listings of which one instruction in ten or twenty is moved or added: two that pair where they should
//! not make one more rise.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Side;
use super::align::{Block, pairs};
use super::instruction::Instruction;
use super::registers::{File, Registers};

/// So many values are named as possible causes.
const MOST_CAUSES: usize = 4;

/// What two listings take of a register file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extra {
    /// The register file.
    pub file: File,
    /// The highest register that each names; none where it names none.
    pub highest: [Option<u32>; 2],
    /// Where one of them begins to take more; none where both take as many.
    pub first: Option<First>,
}

/// Where a listing begins to take more registers than the other, up to their ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct First {
    /// Which one takes more.
    pub side: Side,
    /// Position of its instruction that names the register.
    pub at: usize,
    /// The register's number.
    pub register: u32,
    /// Position of that instruction's pair in the other listing, where it has one.
    pub pair: Option<usize>,
    /// How it was found.
    pub method: Method,
    /// Positions of the side's own instructions before `at` whose results are still needed there: what
    /// keeps registers from being free. The nearest first.
    pub causes: Vec<usize>,
}

/// How a place was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// By halves: so many pairs were looked at, and a look at all of them found the same.
    Search {
        /// Pairs that were looked at.
        looks: usize,
        /// All pairs.
        pairs: usize,
    },
    /// By a look at every pair: the listings overtake each other, so that a search by halves may end
    /// at any of these places.
    Scan {
        /// Places from which on this side took more registers, most of them not for good.
        rises: usize,
        /// All pairs.
        pairs: usize,
        /// Pairs that agree with the place: before it this side takes no more, from it on it does. No other
        /// place has more of them.
        agreeing: usize,
        /// Position of this side's instruction at the first of the rises.
        first: usize,
        /// The same at the last one, from which on it takes more throughout.
        last: usize,
    },
}

/// Each register file that either listing uses.
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

/// The highest register up to each instruction, counted from 1, so that 0 is none.
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

/// A listing that takes more registers than another one in the end.
struct Sides<'s> {
    ours: &'s Heights,
    theirs: &'s Heights,
    /// Positions in ours and in theirs.
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

    /// We name a higher register up to this pair than they do. Behind the last one stand both ends, where we do.
    fn above(&self, pair: usize) -> bool {
        let [mine, other] = self.pairs.get(pair).copied().unwrap_or([usize::MAX; 2]);
        self.ours.upto(mine) > self.theirs.upto(other)
    }

    /// The instruction that puts us above them at the pair `found`: one of our own before that pair, which is set
    /// against what they have until then, else our half of the pair.
    fn introduced(&self, found: usize) -> usize {
        let end = [self.ours.0.len(), self.theirs.0.len()];
        let [mine, other] = self.pairs.get(found).copied().unwrap_or(end);
        let from = found.checked_sub(1).map_or(0, |last| self.pairs[last][0] + 1);
        let before = other.checked_sub(1).map_or(0, |last| self.theirs.upto(last));
        (from..mine).find(|&at| self.ours.upto(at) > before).unwrap_or(mine.min(end[0].saturating_sub(1)))
    }
}

/// The instruction of the place in `0..=pairs` that `above` holds from, and how it was found; it holds at the end.
/// `at` tells the instruction of a place.
fn find(pairs: usize, above: impl Fn(usize) -> bool, at: impl Fn(usize) -> usize) -> (usize, Method) {
    let rises = (0..=pairs).filter(|&pair| above(pair) && (pair == 0 || !above(pair - 1)));
    let rises: Vec<usize> = rises.collect();
    if let [first, .., last] = rises[..] {
        let (pair, agreeing) = most_agreed(pairs, above);
        let (rises, first, last) = (rises.len(), at(first), at(last));
        return (at(pair), Method::Scan { rises, pairs, agreeing, first, last });
    }
    // All pairs agree with a single rise.
    let (mut low, mut high, mut looks) = (0, pairs, 0);
    while low < high {
        let middle = low + (high - low) / 2;
        looks += 1;
        if above(middle) { high = middle } else { low = middle + 1 }
    }
    (at(low), Method::Search { looks, pairs })
}

/// The place with the most pairs that agree with it, the first of several, and how many these are.
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

/// The instructions before `at` whose results are read at `at` or later, the nearest first; branches are
/// taken for no branches.
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
        // Taken out: an earlier result in the same register is not the one that is needed.
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
