//! What a bloom in one dispatch takes beside one with barriers.

use common::report::format;
use common::{Extent, Figures, Headline, Time};
use samples::waits::{self, fastest};

const MERGED: &str = "merged";

fn in_one_dispatch(name: &str) -> bool {
    name.starts_with("tile_flags")
}

/// One dispatch in place of barriers.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let one = fastest(figures, in_one_dispatch).map(|(name, _)| name);
    waits::headline(figures, "a bloom in one dispatch beats one with barriers", one, |times| {
        format!("a bloom in one dispatch takes {times} as long as with barriers")
    })
}

/// The time of merged passes, and the times behind the headline.
pub fn verdict(figures: &Figures<'_>, size: Extent, radius: u32) -> Option<String> {
    let one = fastest(figures, in_one_dispatch);
    let measured = format!("{size}, blurs of radius {radius}");
    let times = one.and_then(|(_, us)| waits::times(figures, us, "no_barrier", &measured));
    let lines: Vec<String> = merged(figures).into_iter().chain(times).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn merged(figures: &Figures<'_>) -> Option<String> {
    let (merged, us) = (figures.row(MERGED)?.label(), figures.us(Time::Isolated, MERGED)?);
    let (barriers, _) = fastest(figures, |name| name.starts_with("barriers"))?;
    let times = format::ratio(&figures.ratio(MERGED, barriers)?);
    Some(format!("'{merged}' takes {us:.1} µs, {times}x as long as '{}'.", figures.row(barriers)?.label()))
}

#[cfg(test)]
mod tests {
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;

    #[test]
    fn large_images_lose_in_one_dispatch() {
        for (run, size, times, outcome, says) in [
            (
                "2026-11-29-nvidia-h200/bloom",
                [1920, 1080],
                "0.86x",
                Outcome::Holds,
                "'3 merged passes, 2 barriers' takes 46.0 µs, 0.62x as long as 'barriers where needed'.\n\
                 63.6 against 74.4 µs: 1920x1080, blurs of radius 6. Without sync it takes 44.1 µs.",
            ),
            (
                "2026-11-29-nvidia-h200/bloom-3840x2160",
                [3840, 2160],
                "1.10x",
                Outcome::DoesNotHold,
                "'3 merged passes, 2 barriers' takes 123.1 µs, 0.63x as long as 'barriers where needed'.\n\
                 214.0 against 195.0 µs: 3840x2160, blurs of radius 6. Without sync it takes 165.2 µs.",
            ),
        ] {
            let mut rows = samples::recorded(run).unwrap().rows;
            let stated = headline(&Figures::new(&rows));
            let finding = format!("a bloom in one dispatch takes {times} as long as with barriers");
            assert_eq!((&*stated.finding, stated.outcome), (&*finding, outcome));
            assert!(finding.chars().count() <= LONGEST);
            let [width, height] = size;
            let verdict = |rows: &[_]| verdict(&Figures::new(rows), Extent { width, height }, 6);
            assert_eq!(verdict(&rows).as_deref(), Some(says));
            let merged = says.lines().next();
            rows.retain(|row| !row.variant.starts_with("tile_flags"));
            assert_eq!(verdict(&rows).as_deref(), merged);
            rows.retain(|row| !row.variant.starts_with("barriers"));
            assert!(headline(&Figures::new(&rows)).finding.starts_with("not measured"));
            assert_eq!(verdict(&rows), None);
        }
    }
}
