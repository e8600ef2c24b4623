//! The verdict of `event_matrix`: what a barrier, a set and a wait cost, and whether dispatches overlap across them.

use common::{Figures, Summary};
use samples::words::fastest_right;

/// The costs of the fastest form of events that was right in every sample, beside a barrier in the same place and
/// beside one after each whole pass.
pub fn verdict(figures: &Figures<'_>, passes: u32, bands: u32) -> Option<String> {
    let ends = f64::from(passes - 1);
    let per_pass = |variant: &str| cost(figures.difference_us(variant, "no_barrier"), ends);
    let barrier = per_pass("full_barrier")?;
    let ending = format!("_{bands}");
    let Some((events, _)) =
        fastest_right(figures, |name| name.starts_with("events") && name.ends_with(&ending))
    else {
        return Some(format!(
            "A barrier after a whole pass costs {barrier}. Of events nothing is known: no variant with bands ran (a \
             smaller --align lets more sizes be split)."
        ));
    };
    let sibling = |what: &str| events.replacen("events", what, 1);
    let coherent = if events.contains("_coherent") { "_coherent" } else { "" };
    let no_sync = format!("bands_no_sync{coherent}_{bands}");
    let in_place = format!("barrier_bands_{bands}");
    let each =
        |variant: &str, without: &str| cost(figures.difference_us(variant, without), ends * f64::from(bands));
    let form = figures.row(events).and_then(|row| row.cell.as_ref()).map_or(events, |cell| &cell.row);
    let mut text =
        format!("A set and its wait cost {} in the fastest form ({form})", each(events, &no_sync)?);
    if let Some(barrier) = each(&in_place, &format!("bands_no_sync_{bands}")) {
        text += &format!(", a barrier in place of the wait {barrier}");
    }
    let [set, wait] = ["sets", "waits"].map(|what| each(&sibling(what), &no_sync));
    if let Some((set, wait)) = set.zip(wait) {
        text += &format!(". Only set, an event costs {set}, only waited for {wait}");
    }
    text += &format!(
        ". Per pass events cost {}, the split into bands included, and a barrier after the whole pass {barrier}.",
        per_pass(events)?
    );
    let interval = |other: &str| figures.difference_us(events, other)?.median_95;
    text += match (interval("full_barrier"), interval(&in_place)) {
        (Some(whole), Some(in_place)) if whole.high < 0.0 && in_place.high < 0.0 => {
            " Events take less time than barriers: dispatches seem to overlap, which a trace has to show."
        }
        (Some(whole), Some(in_place)) if whole.low > 0.0 && in_place.high < 0.0 => {
            " Events take less time than barriers in their place, and more than a barrier after each pass."
        }
        (_, Some(in_place)) if in_place.low > 0.0 => {
            " Events take more time than barriers in their place: no sign that dispatches overlap."
        }
        _ => " Whether dispatches overlap across events cannot be told from these times.",
    };
    Some(text + &traced(figures, events, &no_sync).unwrap_or_default())
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
        " In the traces {together} of {pairs} dispatches overlap the next with events, {free} without sync{drains}."
    ))
}

#[cfg(test)]
mod tests {
    use common::record::{Record, Traced};

    use super::*;

    fn recorded(folder: &str) -> Record {
        samples::recorded(folder).unwrap()
    }

    fn verdict_of(record: &Record) -> String {
        verdict(&Figures::new(&record.rows), 12, 2).unwrap()
    }

    #[test]
    fn events_that_drain_are_called_so() {
        assert_eq!(
            verdict_of(&recorded("matrix-512-12-passes")),
            "A set and its wait cost 3.78 µs in the fastest form (sync1, no access, coherent stores, device-only), a \
             barrier in place of the wait 2.73 µs. Only set, an event costs 3.69 µs, only waited for 2.64 µs. Per pass \
             events cost 7.90 µs, the split into bands included, and a barrier after the whole pass 2.60 µs. Events \
             take more time than barriers in their place: no sign that dispatches overlap."
        );
        let mut traced = recorded("waves-512-12-passes");
        let text = verdict_of(&traced);
        assert!(
            text.ends_with(
                "0 of 23 dispatches overlap the next with events, 22 without sync: an event drains this GPU."
            ),
            "{text}"
        );
        // If the GPU overlaps nothing, the traces prove nothing about events.
        for row in &mut traced.rows {
            if let Some(Traced::Ok { figures, .. }) = &mut row.trace {
                figures.dispatches.iter_mut().filter_map(|d| d.overlap.as_mut()).for_each(|o| o.us = -1.0);
            }
        }
        let text = verdict_of(&traced);
        assert!(text.ends_with("0 of 23 dispatches overlap the next with events, 0 without sync."), "{text}");
    }

    #[test]
    fn events_that_beat_the_barrier_seem_to_overlap() {
        let mut faster = recorded("matrix-512-12-passes");
        for row in faster.rows.iter_mut().filter(|row| row.variant == "events_coherent_sync1_2") {
            row.samples.iter_mut().for_each(|sample| sample.one_us *= 0.2);
            let times: Vec<f64> = row.samples.iter().map(|sample| sample.one_us).collect();
            row.isolated_us = Summary::of(&times);
        }
        let text = verdict_of(&faster);
        assert!(text.contains("(sync1, no access, coherent stores, device-only)"), "{text}");
        assert!(text.contains("cost too little to measure") && text.contains("seem to overlap"), "{text}");
        // Variants with wrong elements are no evidence.
        let row = faster.rows.iter_mut().find(|row| row.variant == "events_coherent_sync1_2").unwrap();
        row.racy.as_mut().unwrap().racy_samples = 1;
        assert!(!verdict_of(&faster).contains("seem to overlap"));
        faster.rows.retain(|row| !row.variant.starts_with("events"));
        assert!(verdict_of(&faster).contains("Of events nothing is known"));
    }
}
