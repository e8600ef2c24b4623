//! Areas that are hardly one, waves of every size, and machines that are none.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use record::{Status, read_json};

use crate::support::{Call, trial};
use crate::told;

const DRAIN: &str = "drain_fill";

const REFUSED: [(&str, &[&str]); 14] = [
    ("--passes 1", &["--passes", "2..=32"]),
    ("--passes 33", &["--passes", "2..=32"]),
    ("--steps 0", &["--steps", "1..=4096"]),
    ("--steps 4097", &["--steps", "1..=4096"]),
    ("--wave-lanes 3", &["--wave-lanes", "'3' is no size of a wave"]),
    ("--wave-lanes 256", &["--wave-lanes", "from 4 to 128"]),
    ("--machine 64x4", &["--machine", "64x4x10"]),
    ("--machine 0x4x10", &["--machine", "from 1 to 1024"]),
    ("--machine -1x4x10", &["--machine", "64x4x10"]),
    ("--mhz 0", &["--mhz", "1..=10000"]),
    ("--mhz 1.5", &["--mhz"]),
    ("--size 0x7", &["--size", "WIDTHxHEIGHT"]),
    ("--size 70000", &["70000x70000", "2^30 items"]),
    ("--variant none_such", &["no variant is called 'none_such'", "no_barrier_1"]),
];

/// One item, more of them than a workgroup and no multiple of it, waves smaller and larger than the
/// device's, and machines with more room than there is work.
const RIGHT: [&str; 7] = [
    "--size 1 --machine 1x1x1",
    "--size 1x611 --passes 2 --machine 1024x4x16",
    "--size 97x41 --passes 9 --steps 1 --machine 2x2x3",
    "--size 65 --wave-lanes 4 --machine 3x1x1",
    "--size 65 --wave-lanes 16 --machine 3x2x1 --mhz 2000",
    "--size 67 --wave-lanes 64 --steps 4096 --machine 1x2x1",
    "--size 70 --wave-lanes 128 --machine 5x1x1",
];

pub fn trials() -> Vec<Trial> {
    let refused =
        REFUSED.map(|(words, says)| trial(format!("{DRAIN}::{words}"), move || refused(words, says)));
    let right = RIGHT.map(|words| trial(format!("{DRAIN}::{words}"), move || right(words)));
    let others = [
        trial(format!("{DRAIN}::no machine"), no_machine),
        trial(format!("{DRAIN}::loop too long"), loop_too_long),
    ];
    // The longest first.
    right.into_iter().rev().chain(others).chain(refused).collect()
}

fn refused(words: &str, says: &[&str]) -> Result<()> {
    let ended = told(Call::new(DRAIN)?.words(words).run()?, EXIT_FAILED, says)?;
    ensure!(ended.stderr.lines().count() == 1, "more than a line: {ended}");
    Ok(())
}

fn statuses(words: &str) -> Result<Vec<(String, Status)>> {
    let call = Call::new(DRAIN)?.words(words).words("--samples 1 --repetitions 2 --json -");
    let record = read_json(&call.run()?.with_code(EXIT_RIGHT.into())?.stdout)?;
    Ok(record.rows.into_iter().map(|row| (row.variant, row.status)).collect())
}

fn right(words: &str) -> Result<()> {
    let bad: Vec<_> = statuses(&format!("{words} --all"))?
        .into_iter()
        .filter(|(_, status)| *status != Status::Ok)
        .collect();
    ensure!(bad.is_empty(), "not all are right: {bad:?}");
    Call::new(DRAIN)?.words(words).words("--check --all").run()?.with_code(EXIT_RIGHT.into())?;
    Ok(())
}

/// What needs to know how many waves there is room for is left out, with the way to tell.
fn no_machine() -> Result<()> {
    left_out("--size 65 --all", &["tiles_filling_once", "tiles_a_simd"], "--machine does")
}

/// More rounds than lavapipe takes: 65,536 tiles and one workgroup.
fn loop_too_long() -> Result<()> {
    let words = "--size 2048x2048 --steps 1 --machine 1x1x8 --variant tiles_16,tiles_filling*,tiles_a_simd*";
    left_out(words, &["tiles_filling_once", "tiles_a_simd"], "a loop over 65536 tiles")
}

fn left_out(words: &str, variants: &[&str], says: &str) -> Result<()> {
    for (name, status) in statuses(words)? {
        let stem = name.trim_end_matches("_loaded_anew");
        let fits = match &status {
            Status::Skipped { reason } => variants.contains(&stem) && reason.contains(says),
            status => !variants.contains(&stem) && *status == Status::Ok,
        };
        ensure!(fits, "{name}: {status:?}");
    }
    Ok(())
}
