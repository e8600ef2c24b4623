//! Tests of whole comparisons, with listings written for each.

use super::*;

fn parsed(text: &str) -> Listing {
    let mut found = listings(text);
    assert!(found.len() <= 1, "{text}");
    found.pop().unwrap_or_default()
}

fn diff(a: &str, b: &str) -> Diff {
    Diff::of(parsed(a), parsed(b))
}

fn of(diff: &Diff, file: File) -> &Extra {
    diff.registers.iter().find(|extra| extra.file == file).unwrap()
}

/// The instruction that first names the extra register.
fn introduced(diff: &Diff, file: File) -> Option<(Side, String, Option<usize>)> {
    let first = of(diff, file).first.as_ref()?;
    let instruction = &first.side.of([&diff.listings[0], &diff.listings[1]]).instructions[first.at];
    Some((first.side, instruction.to_string(), first.pair))
}

/// One more constant: the document's first example.
const FOUR: &str = "
v_mov_b32_e32 v10, 0x10
v_mov_b32_e32 v11, 0x11
v_mov_b32_e32 v12, 0x20
v_mov_b32_e32 v13, 0x21
";
const FIVE: &str = "
v_mov_b32_e32 v10, 0x10
v_mov_b32_e32 v11, 0x11
v_mov_b32_e32 v12, 0xff
v_mov_b32_e32 v13, 0x20
v_mov_b32_e32 v14, 0x21
";

#[test]
fn the_inserted_constant_is_the_first_extra_register() {
    let there = diff(FOUR, FIVE);
    assert_eq!(introduced(&there, File::Vector), Some((Side::B, "v_mov_b32 v12, 0xff".into(), None)));
    assert_eq!(of(&there, File::Vector).highest, [Some(13), Some(14)]);
    let method = of(&there, File::Vector).first.as_ref().unwrap().method;
    assert!(matches!(method, Method::Search { pairs: 4, .. }), "{method:?}");
    let expected = [
        Block::Paired { a: 0, b: 0, count: 2 },
        Block::Differing { a: 2..2, b: 2..3 },
        Block::Paired { a: 2, b: 3, count: 2 },
    ];
    assert_eq!(there.blocks, expected);
    assert_eq!(there.mnemonics, [("v_mov_b32".to_owned(), [4, 5])].into());
    assert_eq!([there.classes[0].valu, there.classes[1].valu], [4, 5]);
    assert_eq!([there.classes[0].instructions, there.classes[1].instructions], [4, 5]);
    // In the other order, A has the additional register.
    let back = diff(FIVE, FOUR);
    assert_eq!(introduced(&back, File::Vector), Some((Side::A, "v_mov_b32 v12, 0xff".into(), None)));
}

#[test]
fn a_listing_and_itself_do_not_differ() {
    for text in [FOUR, FIVE, REGRESSION, FIX, ""] {
        let same = diff(text, text);
        assert!(same.pairs_throughout() && same.constants.is_empty() && same.mnemonics.is_empty());
        assert!(same.registers.iter().all(|extra| extra.first.is_none()), "{:?}", same.registers);
    }
}

#[test]
fn other_numbers_of_registers_are_no_difference() {
    let a = "v_add_f32 v3, v1, v2\nv_mul_f32 v4, v3, v3\ns_endpgm";
    let b = "v_add_f32 v1, v3, v2\nv_mul_f32 v4, v1, v1\ns_endpgm";
    let same = diff(a, b);
    assert!(same.pairs_throughout());
    assert_eq!(of(&same, File::Vector).first, None);
    assert_eq!(of(&same, File::Vector).highest, [Some(4), Some(4)]);
}

#[test]
fn only_scalar_registers_may_differ() {
    let a = "s_mov_b32 s0, 0x100\nv_add_u32 v0, s0, v0\ns_endpgm";
    let b = "s_mov_b32 s0, 0x100\ns_mov_b32 s1, 0x200\nv_add_u32 v0, s0, v0\ns_endpgm";
    let scalar = diff(a, b);
    assert_eq!(of(&scalar, File::Vector).first, None);
    assert_eq!(introduced(&scalar, File::Scalar), Some((Side::B, "s_mov_b32 s1, 0x200".into(), None)));
}

#[test]
fn an_empty_listing_is_all_difference() {
    let empty = diff("", FOUR);
    assert_eq!(empty.blocks, [Block::Differing { a: 0..0, b: 0..4 }]);
    assert_eq!(of(&empty, File::Vector).highest, [None, Some(13)]);
    assert_eq!(introduced(&empty, File::Vector), Some((Side::B, "v_mov_b32 v10, 0x10".into(), None)));
}

#[test]
fn a_register_that_is_not_free_is_found_with_what_holds_it() {
    // B keeps v2 for later, so that the product is one register higher.
    let a = "v_add_f32 v1, v0, v0\nv_mul_f32 v2, v0, v1\nv_sub_f32 v0, v2, v1\n";
    let b = "v_mov_b32 v2, 0x100\nv_add_f32 v1, v0, v0\nv_mul_f32 v3, v0, v1\nv_sub_f32 v0, v3, v1\nv_or_b32 v0, v0, v2\n";
    let held = diff(a, b);
    let first = of(&held, File::Vector).first.clone().unwrap();
    assert_eq!(introduced(&held, File::Vector).unwrap().1, "v_mov_b32 v2, 0x100");
    assert!(matches!(first.method, Method::Scan { rises: 2, .. } | Method::Search { .. }));
    // If an unused register takes the constant, the place is the product, and the constant is its cause.
    let b = "v_mov_b32 v5, 0\nv_mov_b32 v2, 0x100\nv_add_f32 v1, v0, v0\nv_mul_f32 v6, v0, v1\nv_or_b32 v0, v6, v2\n";
    let a = "v_mov_b32 v5, 0\nv_add_f32 v1, v0, v0\nv_mul_f32 v2, v0, v1\n";
    let held = diff(a, b);
    let first = of(&held, File::Vector).first.clone().unwrap();
    assert_eq!(introduced(&held, File::Vector), Some((Side::B, "v_mul_f32 v6, v0, v1".into(), Some(2))));
    assert_eq!(first.causes, [1]);
}

#[test]
fn listings_that_overtake_each_other_are_scanned() {
    let a = "v_mov_b32 v1, 0\nv_add_u32 v5, v1, v1\nv_sub_u32 v5, v1, v1\nv_or_b32 v6, v5, v1\n";
    let b = "v_mov_b32 v3, 0\nv_add_u32 v4, v3, v3\nv_sub_u32 v4, v3, v3\nv_or_b32 v9, v4, v3\n";
    let crossing = diff(a, b);
    let first = of(&crossing, File::Vector).first.clone().unwrap();
    assert_eq!(first.method, Method::Scan { rises: 2, pairs: 4, agreeing: 3, first: 0, last: 3 });
    assert_eq!(introduced(&crossing, File::Vector), Some((Side::B, "v_or_b32 v9, v4, v3".into(), Some(3))));
}

/// The document's case, shortened: the constants that the newer compiler keeps …
const REGRESSION: &str = "
v_mov_b32_e32 v106, 0x9908b0df
v_mov_b32_e32 v107, 0x7ff00000
v_mov_b32_e32 v108, 0x100
s_waitcnt vmcnt(62)
v_and_b32_e32 v0, 1, v0
v_cmp_eq_u32_e32 vcc, 1, v0
v_cndmask_b32_e32 v0, 0, v106, vcc
v_lshrrev_b32_e32 v5, 1, v5
v_cmp_gt_f64_e32 vcc, s[58:59], v[7:8]
v_cndmask_b32_e32 v0, 0, v108, vcc
v_ldexp_f64 v[7:8], v[7:8], v0
s_endpgm
";
/// … and the code after the fix.
const FIX: &str = "
v_mov_b32_e32 v107, 0x7ff00000
s_waitcnt vmcnt(60)
v_bfe_i32 v16, v16, 0, 1
v_and_b32_e32 v16, 0x9908b0df, v16
v_lshrrev_b32_e32 v20, 1, v20
v_cmp_gt_f64_e32 vcc, s[58:59], v[9:10]
v_cndmask_b32_e64 v0, 0, 1, vcc
v_lshlrev_b32_e32 v0, 8, v0
v_ldexp_f64 v[7:8], v[9:10], v0
s_endpgm
";

#[test]
fn the_trade_of_the_documents_fix_is_seen() {
    let diff = diff(REGRESSION, FIX);
    let [matrix, shifted] = &diff.constants[..] else { panic!("{:?}", diff.constants) };
    assert_eq!((matrix.value, matrix.register.as_str(), matrix.readers), (0x9908_b0df, "v106", 1));
    assert_eq!(matrix.instead, Instead::Literal(vec![3]));
    assert_eq!((shifted.value, shifted.register.as_str(), shifted.side), (0x100, "v108", Side::A));
    assert_eq!(shifted.instead, Instead::Shift { by: vec![6, 7], small: 1, bits: 8 });
    let places = |diff: &Diff| -> Vec<Instead> { diff.constants.iter().map(|c| c.instead.clone()).collect() };
    let back = Diff::of(parsed(FIX), parsed(REGRESSION));
    assert!(back.constants.iter().all(|constant| constant.side == Side::B));
    assert_eq!(places(&back), places(&diff));
}

#[test]
fn a_constant_that_moves_to_a_scalar_register_is_told_of_once() {
    let a = "v_mov_b32 v1, 0x9908b0df\nv_cndmask_b32_e32 v0, 0, v1, vcc\ns_endpgm";
    let b = "s_mov_b32 s1, 0x9908b0df\nv_and_b32 v0, s1, v0\ns_endpgm";
    let diff = |a, b| -> Vec<(Side, String, Instead)> {
        let found = diff(a, b).constants.into_iter();
        found.map(|constant| (constant.side, constant.register, constant.instead)).collect()
    };
    assert_eq!(diff(a, b), [(Side::A, "v1".to_owned(), Instead::Register(0))]);
    assert_eq!(diff(b, a), [(Side::B, "v1".to_owned(), Instead::Register(0))]);
}

#[test]
fn a_constant_without_a_trace_is_called_unknown() {
    let a = "v_mov_b32 v1, 0x100\nv_add_u32 v0, v1, v0\ns_endpgm";
    let gone = diff(a, "s_endpgm");
    assert_eq!(gone.constants[0].instead, Instead::Unknown);
    let other = diff(a, "v_bfe_u32 v0, v0, 0, 4\ns_endpgm");
    assert_eq!(other.constants[0].instead, Instead::Other(vec![0]));
}

#[test]
fn what_only_waits_or_jumps_stands_for_no_constant() {
    let a = "v_mov_b32 v1, 0x100\nv_add_u32 v0, v1, v0\ns_endpgm";
    let idle =
        "s_nop 0\ns_waitcnt vmcnt(0)\ns_delay_alu instid0(VALU_DEP_1)\ns_clause 0x3\ns_branch BB1\nBB1:\n";
    let only_idle = diff(a, &format!("{idle}s_endpgm"));
    assert_eq!(only_idle.constants[0].instead, Instead::Unknown);
    // A fifth instruction that computes nothing would exceed the limit.
    for computes in
        ["v_bfe_u32 v0, v0, 0, 4", "s_bfe_u32 s0, s1, 8", "s_mov_b32 s0, 1", "s_load_dword s0, s[2:3], 0x0"]
    {
        let among = diff(a, &format!("{idle}{computes}\ns_endpgm"));
        assert_eq!(among.constants[0].instead, Instead::Other(vec![5]), "{computes}");
    }
}

#[test]
fn an_alignment_that_takes_too_long_is_called_coarse() {
    let [a, b] = [0, 1].map(|salt| {
        let line = |i: u32| {
            format!("v_add_u32 v0, {}, v0\n", (i * 7919 + salt * 31).wrapping_mul(2_654_435_761) % 61)
        };
        parsed(&(0..4000).map(line).collect::<String>())
    });
    let aligned = |patience| align::align(&a.instructions, &b.instructions, patience);
    let ends = |blocks: &[Block]| match blocks.last() {
        Some(Block::Paired { a, b, count }) => [a + count, b + count],
        Some(Block::Differing { a, b }) => [a.end, b.end],
        None => [0, 0],
    };
    let (fine, in_time) = aligned(align::PATIENCE);
    let (coarse, late) = aligned(std::time::Duration::ZERO);
    assert!(!in_time && late);
    assert_eq!([ends(&fine), ends(&coarse)], [[4000, 4000]; 2]);
    assert!(align::pairs(&fine).len() >= align::pairs(&coarse).len());
}

#[test]
fn loops_are_counted_by_their_labels() {
    let looped = "BB0:\nv_add_u32 v0, 1, v0\ns_cbranch_scc0 BB0\ns_endpgm\n";
    let straight = "v_add_u32 v0, 1, v0\ns_endpgm\n";
    let diff = diff(looped, straight);
    assert_eq!([diff.classes[0].backward_branches, diff.classes[1].backward_branches], [1, 0]);
    assert_eq!(diff.mnemonics, [("s_cbranch_scc0".to_owned(), [1, 0])].into());
    // The format of llvm-objdump.
    let jumps = self::diff("v_add_u32 v0, 1, v0\ns_cbranch_scc0 65534\ns_endpgm\n", "s_branch 3\ns_endpgm\n");
    assert_eq!([jumps.classes[0].backward_branches, jumps.classes[1].backward_branches], [1, 0]);
}
