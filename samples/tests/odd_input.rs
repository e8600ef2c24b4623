//! Arguments at the edge of what is allowed: every variant runs, is right, and satisfies the
//! validation layer.

mod support;

use std::process::ExitCode;

use anyhow::{Result, ensure};
use libtest_mimic::Arguments;
use record::error::EXIT_RIGHT;
use record::{Status, read_json};
use support::{Call, trial};

const EVENTS: &str = "pipelined_events";
const BLOOM: &str = "bloom";

/// Name and arguments of `pipelined_events`.
const OF_EVENTS: [(&str, &str); 19] = [
    // Tiles that waited for others never ended here on Mesa 25.0.7.
    ("partial_tiles_at_two_edges", "--size 64x193 --variant tile_*"),
    ("no_multiple_of_the_workgroup", "--size 33x67 --bands 3 --align 1"),
    ("one_texel_wide", "--size 1x96 --bands 2 --align 8"),
    ("two_passes", "--size 96 --bands 2 --align 8 --passes 2"),
    ("many_passes", "--size 32x248 --bands 2 --align 2 --passes 100 --repetitions 3"),
    ("many_bands", "--size 64x200 --bands 16 --align 1 --radius 1"),
    ("reach_beyond_the_image", "--size 16x200 --bands 2 --align 64 --radius 64 --without *_staged"),
    ("two_images_in_turn", "--size 96 --bands 2 --align 8 --ping-pong --without tile_tags*"),
    (
        "two_images_one_repetition",
        "--size 96 --bands 2 --align 8 --ping-pong --repetitions 1 --without tile_tags*",
    ),
    ("one_repetition", "--size 96 --bands 2 --align 8 --repetitions 1"),
    ("rows_in_a_loop", "--size 100 --bands 2 --align 8 --workgroup 32x8x4"),
    ("tile_larger_than_the_image", "--size 96 --bands 2 --align 8 --workgroup 16x4x64"),
    ("lone_invocations", "--size 96 --bands 2 --align 8 --workgroup 1x1"),
    ("two_splits", "--size 96 --bands 2,3 --align 8"),
    ("no_multiple_of_the_tile", "--size 45x61 --tile 5x3x3 --radius 4 --variant tile_*"),
    ("a_line_waits_for_a_line", "--size 45x61 --tile 8x2x2 --radius 9 --flags line --variant tile_*"),
    ("few_tiles_in_flight", "--size 45x61 --tile 8x2x2 --in-flight 3 --pollers 1 --variant tile_*"),
    (
        "passes_side_by_side",
        "--size 45x61 --tile 8x2x2 --radius 5 --passes 7 --order skewed --variant tile_*",
    ),
    (
        "tiles_of_two_images_in_turn",
        "--size 32x9 --tile 8x2x2 --ping-pong --passes 40 --variant tile_flags_strict*,tile_flags_chained*",
    ),
];

/// Name and arguments of `bloom`.
const OF_BLOOM: [(&str, &str); 5] = [
    ("one_texel", "--size 1"),
    ("one_row", "--size 97x1 --radius 8"),
    ("no_multiple_of_a_tile", "--size 61x45 --tile 5x3x4 --workgroup 7x3x2 --radius 1"),
    ("tiles_of_one_texel", "--size 13x9 --tile 1x1 --workgroup 1x1 --order recorded"),
    ("tile_larger_than_the_image", "--size 30x20 --tile 32x4x64 --workgroup 32x4x16"),
];

fn main() -> ExitCode {
    let mut trials = Vec::new();
    let of = |sample: &'static str| move |(name, words)| (sample, name, words);
    for (sample, name, words) in OF_EVENTS.map(of(EVENTS)).into_iter().chain(OF_BLOOM.map(of(BLOOM))) {
        trials.push(trial(format!("{sample}::bench::{name}"), move || bench(sample, words)));
        trials.push(trial(format!("{sample}::check::{name}"), move || check(sample, words)));
    }
    trials.push(trial("some_variants", some_variants));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn bench(sample: &str, words: &str) -> Result<()> {
    let two = if words.contains("--repetitions") { "" } else { "--repetitions 2" };
    let ended = Call::new(sample)?.words(words).words("--samples 1 --json -").words(two).run()?;
    let record = read_json(&ended.with_code(EXIT_RIGHT.into())?.stdout)?;
    for row in &record.rows {
        ensure!(row.status == Status::Ok, "{}: {:?}", row.variant, row.status);
    }
    Ok(())
}

fn check(sample: &str, words: &str) -> Result<()> {
    let ended = Call::new(sample)?.words(words).words("--check").run()?.with_code(EXIT_RIGHT.into())?;
    ensure!(!ended.stdout.contains("left out"), "not every variant was checked: {ended}");
    Ok(())
}

/// The two that ratios are made with come along, and nothing else.
fn some_variants() -> Result<()> {
    let words = "--size 96 --bands 2 --align 8 --variant events_2 --samples 1 --json -";
    let record = read_json(&Call::new(EVENTS)?.words(words).run()?.with_code(EXIT_RIGHT.into())?.stdout)?;
    let names: Vec<&str> = record.rows.iter().map(|row| row.variant.as_str()).collect();
    ensure!(names == ["no_barrier", "full_barrier", "events_2"], "{names:?}");
    ensure!(record.rows.iter().all(|row| row.to_bound.is_some() && row.to_baseline.is_some()), "no ratios");
    Ok(())
}
