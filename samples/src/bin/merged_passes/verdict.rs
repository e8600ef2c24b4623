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
        |ratio| format!("all {levels} levels at once take {ratio} as long as a dispatch each"),
    )
}

/// The times behind the headline, and what the steps between save.
pub fn verdict(figures: &Figures<'_>, pyramid: Pyramid) -> Option<String> {
    let lines = [times(figures, pyramid), steps(figures)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn times(figures: &Figures<'_>, pyramid: Pyramid) -> Option<String> {
    Some(format!(
        "{} levels of {}x{} take {:.1} µs with a dispatch per level and {:.1} in one dispatch.",
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
        "Two levels per dispatch take {} times as long as a dispatch per level.\n\
         All levels in one dispatch take {} times as long as six levels per dispatch.",
        takes("pairs", "passes")?,
        takes("one", "sixes")?
    ))
}

#[cfg(test)]
mod tests {
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;

    #[test]
    fn a_record_leads_to_its_verdict() {
        let record = samples::recorded("2026-11-29-nvidia-h200/merged_passes").unwrap();
        let pyramid = Pyramid { side: 4096 };
        let found = headline(&Figures::new(&record.rows), pyramid);
        assert_eq!(found.finding, "all 12 levels at once take 0.54x as long as a dispatch each");
        assert!(found.finding.chars().count() <= LONGEST);
        assert_eq!(found.outcome, Outcome::Holds);
        let text = verdict(&Figures::new(&record.rows), pyramid).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "12 levels of 4096x4096 take 60.4 µs with a dispatch per level and 32.8 in one dispatch."
        );
        assert!(
            lines[1].starts_with("Two levels per dispatch take 0.66 (0.66 to 0.66) times"),
            "{}",
            lines[1]
        );
        assert_eq!((lines.len(), verdict(&Figures::new(&[]), pyramid)), (3, None));
    }
}
