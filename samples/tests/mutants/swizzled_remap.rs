//! Ambient occlusion that computes something else, and lanes that stand elsewhere.

use anyhow::ensure;
use libtest_mimic::Trial;
use record::error::EXIT_FAILED;

use super::results::{self, Mutant};
use crate::support::{Checkout, trial};

const SSAO: &str = "swizzled_remap/ssao.comp";
const REMAP: &str = "include/remap.glsl";

/// Sides that no rectangle divides, and columns of which the last is narrower.
const SMALL: &str = "--size 183x159 --columns 3 --all";

const MUTANTS: [Mutant; 8] = [
    ("border_too_early", SSAO, ["ivec2(0), size - 1)", "ivec2(0), size - 2)"], |_| true),
    ("border_begins_too_late", SSAO, ["clamp(tap, ivec2(0)", "clamp(tap, ivec2(1)"], |_| true),
    ("one_tap_left_out", SSAO, ["i < TAPS;", "i < TAPS - 1;"], |_| true),
    ("half_as_far", SSAO, ["pixels * turns[", "pixels / 2 * turns["], |_| true),
    ("turned_the_other_way", SSAO, ["ivec2(-turn.y, turn.x)", "ivec2(turn.y, -turn.x)"], |_| true),
    ("range_not_checked", SSAO, ["abs(there - depth) < RADIUS", "there - depth < RADIUS"], |_| true),
    ("surface_not_raised", SSAO, ["+ centre) + BIAS", "+ centre)"], |_| true),
    ("last_pixels_not_stored", SSAO, ["lessThan(at, size)", "lessThan(at, size - 1)"], |_| true),
];

/// Still a texel for each lane, or nearly so, but not the twin's: name, shader, what is replaced, and the
/// configuration that must be named before anything is measured.
const PLACES: [(&str, &str, [&str; 2], &str); 9] = [
    ("row_bit_dropped", REMAP, ["(lane, 3, 3 + row_bits)", "(lane, 3, 2 + row_bits)"], "remap_8x8:"),
    ("column_one_bit_off", REMAP, ["lane >> (3 + row_bits)", "lane >> (4 + row_bits)"], "remap_16x32:"),
    ("gaps_between_rectangles", SSAO, ["group * uvec2(AREA_X,", "group * uvec2(2 * AREA_X,"], "remap_8x8:"),
    // The image is right, and each four lanes are a quad.
    ("corners_swapped", REMAP, ["uvec2(x, y);", "uvec2(x & ~1 | y & 1, y & ~1 | x & 1);"], "remap_8x8:"),
    // The image is right in each of the following.
    (
        "lanes_in_rows",
        SSAO,
        [
            "remap(gl_LocalInvocationIndex, ROW_BITS)",
            "uvec2(gl_LocalInvocationIndex % AREA_X, gl_LocalInvocationIndex / AREA_X + uint(ROW_BITS / 32))",
        ],
        "remap_8x8:",
    ),
    ("column_begins_one_on", REMAP, ["rest % width, rest", "(rest + 1) % width, rest"], "_columns_3:"),
    ("last_column_begins_one_on", REMAP, ["rest % last_width,", "(rest + 1) % last_width,"], "_columns_3:"),
    (
        "not_walked_in_columns",
        SSAO,
        ["uvec2(GRID_X, GRID_Y), COLUMN_GROUPS)", "uvec2(GRID_X, GRID_Y), max(COLUMN_GROUPS, GRID_X))"],
        "_columns_3:",
    ),
    ("other_grid", SSAO, ["uvec2(GRID_X, GRID_Y)", "uvec2(GRID_Y, GRID_X)"], "_columns_3:"),
];

pub fn trials() -> Vec<Trial> {
    let places = PLACES.into_iter().map(|(name, shader, [old, new], says)| {
        trial(format!("swizzled_remap::places::{name}"), move || {
            let checkout = Checkout::copy()?;
            checkout.replace(shader, old, new)?;
            let ended = checkout.call("swizzled_remap")?.words(SMALL).run()?.with_code(EXIT_FAILED.into())?;
            let told =
                ended.stderr.contains(says) && ended.stderr.contains("is not where the CPU twin has it");
            ensure!(told, "{ended}");
            Ok(())
        })
    });
    results::trials("swizzled_remap", SMALL, &MUTANTS).into_iter().chain(places).collect()
}
