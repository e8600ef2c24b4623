//! Other runs with one call in them that fails: a list of devices, a sample of two queues, a picture, a locale without
//! UTF-8, and what a driver refuses to list of itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::Ended as End;
use record::error::EXIT_FAILED;

use crate::calls::{Fault, faults, first_sample, list};
use crate::support::{Call, FaultLayer, files_of, holds_only, ran, read_record, told_on_one_line, trial};
use crate::{QUICK, SAMPLE};

/// Calls that a sample of two queues makes.
const OF_TWO_QUEUES: [&str; 7] = [
    "beginning a command buffer",
    "ending a command buffer",
    "resetting a command pool",
    "resetting a fence",
    "running two_queues",
    "signalling a semaphore",
    "submitting",
];

/// Calls that a traced sample of two queues makes when a part of it may run already.
const AFTER_A_SUBMIT: [&str; 2] = ["resetting a fence", "signalling a semaphore"];

const OF_A_PICTURE: [&str; 3] =
    ["running reading a map#1:lost", "running reading a map#2:memory", "writing r.png#1:disk-full"];

const NO_HOST_MEMORY: i32 = -1;

pub fn trials() -> Result<Vec<Trial>> {
    let mut trials: Vec<Trial> = OF_A_PICTURE
        .map(|fault| trial(format!("picture::{fault}"), move || picture_costs_no_figure(fault)))
        .into();
    trials.push(trial("ascii_after_a_lost_device", ascii_after_a_lost_device));
    let listed = faults(&list(devices()?, tempfile::tempdir()?.path())?);
    trials.extend(
        listed.into_iter().map(|fault| {
            trial(format!("list_devices::{}", fault.name()), move || no_list_of_devices(&fault))
        }),
    );
    trials.extend(of_two_queues()?.into_iter().map(|fault| {
        trial(format!("two_queues::{}", fault.name()), move || two_queues_open_their_gate(&fault))
    }));
    trials.extend(of_a_trace()?.into_iter().map(|fault| {
        trial(format!("trace_of_two_queues::{}", fault.name()), move || a_trace_ends_the_run(&fault))
    }));
    trials.extend(enumerations()?);
    Ok(trials)
}

fn devices() -> Result<Call> {
    Ok(Call::on_any_device(&Call::binary(SAMPLE)?).words("--list-devices"))
}

fn no_list_of_devices(fault: &Fault) -> Result<()> {
    let ended = fault.inject(devices()?).run()?.with_code(fault.code().into())?;
    fault.told(&ended)?;
    ensure!(ended.stdout.is_empty(), "half a list: {ended}");
    Ok(())
}

fn two_queues() -> Result<Call> {
    let words = "--variants two_queues --samples 1 --seed 1 --json a.json";
    Ok(Call::new("event_matrix")?.words(QUICK).words(words).env("HOTLAP_ONE_QUEUE_AS_SEVERAL", "1"))
}

/// The last sample is the one of two queues, or has one behind it: all of them are tried there.
fn of_two_queues() -> Result<Vec<Fault>> {
    let made = list(two_queues()?, tempfile::tempdir()?.path())?;
    let mut chosen = faults(&made[first_sample(&made)?..]);
    chosen.retain(|fault| OF_TWO_QUEUES.contains(&&*fault.call.label));
    ensure!(chosen.len() > 20, "only {} calls to fail", chosen.len());
    Ok(chosen)
}

/// The gate of several submits opens on every way out, or what waits for it would hang the queue, and the test.
fn two_queues_open_their_gate(fault: &Fault) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let ended = fault.inject(two_queues()?).within(folder.path()).run()?.with_code(fault.code().into())?;
    let reason = fault.told(&ended)?;
    let record = read_record(&folder.path().join("a.json"))?;
    ensure!(record.ended == End::Failed { reason }, "{:?} of {ended}", record.ended);
    Ok(())
}

fn trace_of_two_queues() -> Result<Call> {
    Ok(two_queues()?.words("--without full_barrier --trace t.svg"))
}

fn of_a_trace() -> Result<Vec<Fault>> {
    let mut chosen = faults(&list(trace_of_two_queues()?, tempfile::tempdir()?.path())?);
    chosen.retain(|fault| fault.kind == "memory" && AFTER_A_SUBMIT.contains(&&*fault.call.label));
    Ok(chosen)
}

/// Where a trace has no room the run goes on, but not while what is submitted of it may still run.
fn a_trace_ends_the_run(fault: &Fault) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = fault.inject(trace_of_two_queues()?).within(folder.path());
    fault.told(&call.run()?.with_code(fault.code().into())?)?;
    Ok(())
}

/// One that cannot be made or written.
fn picture_costs_no_figure(fault: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = Call::new(SAMPLE)?.words(QUICK).words("--samples 2 --json a.json --image r.png");
    let ended = call.env("HOTLAP_FAULT", fault).within(folder.path()).failed()?;
    ended.reason()?;
    holds_only(folder.path(), &["a.json"])?;
    let record = read_record(&folder.path().join("a.json"))?;
    ensure!(ran(&record).all(|row| row.samples.len() == 2), "lost samples: {ended}");
    Ok(())
}

/// Files are for machines and for other terminals.
fn ascii_after_a_lost_device() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = Call::new(SAMPLE)?.words(QUICK).words("--samples 2 --out run").within(folder.path());
    let call = call.env("LC_ALL", "POSIX").env("LC_CTYPE", "").env("LANG", "");
    let ended = call.env("HOTLAP_FAULT", "running events_2#3:lost").failed()?;
    ended.is_ascii()?;
    ended.shows(&["variants gave the expected answer", "times: --times"])?;
    let table = &files_of(&folder.path().join("run"))?["table.txt"];
    ensure!(String::from_utf8_lossy(table).contains("alone, µs"), "the file lost its characters");
    Ok(())
}

/// No sample may take it for an empty list and go on with less.
fn enumerations() -> Result<Vec<Trial>> {
    let call = || -> Result<Call> {
        Ok(Call::new(SAMPLE)?.words(QUICK).words("--samples 1 --variants full_barrier"))
    };
    let layer = Arc::new(FaultLayer::build()?);
    let mut met = BTreeMap::new();
    let mut trials = Vec::new();
    for function in layer.list(call()?)?.into_iter().filter(|function| function.starts_with("vkEnumerate")) {
        let nth = met.entry(function.clone()).or_insert(0);
        *nth += 1;
        let (layer, plan) = (Arc::clone(&layer), format!("{function}#{nth}:{NO_HOST_MEMORY}"));
        let refused =
            move || told_on_one_line(layer.on(call()?, &plan).run()?, EXIT_FAILED, &["out of memory while"]);
        trials.push(trial(format!("enumerations::{function}#{nth}"), refused));
    }
    ensure!(met.len() == 2, "devices and extensions are listed, not only {met:?}");
    Ok(trials)
}
