//! The tables of a sweep: one row per variant, one column per run.

use record::figures::Figures;
use record::{Record, Status, is_limit};

use super::charset::{ABSENT, Charset};
use super::format;
use super::names::distinct;
use super::paper::Paper;
use super::percent_of_limit;
use super::table::{Column, Side, Table};
use super::timestamp_resolution;

/// The isolated times of the same variants in several runs, in the order of the first run that has them. The shares
/// of the device's limits follow below if a run has them. Columns that do not fit into `room` follow in further
/// tables. Ends with a newline.
#[must_use]
pub fn sweep(charset: Charset, room: u16, runs: &[(String, &Record)]) -> String {
    let rows = runs.iter().flat_map(|(_, record)| &record.rows);
    let mut names = distinct(rows.map(|row| row.variant.as_str()));
    let table = |names: &[&str], side, cell: &dyn Fn(&Record, &str) -> Option<String>| {
        let mut table = Table::new("Variant", names.iter().map(|name| (*name).to_owned())).apart(2);
        for (head, record) in runs {
            table.push(Column::new(side, head, names.iter().map(|name| cell(record, name))));
        }
        table
    };
    let mut paper = Paper::new(charset, room);
    paper.line("Isolated µs");
    paper.tables(&table(&names, Side::Points, &time), false);
    names.retain(|name| !is_limit(name));
    let shares = table(&names, Side::Right, &share_of_limit);
    if shares.columns[1..].iter().any(|column| column.cells().iter().any(|cell| cell != ABSENT)) {
        paper.gap();
        paper.line("of limit");
        paper.tables(&shares, false);
    }
    paper.text()
}

/// The isolated time of a variant in a run, or its status if it has none. `None` if it was skipped or unsupported.
fn time(record: &Record, name: &str) -> Option<String> {
    let row = record.rows.iter().find(|row| row.variant == name)?;
    match &row.status {
        Status::Ok => Some(format::uncertain(
            row.isolated_us.as_ref()?,
            row.near_floor,
            timestamp_resolution::isolated(record),
        )),
        Status::Skipped { .. } | Status::Unsupported { .. } => None,
        status => Some(status.word().to_owned()),
    }
}

/// The share of the device's limit that a variant reaches in a run.
fn share_of_limit(record: &Record, name: &str) -> Option<String> {
    Some(percent_of_limit::cell(&Figures::new(&record.rows).share_of_limit(name)?))
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;
    use crate::charset::width;

    #[test]
    fn columns_that_do_not_fit_stand_below() {
        let (gpu, cpu) = (fixture::record(), fixture::cpu());
        let runs = [("size=64", &gpu), ("size=128", &cpu), ("size=256", &gpu)];
        let runs = runs.map(|(name, record)| (name.to_owned(), record));
        insta::assert_snapshot!(sweep(Charset::Utf8, 60, &runs));
        let widest = sweep(Charset::Ascii, 200, &runs);
        assert!(widest.is_ascii() && widest.lines().all(|line| width(line) <= 200), "{widest}");
        assert_eq!(widest.matches("Variant").count(), 1, "{widest}");
    }

    #[test]
    fn shares_of_limits_stand_below() {
        let limits = fixture::limits();
        let mut half = fixture::limits();
        half.rows.iter_mut().for_each(|row| row.samples.iter_mut().for_each(|s| s.one_us *= 2.0));
        half.rows.retain(|row| row.variant != "fma_limit");
        let runs = [("size=64", &limits), ("size=128", &half)].map(|(name, r)| (name.to_owned(), r));
        insta::assert_snapshot!(sweep(Charset::Utf8, 60, &runs));
        assert!(sweep(Charset::Ascii, 60, &runs).is_ascii());
    }
}
