//! Dimensions of the picture, and the labels of its axes.

use crate::format::trimmed;
use crate::scale;

/// Width of the picture, its margins, and the left edge and width of the plot.
pub(super) const WIDTH: f64 = 1400.0;
pub(super) const EDGE: f64 = 28.0;
pub(super) const LEFT: f64 = 100.0;
pub(super) const PLOT: f64 = 1272.0;
pub(super) const PLOT_HEIGHT: f64 = 150.0;
/// Font size of all text but headings and the numbers on bars, and the height of its lines.
pub(super) const TEXT: f64 = 14.0;
pub(super) const LINE: f64 = 20.0;

/// A whole number that is not negative, converted to an index.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the picture")]
pub(super) fn whole(value: f64) -> usize {
    value.max(0.0) as usize
}

#[expect(clippy::cast_precision_loss, reason = "a place in the picture")]
pub(super) fn real(value: usize) -> f64 {
    value as f64
}

/// At most `most + 1` round numbers from 0 to `range`, with their labels.
pub fn ticks(range: f64, most: usize) -> Vec<(f64, String)> {
    scale::ticks(0.0, range, most + 1).into_iter().map(|at| (at, scale::named(at))).collect()
}

/// `46.31 µs`, without trailing zeros.
pub(super) fn us(value: f64) -> String {
    format!("{} µs", trimmed(value))
}

/// `0.9 µs`, for places with little room.
pub(super) fn short_us(value: f64) -> String {
    let decimals = if value >= 9.95 {
        0
    } else if value >= 0.095 {
        1
    } else {
        3
    };
    format!("{value:.decimals$} µs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_times_have_few_digits() {
        assert_eq!([0.05, 0.93, 12.3].map(short_us), ["0.050 µs", "0.9 µs", "12 µs"]);
    }
}
