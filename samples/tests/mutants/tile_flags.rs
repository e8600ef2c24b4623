//! Passes in one dispatch whose tiles do not wait, or compute something else.
//!
//! Here two threads run workgroups in the order of their tickets. Where a pass is one tile, or two, the next
//! begins while it is still being computed, so that a wait that is left out shows at once.

use anyhow::ensure;
use libtest_mimic::Trial;
use record::error::EXIT_FAILED;
use record::read_json;

use super::results::{self, Mutant};
use crate::SAMPLE;
use crate::support::{Checkout, trial};

const TILES: &str = "chain/tiles.comp";
const FLAGS: &str = "include/tile_flags.glsl";
const STAGED: &str = "include/staged.glsl";
const FUSED: &str = "chain/fused.comp";

/// Sides that no tile divides, arms that reach beyond the next tile.
const SMALL: &str =
    "--size 61x45 --passes 4 --radius 5 --tile 8x2x2 --variant tile_*,fused_tiles --without *_barrier";
static OTHER_RESULTS: [Mutant; 4] = [
    ("row_and_column_left_out", TILES, ["lessThanEqual(at, last)", "lessThan(at, last)"], tiles),
    ("side_one_too_near", STAGED, ["x < RADIUS ? x : x + WIDTH", "x < RADIUS ? x : x + WIDTH - 1"], staged),
    ("column_one_row_down", STAGED, ["ivec2(RADIUS, i * STEP)", "ivec2(RADIUS, i * STEP + 1)"], staged),
    ("border_shrinks_too_slowly", FUSED, ["(pass + 1) * RADIUS", "(pass + 1) * RADIUS - 1"], fused),
];

/// Large enough to take longer than a look.
const ONE_TILE: &str =
    "--size 64x32 --tile 64x4x8 --radius 8 --passes 12 --variant tile_* --without *_barrier";
static ALONE: [Mutant; 3] = [
    ("flags_not_awaited", FLAGS, ["if (!shows(flag, unit.pass)) {", "if (false) {"], flagged),
    ("tags_not_awaited", TILES, ["return texel >> MIX_BITS >= uint(generation);", "return true;"], tagged),
    (
        "told_before_it_is_stored",
        TILES,
        [
            "    do_tile(unit, last);\n    part();\n    tell(unit);\n}",
            "    part();\n    tell(unit);\n    do_tile(unit, last);\n}",
        ],
        flagged,
    ),
];

const TWO_TILES: &str = "--size 32x8 --tile 16x4x2 --passes 60 --variant tile_* --without *_barrier";
static PAIRED: [Mutant; 1] =
    [("neighbours_not_awaited", FLAGS, ["ivec2(tile) + away", "ivec2(tile) + 0 * away"], flagged)];

const IN_A_LOOP: &str =
    "--size 64x32 --tile 64x4x8 --radius 8 --passes 12 --in-flight 2 --variant tile_* --without *_barrier";
static LOOPED: [Mutant; 2] = [
    ("late_tiles_not_awaited", TILES, ["            is_late = 1;", "            is_late = 0;"], flagged),
    ("lateness_not_seen", FLAGS, ["    return all_seen;", "    return true;"], flagged),
];

fn tiles(name: &str) -> bool {
    name.starts_with("tile_")
}

fn staged(name: &str) -> bool {
    tiles(name) && name.ends_with("_staged")
}

fn flagged(name: &str) -> bool {
    name.starts_with("tile_flags")
}

fn tagged(name: &str) -> bool {
    name.starts_with("tile_tags")
}

fn fused(name: &str) -> bool {
    name == "fused_tiles"
}

pub fn trials() -> Vec<Trial> {
    let races: [(&str, &str, &'static [Mutant]); 3] =
        [("alone", ONE_TILE, &ALONE), ("paired", TWO_TILES, &PAIRED), ("looped", IN_A_LOOP, &LOOPED)];
    let races = races.into_iter().flat_map(|(set, words, mutants)| {
        let broken = mutants.iter().map(move |mutant| {
            trial(format!("tile_flags::{set}::{}", mutant.0), move || races_at_last(SAMPLE, words, mutant))
        });
        let unbroken = results::trials_called(&format!("tile_flags::{set}"), SAMPLE, words, &[]);
        unbroken.into_iter().chain(broken)
    });
    let others = results::trials_called("tile_flags", SAMPLE, SMALL, &OTHER_RESULTS);
    let mut trials: Vec<Trial> = others.into_iter().chain(races).collect();
    trials.push(trial("tile_flags::a_wait_in_vain_ends_and_is_counted", in_vain));
    trials
}

/// A wait that is left out shows where both threads are at work, which on a busy machine they are not each time:
/// after some runs it must have shown, and never in another variant.
pub fn races_at_last(sample: &str, words: &str, mutant: &Mutant) -> anyhow::Result<()> {
    let (_, shader, [old, new], shows) = *mutant;
    let checkout = Checkout::copy()?;
    checkout.replace(shader, old, new)?;
    for _ in 0..20 {
        let call = checkout
            .call(sample)?
            .with_driver_threads()
            .words(words)
            .words("--samples 3 --repetitions 2 --json -");
        let record = read_json(&call.run()?.stdout)?;
        let wrong = results::called_wrong(&record);
        ensure!(wrong.iter().all(|name| shows(name)), "wrongly called wrong: {wrong:?}");
        if !wrong.is_empty() {
            return Ok(());
        }
    }
    anyhow::bail!("never called wrong")
}

/// Nobody tells: each wait ends, and the row says why it is wrong.
fn in_vain() -> anyhow::Result<()> {
    let checkout = Checkout::copy()?;
    checkout.replace(FLAGS, "atomicStore(flags[flag], unit.pass + 1u,", "atomicStore(flags[flag], 0u,")?;
    let words =
        "--size 16x8 --tile 16x4x2 --passes 2 --variant tile_flags_strict --samples 1 --repetitions 1";
    let ended = checkout.call(SAMPLE)?.words(words).run()?.with_code(EXIT_FAILED.into())?;
    ensure!(ended.stdout.contains("the count of bail-outs"), "{ended}");
    Ok(())
}
