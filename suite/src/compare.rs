//! `suite compare`.

mod differences;
mod outcome;
mod pairs;
mod rule;
mod table;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use record::{Ended, Record, Row};
use report::terminal::{print, say, width_of};
use report::{Charset, Destination};

use crate::collect::{Found, collect};

pub use differences::failed_checks;
pub use outcome::{Comparison, Outcome, Pair};
pub use pairs::{Side, same_device};
pub use rule::TOLERANCE;
pub use table::table;

/// Exit code if `--fail-on slower` finds a slower variant.
pub const EXIT_SLOWER: u8 = 4;

/// Say which variants became faster or slower between two runs
///
/// Variants of the same sample and configuration are compared by all their kept samples: FASTER or SLOWER
/// where the interval of the factor between them lies beyond the tolerance, SAME where it lies within,
/// UNSURE elsewhere. Of a sample that counts wrong results (data_race) not times are compared, but whether
/// there were any. A variant has two times; one that is slower in either is SLOWER. Where both records know
/// the device's clock, what clocks contradict is UNSURE: a time that another clock explains, or hides.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  suite compare BEFORE AFTER                      a line per variant
  suite compare BEFORE AFTER --fail-on slower     exit with 4 if anything is slower")]
pub struct Compare {
    /// Record, or folder with records, before
    #[arg(value_name = "A")]
    before: PathBuf,
    /// Record, or folder with records, after
    #[arg(value_name = "B")]
    after: PathBuf,
    /// What is no difference, in per cent; the step of the timestamps comes on top [default: 1]
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, value_parser = percent)]
    tolerance: Option<f64>,
    /// Compare records of different devices too
    #[arg(long)]
    across_devices: bool,
    /// Show the variants that are the same too
    #[arg(long)]
    all: bool,
    /// End with exit code 4 where a variant is slower, and with 2 where one is wrong that was right, or is
    /// no longer there, or without its figures, or where a run of B failed or B lacks a record of A
    #[arg(long, value_enum, value_name = "OUTCOME")]
    fail_on: Option<FailOn>,
    /// Write the comparison as JSON to FILE, or to standard output with -
    #[arg(long, value_name = "FILE")]
    json: Option<Destination>,
}

/// What ends with an exit code of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A variant that takes more time, or is wrong that was right, or was lost.
    Slower,
}

impl Compare {
    /// Runs the command and returns its exit code.
    ///
    /// # Errors
    /// If an input cannot be read, the records do not match, or the output cannot be written.
    pub fn run(&self) -> Result<u8> {
        self.json.as_ref().map_or(Ok(()), Destination::probe)?;
        let side = |path: &PathBuf| -> Result<Side> {
            Ok(Side { path: path.clone(), records: collect(std::slice::from_ref(path))? })
        };
        let (before, after) = (side(&self.before)?, side(&self.after)?);
        let mut compared =
            compare(&before, &after, self.tolerance.unwrap_or(TOLERANCE), self.across_devices)?;
        if let (Ok(a), Ok(b)) = (self.before.canonicalize(), self.after.canonicalize())
            && a == b
        {
            compared.notes.insert(0, "Both sides are the same file or folder.".into());
        }
        self.show(&compared)?;
        let Some(FailOn::Slower) = self.fail_on else { return Ok(EXIT_RIGHT) };
        compared.lost.iter().for_each(|line| say(&format!("suite: lost: {line}")));
        Ok(exit(&compared))
    }

    fn show(&self, compared: &Comparison) -> Result<()> {
        let drawn =
            |terminal: &console::Term| table(Charset::of_terminal(), width_of(terminal), compared, self.all);
        let Some(json) = &self.json else { return print(&drawn(&console::Term::stdout())) };
        if *json == Destination::Stdout {
            say(&drawn(&console::Term::stderr()));
        } else {
            print(&drawn(&console::Term::stdout()))?;
        }
        let text = serde_json::to_string_pretty(compared).context("the comparison has no form in JSON")?;
        json.write(text + "\n")
    }
}

/// The exit code of a comparison.
#[must_use]
pub fn exit(compared: &Comparison) -> u8 {
    match () {
        () if compared.count(Outcome::Broken) > 0 || !compared.lost.is_empty() => EXIT_FAILED,
        () if compared.count(Outcome::Slower) > 0 => EXIT_SLOWER,
        () => EXIT_RIGHT,
    }
}

/// Compares the records that both sides have.
///
/// # Errors
/// If they have none in common.
pub fn compare(before: &Side, after: &Side, tolerance: f64, across_devices: bool) -> Result<Comparison> {
    let matched = pairs::matched(before, after, across_devices);
    let sides = || format!("{} and {}", before.path.display(), after.path.display());
    ensure!(
        !matched.pairs.is_empty() || matched.across_devices == 0,
        "{} hold records of different devices ({}); --across-devices compares them all the same",
        sides(),
        devices(before, after)
    );
    ensure!(
        !matched.pairs.is_empty(),
        "{} have no record of the same sample with the same configuration",
        sides()
    );
    let pairs = matched.pairs.iter().map(|(a, b)| pair(a, b, tolerance)).collect();
    let mut compared = Comparison::new(tolerance, pairs, matched.notes);
    compared.lost.extend(matched.lost.iter().map(|found| {
        let (sample, path) = (&found.record.sample, found.path.display());
        format!("{sample}: what {path} records is not in {}", after.path.display())
    }));
    Ok(compared)
}

fn devices(before: &Side, after: &Side) -> String {
    let of = |side: &Side| {
        let mut names: Vec<&str> =
            side.records.iter().map(|found| found.record.device.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names.join(", ")
    };
    format!("{}; {}", of(before), of(after))
}

/// Compares the variants of two records.
#[must_use]
pub fn pair(before: &Found, after: &Found, tolerance: f64) -> Pair {
    let (old, new) = (&before.record, &after.record);
    let limits = rule::Limits::of(old, new, tolerance);
    let (of_old, of_new) = (by_name(old), by_name(new));
    let both = old.rows.iter().filter_map(|row| Some((row, *of_new.get(row.variant.as_str())?)));
    let alone = |record: &Record, others: &BTreeMap<&str, &Row>| -> Vec<String> {
        let names = record.rows.iter().map(|row| &row.variant);
        names.filter(|name| !others.contains_key(name.as_str())).cloned().collect()
    };
    Pair {
        sample: old.sample.clone(),
        configuration: old.configuration.clone(),
        before: before.path.display().to_string(),
        after: after.path.display().to_string(),
        differences: differences::differences(old, new),
        rows: both.map(|(a, b)| outcome::change((a, old), (b, new), limits)).collect(),
        only_before: alone(old, &of_new),
        only_after: alone(new, &of_old),
        ended_early: match &new.ended {
            Ended::Complete | Ended::Interrupted => None,
            Ended::Unfinished => Some("was cut off".into()),
            Ended::Failed { reason } => Some(format!("failed: {reason}")),
        },
    }
}

fn by_name(record: &Record) -> BTreeMap<&str, &Row> {
    record.rows.iter().map(|row| (row.variant.as_str(), row)).collect()
}

/// A percentage as a share: 0.01 for `1`.
///
/// # Errors
/// If the text is no percentage from 0 to below 100.
pub fn percent(text: &str) -> Result<f64, String> {
    let percent: f64 = text.parse().map_err(|_| format!("'{text}' is not a number of per cent"))?;
    if (0.0..100.0).contains(&percent) {
        Ok(percent / 100.0)
    } else {
        Err(format!("{text} % is out of range: 0 to less than 100"))
    }
}

#[cfg(test)]
mod tests;
