//! The origin of a record's figures: warnings above them, and notes on how they were measured.

use record::{Ended, Kind, Record, Status, Stop};
use report::grouped;

use super::records::{Entry, Records, later};

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

/// What all records of a device share, so that it is told once.
#[derive(Clone, Debug)]
pub struct Shared<'b> {
    /// The device.
    pub device: &'b str,
    /// The facts that are the same in all of them.
    pub facts: Vec<Fact>,
    /// The latest record with a self-test.
    tested: Option<&'b Record>,
}

/// A label and a value.
pub type Fact = (&'static str, String);

/// What the records of each device share.
pub fn shared<'b>(records: &'b Records) -> Vec<Shared<'b>> {
    let devices = grouped(records.entries.iter().map(|entry| (entry.device.as_str(), entry)));
    let of = |(device, entries): (&'b str, Vec<&'b Entry>)| {
        let mut all = entries.iter().map(|entry| report::facts(entry.record()));
        let mut facts = all.next().unwrap_or_default();
        all.for_each(|other| facts.retain(|fact| other.contains(fact)));
        let tested: Vec<&'b Entry> =
            entries.into_iter().filter(|entry| entry.record().self_test.is_some()).collect();
        Shared { device, facts, tested: later(&tested).map(Entry::record) }
    };
    devices.into_iter().map(of).collect()
}

impl Shared<'_> {
    /// The self-test of the latest record, one line per check; empty if there was none.
    pub fn self_test(&self) -> Vec<Fact> {
        self.tested.map(self_test).unwrap_or_default()
    }

    /// The facts of a record that are not shared.
    pub fn other_facts(&self, record: &Record) -> Vec<Fact> {
        report::facts(record).into_iter().filter(|fact| !self.facts.contains(fact)).collect()
    }

    /// The self-test of a record if one of its results is another than in the latest.
    pub fn other_self_test(&self, record: &Record) -> Vec<Fact> {
        let checks = |record: &Record| record.self_test.clone().map_or(vec![], |test| test.checks);
        let results = |record| checks(record).into_iter().map(|check| (check.result, check.name));
        let is_alike = self.tested.is_some_and(|tested| results(tested).eq(results(record)));
        if is_alike { vec![] } else { self_test(record) }
    }
}

fn self_test(record: &Record) -> Vec<Fact> {
    let checks = record.self_test.iter().flat_map(|test| &test.checks);
    checks.map(|check| (check.result.word(), format!("{}: {}", check.name, check.found))).collect()
}

/// The command line of a record. Of paths on the machine that ran it only the ends are shown.
pub fn command(record: &Record) -> String {
    let end = |word: &str| match word.find('/') {
        Some(at) if at == 0 || word[..at].ends_with(['=', '\'']) => {
            format!("{}{}", &word[..at], word.rsplit('/').next().unwrap_or_default())
        }
        _ => word.to_owned(),
    };
    report::command(record).split(' ').map(end).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::records::tests::{RUN, found};
    use super::*;

    #[test]
    fn what_the_records_of_a_device_share_is_told_once() {
        use record::self_test::{Certificate, Check, CheckResult};
        let of = |result, found_at: &str, commit: Option<&str>| {
            found(RUN, |record| {
                let checks = vec![Check::new("twice", result, found_at)];
                record.self_test = Some(Certificate { seconds: 0.4, checks });
                record.tool.commit = commit.map(str::to_owned);
            })
        };
        let found = vec![
            of(CheckResult::Passed, "0.1 %", Some("abc")),
            of(CheckResult::Passed, "0.2 %", None),
            of(CheckResult::Failed, "9 %", None),
        ];
        let records = Records::of(found);
        let shared = &shared(&records)[0];
        let is_told = |label| shared.facts.iter().any(|(fact, _)| *fact == label);
        assert!(is_told("Driver") && !is_told("Tool"));
        assert_eq!(shared.self_test().len(), 1);
        let of_records = records.entries.iter().map(Entry::record);
        let told: usize = of_records.map(|record| shared.other_self_test(record).len()).sum();
        assert_eq!((shared.self_test()[0].0, told), ("FAILED", 2), "the others passed");
        assert!(shared.other_facts(records.entries[0].record()).iter().any(|(fact, _)| *fact == "Tool"));
    }

    #[test]
    fn a_command_says_nothing_of_the_machine() {
        let of = |words: &[&str]| {
            let words = ["x", "--size", "512x512"].iter().chain(words).map(|word| (*word).to_owned());
            command(&found(RUN, |record| record.command = words.collect()).record)
        };
        let start = "cargo run --release --bin pipelined_events -- --size 512x512";
        assert_eq!(of(&["--out", "/home/you/run1"]), format!("{start} --out run1"));
        assert_eq!(of(&["--out=/home/you/run1"]), format!("{start} --out=run1"));
        assert_eq!(of(&["--out", "runs/1"]), format!("{start} --out runs/1"));
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
                "1 of 5 rows stopped by budget",
                "1 of 5 rows ended at 500 samples",
                "1 of 5 rows ended by a low clock"
            ]
        );
        let all = found(RUN, |record| record.rows.iter_mut().for_each(|row| row.stop = budget()));
        assert_eq!(flags(&all.record)[0].short, "6 of 6 rows stopped by budget");
    }
}
