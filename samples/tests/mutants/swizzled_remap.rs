//! Remaps that put lanes elsewhere, and ambient occlusion that computes something else.

use anyhow::ensure;
use common::error::EXIT_FAILED;
use libtest_mimic::Trial;

use super::results::{self, Mutant};
use crate::support::{Checkout, trial};

const SSAO: &str = "swizzled_remap/ssao.comp";
const REMAP: &str = "include/remap.glsl";

/// Sides that no rectangle divides.
const SMALL: &str = "--size 183x159 --columns 3 --all";

const MUTANTS: [Mutant; 6] = [
    ("border_too_early", SSAO, ["ivec2(0), last)", "ivec2(0), last - 1)"], |_| true),
    ("one_tap_left_out", SSAO, ["tap < TAPS;", "tap < TAPS - 1;"], |_| true),
    ("twice_as_far", SSAO, ["pixels) >> 6", "pixels) >> 5"], |_| true),
    ("turned_the_other_way", SSAO, ["ivec2(-around.y, around.x)", "ivec2(around.y, -around.x)"], |_| true),
    ("lanes_not_remapped", SSAO, ["#ifdef REMAPPED", "#ifdef REMAPPED_NOT"], |name| {
        name.starts_with("remap_")
    }),
    (
        "strips_of_another_grid",
        SSAO,
        ["gl_NumWorkGroups.xy, COLUMNS", "gl_NumWorkGroups.yx, COLUMNS"],
        |name| name.contains("_columns_"),
    ),
];

/// Still a texel for each lane, but not the twin's: what is compared before anything is measured.
const PLACES: [(&str, [&str; 2], &str); 5] = [
    ("row_bit_dropped", ["(lane, 3, 3 + row_bits)", "(lane, 3, 2 + row_bits)"], "puts lane"),
    ("quads_of_rows", ["bitfieldExtract(lane, 1, 3)", "bitfieldExtract(lane, 0, 3)"], "puts lane"),
    ("tiles_one_bit_off", ["lane >> (3 + row_bits)", "lane >> (2 + row_bits)"], "puts lane"),
    ("strip_begins_one_on", ["within % width,", "(within + 1u) % width,"], "puts workgroup"),
    ("last_strip_too_wide", ["min(columns, groups.x - strip * columns)", "columns"], "puts workgroup"),
];

pub fn trials() -> Vec<Trial> {
    let places = PLACES.into_iter().map(|(name, [old, new], says)| {
        trial(format!("swizzled_remap::places::{name}"), move || {
            let checkout = Checkout::copy()?;
            checkout.replace(REMAP, old, new)?;
            let ended = checkout.call("swizzled_remap")?.words(SMALL).run()?.with_code(EXIT_FAILED.into())?;
            ensure!(ended.stderr.contains(says), "{ended}");
            Ok(())
        })
    });
    results::trials("swizzled_remap", SMALL, &MUTANTS).into_iter().chain(places).collect()
}
