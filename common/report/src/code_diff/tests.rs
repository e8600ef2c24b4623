//! Tests the text of `--code-diff`.

use isa::diff::{Compiler, DIFF_SCHEMA, KernelFigures, Listing, listings};
use record::Tool;

use super::*;
use crate::charset::width;

const A: &str = "
s_mov_b32 s4, 0x1100000
v_mov_b32_e32 v106, 0x9908b0df
v_mov_b32_e32 v107, 0x7ff00000
v_mov_b32_e32 v108, 0x100
s_waitcnt vmcnt(62)
v_and_b32_e32 v0, 1, v0
v_cmp_eq_u32_e32 vcc, 1, v0
v_cndmask_b32_e32 v0, 0, v106, vcc
v_lshrrev_b32_e32 v5, 1, v5
v_xor_b32_e32 v0, v0, v5
v_add_f64 v[120:121], v[118:119], -v[120:121]
v_add_f64 v[116:117], v[116:117], -v[120:121]
v_add_f64 v[114:115], v[114:115], v[116:117]
v_cmp_gt_f64_e32 vcc, s[58:59], v[7:8]
v_cndmask_b32_e32 v0, 0, v108, vcc
v_ldexp_f64 v[7:8], v[7:8], v0
image_sample_lz v[20:23], v[2:3], s[24:31], s[0:3] dmask:0xf unorm glc a16 lwe r128
s_endpgm
";
const B: &str = "
s_mov_b32 s4, 0x1100000
v_mov_b32_e32 v107, 0x7ff00000
s_waitcnt vmcnt(62)
v_bfe_i32 v16, v16, 0, 1
v_and_b32_e32 v16, 0x9908b0df, v16
v_lshrrev_b32_e32 v20, 1, v20
v_xor_b32_e32 v16, v20, v16
v_add_f64 v[118:119], v[116:117], -v[118:119]
v_add_f64 v[114:115], v[114:115], -v[118:119]
v_add_f64 v[112:113], v[112:113], v[114:115]
v_cmp_gt_f64_e32 vcc, s[58:59], v[9:10]
v_cndmask_b32_e64 v0, 0, 1, vcc
v_lshlrev_b32_e32 v0, 8, v0
v_ldexp_f64 v[7:8], v[9:10], v0
image_sample_lz v[20:23], v[2:3], s[24:31], s[0:3] dmask:0xf unorm glc a16 lwe
s_endpgm
";

fn kernel(text: &str) -> (String, Option<KernelFigures>, Listing) {
    (String::new(), None, listings(text).pop().unwrap_or_default())
}

fn report(a: &str, b: &str) -> DiffReport {
    let [name, version, build, shaders] = ["hot-lap", "0.1.0", "debug", "embedded"].map(str::to_owned);
    DiffReport {
        schema: DIFF_SCHEMA,
        tool: Tool { name, version, commit: None, dirty: None, build, shaders },
        sample: "codegen".into(),
        command: Vec::new(),
        sides: ["old.s".into(), "new.s".into()],
        comparisons: vec![Comparison::of(None, [vec![kernel(a)], vec![kernel(b)]])],
        failed: [].into(),
    }
}

#[test]
fn two_files() {
    insta::assert_snapshot!(code_diff(Charset::Utf8, 120, &report(A, B)));
}

#[test]
fn narrow_in_ascii() {
    let text = code_diff(Charset::Ascii, 80, &report(B, A));
    assert!(text.is_ascii());
    insta::assert_snapshot!(text);
}

#[test]
fn the_same_twice() {
    insta::assert_snapshot!(code_diff(Charset::Utf8, 80, &report(A, A)));
}

#[test]
fn compiled_kernels_without_a_pair() {
    let costs = |vgprs| Some(KernelFigures { vgprs, sgprs: Some(16), code_bytes: 1304 });
    let named = |name: &str, vgprs, text| (name.to_owned(), costs(vgprs), kernel(text).2);
    let a = vec![named("begin.comp", 24, A), named("finish.comp", 12, B)];
    let device = "Null hardware (RADV VEGA10)".to_owned();
    let compiler = Compiler { chip: "VEGA10".into(), device, driver: "Mesa 22.3.6".into() };
    let comparison = Comparison::of(Some(compiler), [a, vec![named("all.comp", 28, B)]]);
    assert_eq!(comparison.unpaired, [vec!["finish.comp".to_owned()], Vec::new()]);
    let text = code_diff(Charset::Utf8, 100, &DiffReport { comparisons: vec![comparison], ..report(A, B) });
    assert!(text.contains("A has more kernels, which are compared with nothing: finish.comp."), "{text}");
    assert!(text.contains("A  begin.comp: 24 VGPRs, 16 SGPRs, 1304 bytes, 18 instructions"), "{text}");
    assert!(text.contains("A, instruction 1 ") && !text.contains("line "), "{text}");
}

/// A constant in a register instead of literals, as NVIDIA's assembler writes it.
const LITERALS: &str = "
        /*0000*/                   LDG.E.64 R8, desc[UR4][R2.64] ;
        /*0010*/                   SHF.R.U32.HI R8, RZ, 0x1, R8 ;
        /*0020*/                   LOP3.LUT R9, R9, 0x9908b0df, RZ, 0x3c, !PT ;
        /*0030*/              @!P0 LOP3.LUT R8, R8.reuse, 0x9908b0df, RZ, 0x3c, !PT ;
        /*0040*/                   STG.E.64 desc[UR4][R4.64], R8 ;
        /*0050*/                   EXIT ;
        /*0060*/                   BRA 0x60;
        /*0070*/                   NOP;
";
const REGISTER: &str = "
        /*0000*/                   LDG.E.64 R4, desc[UR4][R2.64] ;
        /*0010*/                   IMAD.MOV.U32 R10, RZ, RZ, -0x66f74f21 ;
        /*0020*/                   SHF.R.U32.HI R8, RZ, 0x1, R4 ;
        /*0030*/                   LOP3.LUT R9, R5, R10, RZ, 0x3c, !PT ;
        /*0040*/              @!P1 LOP3.LUT R8, R8, R10, RZ, 0x3c, !PT ;
        /*0050*/                   STG.E.64 desc[UR4][R2.64], R8 ;
        /*0060*/                   EXIT ;
        /*0070*/                   BRA 0x70;
";

#[test]
fn kernels_of_nvidias_driver() {
    let named = |vgprs, text| {
        let costs = KernelFigures { vgprs, sgprs: None, code_bytes: 128 };
        vec![("flip.comp".to_owned(), Some(costs), kernel(text).2)]
    };
    let [device, driver] = ["NVIDIA H200", "NVIDIA 580.159.04"].map(str::to_owned);
    let compiler = Compiler { chip: "SM90".into(), device, driver };
    let compared = |a, b| {
        let comparison = Comparison::of(Some(compiler.clone()), [named(12, a), named(13, b)]);
        code_diff(Charset::Utf8, 100, &DiffReport { comparisons: vec![comparison], ..report(A, B) })
    };
    insta::assert_snapshot!(compared(LITERALS, REGISTER));
    let other = LITERALS.replace("R8", "R6").replace("R9", "R7").replace(".reuse", "");
    let text = compared(LITERALS, &other);
    assert!(
        text.contains("All 6 instructions pair, 5 of them with other registers or predicates."),
        "{text}"
    );
    let text = compared(LITERALS, &LITERALS.replace(".reuse", ""));
    assert!(text.contains("All 6 instructions pair, with the same operands."), "{text}");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for room in 60..200 {
        for text in
            [code_diff(Charset::Utf8, room, &report(A, B)), code_diff(Charset::Ascii, room, &report(B, A))]
        {
            let widest = text.lines().map(width).max().unwrap_or(0);
            assert!(widest <= usize::from(room), "{widest} at {room}\n{text}");
        }
    }
}

#[test]
fn what_is_too_long_is_counted() {
    let far_apart = |register: &str| -> String {
        let place =
            |i: usize| format!("v_add_u32 v{register}, {i}, v0\n{}", "v_mul_f32 v1, v2, v3\n".repeat(9));
        (0..60).map(place).collect()
    };
    let text = code_diff(Charset::Utf8, 100, &report(&far_apart("[0:1]"), &far_apart("4")));
    // Each place has a heading and five lines.
    assert!(
        text.contains("left out: 36 more places with 36 lines that differ; --json FILE has all"),
        "{text}"
    );
    let long: String = (0..500).map(|i| format!("v_add_u32 v0, {i}, v0\n")).collect();
    let text = code_diff(Charset::Utf8, 100, &report(&long, "s_endpgm"));
    assert!(text.contains("left out: 380 more lines of this place"), "{text}");
    assert!(text.lines().count() < 140, "{text}");
}

#[test]
fn a_place_of_several_is_told_with_the_first_and_the_last() {
    let crossing = |registers: [u32; 8]| -> String {
        let line = |(i, to): (usize, u32)| format!("v_add_u32 v{to}, {}, v0\n", i + 1);
        (0..).zip(registers).map(line).collect()
    };
    let (a, b) = (crossing([2, 4, 4, 5, 5, 7, 7, 7]), crossing([3, 4, 4, 6, 6, 7, 8, 8]));
    let text = code_diff(Charset::Utf8, 200, &report(&a, &b)).replace("\n  ", " ");
    assert!(text.contains("B takes more from line 4 on: v_add_u32 v6, 4, v0"), "{text}");
    assert!(text.contains("at 3 places") && text.contains("agree with, 6 of 8."), "{text}");
    let besides = "Of the rises, the first is at line 1 (v_add_u32 v3, 1, v0), the last is at line 7 (v_add_u32 v8, 7, v0).";
    assert!(text.contains(besides), "{text}");
}
