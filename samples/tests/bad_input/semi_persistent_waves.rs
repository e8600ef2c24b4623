//! Blurs that no device, or not this one, can be asked for: one line each.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_FAILED;

use crate::support::{Call, trial};
use crate::told;

const SAMPLE: &str = "semi_persistent_waves";

/// Name, arguments, and what the refusal must say.
type Case = (&'static str, &'static str, &'static [&'static str]);

const CASES: [Case; 14] = [
    ("radius_zero", "--radius 0", &["--radius", "1..=16"]),
    ("radius_too_large", "--radius 17", &["--radius", "1..=16"]),
    ("size_zero", "--size 0", &["--size", "WIDTHxHEIGHT"]),
    (
        "size_beyond_the_memory",
        "--size 16384 --format rgba16f",
        &["16384x16384", "GiB", "use a smaller size"],
    ),
    ("waves_zero", "--waves-per-simd 0", &["--waves-per-simd", "1..=64"]),
    ("waves_absurd", "--waves-per-simd 3,1000", &["--waves-per-simd", "1..=64"]),
    ("occupancy_zero", "--occupancy 0", &["--occupancy", "0.001 to 1"]),
    ("occupancy_negative", "--occupancy -0.5", &["--occupancy", "0.001 to 1"]),
    ("occupancy_above_one", "--occupancy 0.5,1.5", &["1.5", "0.001 to 1"]),
    ("occupancy_backwards", "--occupancy 0.75..0.5", &["0.75..0.5", "begins behind its end"]),
    ("both_limits", "--waves-per-simd 3 --occupancy 0.5", &["--waves-per-simd", "--occupancy"]),
    ("tile_of_24_lanes", "--tile-lanes 24", &["24", "power of two from 4 to 128"]),
    ("format_unknown", "--format r9", &["r9", "rgba16f"]),
    ("loads_unknown", "--loads magic", &["magic", "storage"]),
];

pub fn trials() -> Vec<Trial> {
    let cases = CASES
        .into_iter()
        .map(|(name, words, says)| trial(format!("{SAMPLE}::{name}"), move || refused(words, says)));
    cases.chain([trial(format!("{SAMPLE}::waves_on_a_cpu"), waves_on_a_cpu)]).collect()
}

fn refused(words: &str, says: &[&str]) -> Result<()> {
    let ended = told(Call::new(SAMPLE)?.words(words).run()?, EXIT_FAILED, says)?;
    let one_line = ended.stderr.trim_end().lines().count() == 1 && ended.stderr.starts_with(SAMPLE);
    ensure!(one_line, "not one line of {SAMPLE}: {ended}");
    Ok(())
}

/// A device that tells nothing of its multiprocessors is asked for shares instead.
fn waves_on_a_cpu() -> Result<()> {
    if !std::env::var("HOTLAP_TEST_DEVICE").unwrap_or_else(|_| "llvmpipe".into()).contains("llvmpipe") {
        return Ok(());
    }
    refused("--waves-per-simd 3,4", &["does not tell how many SIMDs it has", "take --occupancy"])
}
