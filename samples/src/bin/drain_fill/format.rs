//! How intervals are put into words.

use common::report::words;
use common::{Figures, Summary};
use samples::words::with_interval;

/// `2.37 (2.33 to 2.41) times as fast, pipelined 4.70 (…)`.
pub fn both(figures: &Figures<'_>, slow: &str, fast: &str) -> Option<String> {
    let isolated = times(&figures.ratio(slow, fast)?);
    Some(match figures.pipelined_ratio(slow, fast) {
        Some(ratio) if decided(&ratio) => {
            format!("{isolated} (pipelined {})", of_ratio(&ratio))
        }
        _ => isolated,
    })
}

/// The interval leaves 1 out.
pub fn decided(ratio: &Summary) -> bool {
    ratio.median_95.is_some_and(|interval| interval.low > 1.0 || interval.high < 1.0)
}

/// The interval is above 0.
pub fn positive(difference: &Summary) -> bool {
    difference.median_95.is_some_and(|interval| interval.low > 0.0)
}

/// `1.52 µs (1.48 to 1.55)`, of each of so many, or that it is none.
pub fn told(difference: &Summary, of: u32) -> String {
    let Some(interval) = difference.median_95 else { return "not to be told from so few samples".into() };
    match interval.low <= 0.0 && interval.high >= 0.0 {
        true => "nothing that these samples tell".into(),
        false => {
            let each = |us: f64| us / f64::from(of.max(1));
            let (low, high) = (each(interval.low), each(interval.high));
            format!("{:.2} µs ({low:.2} to {high:.2})", each(difference.median))
        }
    }
}

/// `1.52 (1.48 to 1.55)`, of each of so many.
pub fn each(difference: &Summary, of: u32) -> String {
    with_interval(difference, f64::from(of.max(1)), 2)
}

/// `1.22 (1.20 to 1.24) times as fast`, or that they are as fast.
pub fn times(ratio: &Summary) -> String {
    match decided(ratio) {
        true => format!("{} times as fast", of_ratio(ratio)),
        false => "as fast, as far as these samples tell,".into(),
    }
}

/// With the digits that show on which side of 1 its interval lies.
fn of_ratio(ratio: &Summary) -> String {
    with_interval(ratio, 1.0, ratio.median_95.map_or(2, |interval| words::decimals(interval, 2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decided_is_not_shown_as_one() {
        let ratio = |samples: [f64; 6]| times(&Summary::of(&samples).unwrap());
        let near = ratio([1.002, 1.0025, 1.003, 1.003, 1.0035, 1.004]);
        assert_eq!(near, "1.003 (1.002 to 1.004) times as fast");
        assert_eq!(ratio([1.5; 6]), "1.50 (1.50 to 1.50) times as fast");
        assert_eq!(ratio([0.9, 1.0, 1.0, 1.0, 1.0, 1.1]), "as fast, as far as these samples tell,");
    }
}
