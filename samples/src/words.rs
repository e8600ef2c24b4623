//! Helpers for verdicts: which rows may be compared, and how figures are worded.

use common::record::{Row, published};
use common::report::format::decimals;
use common::{Figures, Summary, Time};

/// Whether the row may be compared with others: no sample had wrong elements.
pub fn was_right(row: &Row) -> bool {
    row.racy.is_none_or(|racy| racy.racy_samples == 0)
}

/// The variant with the shortest time alone among the wanted ones that were correct in every sample.
pub fn fastest_right<'r>(figures: &Figures<'r>, wanted: impl Fn(&str) -> bool) -> Option<(&'r str, f64)> {
    let right = |name: &str| figures.row(name).is_some_and(was_right);
    figures.fastest(Time::Isolated, |name| wanted(name) && right(name))
}

/// The figure `key` of a source in `results/published/`.
#[must_use]
pub fn published(source: &str, key: &str) -> Option<f64> {
    Some(published::find(source, key).ok()?.value)
}

/// `talk: 0.79x`: a figure of the talk divided by another.
#[must_use]
pub fn of_the_talk(key: &str, other: &str) -> Option<String> {
    let times = published("lottes2018", key)? / published("lottes2018", other)?;
    Some(format!("talk: {times:.2}x"))
}

/// Formats a summary with its interval, each divided by `divided_by`: `1.52 (1.48 to 1.55)`.
pub fn with_interval(summary: &Summary, divided_by: f64, digits: usize) -> String {
    let interval = summary.median_95.map_or_else(String::new, |interval| {
        let (low, high) = (interval.low / divided_by, interval.high / divided_by);
        format!(" ({low:.digits$} to {high:.digits$})")
    });
    format!("{:.digits$}{interval}", summary.median / divided_by)
}

/// Whether the ratio's interval excludes 1.
pub fn decided(ratio: &Summary) -> bool {
    ratio.median_95.is_some_and(|interval| interval.low > 1.0 || interval.high < 1.0)
}

/// Formats a ratio with its interval, with enough digits to show on which side of 1 it lies; at least `least`.
pub fn of_ratio(ratio: &Summary, least: usize) -> String {
    with_interval(ratio, 1.0, ratio.median_95.map_or(least, |interval| decimals(interval, least)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decided_is_not_shown_as_one() {
        let ratio = |samples: [f64; 6]| Summary::of(&samples).unwrap();
        let near = ratio([1.002, 1.0025, 1.003, 1.003, 1.0035, 1.004]);
        assert!(decided(&near));
        assert_eq!(of_ratio(&near, 2), "1.003 (1.002 to 1.004)");
        assert_eq!(of_ratio(&ratio([1.5; 6]), 2), "1.50 (1.50 to 1.50)");
        assert!(!decided(&ratio([0.9, 1.0, 1.0, 1.0, 1.0, 1.1])));
    }
}
