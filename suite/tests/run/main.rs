//! `suite run` as a user runs it: with samples that crash, hang and lose the device, with disks that are full,
//! with Ctrl-C and with kills.

#[allow(clippy::unwrap_used, reason = "a test ends where its tools fail")]
#[path = "../support/mod.rs"]
mod commands;
mod fakes;
mod folders;
mod kills;
mod misfortunes;
mod refusals;
mod share;
mod signals;
#[path = "../../../samples/tests/support/mod.rs"]
mod support;
mod whole;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use support::{Call, OVERLOADED};
use tempfile::TempDir;

/// So little that a sample takes a second.
const QUICK: &str = "--budget 0.2 --samples 3";

fn main() -> ExitCode {
    let arguments = support::arguments_of_waiting();
    commands::built();
    let trials = [
        folders::trials(),
        misfortunes::trials(),
        fakes::trials(),
        refusals::trials(),
        share::trials(),
        signals::trials(),
        kills::trials(),
    ];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit_code()
}

/// A folder for a run, in one that goes when that is dropped.
fn place() -> Result<(TempDir, PathBuf)> {
    let top = tempfile::tempdir()?;
    let folder = top.path().join("run");
    Ok((top, folder))
}

/// Waits for what takes so many seconds on an idle machine at the most; `missing` says that it has not come.
fn wait_until(seconds: u64, missing: &str, mut has_come: impl FnMut() -> bool) -> Result<()> {
    let began = Instant::now();
    while !has_come() {
        ensure!(began.elapsed() < OVERLOADED * Duration::from_secs(seconds), "{missing}");
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// `suite run` with these words on the device that tests run on. It builds nothing: what is under test is there.
fn run(words: &str) -> Result<Call> {
    let call = Call::on_any_device(&Call::binary("suite")?);
    Ok(call.env("CARGO", "").words("run").words(words).on_test_device())
}

/// As [`run`], into a folder.
fn run_into(folder: &Path, words: &str) -> Result<Call> {
    Ok(run(words)?.args(["--out".as_ref(), folder.as_os_str()]))
}

/// Goes on with the run in a folder.
fn resume(folder: &Path) -> Result<Call> {
    run_into(folder, "--resume")
}
