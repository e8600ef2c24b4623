//! Disks that fill up while results are written, and submits that take longer than they may. A file that cannot be
//! written costs no other.

use std::fs::{self, OpenOptions};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_HUNG;

use crate::SAMPLE;
use crate::support::{Call, read_record, trial};

/// Takes no byte.
const FULL: &str = "/dev/full";
const SMALL: &str = "--size 96 --samples 1";

pub fn trials() -> Vec<Trial> {
    let on_disk = [
        trial("disk_full::file", file),
        trial("disk_full::stdout", stdout),
        trial("disk_full::limit_of_a_files_size", limit),
    ];
    // Nothing that never ends is submitted to a GPU.
    let another_device = std::env::var_os("HOTLAP_TEST_DEVICE").is_some();
    let late = [
        trial("timeout::while_setting_up", timeout_while_setting_up),
        trial("timeout::and_disk_full", timeout_and_disk_full),
    ];
    let on_disk = on_disk.map(|trial| trial.with_ignored_flag(!cfg!(target_os = "linux")));
    on_disk.into_iter().chain(late.map(|trial| trial.with_ignored_flag(another_device))).collect()
}

fn file() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = Call::new(SAMPLE)?.words(SMALL).words("--csv a.csv --out run --json").args([FULL]);
    let ended = call.within(folder.path()).failed()?;
    ensure!(ended.reason()?.contains(FULL), "{ended}");
    let lines = fs::read_to_string(folder.path().join("a.csv")).context("the samples are lost")?;
    ensure!(lines.lines().count() > 1, "the samples are lost: {ended}");
    read_record(&folder.path().join("run/record.json")).context("the folder is lost")?;
    ended.shows(&["every result that must be right"]).context("the answer is lost")
}

/// `ulimit -f` comes with a signal that ends a process which does not expect it.
fn limit() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = Call::on_any_device(Path::new("sh")).args(["-c", "ulimit -f 8; exec \"$0\" \"$@\""]);
    let call = call.args([Call::binary(SAMPLE)?]).on_test_device();
    let ended = call.words(SMALL).words("--json a.json").within(folder.path()).failed()?;
    let errors: Vec<&str> =
        ended.stderr.lines().filter(|line| line.starts_with(&format!("{SAMPLE}: "))).collect();
    ensure!(matches!(&errors[..], [one] if one.contains("File too large")), "{ended}");
    ended.shows(&["every result that must be right"]).context("the answer is lost")
}

fn stdout() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let full = OpenOptions::new().write(true).open(FULL)?;
    let call = Call::new(SAMPLE)?.words(SMALL).words("--json a.json").stdout(full);
    call.within(folder.path()).failed()?.says(&["standard output"])?;
    read_record(&folder.path().join("a.json")).context("the record is lost")?;
    Ok(())
}

/// A wait that nothing ends, recorded on purpose.
const ENDLESS: &str = "--size 96 --align 8 --bands 2 --variants events_2 --break endless --timeout 1";

/// What the queue still works on must not be freed on the way out, whichever error comes last.
fn timeout_and_disk_full() -> Result<()> {
    for words in ["--json /dev/full", "--check"] {
        let full = OpenOptions::new().write(true).open(FULL)?;
        let call = Call::new(SAMPLE)?.words(ENDLESS).words(words).stdout(full);
        let ended = call.run()?.with_code(EXIT_HUNG.into())?;
        ensure!(words == "--check" || ended.stderr.contains("No space left"), "{ended}");
    }
    Ok(())
}

/// Uploading 16 MiB takes longer than 1 ms. Nothing was measured then, so no record is asked for.
fn timeout_while_setting_up() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = Call::new(SAMPLE)?.words("--size 2048 --timeout 0.001 --out run").within(folder.path());
    let ended = call.run()?.with_code(EXIT_HUNG.into())?;
    let reason = ended.reason()?;
    ensure!(reason.contains("did not finish") && reason.contains("--timeout"), "{ended}");
    Ok(())
}
