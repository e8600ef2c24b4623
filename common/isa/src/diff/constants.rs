//! Literals that one listing keeps in a register and the other does not, and what the other does in their place: it
//! trades a register for an instruction.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Side;
use super::align::Block;
use super::instruction::{Instruction, number};
use super::registers::{File, Registers};

/// Most instructions that are shown in place of a constant.
const MOST_SHOWN: usize = 4;

/// A literal that one listing keeps in a register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constant {
    /// Its value, which the register holds.
    pub value: u64,
    /// The listing that keeps it.
    pub side: Side,
    /// Position of the instruction that moves it into the register.
    pub at: usize,
    /// The register, as the assembler names it.
    pub register: String,
    /// Number of instructions that read the register while it holds the constant.
    pub readers: usize,
    /// What the other listing does in its place.
    pub instead: Instead,
}

/// What a listing does in place of a constant; instructions are given by their positions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Instead {
    /// It uses a register of another file; this instruction moves the constant into it.
    Register(usize),
    /// Instructions that hold the literal themselves.
    Literal(Vec<usize>),
    /// It shifts a small number to the left; the first instruction makes the number.
    Shift {
        /// The instructions.
        by: Vec<usize>,
        /// The small number.
        small: u64,
        /// Number of bits that it is shifted by.
        bits: u64,
    },
    /// Other instructions at the place where the constant is read.
    Other(Vec<usize>),
    /// Unknown.
    Unknown,
}

/// The literals that one listing keeps in registers of a file and the other does not, each once; those of A come
/// first.
pub(super) fn constants(a: &[Instruction], b: &[Instruction], blocks: &[Block]) -> Vec<Constant> {
    let sides = [(Side::A, a, b), (Side::B, b, a)];
    let of = |(side, holder, other): (Side, &[Instruction], &[Instruction])| {
        let known = kept(other);
        let own = |(value, file): &(u64, File)| !known.contains_key(&(*value, *file));
        // A constant in a scalar register here and in a vector register there is reported only once, for the other
        // side.
        let told_there = |(value, file): &(u64, File)| {
            *file != File::Vector && known.contains_key(&(*value, File::Vector))
        };
        let mut only: Vec<_> = kept(holder).into_iter().collect();
        only.retain(|(key, _)| own(key) && !told_there(key));
        only.sort_by_key(|&(_, at)| at);
        let constant = |((value, _), at)| constant(side, value, at, [holder, other], blocks);
        only.into_iter().filter_map(constant).collect::<Vec<_>>()
    };
    sides.into_iter().flat_map(of).collect()
}

/// Each literal in a register of each file, with the first instruction that moves it there.
fn kept(instructions: &[Instruction]) -> BTreeMap<(u64, File), usize> {
    let mut kept = BTreeMap::new();
    for (at, instruction) in instructions.iter().enumerate() {
        if let Some((value, register)) = instruction.constant().zip(instruction.written()) {
            kept.entry((value, register.file)).or_insert(at);
        }
    }
    kept
}

fn constant(
    side: Side,
    value: u64,
    at: usize,
    [holder, other]: [&[Instruction]; 2],
    blocks: &[Block],
) -> Option<Constant> {
    let register = holder[at].written()?;
    let readers = readers(holder, at, register);
    let places = readers.iter().filter_map(|&reader| beside(side, reader, other, blocks));
    let places: Vec<Vec<usize>> = places.filter(|place| !place.is_empty()).collect();
    let moved = other.iter().position(|instruction| instruction.constant() == Some(value));
    // The most specific explanation comes first. A literal anywhere is better evidence than other instructions at
    // the place of the readers. If there are many of those, none of them can be singled out.
    let instead = moved
        .map(Instead::Register)
        .or_else(|| places.iter().find_map(|place| literal(value, other, place.iter().copied())))
        .or_else(|| places.iter().flatten().find_map(|&at| shift(value, other, at)))
        .or_else(|| literal(value, other, 0..other.len()))
        .or_else(|| places.iter().find(|place| place.len() <= MOST_SHOWN).cloned().map(Instead::Other))
        .unwrap_or(Instead::Unknown);
    let register = holder[at].dialect().shown(register);
    Some(Constant { value, side, at, register, readers: readers.len(), instead })
}

/// The first instructions among `at` that contain a literal; `None` if there are none.
fn literal(value: u64, instructions: &[Instruction], at: impl Iterator<Item = usize>) -> Option<Instead> {
    let named: Vec<usize> = at.filter(|&at| instructions[at].names(value)).take(MOST_SHOWN).collect();
    (!named.is_empty()).then_some(Instead::Literal(named))
}

/// Positions of the instructions that read a register before it is overwritten.
fn readers(instructions: &[Instruction], at: usize, register: Registers) -> Vec<usize> {
    let mut readers = Vec::new();
    for (position, instruction) in instructions.iter().enumerate().skip(at + 1) {
        if instruction.reads(register) {
            readers.push(position);
        }
        if instruction.written().is_some_and(|written| written.overlaps(register)) {
            break;
        }
    }
    readers
}

/// The computing instructions of the other listing in the block of an unpaired instruction of this one.
fn beside(side: Side, position: usize, other: &[Instruction], blocks: &[Block]) -> Option<Vec<usize>> {
    blocks.iter().find_map(|block| match block {
        Block::Differing { a, b } => {
            let (ours, theirs) = (side.of([a, b]), side.other().of([a, b]));
            let computing = || theirs.clone().filter(|&at| !other[at].computes_nothing());
            ours.contains(&position).then(|| computing().collect())
        }
        Block::Paired { .. } => None,
    })
}

/// Checks whether the instruction at `at` shifts a small number so that the result is `value`.
fn shift(value: u64, instructions: &[Instruction], at: usize) -> Option<Instead> {
    let shift = &instructions[at];
    if !(shift.mnemonic.contains("_lshl_b") || shift.mnemonic.contains("_lshlrev_b")) {
        return None;
    }
    let bits = shift.operands.iter().skip(1).find_map(|operand| number(operand)).filter(|bits| *bits < 64)?;
    let small = value >> bits;
    if bits == 0 || small << bits != value || small > 64 {
        return None;
    }
    let shifted = shift.registers().nth(1)?;
    // The small number comes from the nearest earlier instruction that writes the shifted register.
    let before = (0..at)
        .rev()
        .find(|&before| instructions[before].written().is_some_and(|written| written.overlaps(shifted)))?;
    instructions[before].names(small).then(|| Instead::Shift { by: vec![before, at], small, bits })
}
