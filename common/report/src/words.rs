//! Figures, statuses and remarks of a record in the words of the table, for other pages of it.

use record::stats::Summary;
use record::{Racy, Record};

use super::figure::BLANK;
use super::layout::RacyForm;
use super::{below, cell, figure, folder, ratio, share, step};

pub use super::below::short as verdict;
pub use super::cell::{lawful, status, trimmed};
pub use super::conditions::cautions as conditions;
pub use super::figure::hundredths;
pub use super::folder::command;
pub use super::ratio::decimals;
pub use record::number::significant;

/// A median, with `~` before it where `near_floor`.
#[must_use]
pub fn time(summary: &Summary, near_floor: bool) -> String {
    format!("{}{}", if near_floor { "~" } else { "" }, significant(summary.median))
}

/// `±0.2 %`: half the width of the 95 % interval of the median of isolated times, or what the steps of the
/// timestamps leave open; nothing where there is no interval.
#[must_use]
pub fn isolated_error(record: &Record, summary: &Summary) -> Option<String> {
    error(summary, step::isolated(record))
}

/// The same of pipelined times.
#[must_use]
pub fn pipelined_error(record: &Record, summary: &Summary) -> Option<String> {
    error(summary, step::pipelined(record))
}

fn error(summary: &Summary, coarse: Option<step::Coarse>) -> Option<String> {
    Some(figure::share(step::error(summary, coarse)?).replace(BLANK, " "))
}

/// A median ratio, with `≈` before it where it cannot be told from 1.
#[must_use]
pub fn ratio(summary: &Summary) -> String {
    let mark = if figure::undecided(summary) { "≈" } else { "" };
    format!("{mark}{}", hundredths(summary.median))
}

/// `1.63 times (1.62 to 1.63): slower`, with `≈` before it where it cannot be told from 1.
#[must_use]
pub fn ratio_in_words(summary: &Summary) -> String {
    let mark = if figure::undecided(summary) { "≈" } else { "" };
    match summary.median_95 {
        Some(_) => format!("{mark}{}: {}", ratio::times(summary), ratio::word(summary)),
        None => format!("{mark}{} times (too few samples to tell)", hundredths(summary.median)),
    }
}

/// How many elements differed, and in how many of the samples any did.
#[must_use]
pub fn racy(racy: Racy) -> String {
    cell::racy(racy, RacyForm::Long)
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
