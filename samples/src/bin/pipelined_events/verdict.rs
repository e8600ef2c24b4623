//! The verdict of `pipelined_events`: what events take beside a barrier, and both beside no sync.

use common::report::format;
use common::{Extent, Figures, Time};
use samples::words::fastest_right;

/// Compares barriers with the faster kind of events that was right in every sample, both with no sync, and the split
/// without events with the barrier.
pub fn verdict(figures: &Figures<'_>, size: Extent, passes: u32, bands: u32) -> Option<String> {
    let kinds = [format!("events_{bands}"), format!("events_coherent_{bands}")];
    let (events, events_us) = fastest_right(figures, |name| kinds.iter().any(|kind| kind == name))?;
    let (barrier, no_sync, split) = ("full_barrier", "no_barrier", format!("bands_no_sync_{bands}"));
    let barrier_us = figures.us(Time::Isolated, barrier)?;
    let times = |variant, other| Some(format::ratio(&figures.ratio(variant, other)?));
    let mut text = format!(
        "Events take {}x as long as a barrier after each pass ({events_us:.1} against {barrier_us:.1} µs; {size}, \
         {passes} passes in {bands} bands, {events}). The barrier takes {}x as long as no sync, events {}x.",
        times(events, barrier)?,
        times(barrier, no_sync)?,
        times(events, no_sync)?,
    );
    let by_split = figures.ratio(&split, barrier).and_then(|ratio| ratio.median_95);
    if let Some(split_us) =
        figures.us(Time::Isolated, &split).filter(|_| by_split.is_some_and(|by| by.low > 1.0))
    {
        text += &format!(
            " The split alone takes longer than the barrier ({split_us:.1} µs, {split}): no event could win with it."
        );
    }
    let published = |variant| figures.row(variant)?.published.as_ref();
    let talk: Vec<String> = [(barrier, "for the barrier"), (events, "for events")]
        .into_iter()
        .filter_map(|(variant, what)| Some(format!("{:.2}x {what}", published(variant)?.value)))
        .collect();
    if let Some(device) = published(barrier).map(|talk| &talk.device) {
        text += &format!(
            " The talk has {} ({device}, 3 dispatches on two images of 1152x1152).",
            talk.join(" and ")
        );
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict_of(folder: &str, size: u32, bands: u32) -> String {
        let record = samples::recorded(folder).unwrap();
        verdict(&Figures::new(&record.rows), Extent::square(size), 12, bands).unwrap()
    }

    #[test]
    fn the_finding_comes_first() {
        assert_eq!(
            verdict_of("1152-12-passes", 1152, 2),
            "Events take 1.31x as long as a barrier after each pass (254.1 against 193.6 µs; 1152x1152, 12 passes in 2 \
             bands, events_coherent_2). The barrier takes 1.09x as long as no sync, events 1.44x. The split alone \
             takes longer than the barrier (197.9 µs, bands_no_sync_2): no event could win with it. The talk has 1.31x \
             for the barrier and 1.03x for events (Vega, 3 dispatches on two images of 1152x1152)."
        );
        // At 512x512 the split is cheaper than the barrier.
        let of_512 = verdict_of("512-12-passes", 512, 2);
        assert!(!of_512.contains("split"), "{of_512}");
        // The talk has no events in four bands.
        let of_four = verdict_of("1152-12-passes", 1152, 4);
        assert!(of_four.contains("as no sync, events 2.00x."), "{of_four}");
        assert!(of_four.ends_with(
            "The talk has 1.31x for the barrier (Vega, 3 dispatches on two images of 1152x1152)."
        ));
    }

    #[test]
    fn events_that_were_wrong_are_not_compared() {
        let mut rows = samples::recorded("1152-12-passes").unwrap().rows;
        for row in rows.iter_mut().filter(|row| row.variant == "events_coherent_2") {
            row.racy.as_mut().unwrap().racy_samples = 1;
        }
        let verdict = |rows: &[_]| verdict(&Figures::new(rows), Extent::square(1152), 12, 2);
        let text = verdict(&rows).unwrap();
        // The talk's events have coherent stores.
        assert!(text.contains("bands, events_2)") && !text.contains("1.03x"), "{text}");
        rows.retain(|row| !row.variant.starts_with("events"));
        assert_eq!(verdict(&rows), None);
    }
}
