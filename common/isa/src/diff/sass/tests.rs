//! Tests with what ptxas 13.1 makes of kernels for sm_90, as nvdisasm and cuobjdump write it, and with what NVIDIA's
//! driver made of one.

use super::*;
use crate::diff::{Block, Constant, Dialect, Diff, Extra, Instead, Listing, Method, Side, listings};

const LOOP: [&str; 2] = [
    include_str!("../../nvidia/testdata/loop.nvdisasm.sass"),
    include_str!("../../nvidia/testdata/loop.cuobjdump.sass"),
];
/// Needs 12 registers …
const ROOTS: &str = include_str!("../../nvidia/testdata/roots.sass");
/// … and this 13: a reciprocal of the beginning is used at the end.
const RECIPROCAL: &str = include_str!("../../nvidia/testdata/roots_and_reciprocal.sass");
/// The same constant twice as a literal …
const LITERALS: &str = include_str!("../../nvidia/testdata/literals.sass");
/// … and in a register, which a select of two constants needs.
const SELECT: &str = include_str!("../../nvidia/testdata/select.sass");
/// By driver 580.159.04 on an H200.
const PAD: &str = include_str!("../../nvidia/testdata/pad.sass");

fn parsed(text: &str) -> Listing {
    let mut found = listings(text);
    assert!(found.len() <= 1, "{text}");
    found.pop().unwrap_or_default()
}

fn diff(a: &str, b: &str) -> Diff {
    Diff::of(parsed(a), parsed(b))
}

fn instruction(text: &str) -> Instruction {
    parse(&format!("/*0000*/ {text} ;"), 1).unwrap().1
}

fn named(text: &str) -> Vec<String> {
    instruction(text).registers().map(|registers| format!("{registers}")).collect()
}

/// A listing of these instructions.
fn text(code: &[&str]) -> String {
    let line = |(at, text): (usize, &&str)| format!("        /*{:04x}*/  {text} ;\n", BYTES * at);
    code.iter().enumerate().map(line).collect()
}

fn of(diff: &Diff, file: File) -> &Extra {
    diff.registers.iter().find(|extra| extra.file == file).unwrap()
}

/// The instruction at which a side begins to use more registers per lane.
fn introduced(diff: &Diff) -> Option<(Side, String)> {
    let first = of(diff, File::Vector).first.as_ref()?;
    Some((first.side, first.side.of(diff.listings.each_ref()).instructions[first.at].to_string()))
}

#[test]
fn two_programs_write_one_kernel_alike() {
    let [a, b] = LOOP.map(parsed);
    assert_eq!((a.name.as_str(), b.name.as_str()), ("scale", "scale"));
    assert_eq!((a.dialect(), a.instructions.len()), (Some(Dialect::Sass), 87));
    assert_eq!(a.instructions.last().unwrap().to_string(), "EXIT");
    assert_eq!(a.instructions[7].to_string(), "@P0 EXIT");
    assert_eq!(a.instructions[25].to_string(), "ISETP.GE.U32.AND P1, PT, R2, UR7, PT");
    // Labels and addresses of branches are all that differs.
    let texts = |listing: &Listing| listing.instructions.iter().map(ToString::to_string).collect::<Vec<_>>();
    let others: Vec<_> = texts(&a).into_iter().zip(texts(&b)).filter(|(a, b)| a != b).collect();
    assert!(others.len() == 4 && others.iter().all(|(a, b)| a.contains("BRA .L_x_") && b.contains("BRA 0x")));
    let same = Diff::of(a, b);
    assert!(same.pairs_throughout() && same.constants.is_empty() && same.mnemonics.is_empty());
    assert!(same.registers.iter().all(|extra| extra.first.is_none()));
    let [ours, theirs] = same.listings.each_ref();
    assert!(ours.instructions.iter().zip(&theirs.instructions).all(|(a, b)| a.repeats(b)));
    assert_eq!(same.classes[0], same.classes[1]);
    let counts = same.classes[0];
    assert_eq!((counts.branches, counts.backward_branches, counts.instructions), (4, 1, 87));
    assert_eq!((counts.vmem_loads, counts.vmem_stores, counts.scalar_loads), (1, 1, 7));
}

#[test]
fn a_listing_and_itself_do_not_differ() {
    for text in [LOOP[0], ROOTS, RECIPROCAL, LITERALS, SELECT, PAD] {
        let same = diff(text, text);
        assert!(same.pairs_throughout() && same.constants.is_empty() && same.mnemonics.is_empty());
        assert!(same.registers.iter().all(|extra| extra.first.is_none()), "{:?}", same.registers);
    }
}

/// ptxas reports as many registers as the text names, and two more.
#[test]
fn the_highest_register_is_the_assemblers() {
    for (text, reported) in [(LOOP[0], 10), (ROOTS, 14), (RECIPROCAL, 15), (LITERALS, 14), (SELECT, 14)] {
        let same = diff(text, text);
        assert_eq!(of(&same, File::Vector).highest, [Some(reported - 3); 2]);
    }
    assert_eq!(of(&diff(PAD, PAD), File::Vector).highest, [Some(9); 2]);
}

/// Each number of a register is raised by one, as if one more were in use, and nothing else.
#[test]
fn other_registers_are_no_difference() {
    for text in [LOOP[1], ROOTS, RECIPROCAL, LITERALS, SELECT, PAD] {
        let raised = |line: &str| -> String {
            let raised = |word: &str| match numbered(word) {
                Some((letters, number, rest)) => format!("{letters}{}{rest}", number + 1),
                None => word.to_owned(),
            };
            words(line).map(raised).collect::<String>() + "\n"
        };
        let other: String = text.lines().map(raised).collect();
        let diff = diff(text, &other);
        assert!(diff.pairs_throughout() && diff.mnemonics.is_empty(), "{other}");
        assert_eq!(introduced(&diff).unwrap().0, Side::B);
    }
}

/// A line that says the same in another way, and lines that say something else.
#[test]
fn only_what_is_computed_counts() {
    let line = "@!P0 LDG.E R0, desc[UR4][R4.64]";
    for same in ["LDG.E R0, desc[UR4][R4.64]", "@P3 LDG.E R8, desc[UR6][R2.64]", "LDG.E R0, desc[UR4][R4]"] {
        assert_eq!(instruction(same).masked(), instruction(line).masked(), "{same}");
    }
    for other in
        ["LDG.E.64 R0, desc[UR4][R4.64]", "LDG.E R0, desc[UR4][R4.64+0x10]", "LDG.E RZ, desc[UR4][R4.64]"]
    {
        assert_ne!(instruction(other).masked(), instruction(line).masked(), "{other}");
    }
    for (text, masked) in [
        ("@P1 BRA `(.L_x_1)", "BRA"),
        ("BSSY B0, `(.L_x_3)", "BSSY"),
        ("BSYNC B1", "BSYNC B"),
        ("ISETP.GE.AND P0, PT, R4, UR5, !P1", "ISETP.GE.AND P, PT, R, UR, !P"),
        ("FFMA R1, -R2, |R3|, c[0x0][0x210]", "FFMA R, -R, |R|, c[0x0][0x210]"),
        ("LDG.E.CONSTANT R0, [R5.U32+UR4], !P4", "LDG.E.CONSTANT R, [R.U32+UR], !P"),
        ("I2F.U8 R0, R1.B1", "I2F.U8 R, R.B1"),
        ("S2R R4, SR_CTAID.X", "S2R R, SR_CTAID.X"),
    ] {
        assert_eq!(instruction(text).masked(), masked);
    }
    let [a, b] = ["FADD R8, R1.reuse, |R2|.reuse", "FADD R8, R1, |R2|"].map(|line| text(&[line]));
    assert_eq!(parsed(&a).instructions, parsed(&b).instructions);
    let [a, b] = ["@P0 FADD R8, R1, R2", "@!P0 FADD R8, R1, R2"].map(instruction);
    assert!(a.masked() == b.masked() && !a.repeats(&b));
}

#[test]
fn the_first_of_several_registers_stands_for_all() {
    for (text, registers) in [
        ("LDG.E.128 R8, desc[UR4][R2.64]", "v[8:11] s[4:5] v[2:3]"),
        ("STG.E.128 desc[UR4][R4.64], R8", "s[4:5] v[4:5] v[8:11]"),
        ("LDS.64 R4, [R2+0x10]", "v[4:5] v2"),
        ("ULDC.64 UR4, c[0x0][0x208]", "s[4:5]"),
        ("IMAD.WIDE.U32 R4, R0, 0x4, R6", "v[4:5] v0 v[6:7]"),
        ("IMAD.WIDE.U32 R4, P0, R0, R2, R6", "v[4:5] v0 v2 v[6:7]"),
        ("IMAD R4, R0, R2, R6", "v4 v0 v2 v6"),
        ("DFMA R10, R8, R10, R8", "v[10:11] v[8:9] v[10:11] v[8:9]"),
        ("F2F.F64.F32 R10, R5", "v[10:11] v5"),
        ("F2F.FTZ.F64.F32 R10, R5", "v[10:11] v5"),
        ("I2F.U64.RP R8, R6", "v8 v[6:7]"),
        ("F2I.U64.TRUNC R6, R9", "v[6:7] v9"),
        ("F2F.F32.F64 R4, R10", "v4 v[10:11]"),
        ("F2I.F64.TRUNC R4, R10", "v4 v[10:11]"),
        ("I2F.F64.U32 R4, R10", "v[4:5] v10"),
        ("CS2R R4, SRZ", "v[4:5]"),
        ("ATOMG.E.ADD.STRONG.GPU PT, R15, desc[UR4][R2.64], R9", "v15 s[4:5] v[2:3] v9"),
        ("SHF.R.U64 R4, R5, 0x2, R6", "v4 v5 v6"),
        ("LDG.E R254, [R4.U32+UR4]", "v254 v4 s4"),
        ("FADD R1, R256, R4294967296", "v1"),
    ] {
        assert_eq!(named(text).join(" "), registers, "{text}");
    }
}

#[test]
fn what_is_written_and_read() {
    let written = |text| instruction(text).written().map(|registers| registers.to_string());
    for text in [
        "STG.E desc[UR4][R4.64], R3",
        "REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R17",
        "ISETP.GE.U32.AND P0, PT, R2, UR7, PT",
        "PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0",
        "BRX R4 -0x50",
        "WARPSYNC R5",
        "BSYNC B0",
        "EXIT",
        "FADD RZ, R1, R2",
    ] {
        assert_eq!(written(text), None, "{text}");
    }
    assert_eq!(written("SHFL.IDX PT, R7, R15, R14, 0x1f").unwrap(), "v7");
    assert_eq!(written("ATOMG.E.ADD PT, R15, desc[UR4][R2.64], R9").unwrap(), "v15");
    assert_eq!(written("IADD3 R5, P0, R4, 0x10, RZ").unwrap(), "v5");
    assert_eq!(written("LDG.E.64 R2, [R4]").unwrap(), "v[2:3]");
    let register = |number| Registers { file: File::Vector, first: number, last: number };
    let add = instruction("IADD3 R5, P0, R4, 0x10, RZ");
    assert!(add.reads(register(4)) && !add.reads(register(5)));
    assert!(instruction("@P0 MOV R5, R4").reads(register(5)), "what it may leave as it is");
    assert!(instruction("STG.E [R4.64], R3").reads(register(5)), "the second of a pair");
}

#[test]
fn one_more_live_register_is_found() {
    // ptxas also gives other values other registers, so that B rises above A twice. The last rise is that register's.
    let real = diff(ROOTS, RECIPROCAL);
    assert_eq!(of(&real, File::Vector).highest, [Some(11), Some(12)]);
    let Method::Scan { rises, last, .. } = of(&real, File::Vector).first.as_ref().unwrap().method else {
        panic!("{:?}", real.registers)
    };
    assert_eq!((rises, real.listings[1].instructions[last].to_string().as_str()), (2, "FMUL R12, R7, R11"));
    assert_eq!(of(&real, File::Scalar).first, None);
    let [there, back] = [introduced(&real), introduced(&diff(RECIPROCAL, ROOTS))].map(Option::unwrap);
    assert_eq!((there.0, back.0, &there.1), (Side::B, Side::A, &back.1));
    // The driver's kernel with a value that is kept from the beginning to the end, and all later registers one up.
    for at in [1, 5, 20, 40] {
        let mut lines: Vec<String> = parsed(PAD).instructions.iter().map(ToString::to_string).collect();
        for line in &mut lines[at..] {
            *line = (0..=9).rev().fold(line.clone(), |line, number| {
                let found = |word: &str| match numbered(word) {
                    Some(("R", of, rest)) if of == number => format!("R{}{rest}", number + 20),
                    _ => word.to_owned(),
                };
                words(&line).map(found).collect()
            });
        }
        lines.insert(at, "MUFU.RCP R19, R4".to_owned());
        let kept = text(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let diff = diff(PAD, &kept);
        assert_eq!(introduced(&diff), Some((Side::B, "MUFU.RCP R19, R4".into())), "{at}");
        let first = of(&diff, File::Vector).first.clone().unwrap();
        assert!(matches!(first.method, Method::Search { .. }) && first.pair.is_none(), "{first:?}");
        let inserted = Block::Differing { a: at..at, b: at..at + 1 };
        let differing: Vec<_> = diff.blocks.iter().filter(|b| matches!(b, Block::Differing { .. })).collect();
        assert_eq!(differing, [&inserted], "{at}");
    }
}

#[test]
fn uniform_registers_and_predicates_are_not_those_of_lanes() {
    let a = text(&["ULDC UR4, c[0x0][0x4]", "ISETP.GE.AND P0, PT, R2, UR4, PT", "EXIT"]);
    let b = text(&["ULDC UR9, c[0x0][0x4]", "ISETP.GE.AND P5, PT, R2, UR9, PT", "EXIT"]);
    let uniform = diff(&a, &b);
    assert!(uniform.pairs_throughout());
    assert_eq!(of(&uniform, File::Vector).highest, [Some(2); 2]);
    assert_eq!(of(&uniform, File::Scalar).highest, [Some(4), Some(9)]);
    assert_eq!(uniform.registers.len(), 2);
}

#[test]
fn a_constant_that_moves_to_a_register_is_told() {
    let told = |diff: &Diff| -> Vec<(Side, u64, String, usize, Instead)> {
        let of = |c: &Constant| (c.side, c.value, c.register.clone(), c.readers, c.instead.clone());
        diff.constants.iter().map(of).collect()
    };
    // The register is loaded with the negative number of the same bits.
    let matrix = |side| (side, 0x9908_b0df, "R10".to_owned(), 2, Instead::Literal(vec![15, 16]));
    assert_eq!(told(&diff(LITERALS, SELECT)), [matrix(Side::B)]);
    assert_eq!(told(&diff(SELECT, LITERALS)), [matrix(Side::A)]);
    // In a uniform register there, and as a float.
    let a = text(&["MOV R5, 0x3fc00000", "FMUL R6, R5, R6", "EXIT"]);
    let b = text(&["UMOV UR4, 0x3fc00000", "FMUL R6, R6, UR4", "EXIT"]);
    let uniform = vec![(Side::A, 0x3fc0_0000, "R5".to_owned(), 1, Instead::Register(0))];
    assert_eq!(told(&diff(&a, &b)), uniform);
    let float = text(&["FMUL R6, R6, 1.5", "EXIT"]);
    assert_eq!(told(&diff(&a, &float))[0].4, Instead::Literal(vec![0]));
}

#[test]
fn constants_are_literals_that_are_moved() {
    for (text, value) in [
        ("MOV R5, 0x100", Some(0x100)),
        ("UMOV UR4, 0x100", Some(0x100)),
        ("IMAD.MOV.U32 R10, RZ, RZ, -0x66f74f21", Some(0x9908_b0df)),
        // ptxas writes 1.5000001 so, 0x3fc00001, and 15 * 2^23.
        ("HFMA2.MMA R0, -RZ, RZ, 1.9375, 5.9604644775390625e-08", Some(0x3fc0_0001)),
        ("HFMA2.MMA R0, -RZ, RZ, 15, 0", Some(0x4b80_0000)),
        ("HFMA2 R0, -RZ, RZ, -0, 6.103515625e-05", Some(0x8000_0400)),
        ("HFMA2.MMA R0, -RZ, RZ, 6.097555160522460938e-05, 65504", Some(0x03ff_7bff)),
        ("HFMA2.MMA R0, -RZ, RZ, 0, 0", None),
        ("HFMA2.MMA R0, -RZ, R2, 15, 0", None),
        ("MOV R5, 0x40", None),
        ("MOV R5, -0x10", None),
        ("MOV R5, R4", None),
        ("MOV R5, c[0x0][0x210]", None),
        ("IMAD R5, R4, R4, 0x100", None),
        ("IADD3 R5, R4, 0x100, RZ", None),
    ] {
        assert_eq!(instruction(text).constant(), value, "{text}");
    }
}

#[test]
fn padding_is_left_out_and_code_behind_the_end_is_not() {
    let count = |code: &[&str]| parsed(&text(code)).instructions.len();
    assert_eq!(count(&["FADD R1, R1, R1", "EXIT", "BRA 0x20", "NOP", "NOP"]), 2);
    assert_eq!(count(&["@P0 BRA 0x20", "EXIT", "FADD R1, R1, R1", "BRA 0x10", "BRA 0x40", "NOP"]), 4);
    assert_eq!(count(&["EXIT", "@P0 BRA 0x10"]), 2);
    assert_eq!(parsed(PAD).instructions.len(), 44);
}

#[test]
fn each_instruction_has_its_class() {
    let code = [
        "S2R R0, SR_TID.X",
        "LDC R1, c[0x0][0x28]",
        "ULDC.64 UR4, c[0x0][0x208]",
        "LDG.E R3, desc[UR4][R4.64]",
        "LDL R3, [R4]",
        "TLD.LZ RZ, R4, R2, UR4, 2D, 0x1",
        "SUST.D.BA.2D.STRONG.SM.TRAP [R4], R8, UR4",
        "STG.E desc[UR4][R4.64], R3",
        "ATOMG.E.ADD PT, R15, desc[UR4][R2.64], R9",
        "REDG.E.ADD desc[UR4][R2.64], R17",
        "REDUX.SUM UR6, R7",
        "LDS R3, [R4]",
        "ATOMS.ADD R3, [R4], R5",
        "SHFL.IDX PT, R7, R15, R14, 0x1f",
        "UIADD3 UR6, UR7, -0x3, URZ",
        "BAR.SYNC.DEFER_BLOCKING 0x0",
        "@P0 BRA 0x10",
        "BSSY B0, `(.L_x_1)",
        "DEPBAR.LE SB0, 0x0",
        "EXIT",
    ];
    let expected = Counts {
        instructions: 20,
        vmem_loads: 3,
        vmem_stores: 2,
        vmem_atomics: 2,
        scalar_loads: 2,
        lds: 3,
        valu: 2,
        salu: 1,
        branches: 1,
        backward_branches: 1,
        barriers: 1,
        ..Counts::default()
    };
    assert_eq!(Counts::of(&parsed(&text(&code))), expected);
}

#[test]
fn several_kernels_and_other_lines() {
    let text = format!(
        "\nFatbin elf code:\n================\narch = sm_90\ncode version = [1,8]\n{}\n{}",
        LOOP[1],
        RECIPROCAL.replace("\tcode for sm_90\n", "")
    );
    let found = listings(&text);
    assert_eq!(found.iter().map(|listing| listing.name.as_str()).collect::<Vec<_>>(), ["scale", "more"]);
    let data =
        ".debug_frame:\n        /*0000*/ \t.byte\t0xff, 0xff\n.L_0:\nkernel:\n        /*0000*/ EXIT ;\n";
    let [kernel] = &listings(data)[..] else { panic!("one kernel") };
    assert_eq!((kernel.name.as_str(), kernel.instructions.len(), &kernel.labels[..]), ("kernel", 1, &[][..]));
    for line in [
        "/*0000*/ .byte 0xff, 0xff",
        "/* 0x000e220000000800 */",
        "/*0000*/",
        "/*xyz*/ NOP ;",
        "NOP ;",
        "/*0*/ @",
    ] {
        assert_eq!(parse(line, 1), None, "{line}");
    }
}

/// A changed byte gives another listing, and nothing panics.
#[test]
fn damage_is_borne() {
    for text in [LOOP[0], RECIPROCAL, PAD] {
        for at in (0..text.len()).step_by(11) {
            for to in ["", "R", "9999999999", "é", "]", ",", "."] {
                let mut changed = text.to_owned();
                changed.replace_range(at..=at, to);
                let all = listings(&changed);
                let of = |listing: &Listing| {
                    Counts::of(listing);
                    listing
                        .instructions
                        .iter()
                        .map(|found| found.masked().len() + found.read().count())
                        .sum::<usize>()
                };
                assert!(all.iter().map(of).sum::<usize>() > 0);
            }
        }
    }
}

#[test]
fn a_truth_table_is_no_literal() {
    let lop = instruction("LOP3.LUT R9, R9, 0x9908b0df, RZ, 0xc0, !PT");
    assert!(lop.names(0x9908_b0df) && !lop.names(0xc0));
    assert!(!instruction("PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0").names(0x80));
    assert!(instruction("IADD3 R4, R4, 0xc0, RZ").names(0xc0));
}
