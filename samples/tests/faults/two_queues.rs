//! A sample of several submits, with one call in it that fails: its gate opens on every way out, or
//! what waits for it would hang the queue, and the test.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::Ended as End;

use crate::calls::{Fault, faults, first_sample, list};
use crate::support::{Call, read_record, trial};
use crate::{QUICK, SAMPLE};

/// Calls that such a sample makes.
const CALLS: [&str; 7] = [
    "beginning a command buffer",
    "ending a command buffer",
    "resetting a command pool",
    "resetting a fence",
    "running two_queues",
    "signalling a semaphore",
    "submitting",
];

fn call() -> Result<Call> {
    let call =
        Call::new(SAMPLE)?.words(QUICK).words("--variant two_queues --samples 1 --seed 1 --json a.json");
    Ok(call.env("HOTLAP_ONE_QUEUE_AS_TWO", "1"))
}

pub fn trials() -> Result<Vec<Trial>> {
    let made = list(call()?, tempfile::tempdir()?.path())?;
    let first = first_sample(&made)?;
    // The last sample is the one of two queues, or has one behind it: all of them are tried there.
    let mut chosen = faults(&made[first..]);
    chosen.retain(|fault| CALLS.contains(&fault.call.label.as_str()));
    ensure!(chosen.len() > 20, "only {} calls to fail", chosen.len());
    Ok(chosen
        .into_iter()
        .map(|fault| trial(format!("two_queues::{}", fault.name()), move || one(&fault)))
        .collect())
}

fn one(fault: &Fault) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let ended = fault.inject(call()?).within(folder.path()).run()?.with_code(fault.code().into())?;
    let reason = fault.told(&ended)?;
    let record = read_record(&folder.path().join("a.json"))?;
    ensure!(record.ended == End::Failed { reason }, "{:?} of {ended}", record.ended);
    Ok(())
}
