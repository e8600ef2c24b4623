//! What cold caches add to a pass. A difference is stated only if its interval excludes zero.

use common::{Figures, Headline, Holds, Summary, Time, Value};
use samples::words::{decided, of_ratio};

use crate::kernels::ENTRIES;

/// What new code adds to a pass.
pub fn headline(figures: &Figures<'_>, passes: u32) -> Headline {
    let added = added(figures, "code").map(|us| Value::of(&us, 1.0 / cold(passes), "µs"));
    Headline::of("new code makes a pass slower")
        .test(added, &Holds::Above(0.0), |us| format!("new code adds {us} to a pass"))
        .compares(["code_cold", "code_warm"], Time::Isolated)
}

/// The times behind the headline, short code, constants, and what is left behind the same chain.
pub fn verdict(figures: &Figures<'_>, passes: u32) -> Option<String> {
    let short = longer(figures, "short_code", passes)
        .map(|longer| format!("A pass of new but short code takes {longer} than with the same code again."));
    let constants = longer(figures, "constants", passes).map(|longer| {
        format!(
            "A pass with constants that no pass of the submit has read takes {longer} than with the same constants \
             again, in {ENTRIES} dependent fetches."
        )
    });
    let lines = [times(figures, passes), short, constants, back_to_back(figures)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn times(figures: &Figures<'_>, passes: u32) -> Option<String> {
    let us = |variant| figures.us(Time::Isolated, variant);
    Some(format!(
        "{:.1} against {:.1} µs: {passes} passes, with another kernel for each or the same for all.",
        us("code_cold")?,
        us("code_warm")?
    ))
}

/// What a chain with cold caches takes longer, in µs.
fn added(figures: &Figures<'_>, kind: &str) -> Option<Summary> {
    figures.difference_us(&format!("{kind}_cold"), &format!("{kind}_warm"))
}

/// Passes that only one of the chains has cold: the first one is cold in both.
fn cold(passes: u32) -> f64 {
    f64::from(passes - 1)
}

/// `11.8 µs longer`: how much longer a pass with cold caches takes, or that this was not measurable.
fn longer(figures: &Figures<'_>, kind: &str, passes: u32) -> Option<String> {
    let added = added(figures, kind)?;
    let is_told = added.median_95.is_some_and(|interval| interval.low > 0.0);
    let us = format!("{:.1} µs longer", added.median / cold(passes));
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
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;

    #[test]
    fn a_record_leads_to_its_verdict() {
        let mut record = samples::recorded("2026-11-26-nvidia-h200/cold_caches").unwrap();
        let headline_now = headline(&Figures::new(&record.rows), 8);
        assert_eq!(headline_now.finding, "new code adds 11.7 µs to a pass");
        assert!(headline_now.finding.chars().count() <= LONGEST);
        assert_eq!((headline_now.outcome, headline_now.published), (Outcome::Holds, None));
        assert_eq!(
            verdict(&Figures::new(&record.rows), 8).unwrap(),
            "231.2 against 151.2 µs: 8 passes, with another kernel for each or the same for all.\n\
             A pass of new but short code takes 0.3 µs longer than with the same code again.\n\
             A pass with constants that no pass of the submit has read takes 9.3 µs longer than with the same \
             constants again, in 64 dependent fetches.\n\
             Back to back, new code takes 0.99 (0.99 to 0.99) times as long as the same code, new constants 1.009 \
             (1.004 to 1.016) times as long as the same ones."
        );
        let another = samples::recorded("2026-11-26-nvidia-h200/cold_caches-default").unwrap().rows;
        let text = verdict(&Figures::new(&another), 8).unwrap();
        assert!(text.ends_with("new constants not measurably longer than the same ones."), "{text}");
        // What noise hides is not told.
        for row in record.rows.iter_mut().filter(|row| row.variant.contains("code")) {
            for (sample, noise) in row.samples.iter_mut().zip([0.7, 1.3].into_iter().cycle()) {
                sample.one_us = if row.variant.ends_with("cold") { noise } else { 1.0 };
            }
        }
        let text = verdict(&Figures::new(&record.rows), 8).unwrap();
        assert!(text.contains("short code takes not measurably longer than"), "{text}");
        assert_eq!(headline(&Figures::new(&record.rows), 8).outcome, Outcome::Undecided);
        assert_eq!(verdict(&Figures::new(&[]), 8), None);
    }
}
