//! Parses an instruction: mnemonic, operands, and the registers that it reads and writes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::count::{begins, is_branch, is_idle};

use super::registers::{File, Registers, masked, registers};
use super::{Dialect, sass};

/// An instruction of a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    /// Its name without the encoding: `v_add_f32` for `v_add_f32_e32` and `v_add_f32_e64`.
    pub mnemonic: String,
    /// One text per operand; the last one includes the modifiers.
    pub operands: Vec<String>,
    /// Its line in the text, counted from 1.
    pub line: usize,
    /// The predicate under which NVIDIA's instruction takes effect: `!P0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<String>,
}

/// The possible first parts of an instruction's name.
const FAMILIES: [&str; 12] =
    ["s", "v", "ds", "lds", "buffer", "tbuffer", "image", "global", "flat", "scratch", "exp", "export"];
/// Suffixes of encodings, which do not change the result.
const ENCODINGS: [&str; 2] = ["_e32", "_e64"];
/// Scalar instructions whose first operand is not a destination: they store, compare, branch, wait or export.
const WRITES_NONE: [&str; 9] = [
    "s_cmp",
    "s_bitcmp",
    "s_cbranch",
    "s_branch",
    "s_setpc",
    "s_store",
    "s_buffer_store",
    "s_waitcnt",
    "exp",
];

impl Instruction {
    /// Parses AMD's instruction without comment; `None` for any other text.
    pub(super) fn parse(text: &str, line: usize) -> Option<Self> {
        let (mnemonic, operands) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        let is_name = mnemonic.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let family = mnemonic.split('_').next().unwrap_or_default();
        if !is_name || !FAMILIES.contains(&family) || (family == mnemonic && !family.starts_with("exp")) {
            return None;
        }
        let plain = ENCODINGS.iter().find_map(|encoding| mnemonic.strip_suffix(encoding));
        let mnemonic = plain.unwrap_or(mnemonic).to_owned();
        Some(Self { mnemonic, operands: split(operands), line, guard: None })
    }

    /// Whose instruction it is: AMD's assembler writes small letters, NVIDIA's capital ones.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        if self.mnemonic.starts_with(|c: char| c.is_ascii_uppercase()) { Dialect::Sass } else { Dialect::Gcn }
    }

    /// The mnemonic without NVIDIA's modifiers: `LDG` of `LDG.E.128`.
    pub(crate) fn name(&self) -> &str {
        self.mnemonic.split('.').next().unwrap_or_default()
    }

    /// The text of the instruction without register numbers, which is equal for equal operations.
    #[must_use]
    pub fn masked(&self) -> String {
        // Targets of branches and counts of waits depend on the surrounding instructions.
        let (depends_on_place, masked): (_, fn(&str) -> String) = match self.dialect() {
            Dialect::Gcn => {
                (self.branches() || begins(&self.mnemonic, &["s_waitcnt", "s_delay_alu"]), masked)
            }
            Dialect::Sass => (sass::depends_on_place(self), sass::masked),
        };
        if depends_on_place {
            return self.mnemonic.clone();
        }
        let operands: Vec<String> = self.operands.iter().map(|operand| masked(operand)).collect();
        format!("{} {}", self.mnemonic, operands.join(", "))
    }

    /// All registers that the instruction names, in the order of its text.
    pub fn registers(&self) -> impl Iterator<Item = Registers> {
        (0..self.operands.len()).flat_map(|at| self.named(at))
    }

    /// The registers of the operand at this position.
    fn named(&self, at: usize) -> Vec<Registers> {
        match self.dialect() {
            Dialect::Gcn => registers(&self.operands[at]).collect(),
            Dialect::Sass => sass::registers(self, at),
        }
    }

    /// Whether a paired instruction has the same operands. Where NVIDIA's branches go is an address, which moves with
    /// any instruction before it.
    #[must_use]
    pub fn repeats(&self, other: &Self) -> bool {
        let is_jump = self.dialect() == Dialect::Sass && sass::depends_on_place(self);
        self.guard == other.guard && (is_jump || self.operands == other.operands)
    }

    /// The highest register of a file that the instruction names.
    #[must_use]
    pub fn highest(&self, file: File) -> Option<u32> {
        self.registers().filter(|registers| registers.file == file).map(|registers| registers.last).max()
    }

    /// The registers that the instruction writes.
    #[must_use]
    pub fn written(&self) -> Option<Registers> {
        self.named(self.destination()?).into_iter().next()
    }

    /// Position of the operand that the instruction writes, if that has a register.
    fn destination(&self) -> Option<usize> {
        let stores = || self.mnemonic.contains("_store") || self.mnemonic.starts_with("ds_write");
        let at = match self.dialect() {
            Dialect::Gcn => (!stores() && !begins(&self.mnemonic, &WRITES_NONE)).then_some(0),
            Dialect::Sass => sass::written(self),
        };
        at.filter(|&at| at < self.operands.len() && !self.named(at).is_empty())
    }

    /// The registers that the instruction reads.
    pub fn read(&self) -> impl Iterator<Item = Registers> {
        // `v_fmac` and similar instructions also read their destination. One under a predicate may leave it as it is.
        let accumulates = begins(&self.mnemonic, &["v_fmac", "v_mac", "v_dot"]) || self.guard.is_some();
        let skipped = self.destination().filter(|_| !accumulates);
        (0..self.operands.len()).filter(move |at| Some(*at) != skipped).flat_map(|at| self.named(at))
    }

    /// Whether the instruction reads one of these registers.
    #[must_use]
    pub fn reads(&self, wanted: Registers) -> bool {
        self.read().any(|found| found.overlaps(wanted))
    }

    /// The literal that the instruction moves into a register.
    #[must_use]
    pub fn constant(&self) -> Option<u64> {
        self.written()?;
        if self.dialect() == Dialect::Sass {
            // Numbers as small as AMD's inline constants are mostly the first values of counters.
            return sass::constant(self)
                .filter(|&value| !is_inline((value.cast_signed() << 32 >> 32).cast_unsigned()));
        }
        let moves = begins(&self.mnemonic, &["v_mov_b", "s_mov_b", "s_movk_i", "v_accvgpr_write"]);
        number(self.operands.get(1)?).filter(|&value| moves && !is_inline(value))
    }

    /// Whether this number is one of the operands.
    #[must_use]
    pub fn names(&self, value: u64) -> bool {
        match self.dialect() {
            Dialect::Gcn => self.operands.iter().any(|operand| number(operand) == Some(value)),
            Dialect::Sass => sass::values(self).any(|operand| sass::number(operand) == Some(value)),
        }
    }

    /// Whether the instruction only waits, jumps or ends, and produces no value.
    pub(super) fn computes_nothing(&self) -> bool {
        match self.dialect() {
            Dialect::Gcn => is_branch(&self.mnemonic) || is_idle(&self.mnemonic),
            Dialect::Sass => sass::computes_nothing(self),
        }
    }

    fn branches(&self) -> bool {
        begins(&self.mnemonic, &["s_branch", "s_cbranch"])
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.guard {
            write!(f, "@{guard} ")?;
        }
        f.write_str(&self.mnemonic)?;
        if self.operands.is_empty() { Ok(()) } else { write!(f, " {}", self.operands.join(", ")) }
    }
}

/// Whether an integer is an inline constant, which needs no extra literal.
fn is_inline(value: u64) -> bool {
    (-16..=64).contains(&value.cast_signed())
}

/// The number of an operand; negative numbers are in two's complement.
pub(crate) fn number(operand: &str) -> Option<u64> {
    let word = operand.split_whitespace().next()?;
    if let Some(hex) = word.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    word.parse::<i64>().ok().map(i64::cast_unsigned)
}

/// Splits operands at the commas outside of brackets.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|c: char| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    let parts = parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    parts.filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Instruction {
        Instruction::parse(text, 1).unwrap()
    }

    #[test]
    fn operands_and_registers() {
        let add = parsed("v_add_f64 v[120:121], v[118:119], -v[120:121]");
        assert_eq!(add.operands, ["v[120:121]", "v[118:119]", "-v[120:121]"]);
        assert_eq!(add.masked(), "v_add_f64 v2, v2, -v2");
        assert_eq!(add.highest(File::Vector), Some(121));
        assert_eq!((add.highest(File::Scalar), add.constant()), (None, None));
        let load = parsed("image_load  v20, [v2, v9], s[24:31]   dmask:0x1 unorm");
        assert_eq!(load.operands, ["v20", "[v2, v9]", "s[24:31] dmask:0x1 unorm"]);
        assert_eq!(load.masked(), "image_load v, [v, v], s8 dmask:0x1 unorm");
        assert_eq!(load.written().unwrap().to_string(), "v20");
        assert!(load.registers().any(|found| found.to_string() == "s[24:31]"));
    }

    #[test]
    fn both_encodings_of_a_select_are_one() {
        let [short, long] = ["_e32 v0, 0, v106, vcc", "_e64 v16, 0, v18, s[2:3]"];
        let [short, long] = [short, long].map(|rest| parsed(&format!("v_cndmask_b32{rest}")));
        assert_eq!(short.masked(), "v_cndmask_b32 v, 0, v, s2");
        assert_eq!(short.masked(), long.masked());
        assert_eq!(short.to_string(), "v_cndmask_b32 v0, 0, v106, vcc");
        assert_ne!(parsed("v_cndmask_b32_e64 v0, 0, 1, vcc").masked(), short.masked());
    }

    #[test]
    fn names_that_are_no_registers_stay() {
        assert_eq!(parsed("s_waitcnt vmcnt(62) lgkmcnt(0)").masked(), "s_waitcnt");
        assert_eq!(parsed("s_cbranch_scc0 BB3").masked(), "s_cbranch_scc0");
        let and = parsed("s_and_saveexec_b64 s[92:93], exec");
        assert_eq!(and.masked(), "s_and_saveexec_b64 s2, exec");
        let mask = parsed("v_and_b32_e32 v20, 0x80000000, v6");
        assert_eq!(mask.masked(), "v_and_b32 v, 0x80000000, v");
        let sample = parsed("image_sample_lz v[0:3], [v7, a9], s[24:31], s[0:3] dmask:0xf a16 r128");
        assert_eq!((sample.highest(File::Accumulation), sample.highest(File::Scalar)), (Some(9), Some(31)));
        assert_eq!(parsed("v_accvgpr_read_b32 v0, a16").highest(File::Accumulation), Some(16));
        assert_eq!(parsed("v_mov_b32 v0, v[0:4000000000]").masked(), "v_mov_b32 v, v[0:4000000000]");
        assert_eq!(parsed("v_mov_b16_e32 v3.l, ttmp4").masked(), "v_mov_b16 v.l, ttmp4");
    }

    #[test]
    fn what_is_written_and_read() {
        let v = |number| Registers { file: File::Vector, first: number, last: number };
        let store = parsed("global_store_dword v0, v1, s[6:7]");
        assert_eq!(store.written(), None);
        assert!(store.reads(v(0)) && store.reads(v(1)) && !store.reads(v(2)));
        let and = parsed("v_and_b32 v3, 1, v1");
        assert!(and.written() == Some(v(3)) && and.reads(v(1)) && !and.reads(v(3)));
        assert!(parsed("v_fmac_f32_e32 v3, v1, v2").reads(v(3)));
        assert_eq!(parsed("s_cmp_eq_u32 s0, 0").written(), None);
        assert_eq!(parsed("v_cmp_eq_u32_e32 vcc, 0, v3").written(), None);
    }

    #[test]
    fn constants_are_literals_that_are_moved() {
        assert_eq!(parsed("v_mov_b32_e32 v108, 0x100").constant(), Some(256));
        assert_eq!(parsed("s_movk_i32 s4, 0x270").constant(), Some(0x270));
        assert_eq!(parsed("v_mov_b32_e32 v110, 0xffffffff80").constant(), Some(0xff_ffff_ff80));
        for text in ["v_mov_b32 v1, 64", "v_mov_b32 v1, v2", "v_mov_b32 v1, 1.0", "v_and_b32 v1, 0x100, v1"] {
            assert_eq!(parsed(text).constant(), None, "{text}");
        }
    }

    #[test]
    fn other_lines_are_no_instructions() {
        let texts = "\n...\nBB0:\n.text\nDisassembly of section .text:\nv\ns\na_b c\nV_ADD\nk(int*)";
        for text in texts.split('\n') {
            assert_eq!(Instruction::parse(text, 1), None, "{text}");
        }
    }
}
