//! Two files of machine code, on a machine without any device.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use common::isa::diff::{File, Instead, Side};
use libtest_mimic::Trial;

use crate::diff::{parsed, without_devices};
use crate::support::{Call, trial};

/// A constant more, in a register that all later ones make room for.
const MORE: &str = "\
0000000000001000 <first>:
\ts_load_dwordx2 s[0:1], s[4:5], 0x0           // 000000001000: C0060002 00000000
\tv_mov_b32_e32 v1, 0x100                      // 000000001008: 7E0202FF 00000100
\tv_lshlrev_b32_e32 v2, 2, v0                  // 000000001010: 24040082
\tv_cndmask_b32_e32 v3, 0, v1, vcc             // 000000001014: 00060280
\tv_add_u32_e32 v3, v3, v2                     // 000000001018: 68060503
\tglobal_store_dword v2, v3, s[0:1]            // 00000000101C: DC708000 00000302
\ts_endpgm                                     // 000000001024: BF810000
0000000000001100 <second>:
\ts_endpgm                                     // 000000001100: BF810000
";
/// The same with a shift in its place, as a compiler writes it.
const FEWER: &str = "\
\t.text
first:                                  ; @first
\ts_load_dwordx2 s[0:1], s[4:5], 0x0
\tv_lshlrev_b32_e32 v1, 2, v0
\tv_cndmask_b32_e64 v2, 0, 1, vcc
\tv_lshlrev_b32_e32 v2, 8, v2
\tv_add_u32_e32 v2, v2, v1
\tglobal_store_dword v1, v2, s[0:1]
\ts_endpgm
";

pub fn trials() -> Vec<Trial> {
    vec![
        trial("files::without_a_device", without_a_device),
        trial("files::of_other_samples", of_other_samples),
    ]
}

/// A call in a folder with both, without any device.
fn call(folder: &Path) -> Result<Call> {
    written(folder)?;
    Ok(without_devices()?.within(folder).words("--code-diff"))
}

fn written(folder: &Path) -> Result<()> {
    std::fs::write(folder.join("more.s"), MORE)?;
    std::fs::write(folder.join("fewer.s"), FEWER).context("writing listings")
}

fn without_a_device() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let ended = call(folder.path())?.words("more.s fewer.s").right()?;
    ensure!(ended.stderr.is_empty(), "{ended}");
    let said = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "A takes more from line 3 on: v_mov_b32 v1, 0x100, which B does not have.",
        "0x100: a register in A (v1, read once), in B rebuilt as 1 << 8 by v_cndmask_b32 v2, 0, 1, vcc;",
        "A has more kernels, which are compared with nothing: second.",
    ] {
        ensure!(said.contains(text), "no '{text}': {ended}");
    }
    let report = parsed(&call(folder.path())?.words("fewer.s more.s --json -").right()?)?;
    ensure!(report.sides == ["fewer.s", "more.s"] && report.comparisons.len() == 1, "{:?}", report.sides);
    let diff = &report.comparisons[0].kernels.first().context("no kernel")?.diff;
    let vector = diff.registers.iter().find(|extra| extra.file == File::Vector).context("no registers")?;
    let first = vector.first.as_ref().context("no extra register")?;
    ensure!((first.side, first.at, first.register) == (Side::B, 1, 1), "{first:?}");
    let instead = diff.constants.first().map(|constant| &constant.instead);
    ensure!(instead == Some(&Instead::Shift { by: vec![2, 3], small: 1, bits: 8 }), "{instead:?}");
    let ended = call(folder.path())?.words("more.s fewer.s").env("LC_ALL", "C").right()?;
    ended.is_ascii()?;
    ended.shows(&["----"])
}

/// Files have nothing to do with the sample that is asked.
fn of_other_samples() -> Result<()> {
    let folder = tempfile::tempdir()?;
    written(folder.path())?;
    let call = Call::new("lds_blur")?.within(folder.path()).words("--code-diff more.s more.s");
    call.right()?.shows(&["All 7 instructions pair"])
}
