//! Registers, and how operands name them.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Dialect;

/// A register file, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum File {
    /// VGPRs, or NVIDIA's registers: one value per lane.
    Vector,
    /// SGPRs, or NVIDIA's uniform registers: one value per wave.
    Scalar,
    /// Accumulation registers of CDNA.
    Accumulation,
}

impl File {
    /// All files, in the order of reports.
    pub const ALL: [Self; 3] = [Self::Vector, Self::Scalar, Self::Accumulation];

    /// The file whose registers' names begin so in AMD's assembler.
    fn of(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|&file| Dialect::Gcn.prefix(file).starts_with(letter))
    }
}

/// Adjacent registers: `v7`, `s[0:3]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registers {
    /// Their file.
    pub file: File,
    /// Number of the first.
    pub first: u32,
    /// Number of the last.
    pub last: u32,
}

impl Registers {
    /// Whether the range is plausible: no chip has more registers, and no instruction uses more at once. Other text
    /// is no list of registers.
    fn is_possible(self) -> bool {
        self.first <= self.last && self.last < 1024 && self.last - self.first < 64
    }

    /// Whether both have a register in common.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.file == other.file && self.first <= other.last && other.first <= self.last
    }
}

impl fmt::Display for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = Dialect::Gcn.prefix(self.file);
        if self.first == self.last {
            write!(f, "{letter}{}", self.first)
        } else {
            write!(f, "{letter}[{}:{}]", self.first, self.last)
        }
    }
}

/// The registers in an operand, each with the byte range of its name.
fn found(operand: &str) -> Vec<(Registers, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < operand.len() {
        let begins = !operand[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        // The modifier `a16` after an operand means 16-bit addresses.
        let modifies = operand[..at].ends_with(' ') && !operand[..at].ends_with(", ");
        let begins = begins && !(modifies && operand[at..].split(' ').next() == Some("a16"));
        match begins.then(|| leading(&operand[at..])).flatten() {
            Some((registers, length)) => {
                found.push((registers, at..at + length));
                at += length;
            }
            None => at += operand[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    found
}

/// The registers at the beginning of a text, and the length of their name in bytes.
fn leading(text: &str) -> Option<(Registers, usize)> {
    let file = File::of(text.chars().next()?)?;
    let rest = &text[1..];
    let (range, length) = if let Some(range) = rest.strip_prefix('[') {
        let (range, _) = range.split_once(']')?;
        (range, range.len() + 3)
    } else {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if rest[digits..].starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return None;
        }
        (&rest[..digits], 1 + digits)
    };
    let (first, last) = range.split_once(':').unwrap_or((range, range));
    let registers = Registers { file, first: first.trim().parse().ok()?, last: last.trim().parse().ok()? };
    registers.is_possible().then_some((registers, length))
}

/// All registers of an operand.
pub(super) fn registers(operand: &str) -> impl Iterator<Item = Registers> {
    found(operand).into_iter().map(|(registers, _)| registers)
}

/// Replaces register numbers by counts: `v` for `v7`, `s4` for `s[0:3]`. `vcc` is a pair of SGPRs with a name of its
/// own; it is treated alike, since the encoding decides which pair holds a condition.
pub(super) fn masked(operand: &str) -> String {
    match operand {
        "vcc" => return "s2".into(),
        "vcc_lo" => return "s".into(),
        _ => {}
    }
    let mut shown = operand.to_owned();
    for (registers, at) in found(operand).into_iter().rev() {
        let (letter, count) = (Dialect::Gcn.prefix(registers.file), registers.last - registers.first + 1);
        shown.replace_range(at, &if count == 1 { letter.to_string() } else { format!("{letter}{count}") });
    }
    shown
}
