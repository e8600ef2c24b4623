//! Passes, constants, code and loops that are not those of the CPU twin, and barriers that are left out.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_FAILED;

use super::results::{self, Mutant};
use crate::support::{Call, trial};

const PASS: &str = "drain_fill/pass.comp";
const CLEAR: &str = "drain_fill/clear.comp";
const CODE: &str = "drain_fill/code.comp";
const CONSTANTS: &str = "drain_fill/constants.comp";
const TILES: &str = "drain_fill/tiles.comp";
const IRREGULAR: &str = "drain_fill/irregular.comp";
const LAUNCH: &str = "drain_fill/launch.comp";
const STEP: &str = "include/step.glsl";

/// Sides that no workgroup divides, passes that end in the buffer in which they began and fewer slots than
/// tiles.
const SMALL: &str = "--size 83x41 --steps 5 --machine 3x2x2 --all";

const MUTANTS: [Mutant; 18] = [
    ("pass_not_mixed_in", PASS, ["+ pass * MULTIPLIER", "+ 0u * pass"], in_passes),
    ("one_step_short", PASS, ["i < STEPS;", "i + 1u < STEPS;"], in_passes),
    ("last_item_left_out", PASS, ["item >= items", "item + 1u >= items"], in_passes),
    ("clear_not_read", PASS, ["value += cleared[item]", "value += 0u * cleared[item]"], in_clears),
    ("clear_of_another_pass", CLEAR, ["first(pass)", "first(pass + 1u)"], in_clears),
    (
        "constant_of_the_next_place",
        CONSTANTS,
        ["value, place.x", "value, table[place.y * VECTORS].x"],
        in_tables,
    ),
    ("constants_in_their_order", CONSTANTS, ["at = place.y", "at = (at + 1u) % PLACES"], in_tables),
    ("version_not_made_right", CODE, ["^ VERSION) ^ version", "^ VERSION)"], |name| {
        name.ends_with("code_cold")
    }),
    ("step_of_code_twice", CODE, ["S1((n) + 3u)\n", "S1((n) + 2u)\n"], |name| name.contains("code_")),
    ("constant_from_the_wrong_place", TILES, ["table[begin + i]", "table[begin + i ^ 1u]"], in_tiles),
    (
        "one_constant_short",
        TILES,
        ["i < CONSTANTS; ++i) {\n                value", "i + 1u < CONSTANTS; ++i) {\n                value"],
        in_tiles,
    ),
    ("second_tile_left_out", TILES, ["tile += workgroups", "tile += 2u * workgroups"], |name| {
        in_tiles(name) && !name.starts_with("tiles_1_") && name != "tiles_1"
    }),
    ("last_tile_left_out", TILES, ["tile < tiles;", "tile + 1u < tiles;"], in_tiles),
    ("counts_of_the_neighbour", IRREGULAR, ["counts[item]", "counts[(item + 1u) % items]"], in_loops),
    ("counts_of_the_next_region", IRREGULAR, ["counts[item]", "counts[(item + 64u) % items]"], in_loops),
    ("loop_ends_early", IRREGULAR, ["i < steps;", "i + 1u < steps;"], in_loops),
    ("every_other_wave_is_silent", LAUNCH, ["WAVE_LANES == 0u", "(2u * WAVE_LANES) == 0u"], |name| {
        name.starts_with("launch_") && name != "launch_1"
    }),
    ("other_shift", STEP, ["value >> 15", "value >> 16"], |name| {
        !name.starts_with("launch_") && !races(name)
    }),
];

/// What is wrong in these counts as racy.
fn races(name: &str) -> bool {
    name.starts_with("no_barrier_")
}

fn in_passes(name: &str) -> bool {
    name.starts_with("barrier_") || name.starts_with("apart")
}

fn in_clears(name: &str) -> bool {
    name == "barrier_4_clear"
}

fn in_tables(name: &str) -> bool {
    name.starts_with("constants_")
}

fn in_tiles(name: &str) -> bool {
    name.starts_with("tiles_")
}

fn in_loops(name: &str) -> bool {
    name.starts_with("regular_") || name.starts_with("irregular_")
}

pub fn trials() -> Vec<Trial> {
    let dropped = trial("drain_fill::barriers_dropped", barriers_dropped);
    results::trials("drain_fill", SMALL, &MUTANTS).into_iter().chain([dropped]).collect()
}

/// The chains fail, by the layer and by another order; what needs no memory made visible does not.
fn barriers_dropped() -> Result<()> {
    let call = Call::new("drain_fill")?.words("--size 83x41 --check --all --break no-barriers");
    let ended = call.run()?.with_code(EXIT_FAILED.into())?;
    let failed: Vec<&str> = ended
        .stdout
        .lines()
        .filter(|line| line.ends_with(" FAILED"))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let chains = ["barrier_1", "barrier_4", "barrier_16", "barrier_64", "barrier_4_clear"];
    ensure!(failed == chains, "{failed:?}: {ended}");
    for says in ["as early as the recorded dependencies allow", "SYNC-HAZARD-READ-AFTER-WRITE"] {
        ensure!(ended.stdout.matches(says).count() >= chains.len(), "too rarely '{says}': {ended}");
    }
    Ok(())
}
