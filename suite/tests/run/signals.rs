//! Ctrl-C.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::Ended;
use record::error::{EXIT_FAILED, EXIT_INTERRUPTED, EXIT_RIGHT};

use crate::support::{OVERLOADED, Running, read_record, trial};
use crate::whole::{ensure_states, ensure_whole, hidden, record, snapshot, states};
use crate::{QUICK, place, resume, run_into, wait_until};

pub fn trials() -> Vec<Trial> {
    let trials = [
        trial("an_interrupt_keeps_what_is_done", an_interrupt_keeps_what_is_done),
        trial("an_interrupt_of_the_whole_group", an_interrupt_of_the_whole_group),
        trial("a_killed_suite_keeps_what_it_had_measured", a_killed_suite_keeps_what_it_had),
        trial("a_second_interrupt_keeps_what_there_is_at_once", a_second_interrupt_keeps_what_there_is),
    ];
    trials.map(|trial| trial.with_ignored_flag(!cfg!(unix))).into()
}

/// The first sample takes a number of trials, the others all of their time.
const LONG: &str = "data_race lds_blur swizzled_remap --budget 600";

/// Sends a signal to a process, or to a group where the number is negative.
pub fn send(signal: &str, to: i64) -> Result<()> {
    // The shell's own `kill`: the program of that name is not on every machine.
    let sent = Command::new("sh").args(["-c", &format!("kill -s {signal} -- {to}")]).status()?;
    ensure!(sent.success(), "could not send {signal} to {to}");
    Ok(())
}

/// Processes whose command line has `text`. Only Linux tells.
pub fn processes_with(text: &str) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let has = |id: &u32| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(text)
    };
    numbers.filter(has).collect()
}

/// Nothing is under way in a folder.
pub fn ensure_nobody_goes_on(folder: &Path) -> Result<()> {
    let shown = folder.display().to_string();
    wait_until(5, "a sample goes on alone", || processes_with(&shown).is_empty())
}

/// Waits until the sample that is under way in `folder` is so far that `is_there`, who is given the folder that it
/// works in.
fn until(folder: &Path, is_there: impl Fn(&Path) -> bool) -> Result<()> {
    wait_until(40, "nothing is measured", || {
        let hidden = hidden(folder).unwrap_or_default();
        let work = hidden.into_iter().find(|name| name.starts_with(".hot-lap-work-"));
        work.is_some_and(|work| is_there(&folder.join(work)))
    })
}

/// Every row has samples on the disk.
fn has_samples(work: &Path) -> bool {
    read_record(&work.join("record.json"))
        .is_ok_and(|record| record.rows.iter().all(|row| row.samples.len() > 1))
}

/// The sample is at this variant.
fn is_at(work: &Path, variant: &str) -> bool {
    fs::read_to_string(work.join("progress")).is_ok_and(|line| line.contains(variant))
}

/// The first sample is complete, the second has what it had, the third is missing; resumed, all are complete.
fn ensure_interrupted(folder: &Path) -> Result<()> {
    ensure!(ensure_whole(folder)? == ["data_race", "lds_blur"], "the wrong samples");
    ensure_states(
        folder,
        &[("data_race", "right"), ("lds_blur", "interrupted"), ("swizzled_remap", "missing")],
    )?;
    let lds_blur = record(folder, "lds_blur")?;
    ensure!(lds_blur.ended == Ended::Interrupted, "{:?}", lds_blur.ended);
    // It heard of it once, and had the time to write all that it had.
    ensure!(states(folder)?["lds_blur"].1.is_empty(), "{:?}", states(folder)?);
    ensure!(lds_blur.rows.iter().all(|row| row.isolated_us.is_some()), "figures are lost");
    ensure!(folder.join("report.html").exists(), "no report");
    ensure!(hidden(folder)?.is_empty(), "left behind: {:?}", hidden(folder)?);
    ensure!(processes_with(&folder.display().to_string()).is_empty(), "something still runs");
    Ok(())
}

fn an_interrupt_keeps_what_is_done() -> Result<()> {
    let (_top, folder) = place()?;
    let mut running = run_into(&folder, LONG)?.start()?;
    running.until_stderr_has("1 of 3: data_race right")?;
    until(&folder, has_samples)?;
    send("INT", running.id().into())?;
    let ended = running.wait()?.with_code(EXIT_INTERRUPTED.into())?;
    ensure_interrupted(&folder)?;
    ensure!(ended.stdout.contains("run --resume --out"), "{ended}");
    goes_on(&folder)
}

/// With less to do: the settings are those of the manifest.
fn goes_on(folder: &Path) -> Result<()> {
    let path = folder.join("suite.json");
    let mut manifest: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
    manifest["settings"]["samples"] = 2.into();
    manifest["settings"]["budget_s"] = 0.2.into();
    fs::write(&path, manifest.to_string())?;
    let before = snapshot(&folder.join("data_race"))?;
    resume(folder)?.run()?.with_code(EXIT_RIGHT.into())?;
    ensure_whole(folder)?;
    ensure_states(folder, &[("data_race", "right"), ("lds_blur", "right"), ("swizzled_remap", "right")])?;
    ensure!(snapshot(&folder.join("data_race"))? == before, "data_race has changed");
    Ok(())
}

/// As a terminal sends it: to the suite and all that it started, at once.
fn an_interrupt_of_the_whole_group() -> Result<()> {
    let (_top, folder) = place()?;
    let call = run_into(&folder, LONG)?;
    #[cfg(unix)]
    let call = call.in_its_own_group();
    let mut running = call.start()?;
    running.until_stderr_has("1 of 3: data_race right")?;
    until(&folder, has_samples)?;
    send("INT", -i64::from(running.id()))?;
    running.wait()?.with_code(EXIT_INTERRUPTED.into())?;
    ensure_interrupted(&folder)
}

/// Resumed, the sample cannot be measured: what there is of it is of the run that was killed.
fn a_killed_suite_keeps_what_it_had() -> Result<()> {
    let (_top, folder) = place()?;
    let running = run_into(&folder, "lds_blur --budget 600")?.start()?;
    until(&folder, has_samples)?;
    send("KILL", running.id().into())?;
    running.wait()?;
    ensure!(ensure_whole(&folder)?.is_empty(), "it is kept already");
    resume(&folder)?.words("--time-limit 0.001").run()?.with_code(EXIT_FAILED.into())?;
    ensure!(ensure_whole(&folder)? == ["lds_blur"], "what was measured is lost");
    let record = record(&folder, "lds_blur")?;
    ensure!(record.ended == Ended::Interrupted, "{:?}", record.ended);
    ensure!(record.rows.iter().all(|row| row.samples.len() > 1), "samples are lost");
    ensure!(hidden(&folder)?.is_empty(), "left behind: {:?}", hidden(&folder)?);
    Ok(())
}

fn a_second_interrupt_keeps_what_there_is() -> Result<()> {
    let (_top, folder) = place()?;
    let call = run_into(&folder, "data_race pipelined_events")?.words(QUICK);
    let mut running: Running = call.env("HOTLAP_DIE_AT", "events_2:hang").start()?;
    running.until_stderr_has("1 of 2: data_race right")?;
    until(&folder, |work| is_at(work, "events_2"))?;
    let id = running.id().into();
    send("INT", id)?;
    // The sample hangs and does not answer; so the suite waits for it, and says so.
    running.until_stderr_has("stopping after the current sample; Ctrl-C again: at once")?;
    let began = Instant::now();
    send("INT", id)?;
    let ended = running.wait()?.with_code(EXIT_INTERRUPTED.into())?;
    ensure!(began.elapsed() < OVERLOADED * Duration::from_secs(5), "it took {:?}", began.elapsed());
    ensure!(ended.stdout.contains("run --resume --out"), "{ended}");
    ensure!(ensure_whole(&folder)? == ["data_race", "pipelined_events"], "what was measured is lost");
    ensure_states(&folder, &[("data_race", "right"), ("pipelined_events", "interrupted")])?;
    ensure!(record(&folder, "pipelined_events")?.ended == Ended::Interrupted, "the record does not tell");
    ensure!(hidden(&folder)?.is_empty(), "left behind: {:?}", hidden(&folder)?);
    ensure_nobody_goes_on(&folder)?;
    resume(&folder)?.run()?.with_code(EXIT_RIGHT.into())?;
    ensure!(ensure_whole(&folder)? == ["data_race", "pipelined_events"], "not complete");
    Ok(())
}
