//! The verdict of `pipelined_events` on barriers and events.

use common::{Figures, Summary};
use samples::words::{was_right, with_interval};

use crate::event_form::EventForm;

/// Words the result of the matrix: the cost of one barrier, set and wait, and whether events pay off. It uses the
/// fastest form of events that was correct in every sample.
pub fn verdict(figures: &Figures<'_>, passes: u32, counts: &[u32]) -> Option<String> {
    let steps = f64::from(passes - 1);
    let barrier = with_interval(&figures.difference_us("full_barrier", "no_barrier")?, steps, 2);
    let Some((form, count)) = fastest_events(figures, counts) else {
        return Some(format!(
            "In short: a barrier costs {barrier} µs here. Of events nothing is known: no variant with bands ran \
             (a smaller --align lets more sizes be split)."
        ));
    };
    let over = |what: &str, other: &str| figures.difference_us(&form.variant(what, count), other);
    let unsplit = format!("bands_no_sync{}_{count}", if form.coherent { "_coherent" } else { "" });
    let each = |what: &str| {
        let cost =
            over(what, &unsplit).map(|difference| with_interval(&difference, steps * f64::from(count), 2));
        cost.unwrap_or_else(|| "an unknown number of".into())
    };
    // A share is meaningful only if both costs are above the noise.
    let found = |what: &str| {
        let difference = over(what, &unsplit)?;
        difference.median_95.filter(|interval| interval.low > 0.0).map(|_| difference.median)
    };
    let share = found("sets")
        .zip(found("events"))
        .map(|(set, both)| format!(" ({:.0} % of that)", 100.0 * set / both));
    Some(format!(
        "In short: a barrier costs {barrier} µs here. The fastest events, {} ({}), cost {} µs each when they are set and \
         waited for, {} µs{} when they are only set, {} µs when ones that were set long ago are waited for. {}{}",
        form.variant("events", count),
        form.words(),
        each("events"),
        each("sets"),
        share.unwrap_or_default(),
        each("waits"),
        overlap(over("events", "full_barrier"), over("events", &format!("barrier_bands_{count}"))),
        seen(figures, |what| form.variant(what, count), &unsplit).unwrap_or_default()
    ))
}

/// Words what the traces show: how many dispatches had waves in flight together with the next one.
fn seen(figures: &Figures<'_>, form: impl Fn(&str) -> String, unsplit: &str) -> Option<String> {
    let trace = |variant: &str| figures.trace(variant);
    let overlapping = |variant: &str| {
        let (overlapping, all) = trace(variant)?.overlapping();
        Some(format!("{overlapping} of {all}"))
    };
    let events = trace(&form("events"))?;
    let (together, pairs) = events.overlapping();
    #[expect(clippy::cast_precision_loss, reason = "a handful of dispatches")]
    let empty = events.gaps_us / pairs.max(1) as f64;
    // If dispatches do not overlap even without synchronization, a lack of overlap with events proves nothing.
    let (free, _) = trace(unsplit)?.overlapping();
    let concluded = match together {
        0 if 2 * free > pairs => {
            format!(" An event set and waited for drains this GPU, for {empty:.1} µs on average.")
        }
        _ => String::new(),
    };
    Some(format!(
        " In the traces {together} of {pairs} dispatches overlap the next where events are set and waited for, {} where \
         they are only set, {} where ones set long ago are waited for, {} without any order, {} with a barrier after each \
         pass.{concluded}",
        overlapping(&form("sets"))?,
        overlapping(&form("waits"))?,
        overlapping(unsplit)?,
        overlapping("full_barrier")?,
    ))
}

/// Form and number of bands of the events with the shortest isolated time that were correct in every sample.
fn fastest_events(figures: &Figures<'_>, counts: &[u32]) -> Option<(EventForm, u32)> {
    let all = counts.iter().flat_map(|&count| EventForm::all().map(move |form| (form, count)));
    let right = all.filter_map(|(form, count)| {
        let row = figures.row(&form.variant("events", count))?;
        Some((form, count, row.isolated_us.filter(|_| was_right(row))?.median))
    });
    right.min_by(|a, b| a.2.total_cmp(&b.2)).map(|(form, count, _)| (form, count))
}

/// Words whether events seem to overlap, from their cost relative to one barrier per pass and to barriers in their
/// place. Only an interval that excludes 0 decides.
fn overlap(whole: Option<Summary>, in_place: Option<Summary>) -> &'static str {
    let interval = |difference: Option<Summary>| difference.and_then(|difference| difference.median_95);
    match (interval(whole), interval(in_place)) {
        (Some(whole), Some(in_place)) if whole.high < 0.0 && in_place.high < 0.0 => {
            "They beat the barrier, and barriers in their place: they seem to overlap; a trace has to show it."
        }
        (Some(whole), Some(in_place)) if whole.low > 0.0 && in_place.high < 0.0 => {
            "They cost less than barriers in their place and more than one barrier a pass: they may overlap, and it does not pay."
        }
        (Some(_), Some(in_place)) if in_place.low > 0.0 => {
            "They cost more than barriers in their place: no sign that they overlap."
        }
        _ => "Whether they overlap cannot be told from these samples.",
    }
}

#[cfg(test)]
mod tests {
    use common::record::{Record, Traced};

    use super::*;

    fn recorded(folder: &str) -> Record {
        samples::recorded(folder).unwrap()
    }

    fn verdict_of(record: &Record) -> String {
        verdict(&Figures::new(&record.rows), 12, &[2, 4]).unwrap()
    }

    #[test]
    fn records_lead_to_their_own_verdicts() {
        for folder in ["matrix-512-12-passes", "waves-512-12-passes"] {
            let record = recorded(folder);
            assert_eq!(record.verdict.as_deref(), Some(&*verdict_of(&record)));
        }
        // If the GPU overlaps nothing, the traces prove nothing about events.
        let mut serial = recorded("waves-512-12-passes");
        for row in &mut serial.rows {
            if let Some(Traced::Ok { figures, .. }) = &mut row.trace {
                figures.dispatches.iter_mut().filter_map(|d| d.overlap.as_mut()).for_each(|o| o.us = -1.0);
            }
        }
        let text = verdict_of(&serial);
        assert!(text.contains("0 of 23 without any order") && !text.contains("drains this GPU"), "{text}");
    }

    #[test]
    fn events_that_beat_the_barrier_seem_to_overlap() {
        let mut faster = recorded("matrix-512-12-passes");
        for row in faster.rows.iter_mut().filter(|row| row.variant.starts_with("events_coherent_sync1_4")) {
            row.samples.iter_mut().for_each(|sample| sample.one_us *= 0.2);
            let times: Vec<f64> = row.samples.iter().map(|sample| sample.one_us).collect();
            row.isolated_us = Summary::of(&times);
        }
        let text = verdict_of(&faster);
        assert!(
            text.contains("events_coherent_sync1_4 (") && text.contains("they seem to overlap"),
            "{text}"
        );
        // Variants with wrong elements are no evidence.
        let row = faster.rows.iter_mut().find(|row| row.variant == "events_coherent_sync1_4").unwrap();
        row.racy.as_mut().unwrap().racy_samples = 1;
        assert!(!verdict_of(&faster).contains("events_coherent_sync1_4 ("));
        faster.rows.retain(|row| !row.variant.starts_with("events"));
        assert!(verdict_of(&faster).contains("Of events nothing is known"));
    }
}
