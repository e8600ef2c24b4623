//! What a barrier, a set and a wait cost, and whether dispatches overlap across them.

use common::{Extent, Figures, Headline, Holds, Summary, Time};
use samples::words::{fastest_right, of_the_talk};

const BARRIER: &str = "full_barrier";

/// The fastest form of event, set and waited for, in place of a barrier after each pass.
pub fn headline(figures: &Figures<'_>, bands: u32) -> Headline {
    let pair = fastest_events(figures, bands).map(|(events, _)| [events, BARRIER]);
    Headline::of("some form of event beats a barrier")
        .test_ratio(figures, Time::Isolated, pair, &Holds::FASTER, |times| {
            format!("the fastest event form takes {times} as long as a barrier")
        })
        .published(of_the_talk("ladder/split_by_events", "ladder/barrier"))
}

/// The fastest form that was right in every sample.
fn fastest_events<'r>(figures: &Figures<'r>, bands: u32) -> Option<(&'r str, f64)> {
    let ending = format!("_{bands}");
    fastest_right(figures, |name| name.starts_with("events") && name.ends_with(&ending))
}

/// The times behind the headline, what the fastest form costs beside a barrier in the same place and beside one after
/// each pass, and whether dispatches overlap.
pub fn verdict(figures: &Figures<'_>, size: Extent, passes: u32, bands: u32) -> Option<String> {
    let ends = f64::from(passes - 1);
    let per_pass = |variant: &str| cost(figures.difference_us(variant, "no_barrier"), ends);
    let barrier = per_pass(BARRIER)?;
    let Some((events, events_us)) = fastest_events(figures, bands) else {
        return Some(format!(
            "A barrier after each pass costs {barrier}. No variant with bands ran: a smaller --align lets more sizes \
             be split."
        ));
    };
    let sibling = |what: &str| events.replacen("events", what, 1);
    let coherent = if events.contains("_coherent") { "_coherent" } else { "" };
    let no_sync = format!("bands_no_sync{coherent}_{bands}");
    let in_place = format!("barrier_bands_{bands}");
    let each =
        |variant: &str, without: &str| cost(figures.difference_us(variant, without), ends * f64::from(bands));
    let mut lines = vec![format!(
        "{events_us:.1} against {:.1} µs: {size}, {passes} passes; the form is {}.",
        figures.us(Time::Isolated, BARRIER)?,
        figures.row(events)?.label(),
    )];
    let mut costs = format!("A set and its wait cost {}", each(events, &no_sync)?);
    if let Some(barrier) = each(&in_place, &format!("bands_no_sync_{bands}")) {
        costs += &format!(", a barrier in place of the wait {barrier}");
    }
    let [set, wait] = ["sets", "waits"].map(|what| each(&sibling(what), &no_sync));
    if let Some((set, wait)) = set.zip(wait) {
        costs += &format!(". Only set, an event costs {set}, only waited for {wait}");
    }
    lines.push(costs + ".");
    lines.push(format!(
        "Beside no sync, events cost {} per pass, the split into bands included, a barrier after each pass {barrier}.",
        per_pass(events)?
    ));
    let interval = |other: &str| figures.difference_us(events, other)?.median_95;
    let overlap = match (interval(BARRIER), interval(&in_place)) {
        (Some(whole), Some(in_place)) if whole.high < 0.0 && in_place.high < 0.0 => {
            "Dispatches seem to overlap across events, which a trace has to show."
        }
        (Some(whole), Some(in_place)) if whole.low > 0.0 && in_place.high < 0.0 => {
            "Events take less time than barriers in their place, and more than a barrier after each pass."
        }
        (_, Some(in_place)) if in_place.low > 0.0 => {
            "Events take more time than barriers in their place: no sign that dispatches overlap."
        }
        _ => "Whether dispatches overlap across events cannot be told from these times.",
    };
    lines.push(overlap.into());
    lines.extend(traced(figures, events, &no_sync));
    Some(lines.join("\n"))
}

/// The time that dependencies add to a chain, per dependency.
fn cost(difference: Option<Summary>, dependencies: f64) -> Option<String> {
    let difference = difference?;
    let above_noise = difference.median_95.is_some_and(|interval| interval.low > 0.0);
    let us = difference.median / dependencies;
    Some(if above_noise { format!("{us:.2} µs") } else { "too little to measure".into() })
}

/// How many dispatches overlapped the next one in the traces, with events and without sync.
fn traced(figures: &Figures<'_>, events: &str, no_sync: &str) -> Option<String> {
    let (together, pairs) = figures.trace(events)?.overlapping();
    let (free, _) = figures.trace(no_sync)?.overlapping();
    // If dispatches do not overlap even without sync, that they do not with events proves nothing.
    let drains = if together == 0 && 2 * free > pairs { ": an event drains this GPU" } else { "" };
    Some(format!(
        "In the traces {together} of {pairs} dispatches overlap the next with events, {free} without sync{drains}."
    ))
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Record, Traced};

    use super::*;

    fn recorded() -> Record {
        samples::recorded("2026-11-26-nvidia-h200/event_matrix").unwrap()
    }

    fn verdict_of(record: &Record) -> String {
        verdict(&Figures::new(&record.rows), Extent::square(1152), 12, 2).unwrap()
    }

    fn headline_of(record: &Record) -> Headline {
        headline(&Figures::new(&record.rows), 2)
    }

    #[test]
    fn events_that_drain_are_called_so() {
        let record = recorded();
        let Headline { finding, outcome, published, .. } = headline_of(&record);
        assert_eq!(finding, "the fastest event form takes 1.31x as long as a barrier");
        assert!(finding.chars().count() <= LONGEST);
        assert_eq!((outcome, published.as_deref()), (Outcome::DoesNotHold, Some("talk: 0.79x")));
        assert_eq!(
            verdict_of(&record),
            "254.9 against 194.1 µs: 1152x1152, 12 passes; the form is 2 bands, coherent sync1 host events.\n\
             A set and its wait cost 2.56 µs, a barrier in place of the wait 1.55 µs. Only set, an event costs 2.61 \
             µs, only waited for 1.47 µs.\n\
             Beside no sync, events cost 7.04 µs per pass, the split into bands included, a barrier after each pass \
             1.50 µs.\n\
             Events take more time than barriers in their place: no sign that dispatches overlap."
        );
        let mut traced = samples::recorded("2026-11-26-nvidia-h200/event_matrix-512").unwrap();
        let ends = |traced: &Record, free, drains| {
            let end = format!(
                "\nIn the traces 0 of 23 dispatches overlap the next with events, {free} without sync"
            );
            assert!(verdict_of(traced).ends_with(&(end + drains)), "{}", verdict_of(traced));
        };
        ends(&traced, 21, ": an event drains this GPU.");
        // If the GPU overlaps nothing, the traces prove nothing about events.
        for row in &mut traced.rows {
            if let Some(Traced::Ok { figures, .. }) = &mut row.trace {
                figures.dispatches.iter_mut().filter_map(|d| d.overlap.as_mut()).for_each(|o| o.us = -1.0);
            }
        }
        ends(&traced, 0, ".");
    }

    #[test]
    fn events_that_beat_the_barrier_seem_to_overlap() {
        let mut faster = recorded();
        for row in faster.rows.iter_mut().filter(|row| row.variant == "events_coherent_sync1_2") {
            row.samples.iter_mut().for_each(|sample| sample.one_us *= 0.2);
            let times: Vec<f64> = row.samples.iter().map(|sample| sample.one_us).collect();
            row.isolated_us = Summary::of(&times);
        }
        let text = verdict_of(&faster);
        assert_eq!(headline_of(&faster).outcome, Outcome::Holds);
        assert!(text.contains("the form is 2 bands, coherent sync1 events."), "{text}");
        assert!(text.contains("cost too little to measure") && text.contains("seem to overlap"), "{text}");
        // Variants with wrong elements are no evidence.
        let row = faster.rows.iter_mut().find(|row| row.variant == "events_coherent_sync1_2").unwrap();
        row.racy.as_mut().unwrap().racy_samples = 1;
        assert!(!verdict_of(&faster).contains("seem to overlap"));
        faster.rows.retain(|row| !row.variant.starts_with("events"));
        assert_eq!(headline_of(&faster).outcome, Outcome::Undecided);
        assert!(verdict_of(&faster).contains("No variant with bands ran"));
    }
}
