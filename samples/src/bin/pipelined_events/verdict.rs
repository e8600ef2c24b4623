//! The verdict of `pipelined_events`: what events take beside a barrier, and both beside no sync.

use common::report::format;
use common::{Extent, Figures, Time};
use samples::words::fastest_right;

/// Compares barriers with the faster kind of events that was right in every sample, and both with no sync.
pub fn verdict(figures: &Figures<'_>, size: Extent, passes: u32, bands: u32) -> Option<String> {
    let kinds = [format!("events_{bands}"), format!("events_coherent_{bands}")];
    let (events, events_us) = fastest_right(figures, |name| kinds.iter().any(|kind| kind == name))?;
    let (barrier, no_sync) = ("full_barrier", "no_barrier");
    let barrier_us = figures.us(Time::Isolated, barrier)?;
    let times = |variant, other| Some(format::ratio(&figures.ratio(variant, other)?));
    let in_the_talk = |variant| {
        let published = figures.row(variant).and_then(|row| row.published.as_ref());
        published
            .map_or_else(String::new, |talk| format!(" (the talk: {:.2}x on {})", talk.value, talk.device))
    };
    Some(format!(
        "Events take {}x as long as a barrier after each pass ({events_us:.1} against {barrier_us:.1} µs; {size}, {passes} \
         passes in {bands} bands, {events}). The barrier takes {}x as long as no sync{}. Events take {}x as long as no \
         sync{}.",
        times(events, barrier)?,
        times(barrier, no_sync)?,
        in_the_talk(barrier),
        times(events, no_sync)?,
        in_the_talk(&*kinds[1]),
    ))
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
             bands, events_coherent_2). The barrier takes 1.09x as long as no sync (the talk: 1.31x on Vega). Events take \
             1.44x as long as no sync (the talk: 1.03x on Vega)."
        );
        let of_four = verdict_of("1152-12-passes", 1152, 4);
        assert!(of_four.ends_with("Events take 2.00x as long as no sync."), "{of_four}");
    }

    #[test]
    fn events_that_were_wrong_are_not_compared() {
        let mut rows = samples::recorded("1152-12-passes").unwrap().rows;
        for row in rows.iter_mut().filter(|row| row.variant == "events_coherent_2") {
            row.racy.as_mut().unwrap().racy_samples = 1;
        }
        let verdict = |rows: &[_]| verdict(&Figures::new(rows), Extent::square(1152), 12, 2);
        assert!(verdict(&rows).unwrap().contains("bands, events_2)"));
        rows.retain(|row| !row.variant.starts_with("events"));
        assert_eq!(verdict(&rows), None);
    }
}
