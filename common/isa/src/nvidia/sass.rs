//! Counts in the text of NVIDIA's machine code, SASS.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use crate::diff::{BYTES, Instruction, parse_sass, target};

/// Counts in a kernel's machine code. All but the spills are of its largest loop that has no other inside, or of the
/// whole code if there is no loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SassCounts {
    /// Bytes of the loop; `None` if there is none.
    pub loop_bytes: Option<usize>,
    /// Instructions.
    pub instructions: usize,
    /// Fused multiply-adds of 32-bit floats, FFMA.
    pub fmas: usize,
    /// Factors of them, of two each, that the instruction just before had marked `.reuse` in the same place.
    pub reused_factors: usize,
    /// Loads of global memory, LDG, by the bits per lane.
    pub global_loads: BTreeMap<u32, usize>,
    /// Loads of shared memory, LDS, by the bits per lane.
    pub shared_loads: BTreeMap<u32, usize>,
    /// Barriers of the workgroup, BAR.
    pub barriers: usize,
    /// Loads and stores of local memory, LDL and STL, in the whole code.
    pub spills: usize,
}

/// Bits that a load brings per lane: its only numeric modifier, or none for 32.
fn width(load: &Instruction) -> u32 {
    let bits = |modifier: &str| modifier.trim_start_matches(['U', 'S']).parse().ok();
    load.mnemonic.split('.').find_map(bits).unwrap_or(32)
}

/// How many factors of an FMA are registers that the instruction `before` marked `.reuse` in the same place and does
/// not write. Only four operands, as an FMA has, surely are in the same places.
fn reused(fma: &Instruction, before: &Instruction) -> usize {
    let (own, kept) = (&fma.operands, &before.operands);
    if own.len() != 4 || kept.len() != 4 {
        return 0;
    }
    let is_kept = |at: &usize| {
        let name = register(&kept[*at]).filter(|_| kept[*at].contains(".reuse"));
        name.is_some() && name == register(&own[*at]) && name != register(&kept[0])
    };
    [1, 2].iter().filter(|at| is_kept(at)).count()
}

/// The name of a register without sign, bars and marks: `R9` of `-R9.reuse`.
fn register(operand: &str) -> Option<&str> {
    let name = operand.trim_start_matches(['-', '|']).split(['.', '|']).next()?;
    name.starts_with('R').then_some(name)
}

/// Counts in the disassembler's text of machine code of so many bytes.
///
/// # Errors
/// The text does not have all of the instructions, at their addresses.
pub(super) fn count(listing: &str, bytes: usize) -> Result<SassCounts> {
    let mut code = Vec::new();
    for (address, instruction) in listing.lines().filter_map(|line| parse_sass(line, 0)) {
        ensure!(address == code.len() * BYTES, "no instruction at {:#x}", code.len() * BYTES);
        code.push(instruction);
    }
    ensure!(code.len() * BYTES == bytes, "{} instructions in {bytes} bytes", code.len());
    let largest = largest_loop(&code);
    let part = &code[largest.clone().unwrap_or(0..code.len())];
    let named = |name| part.iter().filter(move |one| one.name() == name);
    let fmas = part.windows(2).filter(|pair| pair[1].name() == "FFMA");
    let loads = |name| {
        named(name).fold(BTreeMap::new(), |mut loads, load| {
            *loads.entry(width(load)).or_default() += 1;
            loads
        })
    };
    Ok(SassCounts {
        loop_bytes: largest.map(|_| part.len() * BYTES),
        instructions: part.len(),
        fmas: named("FFMA").count(),
        reused_factors: fmas.map(|pair| reused(&pair[1], &pair[0])).sum(),
        global_loads: loads("LDG"),
        shared_loads: loads("LDS"),
        barriers: named("BAR").count(),
        spills: code.iter().filter(|one| ["LDL", "STL"].contains(&one.name())).count(),
    })
}

/// The largest loop that has no other inside. A branch that goes back past the kernel's end is not one: it returns
/// from code that was moved out of the way. A branch to itself follows the end of each kernel.
fn largest_loop(code: &[Instruction]) -> Option<Range<usize>> {
    let mut ends = BTreeMap::new();
    for (at, instruction) in code.iter().enumerate() {
        let Some(start) = target(instruction).filter(|start| *start < at && instruction.name() == "BRA")
        else {
            continue;
        };
        let is_end = |one: &Instruction| one.name() == "EXIT" && one.guard.is_none();
        if !code[start..at].iter().any(is_end) {
            // Of several branches to one start, the last ends the loop.
            ends.insert(start, at + 1);
        }
    }
    let has_inner =
        |(start, end): &(usize, usize)| ends.range(start + 1..*end).any(|(_, inner)| inner <= end);
    let innermost = ends.iter().map(|(start, end)| (*start, *end)).filter(|one| !has_inner(one));
    innermost.max_by_key(|(start, end)| end - start).map(|(start, end)| start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: &[&str]) -> SassCounts {
        let lines = code.iter().enumerate();
        let lines: Vec<String> =
            lines.map(|(at, text)| format!("        /*{:04x}*/  {text} ;", 16 * at)).collect();
        count(&format!("\t.headerflags @\"SM90\"\n{}\n", lines.join("\n")), 16 * code.len()).unwrap()
    }

    /// Factors that are reused in these instructions, none of which is a loop.
    fn reused(code: &[&str]) -> usize {
        of(code).reused_factors
    }

    #[test]
    fn a_factor_is_reused_in_the_same_place_of_the_next_instruction() {
        let first = "FFMA.FTZ R8, R1.reuse, R2.reuse, R8";
        assert_eq!(reused(&[first, "FFMA.FTZ R9, -R1, |R2|, R9"]), 2);
        assert_eq!(reused(&[first, "@!P0 FFMA R9, R1.reuse, R3, R9", "FFMA R10, R1, R3, R10"]), 2);
        // The other place, another register, and one whose name begins in the same way.
        assert_eq!(reused(&[first, "FFMA R9, R2, R1, R9"]), 0);
        assert_eq!(reused(&[first, "FFMA R9, R3, R22, R9"]), 0);
        // The summand is no factor.
        assert_eq!(reused(&["FFMA R8, R1, R2, R3.reuse", "FFMA R9, R4, R5, R3"]), 0);
        // Marked by neither, or by the second alone.
        assert_eq!(reused(&["FFMA R8, R1, R2, R8", "FFMA R9, R1.reuse, R2, R9"]), 0);
        // Another instruction stands between.
        assert_eq!(reused(&[first, "LDS.128 R20, [R3]", "FFMA R9, R1, R2, R9"]), 0);
        // Any instruction keeps, if its operands stand in the same places for sure.
        assert_eq!(reused(&["IADD3 R8, R1.reuse, R2.reuse, RZ", "FFMA R9, R1, R2, R9"]), 2);
        assert_eq!(reused(&["IADD3 R8, P0, R1, R2.reuse, RZ", "FFMA R9, R3, R2, R9"]), 0);
        // The first writes the register that it marks.
        assert_eq!(reused(&["FFMA R1, R1.reuse, R2.reuse, R8", "FFMA R9, R1, R2, R9"]), 1);
        // Only an FMA counts.
        assert_eq!(reused(&[first, "IMAD R9, R1, R2, R9"]), 0);
    }

    #[test]
    fn figures_are_of_the_largest_innermost_loop() {
        let code = [
            "LDG.E.64 R2, [R4.64]",
            "LDG.E R4, [R2.64]", // 0x10: a loop with two others inside
            "LDS R5, [R2]",      // 0x20: a small loop
            "@P0 BRA 0x20",
            "LDG.E.LTC128B.128.CONSTANT R8, [R2.64]", // 0x40: the largest loop without another
            "LDS.U16 R5, [R2]",
            "LDS.64 R6, [R2+0x10]",
            "LDS.64 R6, [R2+0x20]",
            "BAR.SYNC 0x0",
            "@P1 EXIT",
            "FFMA R8, R4.reuse, R5, R8",
            "FFMA R9, R4.reuse, R6, R9",
            "@P2 BRA 0x40", // continues
            "FFMA R9, R4.reuse, R7, R9",
            "BRA 0x40",
            "LDL R1, [R3]",
            "STL.64 [R3], R4",
            "@!P1 BRA 0x10",
            "@P3 BRA 0x140",
            "EXIT",
            "FADD R1, R1, R1", // 0x140: moved out of the way
            "BRA 0x0",
            "BRA 0x160",
        ];
        let all = SassCounts {
            loop_bytes: Some(176),
            instructions: 11,
            fmas: 3,
            reused_factors: 1,
            global_loads: [(128, 1)].into(),
            shared_loads: [(16, 1), (64, 2)].into(),
            barriers: 1,
            spills: 2,
        };
        assert_eq!(of(&code), all);
    }

    #[test]
    fn code_without_a_loop_is_counted_whole() {
        let code = [
            "LDG.E R4, [R2.64]",
            "@P0 BRA 0x40",
            "FFMA R8, R4, R5, R8", // 0x20
            "EXIT",
            "FADD R4, R4, R4", // 0x40: moved out of the way
            "BRA 0x20",
            "BRA 0x60",
            "NOP",
        ];
        let global_loads = [(32, 1)].into();
        let all = SassCounts { instructions: 8, fmas: 1, global_loads, ..SassCounts::default() };
        assert_eq!(of(&code), all);
    }

    #[test]
    fn text_that_is_not_of_the_code_is_refused() {
        for (text, bytes) in [
            ("", 16),
            ("hello", 16),
            ("/*0000*/ NOP ;", 32),
            ("/*0010*/ NOP ;", 16),
            ("/*0000*/ NOP ;\n/*0008*/ NOP ;", 32),
            ("/* 0000 */ NOP ;", 16),
        ] {
            assert!(count(text, bytes).is_err(), "{text} in {bytes}");
        }
        // A branch beyond the code is no loop.
        assert_eq!(count("/*0000*/ BRA 0xfff0 ;", 16).unwrap().loop_bytes, None);
    }
}
