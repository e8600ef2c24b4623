//! A sweep: the finding of each run, and one table of ratios with a row per variant and a column per run.

use record::stats::Summary;
use record::{Kind, Outcome, Record, Row, Status, is_limit};

use super::answer::claim;
use super::charset::Charset;
use super::correctness::left_out;
use super::format;
use super::names::{distinct, grouped};
use super::paper::Paper;
use super::table::{Column, Side, Table};
use super::traced::sparkline;

/// The runs of a sweep, each with its name, such as `size=64`.
type Runs<'r> = [(String, &'r Record)];

/// The finding of each run, then the ratios of all variants to the usual way and where they cross 1. Columns that do
/// not fit into `room` follow in further tables. Of CPU devices without `times` there are the findings, the claim that
/// they do not test, and how to see times. Ends with a newline.
#[must_use]
pub fn sweep(charset: Charset, room: u16, runs: &Runs<'_>, times: bool) -> String {
    let mut paper = Paper::new(charset, room);
    for (name, record) in runs {
        if let Some(headline) = &record.headline {
            let is_answer = headline.outcome == Outcome::SaysNothing;
            let sign = if is_answer { String::new() } else { format!("{} ", headline.outcome.sign()) };
            paper.line(&format!("{name}: {sign}{}", headline.finding));
        }
    }
    if !times && runs.iter().all(|(_, record)| record.device.kind == Kind::Cpu) {
        if let Some(headline) = runs.iter().find_map(|(_, record)| record.headline.as_ref()) {
            paper.line(&claim(headline));
        }
        paper.line("times: --times");
        return paper.text();
    }
    paper.gap();
    let reference =
        runs.iter().find_map(|(_, record)| record.baseline.as_deref().or(record.bound.as_deref()));
    let rows = runs.iter().flat_map(|(_, record)| &record.rows);
    let names = distinct(rows.map(|row| row.variant.as_str()).filter(|name| !is_limit(name)));
    let labels = names.iter().map(|name| label(runs, name));
    let mut table = Table::new("", labels).apart(2);
    for (head, record) in runs {
        table.push(Column::new(Side::Points, head, names.iter().map(|name| cell(record, name, reference))));
    }
    if reference.is_some() {
        let shape = |name: &&str| shape(runs, name, reference);
        table.push(Column::new(Side::Left, "", names.iter().map(shape)));
    }
    paper.table(&table);
    if let Some(reference) = reference {
        let usual = label(runs, reference);
        paper.line(&format!("Times of {usual} in µs; of the others, times as long as {usual}."));
        crossings(&mut paper, runs, &names, reference);
    }
    let left_out =
        runs.iter().flat_map(|(head, record)| left_out(record).map(move |line| (line, head.as_str())));
    for (line, heads) in grouped(left_out) {
        let at = if heads.len() == runs.len() { String::new() } else { format!("{}: ", heads.join(", ")) };
        paper.line(&format!("{at}{line}"));
    }
    paper.text()
}

fn row<'r>(record: &'r Record, name: &str) -> Option<&'r Row> {
    record.rows.iter().find(|row| row.variant == name)
}

fn label(runs: &Runs<'_>, name: &str) -> String {
    runs.iter().find_map(|(_, record)| row(record, name)).map_or(name, Row::label).to_owned()
}

/// The ratio of a variant to the reference of the sweep, if its run has the same one.
fn ratio(record: &Record, name: &str, reference: Option<&str>) -> Option<Summary> {
    let row = row(record, name).filter(|row| row.status == Status::Ok && Some(name) != reference)?;
    match reference {
        Some(_) if record.baseline.as_deref() == reference => row.to_baseline,
        Some(_) if record.bound.as_deref() == reference => row.to_bound,
        _ => None,
    }
}

/// The ratio of a variant in a run, the time of the reference, or the status of a row without figures. `None` if it was
/// skipped or unsupported.
fn cell(record: &Record, name: &str, reference: Option<&str>) -> Option<String> {
    let row = row(record, name)?;
    match &row.status {
        Status::Ok if reference.is_none_or(|reference| reference == name) => {
            Some(format::significant(row.isolated_us.as_ref()?.median))
        }
        Status::Ok => Some(format::ratio(&ratio(record, name, reference)?)),
        Status::Skipped { .. } | Status::Unsupported { .. } => None,
        status => Some(status.word().to_owned()),
    }
}

/// The ratios over the runs, as a line of blocks; empty unless each run has one.
fn shape(runs: &Runs<'_>, name: &str, reference: Option<&str>) -> String {
    let medians = runs.iter().map(|(_, record)| Some(ratio(record, name, reference)?.median));
    let medians: Option<Vec<f64>> = medians.collect();
    medians.map_or_else(String::new, |medians| sparkline(&medians, medians.len()))
}

/// Which variants are faster in some runs and slower in others, and which are so in none.
fn crossings(paper: &mut Paper, runs: &Runs<'_>, names: &[&str], reference: &str) {
    let [mut never, mut always] = [Vec::new(), Vec::new()];
    for name in names.iter().filter(|name| **name != reference) {
        let at = |is_side: fn(f64, f64) -> bool| -> Vec<&str> {
            let is = |record: &Record| {
                let interval = ratio(record, name, Some(reference)).and_then(|ratio| ratio.median_95);
                interval.is_some_and(|interval| is_side(interval.low, interval.high))
            };
            runs.iter().filter(|(_, record)| is(record)).map(|(head, _)| head.as_str()).collect()
        };
        let (faster, slower) = (at(|_, high| high < 1.0), at(|low, _| low > 1.0));
        let label = label(runs, name);
        match (faster.is_empty(), slower.is_empty()) {
            (false, false) => paper.line(&format!(
                "{label}: faster at {}; slower at {}",
                faster.join(", "),
                slower.join(", ")
            )),
            (false, true) => always.push(label),
            (true, false) => never.push(label),
            (true, true) => {}
        }
    }
    for (text, labels) in [("never faster", never), ("never slower", always)] {
        if !labels.is_empty() {
            paper.line(&format!("{text}: {}", labels.join("; ")));
        }
    }
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;
    use crate::charset::width;

    fn runs(records: [&Record; 3]) -> Vec<(String, &Record)> {
        ["size=64", "size=128", "size=256"].map(str::to_owned).into_iter().zip(records).collect()
    }

    #[test]
    fn ratios_and_where_they_cross() {
        let gpu = fixture::record();
        let mut larger = fixture::record();
        larger.rows[2].to_baseline = Summary::of(&[1.31; 24]);
        let runs = runs([&gpu, &gpu, &larger]);
        insta::assert_snapshot!(sweep(Charset::Utf8, 96, &runs, false));
        for room in 60..=96 {
            let text = sweep(Charset::Ascii, room, &runs, false);
            assert!(text.is_ascii() && text.lines().all(|line| width(line) <= room.into()), "{text}");
        }
    }

    #[test]
    fn what_did_not_run_says_why_and_where() {
        let gpu = fixture::record();
        let mut small = gpu.clone();
        small.rows[2].status = Status::Skipped { reason: "too few rows".into() };
        let label = small.rows[2].label().to_owned();
        let said = |runs: [&Record; 3]| sweep(Charset::Utf8, 96, &self::runs(runs), false);
        let line = format!("not run: {label}: too few rows\n");
        assert!(said([&small, &gpu, &small]).contains(&format!("\nsize=64, size=256: {line}")));
        assert!(said([&small; 3]).contains(&format!("\n{line}")));
    }

    #[test]
    fn without_a_reference_there_are_times() {
        let mut limits = fixture::limits();
        (limits.bound, limits.baseline) = (None, None);
        insta::assert_snapshot!(sweep(Charset::Utf8, 96, &runs([&limits; 3]), false));
    }

    #[test]
    fn cpu_devices_tell_of_answers() {
        let cpu = fixture::cpu();
        insta::assert_snapshot!(sweep(Charset::Utf8, 96, &runs([&cpu; 3]), false));
        assert!(sweep(Charset::Utf8, 96, &runs([&cpu; 3]), true).contains("41234"));
    }
}
