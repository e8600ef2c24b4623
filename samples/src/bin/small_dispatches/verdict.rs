//! What the numbers of dispatches at once mean.

use common::{Figures, Headline, Holds};
use samples::words::published;

use crate::SPINS;

/// The length of the waves that the claim is tested with, in µs.
const TESTED: u32 = 10;

/// Whether the graphics queue has as many dispatches in flight as the talk says of draws.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let claim = Headline::of("40 dispatches of 10 µs run at once on one queue");
    let Some(draws) = published("lottes2018", "queues/graphics") else { return claim };
    let variant = |between: &str| format!("graphics_{TESTED}_{between}");
    let Some(at_once) = median(figures, &variant("nothing")) else { return claim };
    let events = median(figures, &variant("event"));
    let events = events.map(|at_once| format!(", {at_once:.0} if each waits for an event"));
    claim.test(figures.metric(&variant("nothing")), &Holds::Above(draws - 0.5), |_| {
        format!("{at_once:.0} of them{}", events.unwrap_or_default())
    })
}

fn median(figures: &Figures<'_>, variant: &str) -> Option<f64> {
    Some(figures.metric(variant)?.median)
}

/// How many dispatches run at once, and what keeps them apart.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let apart = [
        ("event", "each waits for a signalled event"),
        ("buffers", "each has a command buffer of its own"),
        ("simultaneous", "these have SIMULTANEOUS_USE"),
        ("submits", "each has a submit of its own"),
    ];
    let lines = QUEUES.into_iter().map(|queue| with_nothing_between(figures, queue));
    let lines = lines.chain(apart.map(|(between, how)| apart_by(figures, between, how)));
    let lines: Vec<String> = lines.flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The begins of variants' names.
const QUEUES: [&str; 2] = ["graphics", "compute"];

/// The fewest and the most dispatches at once, over the lengths of waves.
fn range(figures: &Figures<'_>, queue: &str, between: &str) -> Option<[f64; 2]> {
    let of = |spin: u32| median(figures, &format!("{queue}_{spin}_{between}"));
    let all: Vec<f64> = SPINS.into_iter().filter_map(of).collect();
    Some([all.iter().copied().reduce(f64::min)?, all.iter().copied().reduce(f64::max)?])
}

fn with_nothing_between(figures: &Figures<'_>, queue: &str) -> Option<String> {
    let at_once = median(figures, &format!("{queue}_{TESTED}_nothing"))?;
    let [_, most] = range(figures, queue, "nothing")?;
    Some(format!(
        "The {queue} queue runs {at_once:.0} dispatches of {TESTED} µs at once, so that one begins about every {:.2} µs. Of longer ones it \
         runs at most {most:.0}.",
        f64::from(TESTED) / at_once
    ))
}

fn apart_by(figures: &Figures<'_>, between: &str, how: &str) -> Option<String> {
    let of = |queue| {
        let [least, most] = range(figures, queue, between)?;
        let count =
            if most - least < 0.5 { format!("{most:.0}") } else { format!("{least:.0} to {most:.0}") };
        Some(format!("the {queue} queue runs {count} at once"))
    };
    let queues: Vec<String> = QUEUES.into_iter().filter_map(of).collect();
    (!queues.is_empty()).then(|| format!("If {how}, {}.", queues.join(" and ")))
}

#[cfg(test)]
mod tests {
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;

    #[test]
    fn a_record_leads_to_its_verdict() {
        let record = samples::recorded("2026-11-29-nvidia-h200/small_dispatches").unwrap();
        let found = headline(&Figures::new(&record.rows));
        assert_eq!(found.finding, "60 of them, 1 if each waits for an event");
        assert!(found.finding.chars().count() <= LONGEST);
        assert_eq!(found.outcome, Outcome::Holds);
        let text = verdict(&Figures::new(&record.rows)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6, "{text}");
        assert!(
            lines[0].starts_with("The graphics queue runs 60 dispatches of 10 µs at once"),
            "{}",
            lines[0]
        );
        assert!(lines[0].ends_with("Of longer ones it runs at most 128."), "{}", lines[0]);
        assert_eq!(
            lines[2],
            "If each waits for a signalled event, the graphics queue runs 1 at once and the compute queue runs 1 at once."
        );
        assert_eq!(verdict(&Figures::new(&[])), None);
    }
}
