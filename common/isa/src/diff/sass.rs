//! NVIDIA's machine code, SASS: how a line is parsed, and what an instruction reads, writes and means.

use super::instruction::{Instruction, split};
use super::registers::{File, Registers};
use crate::count::{Counts, begins};

/// Bytes of an instruction, since Volta.
pub(crate) const BYTES: usize = 16;
/// What stands before the number of a register, a predicate or a barrier.
const NUMBERED: [&str; 6] = ["R", "UR", "P", "UP", "B", "SB"];
/// Predicates with and without a number.
const PREDICATES: [&str; 4] = ["P", "UP", "PT", "UPT"];

/// The address and the instruction of `/*0110*/ @!P0 LDG.E R0, [R2.64] ; /* encoding */`; `None` for any other text.
pub(crate) fn parse(text: &str, line: usize) -> Option<(usize, Instruction)> {
    let (address, text) = text.trim_start().strip_prefix("/*")?.split_once("*/")?;
    let address = usize::from_str_radix(address, 16).ok()?;
    let text = text.split(';').next()?.trim();
    let (guard, text) = match text.strip_prefix('@') {
        Some(guarded) => {
            guarded.split_once(' ').map(|(guard, text)| (Some(guard.to_owned()), text.trim()))?
        }
        None => (None, text),
    };
    let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let mnemonic = mnemonic.starts_with(|c: char| c.is_ascii_uppercase()).then(|| mnemonic.to_owned())?;
    let mut operands = split(operands);
    // A label stands as `(.L_x_1).
    if let Some(label) = operands.last_mut().filter(|last| last.starts_with("`(")) {
        *label = label[2..].trim_end_matches(')').to_owned();
    }
    Some((address, Instruction { mnemonic, operands, line, guard }))
}

/// The names and numbers of an operand, and the signs between them.
fn words(operand: &str) -> impl Iterator<Item = &str> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"._".contains(byte);
    let words = operand.as_bytes().chunk_by(move |a, b| is_name(a) == is_name(b));
    words.filter_map(|word| str::from_utf8(word).ok())
}

/// `R`, 4 and `.64` of `R4.64`.
fn numbered(word: &str) -> Option<(&str, u8, &str)> {
    let (name, modifiers) = word.split_at(word.find('.').unwrap_or(word.len()));
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name[letters.len()..].parse().ok()?;
    NUMBERED.contains(&letters).then_some((letters, number, modifiers))
}

/// Removes the numbers of registers and predicates, and that a register is the first of a pair.
pub(super) fn masked(operand: &str) -> String {
    let masked = |word: &str| match numbered(word) {
        Some((letters, _, modifiers)) => letters.to_owned() + &modifiers.replace(".64", ""),
        None => word.to_owned(),
    };
    words(operand).map(masked).collect()
}

fn is_predicate(operand: &str) -> bool {
    let name = operand.trim_start_matches('!').trim_end_matches(|c: char| c.is_ascii_digit());
    PREDICATES.contains(&name)
}

/// The registers of the operand at this position.
pub(super) fn registers(instruction: &Instruction, at: usize) -> Vec<Registers> {
    let operand = &instruction.operands[at];
    let place = instruction.operands[..at].iter().filter(|operand| !is_predicate(operand)).count();
    let register = |word: &str| {
        let (letters, first, modifiers) = numbered(word)?;
        let file = match letters {
            "R" => File::Vector,
            "UR" => File::Scalar,
            _ => return None,
        };
        let is_descriptor = file == File::Scalar && operand.starts_with("desc[");
        let count = match operand.contains('[') {
            _ if is_descriptor || modifiers.contains(".64") => 2,
            true => 1,
            false => width(instruction, place),
        };
        let first = u32::from(first);
        Some(Registers { file, first, last: first + count - 1 })
    };
    words(operand).filter_map(register).collect()
}

/// Number of registers in the operand at this place, predicates not counted; the text names only the first.
fn width(instruction: &Instruction, place: usize) -> u32 {
    let modifiers: Vec<&str> = instruction.mnemonic.split('.').skip(1).collect();
    let has = |wanted: &str| modifiers.contains(&wanted);
    let is_pair = match instruction.name() {
        "DADD" | "DMUL" | "DFMA" | "DMNMX" | "DSETP" => true,
        "IMAD" | "UIMAD" => has("WIDE") && [0, 3].contains(&place),
        "CS2R" => !has("32"),
        "I2F" => place == 0 && has("F64") || place == 1 && (has("U64") || has("S64")),
        "F2I" => place == 1 && has("F64") || place == 0 && (has("U64") || has("S64")),
        "F2F" => modifiers.iter().filter(|of| is_float(of)).nth(place) == Some(&"F64"),
        _ => has("64") || has("F64"),
    };
    match is_pair {
        true => 2,
        false if has("128") => 4,
        false => 1,
    }
}

/// Whether this is a type, as `F32`, and no other modifier, as `FTZ`.
fn is_float(modifier: &str) -> bool {
    modifier.strip_prefix('F').is_some_and(|bits| bits.parse::<u8>().is_ok())
}

/// Position of the operand with the registers that the instruction writes.
pub(super) fn written(instruction: &Instruction) -> Option<usize> {
    let compares = instruction.mnemonic.contains("SETP") || instruction.name() == "FCHK";
    if compares || computes_nothing(instruction) {
        return None;
    }
    let at = instruction.operands.iter().position(|operand| !is_predicate(operand))?;
    // What a store names first is an address.
    (!instruction.operands[at].contains('[')).then_some(at)
}

/// The literal that the instruction moves into a register.
pub(super) fn constant(instruction: &Instruction) -> Option<u64> {
    let last = instruction.operands.last()?;
    match (instruction.name(), &instruction.operands[..]) {
        ("MOV" | "UMOV", _) => number(last),
        ("IMAD", _) if instruction.mnemonic.contains(".MOV") => number(last),
        // The compiler moves 32 bits as a pair of halves if that unit is free: -0 * 0 + pair.
        ("HFMA2", [_, a, b, high, low]) if a == "-RZ" && b == "RZ" => Some(half(high)? << 16 | half(low)?),
        _ => None,
    }
}

/// The operands that may be a number to compute with. The last numbers of LOP3 and PLOP3 are truth tables.
pub(super) fn values(instruction: &Instruction) -> impl Iterator<Item = &String> {
    let most = match instruction.name() {
        "LOP3" | "ULOP3" => 4,
        "PLOP3" | "UPLOP3" => 0,
        _ => usize::MAX,
    };
    instruction.operands.iter().filter(|operand| !is_predicate(operand)).take(most)
}

/// The 32 bits of an immediate operand, which is a float unless it is in hexadecimal digits.
pub(super) fn number(operand: &str) -> Option<u64> {
    let digits = operand.trim_start_matches('-');
    let bits = match digits.strip_prefix("0x") {
        Some(hex) => {
            let value = u32::from_str_radix(hex, 16).ok()?;
            if digits == operand { value } else { value.wrapping_neg() }
        }
        None => operand.parse::<f32>().ok()?.to_bits(),
    };
    Some(bits.into())
}

/// The 16 bits of a float of half precision.
fn half(operand: &str) -> Option<u64> {
    let value: f32 = operand.parse().ok()?;
    // 2^-112 is what the exponents of both formats differ by, also for what is too small to be normal.
    let bits = (value.abs() * f32::from_bits(15 << 23)).to_bits() >> 13;
    Some(u64::from(bits.min(0x7c00) | value.to_bits() >> 31 << 15))
}

pub(super) fn branches(instruction: &Instruction) -> bool {
    matches!(instruction.name(), "BRA" | "BRX" | "JMP" | "JMX" | "CALL" | "RET")
}

/// Whether the instruction jumps, ends, waits, or marks where lanes part and meet.
pub(super) fn computes_nothing(instruction: &Instruction) -> bool {
    let waits = || {
        matches!(instruction.name(), "BAR" | "DEPBAR" | "ERRBAR" | "MEMBAR" | "NANOSLEEP" | "NOP" | "YIELD")
    };
    let marks = || matches!(instruction.name(), "BREAK" | "BSSY" | "BSYNC" | "EXIT" | "WARPSYNC");
    branches(instruction) || waits() || marks()
}

/// Whether the operands say where to go or how long to wait, which depends on the surrounding instructions.
pub(super) fn depends_on_place(instruction: &Instruction) -> bool {
    branches(instruction) || ["BSSY", "DEPBAR"].contains(&instruction.name())
}

/// The index of the instruction to which this one branches by an address.
pub(crate) fn target(instruction: &Instruction) -> Option<usize> {
    let address = instruction.operands.last()?.strip_prefix("0x").filter(|_| branches(instruction))?;
    Some(usize::from_str_radix(address, 16).ok()? / BYTES)
}

/// The count of the instruction's class; what neither moves nor computes data has none.
pub(crate) fn class<'c>(instruction: &Instruction, counts: &'c mut Counts) -> Option<&'c mut u64> {
    let name = instruction.name();
    Some(match name {
        "BAR" => &mut counts.barriers,
        "LDC" | "LDCU" | "ULDC" => &mut counts.scalar_loads,
        "LDS" | "LDSM" | "STS" | "ATOMS" | "SHFL" => &mut counts.lds,
        "LD" | "LDG" | "LDGSTS" | "LDL" | "SULD" => &mut counts.vmem_loads,
        "ST" | "STG" | "STL" | "SUST" => &mut counts.vmem_stores,
        _ if branches(instruction) => &mut counts.branches,
        _ if computes_nothing(instruction) => return None,
        _ if begins(name, &["TEX", "TLD", "TXD"]) => &mut counts.vmem_loads,
        "REDUX" => &mut counts.valu,
        _ if begins(name, &["ATOM", "RED", "SUATOM", "SURED"]) => &mut counts.vmem_atomics,
        _ if name.starts_with('U') => &mut counts.salu,
        _ => &mut counts.valu,
    })
}

#[cfg(test)]
mod tests;
