//! Figures, statuses and remarks of a record in the words of the table, for other pages of it.

use super::figure::BLANK;
use super::layout::RacyForm;
use super::{below, cell, figure, folder, share};
use crate::record::{Promise, Racy, Record, Status};
use crate::stats::Summary;

/// Four significant digits; whole numbers from a thousand on.
#[must_use]
pub fn significant(value: f64) -> String {
    figure::significant(value)
}

/// As many digits of a published figure as its source gives, four at most.
#[must_use]
pub fn trimmed(value: f64) -> String {
    cell::trimmed(value)
}

/// A median, with `~` before it where `near_floor`.
#[must_use]
pub fn time(summary: &Summary, near_floor: bool) -> String {
    format!("{}{}", if near_floor { "~" } else { "" }, significant(summary.median))
}

/// `±0.2 %`: half the width of the 95 % interval of the median; nothing where there is no interval.
#[must_use]
pub fn error(summary: &Summary) -> Option<String> {
    Some(figure::share(summary.median_error()?).replace(BLANK, " "))
}

/// A median ratio, with `≈` before it where it cannot be told from 1.
#[must_use]
pub fn ratio(summary: &Summary) -> String {
    let mark = if figure::undecided(summary) { "≈" } else { "" };
    format!("{mark}{}", figure::hundredths(summary.median))
}

/// Two decimals, and more where they would leave fewer than two significant digits.
#[must_use]
pub fn hundredths(value: f64) -> String {
    figure::hundredths(value)
}

/// The 95 % interval of a ratio's median holds 1, or there is none.
#[must_use]
pub fn undecided(ratio: &Summary) -> bool {
    figure::undecided(ratio)
}

/// What a row without figures says instead.
#[must_use]
pub fn status(status: &Status) -> Option<String> {
    cell::status(status)
}

/// `yes`, `hardware`, `no` or `fault`.
#[must_use]
pub fn lawful(promise: &Promise) -> &'static str {
    cell::lawful(promise)
}

/// How many elements differed, and in how many of the samples any did.
#[must_use]
pub fn racy(racy: Racy) -> String {
    cell::racy(racy, RacyForm::Long)
}

/// The command line as it can be typed again in a checkout.
#[must_use]
pub fn command(record: &Record) -> String {
    folder::command(record)
}

/// What made the record: version, commit, build.
#[must_use]
pub fn tool(record: &Record) -> String {
    folder::tool(&record.tool)
}

/// How the run ended.
#[must_use]
pub fn end(record: &Record) -> String {
    folder::end(&record.ended)
}

/// What the sample concludes, or else what its table says in words: a line each.
#[must_use]
pub fn verdict(record: &Record) -> Vec<String> {
    below::short(record)
}

/// What is wrong with the figures, a line each.
#[must_use]
pub fn cautions(record: &Record) -> Vec<String> {
    below::cautions(record, "").iter().map(|line| breakable(line)).collect()
}

/// What each row reaches of the device's own limits, `92 % copy`; nothing where the run has none for it.
#[must_use]
pub fn shares(record: &Record) -> Vec<Option<String>> {
    let shares = share::shares(record).into_iter();
    shares.map(|share| share.map(|share| breakable(&share::cell(&share)))).collect()
}

/// Head of the column of what is got done in a second, and a cell a row.
#[must_use]
pub fn rates(record: &Record) -> (String, Vec<Option<String>>) {
    column(share::rates(record))
}

/// Head of the column of what a model predicts, and a cell a row.
#[must_use]
pub fn predictions(record: &Record) -> (String, Vec<Option<String>>) {
    column(share::predictions(record))
}

/// That results were checked and against what, and what the shares are of: beside a table that lists every row.
#[must_use]
pub fn meanings(record: &Record) -> Vec<String> {
    let lines = below::racy(record).into_iter().chain(share::legend(record, false));
    lines.map(|line| breakable(&line)).collect()
}

fn column((head, cells): (String, Vec<Option<String>>)) -> (String, Vec<Option<String>>) {
    let plain = |cell: Option<String>| cell.map(|text| breakable(&text).trim_end().to_owned());
    (head, cells.into_iter().map(plain).collect())
}

fn breakable(text: &str) -> String {
    text.replace(BLANK, " ")
}
