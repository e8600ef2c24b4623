//! What merged passes save.

use common::{Figures, Headline, Holds, Time};
use samples::words::of_ratio;

use crate::pyramid::Pyramid;

pub fn headline(figures: &Figures<'_>, pyramid: Pyramid) -> Headline {
    let levels = pyramid.levels();
    Headline::of("a mip chain in one dispatch beats passes").test_ratio(
        figures,
        Time::Isolated,
        ["one", "passes"],
        &Holds::FASTER,
        |ratio| format!("all {levels} levels at once take {ratio} as long as one by one"),
    )
}

/// The times behind the headline, how much each step saves, and how near they come to a copy.
pub fn verdict(figures: &Figures<'_>, pyramid: Pyramid) -> Option<String> {
    let lines = [times(figures, pyramid), steps(figures), copies(figures)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn times(figures: &Figures<'_>, pyramid: Pyramid) -> Option<String> {
    Some(format!(
        "{} levels of {}x{} take {:.1} µs level by level and {:.1} in one dispatch.",
        pyramid.levels(),
        pyramid.side,
        pyramid.side,
        figures.us(Time::Isolated, "passes")?,
        figures.us(Time::Isolated, "one")?
    ))
}

fn steps(figures: &Figures<'_>) -> Option<String> {
    let takes = |variant, other| Some(of_ratio(&figures.ratio(variant, other)?, 2));
    Some(format!(
        "Two levels per dispatch take {} times as long as one, six {} times as long as two, and all in one dispatch {} times as long as \
         six.",
        takes("pairs", "passes")?,
        takes("sixes", "pairs")?,
        takes("one", "sixes")?
    ))
}

/// Shares of the rate of a copy, by the bytes that have to be moved at least.
fn copies(figures: &Figures<'_>) -> Option<String> {
    let share = |variant| Some(format!("{:.0} %", 100.0 * figures.share_of_limit(variant)?.share.median));
    Some(format!(
        "Of the rate of a copy of the image they reach {} level by level, {} in pairs, {} in sixes and {} in one dispatch.",
        share("passes")?,
        share("pairs")?,
        share("sixes")?,
        share("one")?
    ))
}

#[cfg(test)]
mod tests {
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;

    #[test]
    fn a_record_leads_to_its_verdict() {
        let record = samples::recorded("2026-11-28-nvidia-h200/merged_passes").unwrap();
        let pyramid = Pyramid { side: 4096 };
        let found = headline(&Figures::new(&record.rows), pyramid);
        assert_eq!(found.finding, "all 12 levels at once take 0.57x as long as one by one");
        assert!(found.finding.chars().count() <= LONGEST);
        assert_eq!(found.outcome, Outcome::Holds);
        let text = verdict(&Figures::new(&record.rows), pyramid).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "12 levels of 4096x4096 take 60.6 µs level by level and 34.5 in one dispatch.");
        assert!(
            lines[1].starts_with("Two levels per dispatch take 0.66 (0.66 to 0.66) times"),
            "{}",
            lines[1]
        );
        assert!(
            lines[2].ends_with("44 % level by level, 67 % in pairs, 86 % in sixes and 78 % in one dispatch.")
        );
        assert_eq!((lines.len(), verdict(&Figures::new(&[]), pyramid)), (3, None));
    }
}
