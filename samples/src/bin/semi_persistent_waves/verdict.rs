//! What keeping a subgroup for several tiles gains, beside the talk's figures.

use common::{Figures, Time};

use crate::talk;

const BASELINE: &str = "linear_8x8";
/// As many workgroups as the baseline where a subgroup has 32 lanes, but fewer loads.
const AS_MANY_WORKGROUPS: &str = "unroll_2";

/// One tile per subgroup against eight, then the fastest horizontal blur, with so many lanes per tile. `is_the_talks` blur
/// has the talk's figures beside it.
pub fn verdict(figures: &Figures<'_>, lanes: u32, is_the_talks: bool) -> Option<String> {
    let times = |time, of: &str, over: &str| Some(figures.us(time, over)? / figures.us(time, of)?);
    let fastest = |time| {
        let (variant, _) = figures.fastest(time, |name| !name.ends_with("_vertical"))?;
        Some(format!("{variant}, {:.2} times as fast as {BASELINE}", times(time, variant, BASELINE)?))
    };
    let alike = |time| times(time, "unroll_8_x8", "unroll_1_x8");
    let back_to_back =
        |told: Option<String>| told.map_or_else(String::new, |told| format!("; back to back, {told}"));

    let mut text = String::new();
    if let Some(gain) = alike(Time::Isolated) {
        let back_to_back = back_to_back(alike(Time::Pipelined).map(|gain| format!("{gain:.2}")));
        text += &format!(
            "Eight tiles per subgroup are, alone, {gain:.2} times as fast as one (unroll_8_x8 against \
             unroll_1_x8){back_to_back}.\n"
        );
    }
    let (one, other) = (fastest(Time::Isolated)?, back_to_back(fastest(Time::Pipelined)));
    text += &format!("The fastest horizontal blur is, alone, {one}{other}.");
    if lanes == 32 && is_launch_bound(figures).unwrap_or(false) {
        text += &format!(
            "\nThe launch of workgroups limits {BASELINE}: {AS_MANY_WORKGROUPS} has fewer loads and takes as long. So \
             this is not the talk's gain."
        );
    }
    text += &format!(
        "\nThe talk had 1.22, back to back, for unroll_8 against {BASELINE} at radius 4, with waves of 64 lanes on an RX \
         580."
    );
    Some(if is_the_talks { text + &talk::alone(figures) } else { text })
}

/// Whether fewer loads do not help the baseline, while another form is faster.
fn is_launch_bound(figures: &Figures<'_>) -> Option<bool> {
    let us = |name| figures.us(Time::Isolated, name);
    let baseline = us(BASELINE)?;
    Some((us(AS_MANY_WORKGROUPS)? / baseline - 1.0).abs() < 0.01 && us("unroll_8")? < 0.9 * baseline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_is_not_taken_for_the_talks_gain() {
        let record = samples::recorded_on("2026-11-25", "semi_persistent_waves").unwrap();
        let mut rows = record.rows;
        let told = verdict(&Figures::new(&rows), 32, false).unwrap();
        for part in [
            "alone, 1.03 times as fast as one (unroll_8_x8 against unroll_1_x8); back to back, 1.08.",
            "alone, unroll_2_x8, 1.54 times as fast as linear_8x8; back to back, unroll_4_x8, 1.73 times",
            "The launch of workgroups limits linear_8x8: unroll_2 has fewer loads and takes as long.",
        ] {
            assert!(told.contains(part), "{told}");
        }
        // With 64 lanes unroll_2 has half as many workgroups, so that the same time is no launch's.
        assert!(!verdict(&Figures::new(&rows), 64, false).unwrap().contains("The launch"));
        rows.retain(|row| !["unroll_2", "unroll_1_x8"].contains(&&*row.variant));
        let told = verdict(&Figures::new(&rows), 32, false).unwrap();
        assert!(told.starts_with("The fastest") && !told.contains("The launch"), "{told}");
        assert_eq!(verdict(&Figures::new(&[]), 64, true), None);
    }
}
