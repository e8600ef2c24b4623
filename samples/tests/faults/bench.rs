//! A run that measures and writes, with one call in it that fails.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_RIGHT;
use record::{Ended as End, Record, json};

use crate::calls::{Fault, Made, Site, faults, first_sample, is_cache, list, list_all};
use crate::support::{Call, Checkout, Ended, files_of, holds_only, read_record, trial};
use crate::{QUICK, SAMPLE};

const FILES: [&str; 4] = ["README.md", "record.json", "samples.csv.gz", "table.txt"];
/// A first sample and a second one of each variant. A CPU device is not warmed up.
const BEFORE_ROUNDS: usize = 2;

/// All calls of the run.
pub fn calls() -> Result<Vec<Made>> {
    list(call()?, tempfile::tempdir()?.path())
}

pub fn trials(made: &[Made]) -> Result<Vec<Trial>> {
    let made: Arc<[Made]> = made.into();
    let mut trials: Vec<Trial> = faults(&made)
        .into_iter()
        .map(|fault| {
            let made = made.clone();
            trial(format!("bench::{}", fault.name()), move || one(&fault, &made))
        })
        .collect();
    trials.extend(cache_trials()?);
    Ok(trials)
}

fn call() -> Result<Call> {
    Ok(Call::new(SAMPLE)?.words(QUICK).words("--samples 2 --seed 1 --out run/new --json a.json"))
}

fn one(fault: &Fault, made: &[Made]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let ended = fault.inject(call()?).within(folder.path()).run()?;
    if fault.is_harmless() {
        return whole(&ended.with_code(EXIT_RIGHT.into())?, folder.path());
    }
    let ended = ended.with_code(fault.code().into())?;
    let reason = fault.told(&ended)?;
    if fault.at < first_sample(made)? {
        ensure!(ended.stdout.is_empty(), "a table of nothing: {ended}");
        holds_only(folder.path(), &[])?;
    } else if fault.call.site == Site::Write {
        all_but_one(fault, folder.path())?;
    } else {
        let record = read_all(folder.path())?;
        ensure!(record.ended == End::Failed { reason: reason.clone() }, "{:?} of {ended}", record.ended);
        // The table breaks lines.
        let shown: Vec<&str> = ended.stdout.split_whitespace().collect();
        ensure!(shown.join(" ").contains(&format!("The run failed: {reason}")), "no reason shown: {ended}");
        ensure!(counts(&record) == expected_counts(&record, &made[..fault.at]), "lost samples: {ended}");
    }
    Ok(())
}

/// As if nothing had happened.
fn whole(ended: &Ended, folder: &Path) -> Result<()> {
    ensure!(!ended.stderr.contains("pipelined_events: "), "an error that costs nothing: {ended}");
    let record = read_all(folder)?;
    ensure!(record.ended == End::Complete, "{:?}", record.ended);
    ensure!(record.rows.iter().all(|row| row.samples.len() == 2), "lost samples: {ended}");
    Ok(())
}

/// The folder and the file, each whole, with the same record, and nothing beside them.
fn read_all(folder: &Path) -> Result<Record> {
    holds_only(folder, &["a.json", "run"])?;
    holds_only(&folder.join("run/new"), &FILES)?;
    let whole = files_of(&folder.join("run/new"))?.values().all(|bytes| !bytes.is_empty());
    ensure!(whole, "an empty file in the run's folder");
    let record = read_record(&folder.join("a.json"))?;
    ensure!(json(&read_record(&folder.join("run/new/record.json"))?)? == json(&record)?, "two records");
    Ok(record)
}

/// A write that failed costs that file and no other; of a record what was measured until shortly before
/// remains.
fn all_but_one(fault: &Fault, folder: &Path) -> Result<()> {
    let mut left = files_of(folder)?;
    left.remove("run");
    left.extend(files_of(&folder.join("run/new"))?);
    let lost = fault.call.label.split_once(' ').map(|(_, file)| file);
    let records = ["a.json", "record.json"];
    let remains = |file: &&str| Some(*file) != lost || records.contains(file);
    let expected = FILES.iter().chain(&["a.json"]).copied().filter(remains);
    let (mut expected, names): (Vec<&str>, Vec<&str>) =
        (expected.collect(), left.keys().map(|k| &**k).collect());
    expected.sort_unstable();
    ensure!(names == expected, "left {names:?}, expected {expected:?}");
    for (name, path) in records.into_iter().zip(["a.json", "run/new/record.json"]) {
        let due = if lost == Some(name) { End::Unfinished } else { End::Complete };
        let ended = read_record(&folder.join(path))?.ended;
        ensure!(ended == due, "{name}: {ended:?}");
    }
    Ok(())
}

fn counts(record: &Record) -> BTreeMap<String, usize> {
    record.rows.iter().map(|row| (row.variant.clone(), row.samples.len())).collect()
}

/// The samples of each variant that were finished by the calls `made`: those whose stamps were read.
fn expected_counts(record: &Record, made: &[Made]) -> BTreeMap<String, usize> {
    let mut counts: BTreeMap<String, usize> =
        record.rows.iter().map(|row| (row.variant.clone(), 0)).collect();
    let mut run = String::new();
    for call in made {
        match call.label.strip_prefix("running ") {
            Some(name) if call.site == Site::Wait => run = name.to_owned(),
            _ if call.label == "reading timestamps" => {
                if let Some(count) = counts.get_mut(&run) {
                    *count += 1;
                }
            }
            _ => {}
        }
    }
    // The second one stands in the record as long as there is none of a round.
    let recorded = |count| if count > BEFORE_ROUNDS { count - BEFORE_ROUNDS } else { usize::from(count > 1) };
    counts.values_mut().for_each(|count| *count = recorded(*count));
    counts
}

/// Where the cache cannot be written, the run goes on and leaves no half file in it. Only edited shaders are cached.
fn cache_trials() -> Result<Vec<Trial>> {
    let checkout = Arc::new(Checkout::copy()?);
    checkout.replace("chain/texel.glsl", "const uint MIX_BITS = 24;", "const uint MIX_BITS = 24u;")?;
    let (folder, cache) = (tempfile::tempdir_in(checkout.path())?, tempfile::tempdir()?);
    let compiles = || Ok::<Call, anyhow::Error>(call()?.without("HOTLAP_NO_COMPILER"));
    let mut made = list_all(compiles()?.env("HOTLAP_CACHE_DIR", cache.path()), folder.path())?;
    made.retain(|made| is_cache(&made.label));
    let shaders = made.iter().filter(|made| made.label.starts_with("writing a SPIR-V")).count();
    ensure!(shaders > 1, "no writes of the cache were listed: {made:?}");
    let one = move |fault: Fault| {
        let checkout = Arc::clone(&checkout);
        trial(format!("bench::{}", fault.name()), move || {
            let (folder, cache) = (tempfile::tempdir_in(checkout.path())?, tempfile::tempdir()?);
            let call = fault.inject(compiles()?).env("HOTLAP_CACHE_DIR", cache.path());
            whole(&call.within(folder.path()).right()?, folder.path())?;
            let cached: Vec<String> = files_of(cache.path())?.into_keys().collect();
            ensure!(cached.len() == shaders - 1, "all but one of {shaders} could be kept: {cached:?}");
            ensure!(cached.iter().all(|name| name.ends_with(".spv")), "left behind: {cached:?}");
            Ok(())
        })
    };
    Ok(faults(&made).into_iter().map(one).collect())
}
