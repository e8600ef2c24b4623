//! Blooms that compute something else, or whose tiles do not wait.

use anyhow::ensure;
use libtest_mimic::Trial;
use record::error::EXIT_FAILED;

use super::results::{self, Mutant};
use super::tile_flags::races_at_last;
use crate::support::{Checkout, trial};

const BLOOM: &str = "bloom";
const FORMULAS: &str = "include/bloom.glsl";
const TILES: &str = "bloom/tiles.comp";

/// Sides that no tile divides, and levels of which some have one tile.
const SMALL: &str = "--size 61x45 --tile 8x2x4 --workgroup 8x4x2 --radius 5 --without no_barrier*";
static OTHER_RESULTS: [Mutant; 6] = [
    (
        "last_row_and_column_left_out",
        FORMULAS,
        ["lessThan(at, pass.size)", "lessThan(at, pass.size - 1)"],
        all,
    ),
    ("quarters_swapped", FORMULAS, ["2 * (at & 1) - 1", "1 - 2 * (at & 1)"], all),
    ("rounded_down", FORMULAS, ["sum + 2 >> 2", "sum >> 2"], all),
    ("row_left_out", FORMULAS, ["first + row < rows &&", "first + row + 1 < rows &&"], with_rows),
    ("staged_one_too_far", FORMULAS, ["(origin >> 1) - 1, BELOW", "(origin >> 1), BELOW"], staged),
    ("other_plane", TILES, ["entry.from.z, entry.beside.x", "entry.beside.x, entry.from.z"], tiles),
];

/// Each pass is one tile, so that the next begins while it is still being computed.
const FEW_TILES: &str = "--size 64x16 --tile 64x4x8 --radius 8 --variant tile_flags*";
static WAITS: [Mutant; 3] = [
    ("flags_not_awaited", TILES, ["if (look_at(flag * FLAG_STRIDE) == 0) {", "if (false) {"], tiles),
    ("own_blur_not_awaited", TILES, ["around + int(needs.beside)", "around"], tiles),
    (
        "told_before_it_is_stored",
        TILES,
        [
            "    await(entry, unit.y, needs);\n",
            "    atomicStore(flags[(entry.to.w + unit.y) * FLAG_STRIDE], 1u, gl_ScopeDevice, 0, 0);\n    await(entry, unit.y, needs);\n",
        ],
        tiles,
    ),
];

fn all(_: &str) -> bool {
    true
}

fn tiles(name: &str) -> bool {
    name.starts_with("tile_flags")
}

fn staged(name: &str) -> bool {
    name.ends_with("_staged")
}

/// Here all of them.
fn with_rows(_: &str) -> bool {
    true
}

pub fn trials() -> Vec<Trial> {
    let mut trials = results::trials(BLOOM, SMALL, &OTHER_RESULTS);
    trials.extend(results::trials_called("bloom::waits", BLOOM, FEW_TILES, &[]));
    for mutant in &WAITS {
        let name = format!("bloom::waits::{}", mutant.0);
        trials.push(trial(name, move || races_at_last(BLOOM, FEW_TILES, mutant)));
    }
    for (name, change) in REACHES {
        trials.push(trial(format!("bloom::reaches::{name}"), move || reaches_elsewhere(change)));
    }
    trials.push(trial("bloom::waits::in_vain_ends_and_is_counted", in_vain));
    trials
}

/// Waits for too few tiles, or others, which the data show only where a tile comes late.
const REACHES: [(&str, [&str; 2]); 6] = [
    ("one_column_fewer", ["int(entry.to.x + WIDTH - 1) / WIDTH", "int(entry.to.x) / WIDTH"]),
    ("halves_without_their_last_texels", ["2 * last + 1", "2 * first"]),
    ("blurs_without_what_is_below", ["last + ivec2(0, RADIUS)", "last"]),
    ("blurs_without_what_is_left", ["first - ivec2(RADIUS, 0)", "first"]),
    ("growings_without_the_next_texel", ["(last >> 1) + 1", "(last >> 1)"]),
    ("tiles_of_another_level", ["ivec2(WIDTH, STEP * entry.rows.y)", "ivec2(WIDTH, STEP * entry.rows.x)"]),
];

fn reaches_elsewhere([old, new]: [&str; 2]) -> anyhow::Result<()> {
    let checkout = Checkout::copy()?;
    checkout.replace(TILES, old, new)?;
    let words = "--size 61x45 --tile 4x2x4 --variant tile_flags_strict --samples 1 --repetitions 1";
    let ended = checkout.call(BLOOM)?.words(words).run()?.with_code(EXIT_FAILED.into())?;
    ensure!(ended.stderr.contains(" waits for ["), "{ended}");
    Ok(())
}

/// Nobody tells: each wait ends, and the row says why it is wrong.
fn in_vain() -> anyhow::Result<()> {
    let checkout = Checkout::copy()?;
    checkout.replace(TILES, "FLAG_STRIDE], 1u, gl_ScopeDevice", "FLAG_STRIDE], 0u, gl_ScopeDevice")?;
    let words = "--size 16x8 --variant tile_flags_strict --samples 1 --repetitions 1";
    let ended = checkout.call(BLOOM)?.words(words).run()?.with_code(EXIT_FAILED.into())?;
    ensure!(ended.stdout.contains("the count of bail-outs"), "{ended}");
    Ok(())
}
