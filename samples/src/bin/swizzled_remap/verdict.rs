//! What large workgroups gain, and what locality costs.

use common::report::format;
use common::{Extent, Figures, Headline, Holds, Time};
use samples::words::of_the_talk;

use crate::{FLOORS, ONE_TEXEL};

/// The talk's slowest and its fastest workgroup.
pub const SMALL: &str = "remap_8x8";
const LARGE: &str = "remap_32x16";

/// The talk's fastest workgroup beside its slowest.
pub fn headline(figures: &Figures<'_>) -> Headline {
    Headline::of("larger workgroups speed up ambient occlusion")
        .test_ratio(figures, Time::Isolated, [LARGE, SMALL], &Holds::FASTER, |times| {
            format!("workgroups of 32x16 take {times} as long as 8x8")
        })
        .published(of_the_talk("ssao/remap_32x16", "ssao/remap_8x8"))
}

/// The times behind the headline, the fastest form alone and back to back, and what locality costs.
pub fn verdict(figures: &Figures<'_>, size: Extent, taps: u32) -> Option<String> {
    let us = |variant| figures.us(Time::Isolated, variant);
    let mut lines = Vec::new();
    if let Some((large, small)) = us(LARGE).zip(us(SMALL)) {
        lines.push(format!("{large:.1} against {small:.1} µs: {size}, {taps} taps per pixel."));
    }
    let fastest = |time| {
        let (variant, _) = figures.fastest(time, |name| !name.ends_with(ONE_TEXEL))?;
        let times = format::ratio(&figures.ratio_of(time, variant, SMALL)?);
        Some(format!("{} ({times}x of {})", figures.row(variant)?.label(), figures.row(SMALL)?.label()))
    };
    if let Some(alone) = fastest(Time::Isolated) {
        let back_to_back =
            fastest(Time::Pipelined).map_or_else(String::new, |told| format!("; back to back {told}"));
        lines.push(format!("The fastest is, alone, {alone}{back_to_back}."));
    }
    lines.extend(FLOORS.iter().filter_map(|form| {
        let name = form.name();
        let times = format::ratio(&figures.ratio(&name, &(name.clone() + ONE_TEXEL))?);
        let label = figures.row(&name)?.label();
        Some(format!("{label} takes {times}x as long as with all taps of a pixel on that pixel."))
    }));
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;

    #[test]
    fn large_workgroups_take_less_time_on_an_h200() {
        let mut rows = samples::recorded("2026-11-30-nvidia-h200-suite/swizzled_remap").unwrap().rows;
        let verdict = |rows: &[_]| verdict(&Figures::new(rows), Extent { width: 3440, height: 1440 }, 8);
        let Headline { finding, outcome, published, .. } = headline(&Figures::new(&rows));
        assert_eq!(finding, "workgroups of 32x16 take 0.54x as long as 8x8");
        assert!(finding.chars().count() <= LONGEST);
        assert_eq!((outcome, published.as_deref()), (Outcome::Holds, Some("talk: 0.56x")));
        assert_eq!(
            verdict(&rows).unwrap(),
            "94.0 against 173.1 µs: 3440x1440, 8 taps per pixel.\n\
             The fastest is, alone, 16x32, 2x2 quads (0.54x of 8x8, 2x2 quads); back to back 32x16, 2x2 quads (0.53x \
             of 8x8, 2x2 quads).\n\
             8x8, 2x2 quads takes 2.90x as long as with all taps of a pixel on that pixel.\n\
             32x16, 2x2 quads takes 1.54x as long as with all taps of a pixel on that pixel."
        );
        // What locality costs is told where it was measured.
        rows.retain(|row| ![SMALL, "remap_32x16_one_texel"].contains(&&*row.variant));
        assert!(headline(&Figures::new(&rows)).finding.starts_with("not measured"));
        assert_eq!(verdict(&rows), None);
    }
}
