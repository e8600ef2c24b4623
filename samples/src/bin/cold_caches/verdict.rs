//! The conclusion of `cold_caches`. A difference is stated only if its interval excludes zero.

use common::{Figures, Summary};
use samples::words::{decided, of_ratio};

use crate::kernels::ENTRIES;

/// Three sentences at the most: code, constants, and what is left behind the same chain.
pub fn conclude(figures: &Figures<'_>, passes: u32) -> Option<String> {
    let code = longer(figures, "code", passes).map(|longer| {
        let short = self::longer(figures, "short_code", passes);
        let short = short.map_or_else(String::new, |longer| format!(" (a short kernel: {longer})"));
        format!("The first pass of a kernel in a submit takes {longer} than the next one{short}.")
    });
    let constants = longer(figures, "constants", passes).map(|longer| {
        format!(
            "A pass with constants that no pass of the submit has read takes {longer} than with the same constants \
             again, in {ENTRIES} dependent fetches."
        )
    });
    let sentences: Vec<String> = [code, constants, back_to_back(figures)].into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join("\n"))
}

/// `11.8 µs longer`: how much longer a pass with cold caches takes, or that this was not measurable.
fn longer(figures: &Figures<'_>, kind: &str, passes: u32) -> Option<String> {
    let difference = figures.difference_us(&format!("{kind}_cold"), &format!("{kind}_warm"))?;
    let is_told = difference.median_95.is_some_and(|interval| interval.low > 0.0);
    // The first pass is cold in both.
    let us = format!("{:.1} µs longer", difference.median / f64::from(passes - 1));
    Some(if is_told { us } else { "not measurably longer".into() })
}

/// How many times as long a chain with cold caches takes if the same chain has just run.
fn back_to_back(figures: &Figures<'_>) -> Option<String> {
    let ratio = |kind: &str| figures.pipelined_ratio(&format!("{kind}_cold"), &format!("{kind}_warm"));
    let told = |ratio: &Summary| match decided(ratio) {
        true => format!("{} times as long as", of_ratio(ratio, 2)),
        false => "not measurably longer than".to_owned(),
    };
    Some(format!(
        "Back to back, new code takes {} the same code, new constants {} the same ones.",
        told(&ratio("code")?),
        told(&ratio("constants")?)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_leads_to_its_verdict() {
        let mut record = samples::recorded_on("2026-11-25", "cold_caches").unwrap();
        assert_eq!(
            conclude(&Figures::new(&record.rows), 8).unwrap(),
            "The first pass of a kernel in a submit takes 10.8 µs longer than the next one (a short kernel: 0.3 µs \
             longer).\n\
             A pass with constants that no pass of the submit has read takes 8.9 µs longer than with the same \
             constants again, in 64 dependent fetches.\n\
             Back to back, new code takes 0.99 (0.99 to 0.99) times as long as the same code, new constants not \
             measurably longer than the same ones."
        );
        // What noise hides is not told.
        for row in record.rows.iter_mut().filter(|row| row.variant.contains("code")) {
            for (sample, noise) in row.samples.iter_mut().zip([0.7, 1.3].into_iter().cycle()) {
                sample.one_us = if row.variant.ends_with("cold") { noise } else { 1.0 };
            }
        }
        let text = conclude(&Figures::new(&record.rows), 8).unwrap();
        assert!(
            text.starts_with("The first pass of a kernel in a submit takes not measurably longer"),
            "{text}"
        );
        assert_eq!(conclude(&Figures::new(&[]), 8), None);
    }
}
