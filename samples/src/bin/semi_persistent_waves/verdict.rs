//! What keeping a subgroup for several tiles gains.

use common::report::format;
use common::{Extent, Figures, Headline, Holds, Summary, Time};
use samples::words::of_the_talk;

use crate::talk;

/// One tile and eight, as in the talk.
const ONE: &str = "linear_8x8";
const EIGHT: &str = "unroll_8";
/// As many workgroups as [`ONE`] where a subgroup has 32 lanes, but fewer loads.
const AS_MANY_WORKGROUPS: &str = "unroll_2";

/// The talk's pair, back to back.
pub fn headline(figures: &Figures<'_>) -> Headline {
    Headline::of("eight tiles per wave beat one")
        .test_ratio(figures, Time::Pipelined, [EIGHT, ONE], &Holds::FASTER, |times| {
            format!("eight tiles per wave take {times} as long as one")
        })
        .published(of_the_talk("blur/unroll_8", "blur/linear_8x8"))
}

/// The times behind the headline of an image of this size, whether they are a launch's, the same comparison where the
/// launch matters less, and the fastest horizontal blur. `is_the_talks` blur has the talk's wave limits beside it.
pub fn verdict(
    figures: &Figures<'_>,
    size: Extent,
    radius: u32,
    lanes: u32,
    is_the_talks: bool,
) -> Option<String> {
    let mut lines = Vec::new();
    if let Some((eight, one)) = figures.us(Time::Pipelined, EIGHT).zip(figures.us(Time::Pipelined, ONE)) {
        lines.push(format!(
            "{eight:.1} against {one:.1} µs, back to back: {size}, radius {radius}, {lanes} lanes per tile."
        ));
    }
    if lanes == 32 && is_launch_bound(figures).unwrap_or(false) {
        lines.push(
            "The launch of workgroups limits one tile per workgroup: two tiles per wave have fewer loads and take as \
             long. So this is not the talk's gain."
                .into(),
        );
    }
    let times = |ratio: Option<Summary>| Some(format!("{}x", format::ratio(&ratio?)));
    let back_to_back =
        |told: Option<String>| told.map_or_else(String::new, |told| format!("; back to back {told}"));
    let [eight, one] = ["unroll_8_x8", "unroll_1_x8"];
    if let Some(alone) = times(figures.ratio(eight, one)) {
        let further = back_to_back(times(figures.pipelined_ratio(eight, one)));
        lines.push(format!(
            "With eight waves per workgroup, eight tiles per wave take {alone} as long as one, alone{further}."
        ));
    }
    let fastest = |time| {
        let (variant, _) = figures.fastest(time, |name| !name.ends_with("_vertical"))?;
        let ratio = match time {
            Time::Isolated => figures.ratio(variant, ONE),
            Time::Pipelined => figures.pipelined_ratio(variant, ONE),
        };
        let times = times(ratio)?;
        Some(format!("{} ({times} of {})", figures.row(variant)?.label(), figures.row(ONE)?.label()))
    };
    let further = back_to_back(fastest(Time::Pipelined));
    let alone = fastest(Time::Isolated)?;
    lines.push(format!("The fastest horizontal blur is, alone, {alone}{further}."));
    let text = lines.join("\n");
    Some(if is_the_talks { text + &talk::alone(figures) } else { text })
}

/// Whether fewer loads do not help one tile per workgroup, while another form is faster.
fn is_launch_bound(figures: &Figures<'_>) -> Option<bool> {
    let us = |name| figures.us(Time::Isolated, name);
    let one = us(ONE)?;
    Some((us(AS_MANY_WORKGROUPS)? / one - 1.0).abs() < 0.01 && us(EIGHT)? < 0.9 * one)
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Row};

    use super::*;

    fn verdict_of(rows: &[Row], lanes: u32) -> Option<String> {
        verdict(&Figures::new(rows), Extent { width: 3840, height: 2160 }, 4, lanes, false)
    }

    #[test]
    fn a_launch_is_not_taken_for_the_talks_gain() {
        let mut rows = samples::recorded_on("2026-11-25", "semi_persistent_waves").unwrap().rows;
        let Headline { finding, outcome, published, .. } = headline(&Figures::new(&rows));
        assert_eq!(finding, "eight tiles per wave take 0.59x as long as one");
        assert!(finding.chars().count() <= LONGEST);
        assert_eq!((outcome, published.as_deref()), (Outcome::Holds, Some("talk: 0.82x")));
        assert_eq!(
            verdict_of(&rows, 32).unwrap(),
            "47.2 against 80.4 µs, back to back: 3840x2160, radius 4, 32 lanes per tile.\nThe launch of workgroups \
             limits one tile per workgroup: two tiles per wave have fewer loads and take as long. So this is not the \
             talk's gain.\nWith eight waves per workgroup, eight tiles per wave take 0.97x as long as one, alone; back \
             to back 0.93x.\nThe fastest horizontal blur is, alone, unroll_2_x8 (0.65x of linear_8x8); back to back \
             unroll_4_x8 (0.58x of linear_8x8)."
        );
        // With 64 lanes unroll_2 has half as many workgroups, so that the same time is no launch's.
        assert!(!verdict_of(&rows, 64).unwrap().contains("The launch"));
        rows.retain(|row| ![AS_MANY_WORKGROUPS, EIGHT, "unroll_1_x8"].contains(&&*row.variant));
        assert!(headline(&Figures::new(&rows)).finding.starts_with("not measured"));
        let told = verdict_of(&rows, 32).unwrap();
        assert!(told.starts_with("The fastest") && !told.contains("The launch"), "{told}");
        assert_eq!(verdict_of(&[], 64), None);
    }
}
