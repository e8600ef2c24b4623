//! The comparison as a table for the terminal.

use record::listed;
use report::format::{significant, trimmed};
use report::{ABSENT, Charset, Column, Paper, Side, Table, grouped};

use super::outcome::{Change, Comparison, Outcome, Pair};
use super::rule::Judged;

/// Follows a factor that contradicts the medians.
const OUTSIDE: &str = "*";

/// A table per pair of records with rows to show, at most `room` columns wide where possible, and the number of
/// variants per outcome. Ends with a newline.
#[must_use]
pub fn table(charset: Charset, room: u16, compared: &Comparison, all: bool) -> String {
    let mut paper = Paper::new(charset, room);
    let broken = broken(compared);
    broken.iter().for_each(|told| paper.line(told));
    if !broken.is_empty() {
        paper.gap();
    }
    compared.pairs.iter().for_each(|pair| section(&mut paper, pair, all));
    compared.notes.iter().for_each(|note| paper.line(note));
    paper.line(&counts(compared));
    paper.line(&format!(
        "No difference is one of up to {} % and the step of the timestamps.",
        trimmed(compared.tolerance * 100.0)
    ));
    explained(compared, all).iter().for_each(|told| paper.line(told));
    paper.text()
}

/// Notes on how to read the figures of the rows that are shown.
fn explained(compared: &Comparison, all: bool) -> Vec<String> {
    let rows = compared.pairs.iter().flat_map(|pair| shown(pair, all));
    let times: Vec<&Judged> = rows.flat_map(|row| [&row.isolated, &row.pipelined]).flatten().collect();
    let mut lines = Vec::new();
    if times.iter().any(|judged| judged.shift.is_some()) {
        lines.push(
            "Times are medians; a change is the median of all quotients of a sample of the second side and one of the \
             first, with its 95 % interval. Where samples lie in groups, it can differ from the quotient of the \
             medians."
                .into(),
        );
    }
    if times.iter().any(|judged| judged.medians_outside) {
        lines.push(format!("{OUTSIDE}: the quotient of the two medians lies outside this interval."));
    }
    lines
}

/// Variants that were correct and are wrong come first.
fn broken(compared: &Comparison) -> Vec<String> {
    let rows = compared.pairs.iter().flat_map(|pair| pair.rows.iter().map(move |row| (pair, row)));
    rows.filter(|(_, row)| row.outcome == Outcome::Broken)
        .map(|(pair, row)| {
            let status = row.status.as_deref().unwrap_or(ABSENT);
            format!("BROKEN: {} of {}: {status}", row.label, pair.sample)
        })
        .collect()
}

/// The number of variants per outcome, worst first.
fn counts(compared: &Comparison) -> String {
    let rows: usize = compared.counts.values().sum();
    let each: Vec<String> =
        compared.counts.iter().map(|(outcome, count)| format!("{count} {}", outcome.word())).collect();
    let plural = if rows == 1 { "" } else { "s" };
    if rows == 0 {
        "No variant is in both.".into()
    } else {
        format!("{rows} variant{plural}: {}.", each.join(", "))
    }
}

/// A pair of records: its name, its differences and its rows. Writes nothing if there is nothing to report.
fn section(paper: &mut Paper, pair: &Pair, all: bool) {
    let rows: Vec<&Change> = shown(pair, all).collect();
    let alone = [("first", &pair.only_before), ("second", &pair.only_after)];
    let nothing = rows.is_empty() && alone.iter().all(|(_, names)| names.is_empty());
    if nothing && pair.differences.is_empty() {
        return;
    }
    let settings = listed(&pair.configuration);
    let title =
        if settings.is_empty() { pair.sample.clone() } else { format!("{}, {settings}", pair.sample) };
    paper.line(&title);
    pair.differences.iter().for_each(|line| paper.line(&format!("- {line}")));
    for (side, names) in alone.into_iter().filter(|(_, names)| !names.is_empty()) {
        paper.line(&format!("- only in the {side}: {}", names.join("; ")));
    }
    if !rows.is_empty() {
        paper.table(&drawn(&rows));
        reasons(&rows).iter().for_each(|reason| paper.line(reason));
    }
    paper.gap();
}

/// The rows that the table shows.
fn shown(pair: &Pair, all: bool) -> impl Iterator<Item = &Change> {
    let quiet = |row: &&Change| matches!(row.outcome, Outcome::Same | Outcome::Without);
    pair.rows.iter().filter(move |row| all || !quiet(row))
}

/// Why rows are undecided; rows with the same reason share a line.
fn reasons(rows: &[&Change]) -> Vec<String> {
    let of_row = |row: &Change| {
        let times = [("", &row.isolated), (" (back to back)", &row.pipelined)];
        let times = times.into_iter().filter_map(|(time, judged)| {
            Some((judged.as_ref()?.reason.clone()?, format!("{}{time}", row.label)))
        });
        let status = row.status.clone().filter(|_| row.outcome != Outcome::Broken);
        times.chain(status.map(|status| (status, row.label.clone()))).collect::<Vec<_>>()
    };
    let lines = grouped(rows.iter().flat_map(|row| of_row(row)));
    lines.iter().map(|(reason, names)| format!("{}: {reason}.", names.join("; "))).collect()
}

/// The table of changes.
fn drawn(rows: &[&Change]) -> Table {
    let mut table = Table::new("Variant", rows.iter().map(|row| row.label.clone())).apart(2);
    table.push(Column::new(Side::Left, "Verdict", rows.iter().map(|row| row.outcome.word().to_owned())));
    let column = |head: &str, of: fn(&Change) -> Option<&Judged>, cell: &dyn Fn(&Judged) -> String| {
        let cell = |row: &&Change| of(row).map_or_else(String::new, cell);
        Column::new(Side::Right, head, rows.iter().map(cell))
    };
    let times =
        |judged: &Judged| format!("{} → {}", significant(judged.before_us), significant(judged.after_us));
    let isolated: fn(&Change) -> Option<&Judged> = |row| row.isolated.as_ref();
    let pipelined: fn(&Change) -> Option<&Judged> = |row| row.pipelined.as_ref();
    for (head, of) in [("alone", isolated), ("back\u{a0}to\u{a0}back", pipelined)] {
        table.push(column(&format!("{head},\u{a0}µs"), of, &times));
        table.push(column(head, of, &by));
    }
    table
}

/// `+3.0 % (+2.8 to +3.2)`, with a mark if the medians contradict it.
fn by(judged: &Judged) -> String {
    let word = format!("{:>6}", judged.verdict.word().to_lowercase());
    let Some(shift) = judged.shift else { return format!("{ABSENT}  {word}") };
    let mark = if judged.medians_outside { OUTSIDE } else { "" };
    let percent = |ratio: f64| {
        let change = (ratio - 1.0) * 100.0;
        // A change that rounds to zero has no sign.
        if change.abs() < 0.05 { "0.0".to_owned() } else { format!("{change:+.1}") }
    };
    let change = percent(shift.ratio);
    let ends = [shift.interval.low, shift.interval.high].map(percent);
    format!("{change} %{mark} ({} to {})  {word}", ends[0], ends[1])
}
