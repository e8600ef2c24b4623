//! Blurs that compute something else: each mutant must show in the variants that it touches, and in no
//! other.

use anyhow::ensure;
use libtest_mimic::Trial;

use super::results::{self, Mutant};
use crate::support::trial;

const BLUR: &str = "semi_persistent_waves/box_blur.comp";
const TILE: &str = "include/tile.glsl";
/// Sides that no block divides. A tile of 8 lanes is 4x2 texels, whatever the device. Of each family one
/// variant or two, and of the other axis: each mutant compiles all of them.
const SMALL: &str = "--size 83x59 --radius 4 --tile-lanes 8 --variant linear_8x8,swizzled_8x8,unroll_2,unroll_8,across_4,\
     unroll_8_x4,slide_8,slide_4_x8,rows_32x8x4,linear_8x8_vertical,unroll_8_vertical,slide_4_x8_vertical";

const MUTANTS: [Mutant; 12] = [
    ("border_too_early", BLUR, ["clamp(at, ivec2(0), last)", "clamp(at, ivec2(0), last - 1)"], |_| true),
    ("border_too_late", BLUR, ["clamp(at, ivec2(0), last)", "clamp(at, ivec2(-1), last)"], |_| true),
    ("window_one_tap_on", BLUR, ["load(at + along(i - RADIUS)", "load(at + along(i - RADIUS + 1)"], |_| true),
    (
        "moved_window_one_tap_on",
        BLUR,
        ["load(at + along(tap - RADIUS)", "load(at + along(tap - RADIUS + 1)"],
        moves,
    ),
    ("window_not_moved", BLUR, ["window[i] = window[i + FRESH];", ""], reads_what_it_kept),
    ("sum_not_corrected", BLUR, ["sum -= window[tap];", ""], corrects),
    ("last_tile_left_out", BLUR, ["tile < TILES", "tile < max(TILES - 1, 1)"], has_tiles),
    ("last_row_not_stored", BLUR, ["all(lessThanEqual(at, last))", "all(lessThan(at, last))"], |_| true),
    ("other_axis", BLUR, ["ivec2(0, texels)", "ivec2(texels, 0)"], |name| name.ends_with("_vertical")),
    ("mean_not_rounded", BLUR, ["floor(scaled + 0.5)", "floor(scaled)"], |_| true),
    ("quads_lie_down", TILE, ["uvec2((lane / 2) % lanes.x", "uvec2((lane / 4) % lanes.x"], in_quads),
    ("upper_rows_twice", TILE, ["lane % 2 + lane / (2 * lanes.x) * 2", "lane % 2"], several_pairs_of_rows),
];

/// A subgroup blurs several tiles.
fn has_tiles(name: &str) -> bool {
    let one = ["linear_8x8", "swizzled_8x8", "unroll_1", "rows_32x8x1"];
    !one.iter().any(|one| name.starts_with(one))
}

fn slides(name: &str) -> bool {
    name.starts_with("slide_")
}

/// Fetches on from tile to tile.
fn moves(name: &str) -> bool {
    has_tiles(name) && !slides(name)
}

/// Keeps some of the texels from tile to tile: neither tiles across the filter's reach nor rows of it.
fn keeps(name: &str) -> bool {
    has_tiles(name) && !name.starts_with("across_") && name != "rows_32x8x4"
}

/// A corrected sum of two tiles reads what leaves the window before it moves, and what enters it.
fn reads_what_it_kept(name: &str) -> bool {
    keeps(name) && !name.starts_with("unroll_2")
}

/// So few texels enter the window that the sum is corrected: with 4x2 texels a tile wherever tiles share
/// any, but for rows that go down by eight.
fn corrects(name: &str) -> bool {
    keeps(name) && !name.starts_with("rows_")
}

fn in_quads(name: &str) -> bool {
    ["swizzled_", "unroll_", "across_"].iter().any(|family| name.starts_with(family))
}

/// A tile of 4x2 texels is one pair of rows, so that only the 8x8 one can tell.
fn several_pairs_of_rows(name: &str) -> bool {
    name.starts_with("swizzled_")
}

pub fn trials() -> Vec<Trial> {
    let mut trials = results::trials("semi_persistent_waves", SMALL, &MUTANTS);
    trials.push(trial("semi_persistent_waves::touches", || {
        let names = ["linear_8x8", "unroll_2", "unroll_8", "slide_4", "across_4", "rows_32x8x4"];
        for (what, touched) in
            [("moves", moves as fn(&str) -> bool), ("keeps", keeps), ("corrects", corrects)]
        {
            let touches = names.iter().filter(|name| touched(name)).count();
            ensure!((1..names.len()).contains(&touches), "{touches} of {names:?} {what}");
        }
        Ok(())
    }));
    trials
}
