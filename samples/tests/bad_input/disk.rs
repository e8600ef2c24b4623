//! Disks that fill up while results are written. One that cannot be written costs no other.

use std::fs::{self, OpenOptions};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_FAILED;

use crate::SAMPLE;
use crate::support::{Call, read_record, trial};

/// Takes no byte.
const FULL: &str = "/dev/full";

pub fn trials() -> Vec<Trial> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    vec![
        trial("disk_full_for_a_file", file),
        trial("disk_full_for_stdout", stdout),
        trial("disk_full_for_the_picture", picture),
        trial("file_that_reaches_the_limit_of_its_size", limit),
    ]
}

fn file() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = Call::new(SAMPLE)?.words("--size 96 --samples 1 --csv a.csv --out run --json").args([FULL]);
    let ended = call.within(folder.path()).run()?.with_code(EXIT_FAILED.into())?;
    let errors: Vec<&str> =
        ended.stderr.lines().filter(|line| line.starts_with("pipelined_events: ")).collect();
    ensure!(errors.len() == 1 && errors[0].contains(FULL), "not one line of error: {ended}");
    let lines = fs::read_to_string(folder.path().join("a.csv")).context("the samples are lost")?;
    ensure!(lines.lines().count() > 1, "the samples are lost: {ended}");
    read_record(&folder.path().join("run/record.json")).context("the folder is lost")?;
    ensure!(ended.stdout.contains("full_barrier"), "the table is lost: {ended}");
    Ok(())
}

fn picture() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = Call::new(SAMPLE)?.words("--size 96 --samples 1 --json a.json --image").args([FULL]);
    let ended = call.within(folder.path()).run()?.with_code(EXIT_FAILED.into())?;
    let errors: Vec<&str> =
        ended.stderr.lines().filter(|line| line.starts_with("pipelined_events: ")).collect();
    ensure!(errors.len() == 1 && errors[0].contains(FULL), "not one line of error: {ended}");
    read_record(&folder.path().join("a.json")).context("the record is lost")?;
    Ok(())
}

/// `ulimit -f` comes with a signal that ends a process which does not expect it.
fn limit() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = Call::on_any_device(Path::new("sh")).args(["-c", "ulimit -f 8; exec \"$0\" \"$@\""]);
    let call = call.args([Call::binary(SAMPLE)?]).on_test_device();
    let call = call.words("--size 96 --samples 1 --json a.json").within(folder.path());
    let ended = call.run()?.with_code(EXIT_FAILED.into())?;
    let errors = ended.stderr.lines().filter(|line| line.starts_with("pipelined_events: "));
    let errors: Vec<&str> = errors.collect();
    ensure!(errors.len() == 1 && errors[0].contains("File too large"), "not one line of error: {ended}");
    ensure!(ended.stdout.contains("full_barrier"), "the table is lost: {ended}");
    Ok(())
}

fn stdout() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let full = OpenOptions::new().write(true).open(FULL)?;
    let call = Call::new(SAMPLE)?.words("--size 96 --samples 1 --json a.json").stdout(full);
    let ended = call.within(folder.path()).run()?.with_code(EXIT_FAILED.into())?;
    ensure!(ended.stderr.contains("standard output"), "no word of what failed: {ended}");
    read_record(&folder.path().join("a.json")).context("the record is lost")?;
    Ok(())
}
