//! Whether the forms of a pair take different times.

use common::Figures;
use samples::words::{decided, of_ratio};

use crate::{FIX_AGAINST_SELECT, PAIRS};

/// Compares the times within each pair.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let pairs = PAIRS.into_iter().map(|(pair, _)| pair).chain([FIX_AGAINST_SELECT]);
    let sentences: Vec<String> = pairs.filter_map(|pair| compared(figures, pair)).collect();
    (!sentences.is_empty()).then(|| format!("In short: {}.", sentences.join("; ")))
}

/// How long one takes relative to the other, if the samples tell them apart.
fn compared(figures: &Figures<'_>, [one, other]: [&str; 2]) -> Option<String> {
    let ratio = figures.ratio(one, other)?;
    Some(match ratio.median_95 {
        None => format!("{one} and {other}: too few samples to tell"),
        Some(_) if decided(&ratio) => format!("{one} takes {} times as long as {other}", of_ratio(&ratio, 3)),
        Some(_) => format!("{one} and {other}: no difference that these samples tell"),
    })
}

samples::test_verdict!("codegen");

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict on the recorded rows, with `select_ternary` `factor` times as long as `select_if`.
    fn with_ternary(factor: f64) -> String {
        let mut rows = samples::recorded("codegen").unwrap().rows;
        let at = |name| rows.iter().position(|row| row.variant == name).unwrap();
        let [ternary, other] = [at("select_ternary"), at("select_if")];
        rows[ternary].samples = rows[other].samples.clone();
        rows[ternary].samples.iter_mut().for_each(|sample| sample.one_us *= factor);
        verdict(&Figures::new(&rows)).unwrap()
    }

    #[test]
    fn an_interval_that_holds_one_is_no_difference() {
        for (factor, expected) in [
            (1.0, "select_ternary and select_if: no difference that these samples tell"),
            (1.25, "select_ternary takes 1.250 (1.250 to 1.250) times as long as select_if"),
            (1.0002, "takes 1.0002 (1.0002 to 1.0002) times"),
        ] {
            assert!(with_ternary(factor).contains(expected), "{}", with_ternary(factor));
        }
    }
}
