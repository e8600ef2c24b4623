//! What keeping a subgroup for several tiles gains.

use common::report::format;
use common::{Extent, Figures, Headline, Holds, Summary, Time};
use samples::words::of_the_talk;

use crate::talk;

/// Eight tiles per wave and one, as in the talk.
const TALK: [&str; 2] = ["unroll_8", "linear_8x8"];
/// The same with eight waves per workgroup, so that launches matter less.
const EIGHT_WAVES: [&str; 2] = ["unroll_8_x8", "unroll_1_x8"];
/// As many workgroups as the talk's one tile where a subgroup has 32 lanes, but fewer loads.
const AS_MANY_WORKGROUPS: &str = "unroll_2";

/// The talk's pair, back to back; where launches make the difference, the pair that has fewer of them.
pub fn headline(figures: &Figures<'_>, lanes: u32) -> Headline {
    let pair = if is_launch_bound(figures, lanes) { EIGHT_WAVES } else { TALK };
    Headline::of("eight tiles per wave beat one")
        .test_ratio(figures, Time::Pipelined, pair, &Holds::FASTER, |times| {
            format!("eight tiles per wave: {times} as long as one, back to back")
        })
        .published(of_the_talk("blur/unroll_8", "blur/linear_8x8"))
}

/// The times behind the headline of an image of this size, what launches have to do with the talk's pair, and the fastest
/// horizontal blur. `is_the_talks` blur has the talk's wave limits beside it.
pub fn verdict(
    figures: &Figures<'_>,
    size: Extent,
    radius: u32,
    lanes: u32,
    is_the_talks: bool,
) -> Option<String> {
    let mut lines = Vec::new();
    let times = |ratio: Option<Summary>| Some(format!("{}x", format::ratio(&ratio?)));
    let of = |time, [eight, one]: [&str; 2]| times(figures.ratio_of(time, eight, one));
    let is_launch_bound = is_launch_bound(figures, lanes);
    let [pair, other] = if is_launch_bound { [EIGHT_WAVES, TALK] } else { [TALK, EIGHT_WAVES] };
    let [eight, one] = pair.map(|variant| figures.us(Time::Pipelined, variant));
    let workgroups = if is_launch_bound { ", workgroups of eight waves" } else { "" };
    if let Some((eight, one)) = eight.zip(one) {
        lines.push(format!(
            "{eight:.1} against {one:.1} µs, back to back: {size}, radius {radius}, {lanes} lanes per \
             tile{workgroups}."
        ));
    }
    if let Some((back_to_back, alone)) = of(Time::Pipelined, other).zip(of(Time::Isolated, pair)) {
        lines.push(if is_launch_bound {
            format!(
                "Alone it is {alone}. In workgroups of one wave, as in the talk, it is {back_to_back}, because their \
                 launch limits them: two tiles per wave have fewer loads than one and take as long."
            )
        } else {
            format!("Alone it is {alone}; with eight waves per workgroup {back_to_back} back to back.")
        });
    }
    let fastest = |time| {
        let (variant, _) = figures.fastest(time, |name| !name.ends_with("_vertical"))?;
        let times = of(time, [variant, TALK[1]])?;
        Some(format!("{} ({times} of {})", figures.row(variant)?.label(), figures.row(TALK[1])?.label()))
    };
    let further = fastest(Time::Pipelined).map_or_else(String::new, |told| format!("; back to back {told}"));
    let alone = fastest(Time::Isolated)?;
    lines.push(format!("The fastest horizontal blur is, alone, {alone}{further}."));
    let text = lines.join("\n");
    Some(if is_the_talks { text + &talk::alone(figures) } else { text })
}

/// Whether fewer loads do not help one tile per workgroup, while another form is faster. Workgroups of 64 lanes hold twice
/// as many tiles, so that equal times say nothing of their launch.
fn is_launch_bound(figures: &Figures<'_>, lanes: u32) -> bool {
    let us = |name| figures.us(Time::Isolated, name);
    let [eight, one] = TALK.map(us);
    let times = us(AS_MANY_WORKGROUPS).zip(eight).zip(one);
    lanes == 32
        && times
            .is_some_and(|((as_many, eight), one)| (as_many / one - 1.0).abs() < 0.01 && eight < 0.9 * one)
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
        let mut rows = samples::recorded("2026-11-29-nvidia-h200/semi_persistent_waves").unwrap().rows;
        let of = |rows: &[Row], lanes| headline(&Figures::new(rows), lanes);
        let Headline { finding, outcome, published, .. } = of(&rows, 32);
        assert_eq!(finding, "eight tiles per wave: 0.92x as long as one, back to back");
        assert!(finding.chars().count() <= LONGEST);
        assert_eq!((outcome, published.as_deref()), (Outcome::Holds, Some("talk: 0.82x")));
        assert_eq!(
            verdict_of(&rows, 32).unwrap(),
            "46.3 against 50.1 µs, back to back: 3840x2160, radius 4, 32 lanes per tile, workgroups of eight waves.\n\
             Alone it is 0.98x. In workgroups of one wave, as in the talk, it is 0.58x, because their launch limits \
             them: two tiles per wave have fewer loads than one and take as long.\n\
             The fastest horizontal blur is, alone, 8 tiles per wave, shuffled, 4 waves (0.33x of one 8x8 tile); back to \
             back 8 tiles per wave, shuffled, 4 waves (0.27x of one 8x8 tile)."
        );
        // With 64 lanes unroll_2 has half as many workgroups, so that the same time is no launch's.
        assert_eq!(of(&rows, 64).finding, "eight tiles per wave: 0.58x as long as one, back to back");
        assert!(!verdict_of(&rows, 64).unwrap().contains("launch"));
        rows.retain(|row| ![AS_MANY_WORKGROUPS, TALK[0], EIGHT_WAVES[1]].contains(&&*row.variant));
        assert!(of(&rows, 32).finding.starts_with("not measured"));
        let told = verdict_of(&rows, 32).unwrap();
        assert!(told.starts_with("The fastest") && !told.contains("launch"), "{told}");
        assert_eq!(verdict_of(&[], 64), None);
    }
}
