//! Occlusion that cannot be computed, and images that no rectangle fits.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use record::{Status, read_json};

use crate::support::{Call, trial};
use crate::told;

const REMAP: &str = "swizzled_remap";

const REFUSED: [(&str, &[&str]); 8] = [
    ("--taps 7", &["--taps", "8..=64"]),
    ("--taps 65", &["--taps", "8..=64"]),
    ("--radius 0", &["--radius", "8..=400"]),
    ("--radius -1", &["--radius"]),
    ("--columns 0", &["--columns", "1..=512"]),
    ("--columns 8,,16", &["--columns"]),
    ("--size 0x7", &["--size", "WIDTHxHEIGHT"]),
    ("--size 70000", &["70000x70000", "a side has 1 to"]),
];

/// One texel, rows and columns of them, and columns of workgroups that are wider than the image, the
/// same one twice.
const RIGHT: [&str; 4] = [
    "--size 1 --radius 400",
    "--size 1x611 --radius 400 --taps 64",
    "--size 611x1 --taps 9",
    "--size 97x41 --columns 512,1,512",
];

pub fn trials() -> Vec<Trial> {
    let refused =
        REFUSED.map(|(words, says)| trial(format!("{REMAP}::{words}"), move || refused(words, says)));
    let right = RIGHT.map(|words| trial(format!("{REMAP}::{words}"), move || right(words)));
    refused.into_iter().chain(right).collect()
}

fn refused(words: &str, says: &[&str]) -> Result<()> {
    let ended = told(Call::new(REMAP)?.words(words).run()?, EXIT_FAILED, says)?;
    ensure!(ended.stderr.lines().count() == 1, "more than a line: {ended}");
    Ok(())
}

fn right(words: &str) -> Result<()> {
    let call = Call::new(REMAP)?.words(words).words("--all --samples 1 --repetitions 1 --json -");
    let record = read_json(&call.run()?.with_code(EXIT_RIGHT.into())?.stdout)?;
    ensure!(record.rows.iter().all(|row| row.status == Status::Ok), "not all are right: {record:?}");
    Ok(())
}
