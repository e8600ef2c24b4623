//! Samples that crash, hang and lose the device, and disks that are full.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_HUNG, EXIT_RIGHT};
use record::{Ended, Record, Status};

use crate::support::{Call, told_on_one_line, trial};
use crate::whole::{ensure_states, ensure_whole, hidden, manifest, record, states};
use crate::{QUICK, place, resume, run_into};

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("a_crash_is_a_row", a_crash_is_a_row),
        trial("a_crash_of_what_ratios_need", a_crash_of_what_ratios_need),
        trial("a_hang_is_a_row", a_hang_is_a_row),
        trial("a_lost_device_is_a_row", a_lost_device_is_a_row),
        trial("a_slow_sample_keeps_what_it_has", a_slow_sample_keeps_what_it_has),
        trial("one_that_had_too_little_time_is_given_more", one_that_had_too_little_time),
        trial("a_report_that_cannot_be_written", a_report_that_cannot_be_written),
    ];
    let writes = [
        "creating the folder#1",
        "writing suite.json#1",
        "writing suite.json#2",
        "syncing suite.json#2",
        "renaming suite.json#3",
        "renaming README.md#1",
        "creating a folder to work in#2",
        "writing samples.csv.gz#1",
        "renaming table.txt#2",
        "keeping lds_blur#1",
    ];
    trials.extend(writes.map(|write| trial(format!("a_full_disk({write})"), move || a_full_disk(write))));
    trials
}

/// Seconds in which a sample has some figures of every variant: several times as many as it takes now, with whatever
/// else runs on the machine.
fn enough_time(sample: &str) -> Result<u64> {
    let began = Instant::now();
    Call::new(sample)?.words("--samples 2").run()?.with_code(EXIT_RIGHT.into())?;
    Ok(5.max(5 * began.elapsed().as_secs()))
}

/// Runs two samples with a plan for the second, which ends with `code`.
fn unlucky(folder: &Path, variable: &str, plan: &str, words: &str, code: u8) -> Result<()> {
    // Each row shall have a sample, however busy the machine is.
    let call = run_into(folder, "data_race pipelined_events --budget 20 --samples 2")?.words(words);
    let ended = call.env(variable, plan).run()?.with_code(code.into())?;
    ensure!(ended.stderr.lines().count() == 2, "not a line a sample: {ended}");
    ensure!(ended.stdout.contains("\npipelined_events ") && folder.join("report.html").exists(), "{ended}");
    ensure!(ensure_whole(folder)? == ["data_race", "pipelined_events"], "{ended}");
    ensure!(hidden(folder)?.is_empty(), "left behind: {:?}", hidden(folder)?);
    Ok(())
}

/// The variant has no figures but a reason, and all others have figures.
fn ensure_one_error(record: &Record, variant: &str, says: &str) -> Result<()> {
    for row in &record.rows {
        let figures = row.isolated_us.is_some() && !row.samples.is_empty();
        match &row.status {
            Status::Error { reason } => {
                ensure!(row.variant == variant && reason.contains(says), "{}: {reason}", row.variant);
                ensure!(row.isolated_us.is_none() && row.samples.is_empty(), "it has figures");
            }
            status => ensure!(row.variant != variant && figures, "{}: {status:?}", row.variant),
        }
    }
    let without = record.command.windows(2).any(|words| words == ["--without", variant]);
    ensure!(without, "not repeated without it: {:?}", record.command);
    ensure!(record.rows.iter().any(|row| row.variant == variant), "no row of {variant}");
    Ok(())
}

fn a_crash_is_a_row() -> Result<()> {
    let (_top, folder) = place()?;
    unlucky(&folder, "HOTLAP_DIE_AT", "events_2:crash", "", EXIT_FAILED)?;
    ensure_states(&folder, &[("data_race", "right"), ("pipelined_events", "failed")])?;
    let reason = &states(&folder)?["pipelined_events"].1;
    ensure!(reason == "events_2: it crashed (SIGABRT)", "{reason}");
    ensure_one_error(&record(&folder, "pipelined_events")?, "events_2", "SIGABRT")?;
    // Another day it does not crash.
    resume(&folder)?.run()?.with_code(EXIT_RIGHT.into())?;
    ensure_whole(&folder)?;
    ensure_states(&folder, &[("data_race", "right"), ("pipelined_events", "right")])
}

fn a_crash_of_what_ratios_need() -> Result<()> {
    let top = tempfile::tempdir()?;
    for variant in ["no_barrier", "full_barrier"] {
        let folder = top.path().join(variant);
        unlucky(&folder, "HOTLAP_DIE_AT", &format!("{variant}:crash"), "", EXIT_FAILED)?;
        ensure_one_error(&record(&folder, "pipelined_events")?, variant, "SIGABRT")?;
    }
    Ok(())
}

fn a_hang_is_a_row() -> Result<()> {
    let (_top, folder) = place()?;
    let limit = enough_time("pipelined_events")?;
    let words = format!("--time-limit {limit}");
    unlucky(&folder, "HOTLAP_DIE_AT", "events_coherent_2:hang", &words, EXIT_HUNG)?;
    ensure_states(&folder, &[("data_race", "right"), ("pipelined_events", "hung")])?;
    ensure_one_error(
        &record(&folder, "pipelined_events")?,
        "events_coherent_2",
        &format!("no end within {limit} s"),
    )
}

fn a_lost_device_is_a_row() -> Result<()> {
    let (_top, folder) = place()?;
    unlucky(&folder, "HOTLAP_FAULT", "running events_2#2:lost", "", EXIT_FAILED)?;
    ensure_states(&folder, &[("data_race", "right"), ("pipelined_events", "failed")])?;
    ensure_one_error(&record(&folder, "pipelined_events")?, "events_2", "the device was lost")
}

fn a_slow_sample_keeps_what_it_has() -> Result<()> {
    let (_top, folder) = place()?;
    let limit = enough_time("lds_blur")?;
    let call = run_into(&folder, &format!("lds_blur --samples 100000 --time-limit {limit}"))?;
    let ended = call.run()?.with_code(EXIT_FAILED.into())?;
    ensure!(ended.stderr.contains(&format!("time limit of {limit} s")), "{ended}");
    ensure_whole(&folder)?;
    ensure_states(&folder, &[("lds_blur", "failed")])?;
    let record = record(&folder, "lds_blur")?;
    ensure!(matches!(record.ended, Ended::Failed { .. }), "{:?}", record.ended);
    ensure!(record.rows.iter().all(|row| !row.samples.is_empty()), "samples are lost");
    Ok(())
}

/// As its reason says.
fn one_that_had_too_little_time() -> Result<()> {
    let (_top, folder) = place()?;
    let call = run_into(&folder, "data_race --time-limit 0.001")?.words(QUICK);
    let ended = call.run()?.with_code(EXIT_FAILED.into())?;
    let row = |line: &str| line.split_whitespace().eq(["data_race", "failed"]);
    ensure!(ended.stdout.lines().any(row), "no line of it: {ended}");
    ensure!(!ended.stdout.contains("Report:") && !folder.join("report.html").exists(), "{ended}");
    let reason = &states(&folder)?["data_race"].1;
    ensure!(reason.contains("--time-limit gives it more"), "{reason}");
    resume(&folder)?.words("--time-limit 600").run()?.with_code(EXIT_RIGHT.into())?;
    ensure_states(&folder, &[("data_race", "right")])?;
    let limit = &manifest(&folder)?["settings"]["time_limit_s"];
    ensure!(limit == 600.0, "it goes on with {limit} s the next time");
    Ok(())
}

/// The scoreboard is shown all the same.
fn a_report_that_cannot_be_written() -> Result<()> {
    let (_top, folder) = place()?;
    let call = run_into(&folder, "data_race")?.words(QUICK);
    let ended = call.env("HOTLAP_FAULT", "writing report.html#1:disk-full").run()?;
    let ended = ended.with_code(EXIT_FAILED.into())?;
    let said: Vec<&str> = ended.stderr.lines().collect();
    let [_, told] = said[..] else { bail!("not a line for the report: {ended}") };
    ensure!(told.contains("report.html") && told.contains("no storage space"), "{ended}");
    ensure!(ended.stdout.contains("all answers right") && !ended.stdout.contains("Report:"), "{ended}");
    ensure!(ensure_whole(&folder)? == ["data_race"] && !folder.join("report.html").exists(), "{ended}");
    resume(&folder)?.run()?.with_code(EXIT_RIGHT.into())?;
    ensure!(folder.join("report.html").exists(), "no report");
    Ok(())
}

/// Whatever write fails, what is there is whole, and the run can go on.
fn a_full_disk(write: &str) -> Result<()> {
    let (_top, folder) = place()?;
    let call = run_into(&folder, "data_race lds_blur")?.words(QUICK);
    let ended =
        call.env("HOTLAP_FAULT", format!("{write}:disk-full")).run()?.with_code(EXIT_FAILED.into())?;
    let told = ended.stderr.lines().last().context("nothing was said")?;
    ensure!(told.starts_with("suite: ") && told.contains("no storage space"), "{ended}");
    ensure_whole(&folder)?;
    if folder.join("suite.json").exists() {
        ensure!(told.contains("--resume"), "{ended}");
        resume(&folder)?.run()?.with_code(EXIT_RIGHT.into())?;
    } else {
        told_on_one_line(ended, EXIT_FAILED, &["no storage space"])?;
        ensure!(!folder.exists(), "an empty folder is left");
        run_into(&folder, "data_race lds_blur")?.words(QUICK).run()?.with_code(EXIT_RIGHT.into())?;
    }
    ensure!(ensure_whole(&folder)? == ["data_race", "lds_blur"], "not complete");
    ensure!(hidden(&folder)?.is_empty(), "left behind: {:?}", hidden(&folder)?);
    Ok(())
}
