//! Registers, and where an operand names them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A set of registers that are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum File {
    /// VGPRs: one value a lane.
    Vector,
    /// SGPRs: one value a wave.
    Scalar,
    /// Accumulation registers of CDNA.
    Accumulation,
}

impl File {
    /// All of them, as reports name them.
    pub const ALL: [Self; 3] = [Self::Vector, Self::Scalar, Self::Accumulation];

    /// What the assembler calls one.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Vector => 'v',
            Self::Scalar => 's',
            Self::Accumulation => 'a',
        }
    }

    /// What manuals call them.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Vector => "VGPRs",
            Self::Scalar => "SGPRs",
            Self::Accumulation => "AGPRs",
        }
    }

    fn of(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|file| file.letter() == letter)
    }
}

/// Registers that lie side by side: `v7`, `s[0:3]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registers {
    /// Where they are.
    pub file: File,
    /// Number of the first.
    pub first: u32,
    /// Number of the last.
    pub last: u32,
}

impl Registers {
    /// No chip has more, and no instruction names more at a time: what does is no list of registers.
    fn is_possible(self) -> bool {
        self.first <= self.last && self.last < 1024 && self.last - self.first < 64
    }

    /// Both have a register in common.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.file == other.file && self.first <= other.last && other.first <= self.last
    }
}

impl fmt::Display for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = self.file.letter();
        if self.first == self.last {
            write!(f, "{letter}{}", self.first)
        } else {
            write!(f, "{letter}[{}:{}]", self.first, self.last)
        }
    }
}

/// Part of an operand.
enum Piece<'t> {
    Text(&'t str),
    Registers(Registers),
}

/// An operand with its registers taken out.
fn pieces(operand: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while at < operand.len() {
        let begins = !operand[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        // `a16` behind an operand says that addresses have 16 bits.
        let modifies = operand[..at].ends_with(' ') && !operand[..at].ends_with(", ");
        let begins = begins && !(modifies && operand[at..].split(' ').next() == Some("a16"));
        match begins.then(|| leading(&operand[at..])).flatten() {
            Some((registers, length)) => {
                pieces.push(Piece::Text(&operand[from..at]));
                pieces.push(Piece::Registers(registers));
                at += length;
                from = at;
            }
            None => at += operand[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    pieces.push(Piece::Text(&operand[from..]));
    pieces
}

/// The registers that a text begins with, and the bytes that name them.
fn leading(text: &str) -> Option<(Registers, usize)> {
    let file = File::of(text.chars().next()?)?;
    let rest = &text[1..];
    if let Some(range) = rest.strip_prefix('[') {
        let (range, _) = range.split_once(']')?;
        let (first, last) = range.split_once(':').unwrap_or((range, range));
        let registers =
            Registers { file, first: first.trim().parse().ok()?, last: last.trim().parse().ok()? };
        return registers.is_possible().then_some((registers, range.len() + 3));
    }
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    if rest[digits..].starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let first = rest[..digits].parse().ok()?;
    let registers = Registers { file, first, last: first };
    registers.is_possible().then_some((registers, 1 + digits))
}

/// All registers of an operand.
pub(super) fn registers(operand: &str) -> impl Iterator<Item = Registers> {
    let of = |piece| if let Piece::Registers(registers) = piece { Some(registers) } else { None };
    pieces(operand).into_iter().filter_map(of)
}

/// `v` for `v7`, `s4` for `s[0:3]`. The condition register is a pair of SGPRs with a name: which of them
/// holds a condition depends on the encoding.
pub(super) fn masked(operand: &str) -> String {
    match operand {
        "vcc" => return "s2".into(),
        "vcc_lo" => return "s".into(),
        _ => {}
    }
    let shown = pieces(operand).into_iter().map(|piece| match piece {
        Piece::Text(text) => text.to_owned(),
        Piece::Registers(registers) => {
            let count = registers.last - registers.first + 1;
            let letter = registers.file.letter();
            if count == 1 { letter.to_string() } else { format!("{letter}{count}") }
        }
    });
    shown.collect()
}
