//! Mutants of shaders, as the tables beside this file list them: each must show in the variants that it touches, and
//! in no other.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use glob::Pattern;
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use record::{Ended as End, Kind, Promise, Record, Row, Status, is_limit, read_json};
use serde::Deserialize;

use crate::support::{Call, Checkout, trial};

/// A file: what one sample is called with, and what is broken then.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    set: Vec<Set>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    /// What its trials are called.
    name: String,
    /// The first part of the name, where there is no other.
    sample: Option<String>,
    /// Arguments of the sample.
    words: String,
    /// Texts that the sample says of each mutant, in place of rows that are called wrong. `LINE` is the line of its
    /// shader that is new.
    #[serde(default)]
    says: Vec<String>,
    /// It says so on one line of error.
    #[serde(default)]
    refused: bool,
    /// A wait is left out, which shows where two threads are at work, so not each time on a busy machine.
    #[serde(default)]
    races: bool,
    /// Each is also looked at by `--check`.
    #[serde(default)]
    checks: bool,
    /// Variants that must have run.
    #[serde(default)]
    runs: Vec<String>,
    /// Elements of all repetitions: no more can be wrong.
    at_most: Option<u64>,
    #[serde(default)]
    mutants: Vec<Mutant>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutant {
    name: String,
    shader: String,
    old: String,
    new: String,
    /// Patterns of the variants that it touches; those behind `!` it does not.
    #[serde(default)]
    shows: String,
    /// Texts beside those of the set.
    #[serde(default)]
    says: Vec<String>,
}

/// A trial for each mutant of each table, and one for each set without any.
pub fn trials() -> Result<Vec<Trial>> {
    let mut trials = Vec::new();
    for path in glob::glob(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mutants/*.toml"))? {
        let path = path?;
        let table: Table = read(&path).with_context(|| path.display().to_string())?;
        for set in table.set {
            let whole = set.clone();
            trials.push(trial(format!("{}::unbroken", set.name), move || whole.unbroken()));
            trials.extend(set.mutants.iter().map(|mutant| {
                let (set, mutant) = (set.clone(), mutant.clone());
                trial(format!("{}::{}", set.name, mutant.name), move || set.catches(&mutant))
            }));
        }
    }
    ensure!(!trials.is_empty(), "no table of mutants");
    Ok(trials)
}

fn read(path: &Path) -> Result<Table> {
    Ok(toml::from_str(&fs::read_to_string(path)?)?)
}

impl Mutant {
    fn touches(&self, variant: &str) -> bool {
        let is = |pattern: &str| is_of(variant, pattern);
        let (without, with): (Vec<&str>, Vec<&str>) =
            self.shows.split(' ').partition(|word| word.starts_with('!'));
        with.into_iter().any(is) && !without.iter().any(|word| is(&word[1..]))
    }
}

/// Limits of the device have kernels of their own: only their names are of a pattern.
fn is_of(variant: &str, pattern: &str) -> bool {
    match is_limit(variant) {
        true => pattern == variant,
        false => Pattern::new(pattern).is_ok_and(|pattern| pattern.matches(variant)),
    }
}

impl Set {
    fn call(&self, checkout: &Checkout) -> Result<Call> {
        let sample = self.sample.as_deref().or(self.name.split("::").next()).unwrap_or_default();
        let call = checkout.call(sample)?.words(&self.words);
        // Tiles that wait for others run beside them, unless none is ever told that it may go on.
        Ok(if self.says.is_empty() && (self.races || self.words.contains("tile_")) {
            call.with_driver_threads()
        } else {
            call
        })
    }

    fn record(&self, checkout: &Checkout, samples: u32, code: Option<u8>) -> Result<Record> {
        let call = self.call(checkout)?.words(&format!("--samples {samples} --repetitions 2 --json -"));
        let ended = call.run()?;
        let ended = match code {
            Some(code) => ended.with_code(code.into())?,
            None => ended,
        };
        read_json(&ended.stdout)
    }

    /// Without it, a copy that cannot run at all would pass for a mutant that was caught.
    fn unbroken(&self) -> Result<()> {
        let record = self.record(&Checkout::copy()?, 1, Some(EXIT_RIGHT))?;
        let right = record.rows.iter().all(|row| row.status == Status::Ok);
        ensure!(right, "not every variant ran: {:?}", record.rows);
        for name in &self.runs {
            ensure!(record.rows.iter().any(|row| row.variant == *name), "no row {name}");
        }
        for mutant in self.mutants.iter().filter(|_| self.says.is_empty()) {
            let touched = record.rows.iter().any(|row| mutant.touches(&row.variant));
            ensure!(touched, "{} touches no variant", mutant.name);
        }
        if self.checks {
            self.call(&Checkout::copy()?)?.words("--check").right()?;
        }
        Ok(())
    }

    fn catches(&self, mutant: &Mutant) -> Result<()> {
        let checkout = Checkout::copy()?;
        checkout.replace(&mutant.shader, &mutant.old, &mutant.new)?;
        match () {
            () if !self.says.is_empty() => self.is_told(&checkout, mutant),
            () if self.races => self.races_at_last(&checkout, mutant),
            () => self.shows(&checkout, mutant),
        }
    }

    fn is_told(&self, checkout: &Checkout, mutant: &Mutant) -> Result<()> {
        let call = self.call(checkout)?.words("--samples 1 --repetitions 1");
        let ended = call.failed()?;
        let shader = fs::read_to_string(checkout.path().join("shaders").join(&mutant.shader))?;
        let line = 1 + shader.split(&mutant.new).next().unwrap_or_default().matches('\n').count();
        for text in self.says.iter().chain(&mutant.says) {
            let text = text.replace("LINE", &line.to_string());
            let said = ended.stdout.contains(&text) || ended.stderr.contains(&text);
            ensure!(said, "no word of '{text}': {ended}");
        }
        if self.refused { ended.reason().map(drop) } else { Ok(()) }
    }

    /// The variants that the mutant touches are called wrong, or counted where they may race, and no others.
    fn shows(&self, checkout: &Checkout, mutant: &Mutant) -> Result<()> {
        // What may race must be wrong in each of two samples.
        let record = self.record(checkout, if self.checks { 2 } else { 1 }, Some(EXIT_FAILED))?;
        ensure!(record.ended == End::Complete, "a wrong row ended the run: {:?}", record.ended);
        let rows = record.rows.iter().filter(|row| mutant.touches(&row.variant));
        let (counted, expected): (Vec<&Row>, Vec<&Row>) = rows.partition(|row| may_race(row, &record));
        let silent = counted.iter().find(|row| !is_counted(row));
        ensure!(silent.is_none(), "not counted: {silent:?}");
        let other = record.rows.iter().find(|row| {
            let is_wrong = matches!(row.status, Status::Wrong { .. } | Status::Error { .. });
            !mutant.touches(&row.variant) && row.status != Status::Ok && !is_wrong
        });
        ensure!(other.is_none(), "it did not run: {other:?}");
        let most = self.at_most.unwrap_or(u64::MAX);
        let many = record
            .rows
            .iter()
            .find(|row| matches!(&row.status, Status::Wrong { elements, .. } if *elements > most));
        ensure!(many.is_none(), "more than there is: {many:?}");
        let expected: BTreeSet<&str> = expected.iter().map(|row| row.variant.as_str()).collect();
        let wrong = called_wrong(&record);
        let missed: Vec<_> = expected.difference(&wrong).collect();
        let accused: Vec<_> = wrong.difference(&expected).collect();
        ensure!(
            missed.is_empty() && accused.is_empty(),
            "not called wrong: {missed:?}; wrongly: {accused:?}"
        );
        if self.checks { self.is_found(checkout, mutant, &record) } else { Ok(()) }
    }

    /// The check has a line for each wrong variant, and says where.
    fn is_found(&self, checkout: &Checkout, mutant: &Mutant, record: &Record) -> Result<()> {
        let ended = self.call(checkout)?.words("--check").failed()?;
        for row in &record.rows {
            let mut lines = ended.stdout.lines();
            let line = lines.find(|line| line.split_whitespace().next() == Some(&row.variant));
            let touched = mutant.touches(&row.variant);
            let expected = if touched { "FAILED" } else { "ok:" };
            let found = line.is_some_and(|line| line.contains(expected));
            ensure!(found, "{} not {expected} in {ended}", row.variant);
            let below = lines.next().unwrap_or_default();
            let where_it_is = below.contains(" differ from the CPU ") && below.contains("first at texel (");
            ensure!(!touched || where_it_is, "no word of where {} is wrong: {ended}", row.variant);
        }
        Ok(())
    }

    /// After some runs it must have shown, and never in a variant that it does not touch.
    fn races_at_last(&self, checkout: &Checkout, mutant: &Mutant) -> Result<()> {
        for _ in 0..20 {
            let record = self.record(checkout, 3, None)?;
            let wrong = called_wrong(&record);
            ensure!(wrong.iter().all(|name| mutant.touches(name)), "wrongly called wrong: {wrong:?}");
            if !wrong.is_empty() {
                return Ok(());
            }
        }
        anyhow::bail!("never called wrong")
    }
}

/// The variants that are called wrong, with a place and without a time, and those whose kernels tell what no right one tells.
fn called_wrong(record: &Record) -> BTreeSet<&str> {
    let wrong = record.rows.iter().filter(|row| {
        let timeless = row.isolated_us.is_none() && row.pipelined_us.is_none() && row.samples.is_empty();
        timeless
            && match &row.status {
                Status::Wrong { elements, first } => *elements > 0 && first.contains("repetition"),
                Status::Error { .. } => row.metric.is_none(),
                _ => false,
            }
    });
    wrong.map(|row| row.variant.as_str()).collect()
}

/// Relying on hardware is no excuse on a CPU device, where all see one memory.
fn may_race(row: &Row, record: &Record) -> bool {
    match row.promise {
        Promise::Nothing { .. } => true,
        Promise::Hardware { .. } => record.device.kind != Kind::Cpu,
        _ => false,
    }
}

/// What may race is wrong in each of its samples.
fn is_counted(row: &Row) -> bool {
    let wrong = row.racy.is_some_and(|racy| racy.racy_samples == racy.samples && racy.max > 0);
    row.status == Status::Ok && wrong
}
