//! The tables of the pages. Tables of one record are those of the terminal, with more text where there is more room.

use record::{Headline, Record, Row};
use report::{Column, Side, Table, format, grouped};

use super::devices::{Comparison, figure};
use super::glossary;
use super::ladder::{counts_races, raced};
use super::provenance;
use super::records::{Entry, measured};
use super::sweep::Sweep;

/// All rows of a record.
pub fn rows(record: &Record) -> Table {
    let mut table = report::rows(record);
    let is_time = |head: &str| head.starts_with("alone") || head.starts_with("of") || head.ends_with("/s");
    let races = counts_races(record);
    // Published figures have a table of their own.
    table.columns.retain(|column| column.head != "published" && !(races && is_time(&column.head)));
    let reference = record.reference().map(|name| report::against(record.label(name)));
    let in_words = |row: &Row| {
        if record.reference() == Some(&*row.variant) {
            return Some("the reference".to_owned());
        }
        record.to_reference(row).map(|ratio| format::ratio_in_words(&ratio))
    };
    if let Some(column) = table.columns.iter_mut().find(|column| Some(&column.head) == reference.as_ref()) {
        *column = Column::new(Side::Left, column.head.clone(), record.rows.iter().map(in_words));
    }
    table
}

/// The columns of the traces that the page explains; `None` if there are no traces.
pub fn traces(record: &Record) -> Option<Table> {
    let mut table = report::traces(record)?;
    let explained = |head: &str| glossary::waves().any(|(term, _)| head.trim_end_matches(" µs") == term);
    table.columns.retain(|column| column.head.is_empty() || explained(&column.head));
    Some(table)
}

/// A table with one row per variant and one column per value.
pub fn sweep(sweep: &Sweep<'_>) -> Table {
    let lines = sweep.lines();
    let mut table = Table::new("alone, µs", lines.iter().map(|line| line.name.clone()));
    for step in &sweep.steps {
        let at = |line: &super::plot::Line| {
            let point = line.points.iter().find(|point| point.x == step.amount)?;
            Some(format::significant(point.y))
        };
        table.push(Column::new(Side::Right, format!("{} {}", sweep.over, step.value), lines.iter().map(at)));
    }
    table
}

/// A table with one row per variant and two columns per device.
pub fn devices(comparison: &Comparison<'_>) -> Table {
    let variants = comparison.variants();
    let mut table = Table::new("", variants.iter().map(|name| comparison.label(name).to_owned()));
    for entry in &comparison.entries {
        let record = entry.record();
        let time = |name: &&str| Some(figure(&measured(record, name)?.isolated_us?, false));
        table.push(Column::new(Side::Right, format!("{}: µs", entry.device), variants.iter().map(time)));
        if let Some(reference) = comparison.reference() {
            let ratio = |name: &&str| Some(figure(&record.to_reference(measured(record, name)?)?, true));
            table.push(Column::new(
                Side::Right,
                report::against(comparison.label(reference)),
                variants.iter().map(ratio),
            ));
        }
    }
    table
}

/// Joins two texts: `NVIDIA H200: size 512x512`.
pub fn with_colon(what: &str, more: &str) -> String {
    if more.is_empty() { what.to_owned() } else { format!("{what}: {more}") }
}

/// A table with one row per record, which links to its section; `first` is the first column.
pub fn records(head: &str, first: &dyn Fn(&&Entry) -> String, entries: &[&Entry]) -> Table {
    let headline = |of: fn(&Headline) -> String| {
        move |entry: &&Entry| entry.record().headline.as_ref().map_or_else(String::new, of)
    };
    let mut table = Table::of(
        entries,
        &[
            (head, Side::Left, first),
            ("Finding", Side::Left, &headline(|of| of.finding.clone())),
            ("Published", Side::Left, &headline(|of| of.published.clone().unwrap_or_default())),
            ("Outcome", Side::Left, &headline(|of| format!("{} {}", of.outcome.sign(), of.outcome.words()))),
            ("Rows", Side::Left, &|entry| statuses(entry.record())),
            ("Beware", Side::Left, &|entry| beware(entry.record())),
        ],
    );
    table.columns[0].links = entries.iter().map(|entry| entry.id.clone()).collect();
    // Records of earlier versions have no headline.
    table.columns.retain(|column| column.cells.iter().any(|cell| !cell.is_empty()));
    table
}

/// What to know before believing the figures of a record, in a few words.
fn beware(record: &Record) -> String {
    provenance::flags(record).into_iter().map(|flag| flag.short).collect::<Vec<_>>().join(", ")
}

/// Number of rows per status: `9 ok, 1 skipped, 2 with wrong pixels`.
pub fn statuses(record: &Record) -> String {
    use record::Status;
    let by_word = grouped(record.rows.iter().map(|row| (row.status.word(), ())));
    let mut parts: Vec<String> =
        by_word.iter().map(|(word, rows)| format!("{} {word}", rows.len())).collect();
    let racing = record.rows.iter().filter(|row| row.status == Status::Ok && raced(row)).count();
    if racing > 0 {
        parts.push(format!("{racing} with wrong pixels"));
    }
    if parts.is_empty() { "none".into() } else { parts.join(", ") }
}
