//! The bars of a card: which variants it shows, with their times or, for trials, how many were wrong.

use record::figures::{Figures, Time};
use record::{Kind, Promise, Record, Row, Shows, Value, is_limit};

use crate::format::{percent, significant};
use crate::names::distinct;
use crate::timeline::colours::Ink;

/// Most variants of a card.
const MOST: usize = 4;
/// Most kinds of variants in a card of trials.
const MOST_KINDS: usize = 5;

/// What stands below the claim.
#[derive(Default)]
pub(super) struct Bars {
    /// What the bars show.
    pub caption: String,
    /// The meaning of the colours, where there are several.
    pub key: Vec<String>,
    pub bars: Vec<Bar>,
}

/// A label with one bar, or with one per colour of the key.
pub(super) struct Bar {
    pub label: String,
    /// What the variant is for the reader: the usual way, or wrong on purpose. May be empty.
    pub role: String,
    /// The headline's figure is that of this variant.
    pub is_found: bool,
    pub parts: Vec<Part>,
}

pub(super) struct Part {
    /// Length as a share of the longest.
    pub share: f64,
    pub ink: Ink,
    pub text: String,
    /// A second figure.
    pub ratio: String,
}

/// The bars of a record.
pub(super) fn of(record: &Record) -> Bars {
    match &record.matrix {
        _ if record.device.kind == Kind::Cpu => {
            let caption = "Only the results were checked: times of a CPU device say nothing about a GPU.";
            Bars { caption: caption.into(), ..Bars::default() }
        }
        Some(matrix) if matrix.shows == Shows::Races => trials(record),
        _ => times(record),
    }
}

fn times(record: &Record) -> Bars {
    let figures = Figures::new(&record.rows);
    let headline = record.headline.as_ref();
    let compared = headline.and_then(|headline| headline.compared.as_ref());
    let time = compared.map_or(Time::Isolated, |compared| compared.time);
    let usual = [&record.baseline, &record.bound].into_iter().flatten().find_map(|name| figures.row(name));
    let found = compared.and_then(|compared| figures.row(&compared.variant));
    let reference = compared.and_then(|compared| figures.row(&compared.other)).or(usual);
    let rows = chosen(record, &figures, time, found.into_iter().chain(reference).collect());
    let longest = rows.iter().map(|(_, us)| *us).fold(f64::MIN_POSITIVE, f64::max);
    // Ratios are medians of pairs. Beside a difference they would be a second figure, which the medians do not give.
    let value = headline.and_then(|headline| headline.value.as_ref());
    let reference = reference.filter(|_| value.is_none_or(|value| ["x", "%"].contains(&value.unit.as_str())));
    let bar = |(row, us): &(&Row, f64)| {
        let is_found = found.is_some_and(|found| found.variant == row.variant);
        let ratio = reference.and_then(|reference| figures.ratio_of(time, &row.variant, &reference.variant));
        let part = Part {
            share: us / longest,
            ink: if is_found { Ink::Part(0) } else { Ink::Stripe },
            text: format!("{} µs", significant(*us)),
            ratio: ratio.map_or_else(String::new, |ratio| Value::ratio(&ratio).text()),
        };
        let is_fastest = rows.iter().all(|(_, other)| us <= other);
        let role = role(record, row, is_fastest);
        Bar { label: row.label().to_owned(), role, is_found, parts: vec![part] }
    };
    let what = if time == Time::Isolated { "alone" } else { "back to back" };
    let against = reference.map_or_else(String::new, |row| format!(" · {} = 1.00x", row.label()));
    let caption = if rows.is_empty() {
        "There are no times to compare.".into()
    } else {
        format!("Median time {what}{against}")
    };
    Bars { caption, key: Vec::new(), bars: rows.iter().map(bar).collect() }
}

/// The `named` variants, the fastest possible and the usual one, and the fastest correct others, with their times in
/// the record's order. An other is one that the sample sets against its reference and that stands in the same table
/// and column as the first: the rest may have other work to do.
fn chosen<'r>(
    record: &'r Record,
    figures: &Figures<'_>,
    time: Time,
    named: Vec<&'r Row>,
) -> Vec<(&'r Row, f64)> {
    let place = |row: &Row| row.cell.as_ref().map(|cell| (cell.table.clone(), cell.column.clone()));
    let first = named.first().map(|row| place(row));
    let references = [&record.bound, &record.baseline].into_iter().flatten();
    let mut names: Vec<&str> = named.iter().map(|row| row.variant.as_str()).collect();
    names.extend(references.map(String::as_str));
    let timed = record.rows.iter().filter(|row| !is_limit(&row.variant));
    let timed: Vec<(&Row, f64)> =
        timed.filter_map(|row| Some((row, figures.us(time, &row.variant)?))).collect();
    let mut others: Vec<_> = timed
        .iter()
        .filter(|(row, _)| {
            let is_set_against = row.to_baseline.or(row.to_bound).is_some();
            let is_alike = first.as_ref().is_some_and(|first| place(row) == *first);
            row.promise.must_be_right() && is_set_against && is_alike
        })
        .collect();
    others.sort_by(|a, b| a.1.total_cmp(&b.1));
    names.extend(others.iter().map(|(row, _)| row.variant.as_str()));
    let mut names = distinct(names);
    names.retain(|name| timed.iter().any(|(row, _)| row.variant == *name));
    names.truncate(MOST);
    timed.into_iter().filter(|(row, _)| names.contains(&row.variant.as_str())).collect()
}

/// What is to be fastest and is not goes without that name.
fn role(record: &Record, row: &Row, is_fastest: bool) -> String {
    let is = |name: &Option<String>| name.as_ref() == Some(&row.variant);
    let place = match () {
        () if is(&record.baseline) => "the usual way",
        () if is(&record.bound) && is_fastest => "fastest possible",
        () => "",
    };
    let promise = match row.promise {
        Promise::Law | Promise::OtherApi { .. } => "",
        Promise::Hardware { .. } => "correct on this GPU only",
        Promise::Nothing { .. } => "wrong on purpose",
        Promise::Fault { .. } => "seeded bug",
    };
    [place, promise].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ")
}

/// A group per column of the tables, with a bar per table: the share of its trials in which a pixel was wrong.
fn trials(record: &Record) -> Bars {
    let cells = || {
        record
            .rows
            .iter()
            .filter(|row| !matches!(row.promise, Promise::Fault { .. }))
            .filter_map(|row| Some((row.cell.as_ref()?, row.racy?)))
    };
    let tables = distinct(cells().map(|(cell, _)| cell.table.as_str()));
    let part = |column: &str, at: usize| {
        let of_both = cells().filter(|(cell, _)| cell.column == column && cell.table == tables[at]);
        let (wrong, all) =
            of_both.fold((0, 0), |sum, (_, racy)| (sum.0 + racy.racy_samples, sum.1 + racy.samples));
        let share = wrong as f64 / (all as f64).max(1.0);
        let text = if wrong == 0 { format!("none of {all}") } else { format!("{} of {all}", percent(share)) };
        Part { share, ink: Ink::Part(at), text, ratio: String::new() }
    };
    let columns = distinct(cells().map(|(cell, _)| cell.column.as_str()));
    let bar = |column: &str| Bar {
        label: column.to_owned(),
        role: String::new(),
        is_found: false,
        parts: (0..tables.len()).map(|at| part(column, at)).collect(),
    };
    Bars {
        caption: "Trials with wrong pixels".into(),
        key: tables.iter().map(|table| (*table).to_owned()).collect(),
        bars: columns.into_iter().take(MOST_KINDS).map(bar).collect(),
    }
}
