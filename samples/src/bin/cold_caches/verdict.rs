//! The conclusion of `cold_caches`. A difference is stated only if its interval excludes zero.

use common::{Figures, Summary};
use samples::words::decided;

use crate::kernels::ENTRIES;

/// Three sentences at the most: code, constants, and what is left behind the same chain.
pub fn conclude(figures: &Figures<'_>, passes: u32) -> Option<String> {
    let code = more(figures, "code", passes).map(|more| {
        let control = self::more(figures, "short_code", passes);
        let control = control.map_or_else(String::new, |more| format!(" (a short kernel: {more})"));
        format!("The first pass of a kernel takes {more} longer than the next one{control}.")
    });
    let constants = more(figures, "constants", passes).map(|more| {
        format!("Constants that no pass has read yet cost {more} per pass, with {ENTRIES} dependent fetches.")
    });
    let sentences: Vec<String> = [code, constants, once_more(figures)].into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join("\n"))
}

/// `11.8 µs`: how much longer a pass with cold caches takes, or that this was not measurable.
fn more(figures: &Figures<'_>, kind: &str, passes: u32) -> Option<String> {
    let difference = figures.difference_us(&format!("{kind}_cold"), &format!("{kind}_warm"))?;
    let is_told = difference.median_95.is_some_and(|interval| interval.low > 0.0);
    // The first pass is cold in both.
    let us = format!("{:.1} µs", difference.median / f64::from(passes - 1));
    Some(if is_told { us } else { "no measurable time".into() })
}

/// How many times as long a chain with cold caches takes if the same chain has just run.
fn once_more(figures: &Figures<'_>) -> Option<String> {
    let ratio = |kind: &str| figures.pipelined_ratio(&format!("{kind}_cold"), &format!("{kind}_warm"));
    let told = |ratio: &Summary| match decided(ratio) {
        true => format!("{:.2}x as long", ratio.median),
        false => "as long".to_owned(),
    };
    Some(format!(
        "Back to back, new code takes {} as the same code, new constants {} as the same ones.",
        told(&ratio("code")?),
        told(&ratio("constants")?)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_leads_to_its_verdict() {
        // Recorded when these variants were part of drain_fill.
        let mut record = samples::recorded("drain_fill").unwrap();
        assert_eq!(
            conclude(&Figures::new(&record.rows), 8).unwrap(),
            "The first pass of a kernel takes 11.8 µs longer than the next one (a short kernel: 0.5 µs).\n\
             Constants that no pass has read yet cost 9.1 µs per pass, with 64 dependent fetches.\n\
             Back to back, new code takes 0.99x as long as the same code, new constants 1.01x as long as the same ones."
        );
        // What noise hides is not told.
        for row in record.rows.iter_mut().filter(|row| row.variant.contains("code")) {
            for (sample, noise) in row.samples.iter_mut().zip([0.7, 1.3].into_iter().cycle()) {
                sample.one_us = if row.variant.ends_with("cold") { noise } else { 1.0 };
            }
        }
        let text = conclude(&Figures::new(&record.rows), 8).unwrap();
        assert!(text.starts_with("The first pass of a kernel takes no measurable time longer"), "{text}");
        assert_eq!(conclude(&Figures::new(&[]), 8), None);
    }
}
