//! What verdicts have in common: which rows count, and how figures are put into words.

use common::record::{Promise, Row};
use common::{Figures, Summary};

/// The row may be compared with others: it was right in every sample.
pub fn was_right(row: &Row) -> bool {
    row.racy.is_none_or(|racy| racy.racy_samples == 0)
}

/// The variant promises to be right by the memory model.
pub fn is_lawful(figures: &Figures<'_>, name: &str) -> bool {
    figures.row(name).is_some_and(|row| row.promise == Promise::Law)
}

/// `1.52 (1.48 to 1.55)`: a summary with its interval, divided by what it is the sum of.
pub fn with_interval(summary: &Summary, divided_by: f64, digits: usize) -> String {
    let interval = summary.median_95.map_or_else(String::new, |interval| {
        let (low, high) = (interval.low / divided_by, interval.high / divided_by);
        format!(" ({low:.digits$} to {high:.digits$})")
    });
    format!("{:.digits$}{interval}", summary.median / divided_by)
}
