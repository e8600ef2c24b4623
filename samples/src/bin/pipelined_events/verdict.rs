//! What events take beside a barrier, and both beside no sync.

use common::report::format;
use common::{Extent, Figures, Headline, Holds, Time};
use samples::words::{fastest_right, of_the_talk};

const BARRIER: &str = "full_barrier";

/// Events in place of barriers: the faster kind that was right in every sample.
pub fn headline(figures: &Figures<'_>, bands: u32) -> Headline {
    let pair = fastest_events(figures, bands).map(|(events, _)| [events, BARRIER]);
    Headline::of("events in place of barriers save time")
        .test_ratio(figures, Time::Isolated, pair, &Holds::FASTER, |times| {
            format!("events take {times} as long as a barrier after each pass")
        })
        .published(of_the_talk("ladder/split_by_events", "ladder/barrier"))
}

fn fastest_events<'r>(figures: &Figures<'r>, bands: u32) -> Option<(&'r str, f64)> {
    let kinds = [format!("events_{bands}"), format!("events_coherent_{bands}")];
    fastest_right(figures, |name| kinds.iter().any(|kind| kind == name))
}

/// The times behind the headline, what both take beside no sync, and the split without events beside the barrier.
pub fn verdict(figures: &Figures<'_>, size: Extent, passes: u32, bands: u32) -> Option<String> {
    let (events, events_us) = fastest_events(figures, bands)?;
    let (no_sync, split) = ("no_barrier", format!("bands_no_sync_{bands}"));
    let barrier_us = figures.us(Time::Isolated, BARRIER)?;
    let times = |variant| Some(format::ratio(&figures.ratio(variant, no_sync)?));
    let mut lines = vec![format!(
        "{events_us:.1} against {barrier_us:.1} µs: {size}, {passes} passes in {bands} bands. Beside no sync the \
         barrier takes {}x as long, events {}x.",
        times(BARRIER)?,
        times(events)?,
    )];
    let by_split = figures.ratio(&split, BARRIER).and_then(|ratio| ratio.median_95);
    if let Some(split_us) =
        figures.us(Time::Isolated, &split).filter(|_| by_split.is_some_and(|by| by.low > 1.0))
    {
        lines.push(format!(
            "The split alone takes longer than the barrier ({split_us:.1} µs): no event could win with it."
        ));
    }
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use common::record::{Outcome, Row};

    use super::*;

    const AT_1152: &str = "2026-11-26-nvidia-h200/pipelined_events";
    const AT_512: &str = "2026-11-26-nvidia-h200/pipelined_events-512";

    fn rows(run: &str) -> Vec<Row> {
        samples::recorded(run).unwrap().rows
    }

    fn verdict_of(run: &str, size: u32) -> String {
        verdict(&Figures::new(&rows(run)), Extent::square(size), 12, 2).unwrap()
    }

    #[test]
    fn events_do_not_save_time_on_an_h200() {
        let headline = headline(&Figures::new(&rows(AT_1152)), 2);
        assert_eq!(headline.finding, "events take 1.32x as long as a barrier after each pass");
        assert_eq!(
            (headline.outcome, headline.published.as_deref()),
            (Outcome::DoesNotHold, Some("talk: 0.79x"))
        );
        assert_eq!(
            verdict_of(AT_1152, 1152),
            "255.7 against 194.3 µs: 1152x1152, 12 passes in 2 bands. Beside no sync the barrier takes 1.09x as long, \
             events 1.44x.\n\
             The split alone takes longer than the barrier (198.5 µs): no event could win with it."
        );
        // At 512x512 the split is cheaper than the barrier.
        assert!(!verdict_of(AT_512, 512).contains("split"));
    }

    #[test]
    fn events_that_were_wrong_are_not_compared() {
        let mut rows = rows(AT_1152);
        for row in rows.iter_mut().filter(|row| row.variant == "events_coherent_2") {
            row.racy.as_mut().unwrap().racy_samples = 1;
        }
        assert_eq!(fastest_events(&Figures::new(&rows), 2).unwrap().0, "events_2");
        rows.retain(|row| !row.variant.starts_with("events"));
        assert_eq!(headline(&Figures::new(&rows), 2).outcome, Outcome::Undecided);
        assert_eq!(verdict(&Figures::new(&rows), Extent::square(1152), 12, 2), None);
    }
}
