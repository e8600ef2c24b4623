//! `suite run` as a user runs it: with samples that crash, hang and lose the device, with disks that are full,
//! with Ctrl-C and with kills.

mod fakes;
mod folders;
mod kills;
mod misfortunes;
mod refusals;
mod signals;
#[path = "../../../samples/tests/support/mod.rs"]
mod support;
mod whole;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use support::Call;

/// So little that a sample takes a second.
const QUICK: &str = "--budget 0.2 --samples 3";

fn main() -> ExitCode {
    let arguments = support::arguments_of_waiting();
    if let Err(error) = build_what_is_missing() {
        eprintln!("{error:#}");
        return ExitCode::FAILURE;
    }
    let trials = [
        folders::trials(),
        misfortunes::trials(),
        fakes::trials(),
        refusals::trials(),
        signals::trials(),
        kills::trials(),
    ];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit_code()
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

/// The tests of one package get the binaries of that package alone from cargo.
fn build_what_is_missing() -> Result<()> {
    let names = support_samples()?;
    let missing = names.iter().any(|name| !Call::binary(name).is_ok_and(|path| path.is_file()));
    if let (true, Some(cargo)) = (missing, std::env::var_os("CARGO")) {
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--package", "samples", "--bins"]).stdin(Stdio::null());
        build.args(if cfg!(debug_assertions) { &[][..] } else { &["--release"] });
        let status =
            build.current_dir(env!("CARGO_MANIFEST_DIR")).status().context("building the samples")?;
        ensure!(status.success(), "the samples do not build: {status}");
    }
    Ok(())
}

/// Names of all samples.
fn support_samples() -> Result<Vec<String>> {
    let entries = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/src/bin"))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
