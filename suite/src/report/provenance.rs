//! The origin of a record's figures: warnings above them, and notes on how they were measured.

use record::self_test::Check;
use record::{Ended, Kind, Record, Status, Stop};

/// A warning that a reader needs before trusting a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// The warning in a few words.
    pub short: String,
    /// The warning as a sentence.
    pub long: String,
}

/// All warnings for a record.
pub fn flags(record: &Record) -> Vec<Flag> {
    let mut flags = Vec::new();
    let mut add = |is: bool, short: &str, long: String| {
        if is {
            flags.push(Flag { short: short.to_owned(), long });
        }
    };
    add(
        record.device.kind == Kind::Cpu,
        "CPU device",
        "A CPU device: its answers are checked, its times prove nothing about a GPU.".into(),
    );
    add(
        record.tool.build != "release",
        "debug build",
        format!(
            "The tool is a {} build: the figures of the CPU are not those of a release.",
            record.tool.build
        ),
    );
    add(
        record.tool.dirty == Some(true),
        "uncommitted",
        "The tool was built with uncommitted changes: its commit does not say what ran.".into(),
    );
    let tools = &record.method.tools;
    add(
        !tools.is_empty(),
        "layers",
        format!(
            "Layers or tools were active ({}): with a validation layer among them times are no times.",
            tools.join(", ")
        ),
    );
    let failed = record.self_test.as_ref().is_some_and(|test| !test.passed());
    add(failed, "self-test failed", "The self-test failed: times of this run are not to be trusted.".into());
    match &record.ended {
        Ended::Complete => {}
        Ended::Interrupted => add(true, "interrupted", report::end(&record.ended) + "."),
        Ended::Unfinished => add(true, "unfinished", report::end(&record.ended) + "."),
        Ended::Failed { .. } => add(true, "failed", format!("The run {}.", report::end(&record.ended))),
    }
    flags.extend(unmet(record));
    flags
}

/// Rows that ended before the stopping rule was met. Interrupted rows are not listed, since the run has its own
/// warning.
fn unmet(record: &Record) -> Vec<Flag> {
    let measured = || record.rows.iter().filter(|row| row.status == Status::Ok);
    let all = measured().count();
    let flag = |(which, how): (fn(&Stop) -> bool, String)| {
        let count = measured().filter(|row| row.stop.as_ref().is_some_and(which)).count();
        let short = format!("{count} of {all} rows {how}");
        let long = format!("{short}, before the asked precision was reached: the notes say what is missing.");
        (count > 0).then_some(Flag { short, long })
    };
    let budget: fn(&Stop) -> bool = |stop| matches!(stop, Stop::Budget { .. });
    let samples: fn(&Stop) -> bool = |stop| matches!(stop, Stop::SampleLimit { .. });
    let clock: fn(&Stop) -> bool = |stop| matches!(stop, Stop::Throttled);
    let ended = [
        (budget, "stopped by budget".to_owned()),
        (samples, format!("ended at {} samples", record.method.rule.most_for_median)),
        (clock, "ended by a low clock".to_owned()),
    ];
    ended.into_iter().filter_map(flag).collect()
}

/// Cautions about the rows, the meanings of their figures, and the sample's own notes.
pub fn notes(record: &Record) -> Vec<String> {
    let said = report::cautions(record).into_iter().chain(report::meanings(record));
    said.chain(record.notes.iter().cloned()).map(|line| line.replace('\u{a0}', " ")).collect()
}

/// The self-test, one line per check; `None` if there was none.
pub fn self_test(record: &Record) -> Option<Vec<(&'static str, String)>> {
    let checks = &record.self_test.as_ref()?.checks;
    let line = |check: &Check| (check.result.word(), format!("{}: {}", check.name, check.found));
    Some(checks.iter().map(line).collect())
}

/// What a record found: its headline, or without one the beginning of its verdict.
pub fn finding(record: &Record) -> String {
    record.headline.as_ref().map_or_else(|| in_short(record), |headline| headline.finding.clone())
}

/// The beginning of the verdict, up to and including the first sentence about this device. A sentence about a
/// source's claim alone would be read as a result from here.
fn in_short(record: &Record) -> String {
    let verdict = report::short(record);
    let Some(line) = verdict.first() else { return String::new() };
    let line = line.strip_prefix("In short: ").unwrap_or(line);
    let claims = |sentence: &str| ["The article ", "The talk "].iter().any(|by| sentence.starts_with(by));
    let mut end = 0;
    for sentence in line.split_inclusive(". ") {
        end += sentence.len();
        if !claims(sentence) {
            break;
        }
    }
    line[..end].trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::records::tests::{RUN, found};
    use super::*;

    fn short(verdict: &str) -> String {
        finding(&found(RUN, |record| record.verdict = Some(verdict.into())).record)
    }

    #[test]
    fn a_claim_stands_with_what_was_found() {
        let claim = "The article says that shared memory saves up to 30 %.";
        assert_eq!(
            short(&format!("{claim} Here it saves 29.5 %. More follows.")),
            format!("{claim} Here it saves 29.5 %.")
        );
        assert_eq!(
            short("In short: the fastest is a, 1.99 times. The talk had 1.22."),
            "the fastest is a, 1.99 times."
        );
        assert_eq!(short(claim), claim, "nothing else is said");
    }

    #[test]
    fn rows_that_did_not_meet_the_rule_are_counted() {
        let short = |change: fn(&mut Record)| -> Vec<String> {
            flags(&found(RUN, change).record).into_iter().map(|flag| flag.short).collect()
        };
        let budget = || Some(Stop::Budget { unmet: vec!["8 of 50 ms GPU time".into()] });
        assert_eq!(short(|_| ()), [""; 0]);
        assert_eq!(
            short(|record| {
                record.rows[0].stop = Some(Stop::Budget { unmet: vec![] });
                record.rows[1].stop = Some(Stop::Throttled);
                record.rows[2].stop = Some(Stop::SampleLimit { unmet: vec![] });
                record.rows[3].stop = Some(Stop::Budget { unmet: vec![] });
                record.rows[3].status = Status::Throttled { reason: "at 300 MHz".into() };
                record.method.rule.most_for_median = 500;
            }),
            [
                "1 of 9 rows stopped by budget",
                "1 of 9 rows ended at 500 samples",
                "1 of 9 rows ended by a low clock"
            ]
        );
        let all = found(RUN, |record| record.rows.iter_mut().for_each(|row| row.stop = budget()));
        let records = super::super::records::Records::of(vec![all]);
        let table = super::super::table::overview(&records);
        let beware = table.columns.iter().find(|column| column.head == "Beware").unwrap();
        assert_eq!(beware.cells, ["10 of 10 rows stopped by budget"]);
    }
}
