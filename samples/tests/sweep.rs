//! Sweeps: one argument with several values, one run for each.

mod support;

use std::process::ExitCode;

use anyhow::{Result, ensure};
use libtest_mimic::{Arguments, Trial};
use support::{Call, files_of, read_record};

fn main() -> ExitCode {
    let trial = |name: &str, run: fn() -> Result<()>| {
        Trial::test(name, move || run().map_err(|error| format!("{error:#}").into()))
    };
    let trials = vec![
        trial("each_value_has_its_run", each_value_has_its_run),
        trial("a_wrong_value", a_wrong_value_fails_the_sweep),
        trial("what_hinders_the_first_run", what_hinders_the_first_run_ends_the_sweep),
        trial("a_sweep_checks_too", a_sweep_checks_too),
        trial("what_cannot_be_swept_is_refused", refused),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn call() -> Result<Call> {
    Call::new("pipelined_events")
}

fn each_value_has_its_run() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let kept = folder.path().join("kept");
    let words = "--samples 1 --variant no_barrier --size 16..64*2 --radius 1,2 --out";
    let ended = call()?.words(words).args([&kept]).run()?.with_code(0)?;
    for size in ["16", "32", "64"] {
        for radius in ["1", "2"] {
            let record = read_record(&kept.join(format!("size={size}-radius={radius}/record.json")))?;
            let used = &record.configuration;
            ensure!(used["size"] == format!("{size}x{size}") && used["radius"] == radius, "{used:?}");
        }
    }
    let last = ended.stdout.rsplit("Isolated µs\n").next().unwrap_or_default();
    for column in ["size=16, radius=1", "size=64, radius=2"] {
        ensure!(last.contains(column), "no column '{column}' in the last table: {ended}");
    }
    ensure!(last.contains("full_barrier") && last.contains("no_barrier"), "{ended}");
    Ok(())
}

/// Refused before the first run; what only a device refuses ends its own run and no other.
fn a_wrong_value_fails_the_sweep() -> Result<()> {
    let ended = call()?.words("--samples 1 --variant no_barrier --size 16,y,32").run()?.with_code(2)?;
    ensure!(ended.stderr.contains("'y' is no positive whole number") && ended.stdout.is_empty(), "{ended}");
    let ended =
        call()?.words("--samples 1 --variant no_barrier --size 16,1000000x1,32").run()?.with_code(2)?;
    ensure!(ended.stderr.contains("1000000x1 is not possible"), "{ended}");
    ensure!(ended.stdout.contains("size=16") && ended.stdout.contains("size=32"), "{ended}");
    Ok(())
}

/// It mostly hinders all: it is said once, and nothing is left behind.
fn what_hinders_the_first_run_ends_the_sweep() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call =
        call()?.words("--samples 1 --variant absent --size 16,32 --out kept/run").within(folder.path());
    let ended = call.run()?.with_code(2)?;
    ensure!(ended.stderr.matches("no variant is called 'absent'").count() == 1, "{ended}");
    ensure!(files_of(folder.path())?.is_empty(), "something is left: {ended}");
    Ok(())
}

fn a_sweep_checks_too() -> Result<()> {
    let ended = call()?.words("--check --variant full_barrier --size 16,32").run()?.with_code(0)?;
    ensure!(ended.stdout.matches("full_barrier").count() == 2, "{ended}");
    Ok(())
}

fn refused() -> Result<()> {
    for (words, says) in [
        ("--size 9..5", "begins behind its end"),
        ("--size a..5", "'a' is no whole number"),
        ("--size 1..5000", "more than 256 values"),
        ("--size 1..9 --json -", "leave --json out"),
        ("--size 1..9 --image=x.png", "leave --image out"),
    ] {
        let ended = call()?.words(words).run()?.with_code(2)?;
        let lines = ended.stderr.trim_end().lines().count();
        ensure!(ended.stderr.contains(says) && lines == 1, "{words}: {ended}");
    }
    Ok(())
}
