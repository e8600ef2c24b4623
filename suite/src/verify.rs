//! `suite verify`: repeats the runs of records and compares the results.

pub mod plan;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::builder::TypedValueParser;
use record::error::{
    EXIT_FAILED, EXIT_HUNG, EXIT_INTERRUPTED, EXIT_RIGHT, EXIT_SKIPPED, Halt, exit_code, one_line,
};
use record::self_test::{Certificate, RESULTS};
use record::{Ended, Kind, Record, Status, listed, read_record};
use report::Charset;
use report::terminal::{print, say, width_of};

use crate::child::{Call, GRACE, How};
use crate::collect::{Found, collect};
use crate::compare::{
    Comparison, EXIT_SLOWER, Outcome, Pair, TOLERANCE, failed_checks, pair, percent, same_device, table,
};
use crate::samples::{self, Samples};
use crate::stop::Stop;

/// Run what a record tells again, and say whether it comes out the same
///
/// The sample is called with the recorded arguments, less those that write files, on the recorded device,
/// with the recorded seed. Results and times are judged as by compare; times of a CPU device only where
/// --tolerance is given. Exit code 0: confirmed; 1: sample or device are not here; 2: wrong, undecided or
/// not comparable; 3: it hung; 4: slower.
#[derive(clap::Args, Clone, Debug)]
pub struct Verify {
    /// Records, or folders with records
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// Sample in another order than the recorded one
    #[arg(long)]
    new_seed: bool,
    /// What is no difference, in per cent; the step of the timestamps comes on top [default: 1]
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, value_parser = percent)]
    tolerance: Option<f64>,
    /// Seconds that a run may take [default: three times as long as the recorded one, and a minute]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(1..=86_400).map(i64::unsigned_abs))]
    timeout: Option<u64>,
    /// Show the variants that are the same too
    #[arg(long)]
    all: bool,
}

impl Verify {
    /// Runs the command and returns its exit code.
    ///
    /// # Errors
    /// If the records or the samples cannot be found, or the output cannot be written.
    pub fn run(&self) -> Result<u8> {
        let records = collect(&self.records)?;
        let samples = Samples::ready()?;
        let stop = Stop::on_interrupt()?;
        let mut codes = Vec::new();
        for record in &records {
            let code = self.one(record, &samples, &stop).unwrap_or_else(|error| {
                say(&format!("suite: {}: {}", record.path.display(), one_line(&error)));
                exit_code(&error)
            });
            if stop.is_asked() {
                return Ok(EXIT_INTERRUPTED);
            }
            codes.push(code);
        }
        Ok(worst(&codes))
    }

    fn one(&self, old: &Found, samples: &Samples, stop: &Stop) -> Result<u8> {
        let record = &old.record;
        ensure!(
            record.rows.iter().any(|row| row.status == Status::Ok),
            "rows: none has figures, so that there is nothing to confirm"
        );
        let binary = samples.binary(&record.sample).map_err(|error| Halt::Skip(one_line(&error)))?;
        let about = samples::about(&binary, None)?;
        let mut plan = plan::plan(record, &about.arguments, self.new_seed)?;
        plan.limit = self.timeout.map_or(plan.limit, Duration::from_secs);
        let device = plan::device(record, &about.devices).ok_or_else(|| {
            Halt::Skip(format!(
                "its device, {}, is not here (--list-devices of a sample tells which are)",
                record.device.name
            ))
        })?;
        let folder = tempfile::tempdir().context("making a folder for the fresh record")?;
        let fresh = folder.path().join("record.json");
        say(&format!("{}: {} {}", old.path.display(), record.sample, plan.arguments.join(" ")));
        let call = Call {
            binary: &binary,
            arguments: plan.words(&device, &fresh),
            progress: folder.path().join("progress"),
            limit: plan.limit,
            grace: GRACE,
            is_quiet: false,
            stop,
        };
        match call.run(&mut |_| ())?.how {
            How::TooLong | How::Hung => {
                return Err(Halt::Hung { what: "the run".into(), seconds: plan.limit.as_secs_f64() }.into());
            }
            _ if fresh.is_file() => {}
            How::Stopped => return Ok(EXIT_INTERRUPTED),
            _ if stop.is_asked() => return Ok(EXIT_INTERRUPTED),
            How::Code(code) if code == i32::from(EXIT_SKIPPED) => {
                return Err(Halt::Skip("nothing can run here".into()).into());
            }
            How::Code(code) => bail!("the run left no record: it ended with exit code {code}"),
            How::Signal(name) => bail!("the run left no record: it crashed ({name})"),
        }
        // The temporary path will not exist any more.
        let new = Found { record: read_record(&fresh)?, path: "the fresh run".into() };
        let judged = judged(old, &new, self.tolerance);
        let terminal = console::Term::stdout();
        let charset = Charset::of_terminal();
        let drawn = table(charset, width_of(&terminal), &judged.comparison, self.all);
        print(&format!("{drawn}{}\n", charset.fit(&judged.sentence)))?;
        Ok(judged.code)
    }
}

/// Exit codes, worst first: wrong, hung, slower, cannot run here.
const ORDER: [u8; 5] = [EXIT_FAILED, EXIT_HUNG, EXIT_SLOWER, EXIT_SKIPPED, EXIT_RIGHT];

fn worst(codes: &[u8]) -> u8 {
    ORDER.into_iter().find(|code| codes.contains(code)).unwrap_or(EXIT_RIGHT)
}

/// The result of a repeated run.
#[derive(Debug)]
pub struct Judgement {
    /// The exit code.
    pub code: u8,
    /// The verdict in a sentence.
    pub sentence: String,
    /// The comparison on which it is based.
    pub comparison: Comparison,
}

/// Compares a new record with an older one of the same work.
#[must_use]
pub fn judged(old: &Found, new: &Found, tolerance: Option<f64>) -> Judgement {
    let pair = pair(old, new, tolerance.unwrap_or(TOLERANCE));
    let comparison = Comparison::new(tolerance.unwrap_or(TOLERANCE), vec![pair], Vec::new());
    let [broken, changed, slower] =
        [Outcome::Broken, Outcome::Changed, Outcome::Slower].map(|outcome| comparison.count(outcome));
    // Times on a CPU depend on its load rather than on the program.
    let timed = new.record.device.kind != Kind::Cpu || tolerance.is_some();
    let hindrance = hindrance(&old.record, &new.record, &comparison.pairs[0])
        .or_else(|| distrust(&old.record, &new.record, timed));
    let (code, sentence) = match hindrance {
        _ if broken > 0 => (EXIT_FAILED, format!("Wrong: {} that had figures in the record.", of(broken))),
        Some(why) => (EXIT_FAILED, format!("Not comparable: {why}.")),
        None if changed > 0 => {
            (EXIT_FAILED, format!("Not confirmed: {} with another status than recorded.", of(changed)))
        }
        None => match told(slower, ["takes", "take"], "more time than recorded").filter(|_| timed) {
            Some(slower) => (EXIT_SLOWER, format!("Slower: {slower}.")),
            None => confirmed(&comparison, timed),
        },
    };
    Judgement { code, sentence, comparison }
}

/// The reason why the records cannot be compared, if there is one.
fn hindrance(old: &Record, new: &Record, pair: &Pair) -> Option<String> {
    if !same_device(old, new) {
        return Some(format!("the record is of {}, the run of {}", old.device.name, new.device.name));
    }
    if old.configuration != new.configuration {
        let [then, now] = [old, new].map(|record| listed(&record.configuration));
        return Some(format!("the record is of {then}, the run of {now}"));
    }
    if !pair.only_before.is_empty() {
        return Some(format!("the run lacks {}", pair.only_before.join(", ")));
    }
    match &new.ended {
        Ended::Complete => None,
        Ended::Interrupted => Some("the run was interrupted".into()),
        Ended::Unfinished => Some("the run did not end".into()),
        Ended::Failed { reason } => Some(format!("the run failed: {reason}")),
    }
}

/// The reason why the figures of a side cannot be trusted, if there is one. If only results are compared, failed
/// checks of times and active tools do not matter.
fn distrust(old: &Record, new: &Record, timed: bool) -> Option<String> {
    [("record", old), ("run", new)].into_iter().find_map(|(side, record)| {
        let checks = if timed { failed_checks(record) } else { computes_wrong(record) };
        let tools = Some(record.method.tools.join(", ")).filter(|tools| timed && !tools.is_empty());
        checks
            .map(|checks| format!("the self-test of the {side} failed ({checks})"))
            .or_else(|| tools.map(|tools| format!("the {side} was measured with tools in the way ({tools})")))
    })
}

fn computes_wrong(record: &Record) -> Option<String> {
    let wrong = record.self_test.iter().flat_map(Certificate::failed).find(|check| check.name == RESULTS);
    wrong.map(|check| check.name.clone())
}

/// The verdict if no variant became wrong or slower. At least one variant must be known to be unchanged: in its time
/// or, if times are not compared, in its result. A variant without figures on either side, whether wrong or skipped
/// on both, does not count.
fn confirmed(comparison: &Comparison, timed: bool) -> (u8, String) {
    let count = |outcomes: &[Outcome]| outcomes.iter().map(|&outcome| comparison.count(outcome)).sum();
    let same = count(&[Outcome::Same]);
    let (faster, unsure) = (count(&[Outcome::Faster]), count(&[Outcome::Unsure]));
    let without = told(count(&[Outcome::Without]), ["has", "have"], "figures on neither side");
    let (known, unknown, end) = if timed {
        let known = [
            told(same, ["takes", "take"], "as long as recorded"),
            told(faster, ["takes", "take"], "less time"),
        ];
        let undecided = (unsure > 0).then(|| format!("of {} the samples do not decide it", of(unsure)));
        (known, [undecided, without], "; none became wrong or slower.")
    } else {
        let right = same + faster + unsure + count(&[Outcome::Slower]);
        let end = ". Times of a CPU device are not judged; --tolerance PERCENT judges them.";
        ([told(right, ["is", "are"], "right as recorded"), None], [without, None], end)
    };
    let known: Vec<String> = known.into_iter().flatten().collect();
    let unknown: Vec<String> = unknown.into_iter().flatten().collect();
    match (&known[..], &unknown[..]) {
        ([], []) => (EXIT_FAILED, "Undecided: the record has no variant.".into()),
        ([], _) => (EXIT_FAILED, format!("Undecided: {}.", unknown.join(", "))),
        _ => (EXIT_RIGHT, format!("Confirmed: {}{end}", [known, unknown].concat().join(", "))),
    }
}

fn of(count: usize) -> String {
    if count == 1 { "1 variant".into() } else { format!("{count} variants") }
}

/// `2 variants take more time`; `None` for a count of 0.
fn told(count: usize, [one, many]: [&str; 2], what: &str) -> Option<String> {
    (count > 0).then(|| format!("{} {} {what}", of(count), if count == 1 { one } else { many }))
}

#[cfg(test)]
mod tests;
