//! Whether the forms of a choice take different times.

use common::{Figures, Headline, Holds, Time};
use samples::words::{decided, of_ratio};

use crate::{FIX_AGAINST_SELECT, PAIRS};

/// The source's fix beside the product that it replaces.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let [(fix, _), _] = PAIRS;
    Headline::of("how a choice is written matters").test_ratio(
        figures,
        Time::Isolated,
        fix,
        &Holds::Outside(0.99..=1.01),
        |times| format!("select-and takes {times} as long as multiply"),
    )
}

/// The times behind the headline, and the other pairs.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let [(fix, _), (choices, _)] = PAIRS;
    let [one, other] = fix.map(|variant| figures.us(Time::Isolated, variant));
    let times = one.zip(other).map(|(one, other)| {
        format!(
            "{one:.1} against {other:.1} µs: a step of MT19937, where a difference below 1 % does not count."
        )
    });
    let pairs = [(choices, ["ternary", "if"]), (FIX_AGAINST_SELECT, ["select-and", "select"])];
    let compared = pairs.into_iter().filter_map(|(pair, words)| compared(figures, pair, words));
    let lines: Vec<String> = times.into_iter().chain(compared).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// How long one takes relative to the other, if the samples tell them apart.
fn compared(
    figures: &Figures<'_>,
    [one, other]: [&str; 2],
    [words, other_words]: [&str; 2],
) -> Option<String> {
    let ratio = figures.ratio(one, other)?;
    Some(match ratio.median_95 {
        None => format!("Too few samples to tell {words} from {other_words}."),
        Some(_) if decided(&ratio) => {
            format!("The {words} takes {} times as long as the {other_words}.", of_ratio(&ratio, 3))
        }
        Some(_) => format!("These samples tell no difference between {words} and {other_words}."),
    })
}

#[cfg(test)]
mod tests {
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;

    #[test]
    fn a_record_leads_to_its_verdict() {
        let rows = samples::recorded("2026-11-30-nvidia-h200-suite/codegen").unwrap().rows;
        let headline = headline(&Figures::new(&rows));
        assert_eq!(headline.finding, "select-and takes 1.010x as long as multiply");
        assert!(headline.finding.chars().count() <= LONGEST);
        assert_eq!((headline.outcome, headline.published), (Outcome::Undecided, None));
        assert_eq!(
            verdict(&Figures::new(&rows)).unwrap(),
            "90.5 against 89.7 µs: a step of MT19937, where a difference below 1 % does not count.\n\
             These samples tell no difference between ternary and if.\n\
             These samples tell no difference between select-and and select."
        );
        let of_h100 = samples::recorded("2026-11-26-nvidia-h100-suite/codegen").unwrap().rows;
        assert_eq!(super::headline(&Figures::new(&of_h100)).outcome, Outcome::DoesNotHold);
        assert_eq!(verdict(&Figures::new(&[])), None);
    }

    /// The verdict on the recorded rows, with `select_ternary` `factor` times as long as `select_if`.
    fn with_ternary(factor: f64) -> String {
        let mut rows = samples::recorded("2026-11-30-nvidia-h200-suite/codegen").unwrap().rows;
        let at = |name| rows.iter().position(|row| row.variant == name).unwrap();
        let [ternary, other] = [at("select_ternary"), at("select_if")];
        rows[ternary].samples = rows[other].samples.clone();
        rows[ternary].samples.iter_mut().for_each(|sample| sample.one_us *= factor);
        verdict(&Figures::new(&rows)).unwrap()
    }

    #[test]
    fn an_interval_that_holds_one_is_no_difference() {
        for (factor, expected) in [
            (1.0, "tell no difference between ternary and if."),
            (1.25, "The ternary takes 1.250 (1.250 to 1.250) times as long as the if."),
            (1.0002, "takes 1.0002 (1.0002 to 1.0002) times"),
        ] {
            assert!(with_ternary(factor).contains(expected), "{}", with_ternary(factor));
        }
    }
}
