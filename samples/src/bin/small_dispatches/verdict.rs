//! What the numbers of dispatches at once mean.

use common::{Figures, Headline, Holds};
use samples::words::published;

use crate::STAYS;

/// The length of the waves that the claim is tested with, in µs: that of a pass over a small image.
const TESTED: u32 = 10;

/// Whether the graphics queue keeps as many dispatches in flight as the talk says.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let claim = Headline::of("a graphics queue runs 40 small jobs at once");
    let Some(jobs) = published("lottes2018", "queues/graphics") else { return claim };
    let name = format!("graphics_{TESTED}_plain");
    let with_events = at_once(figures, &format!("graphics_{TESTED}_event"));
    let with_events = with_events.map(|waves| format!(", {waves:.0} with waits for events"));
    let Some(at_once) = at_once(figures, &name) else { return claim };
    claim.test(figures.metric(&name), &Holds::Above(jobs - 0.5), |_| {
        format!("{at_once:.0} of {TESTED} µs{}", with_events.unwrap_or_default())
    })
}

fn at_once(figures: &Figures<'_>, variant: &str) -> Option<f64> {
    Some(figures.metric(variant)?.median)
}

/// How many dispatches run at once, and what keeps them apart.
pub fn verdict(figures: &Figures<'_>, dispatches: u32) -> Option<String> {
    let lines = ["graphics", "compute"].into_iter().flat_map(|queue| {
        let plain = with_nothing_between(figures, queue, dispatches);
        [plain, events(figures, queue), buffers(figures, queue)]
    });
    let lines: Vec<String> = lines.flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn with_nothing_between(figures: &Figures<'_>, queue: &str, dispatches: u32) -> Option<String> {
    let of =
        |stay: u32| Some(format!("{:.0} of {stay} µs", at_once(figures, &format!("{queue}_{stay}_plain"))?));
    let all: Vec<String> = STAYS.into_iter().filter_map(of).collect();
    let begin = format!("Of {dispatches} dispatches of one wave the {queue} queue runs at once");
    (!all.is_empty()).then(|| format!("{begin}: {}.", all.join(", ")))
}

/// The fewest and the most dispatches at once, over the lengths of waves.
fn range(figures: &Figures<'_>, queue: &str, between: &str) -> Option<String> {
    let of = |stay: u32| at_once(figures, &format!("{queue}_{stay}_{between}"));
    let all: Vec<f64> = STAYS.into_iter().filter_map(of).collect();
    let [least, most] = [all.iter().copied().reduce(f64::min)?, all.iter().copied().reduce(f64::max)?];
    Some(if most - least < 0.5 { format!("{most:.0}") } else { format!("{least:.0} to {most:.0}") })
}

fn events(figures: &Figures<'_>, queue: &str) -> Option<String> {
    Some(format!(
        "If each waits for a signalled event it is {}, and with a barrier before each {}.",
        range(figures, queue, "event")?,
        range(figures, queue, "barrier")?
    ))
}

fn buffers(figures: &Figures<'_>, queue: &str) -> Option<String> {
    Some(format!(
        "In a command buffer each it is {}, with SIMULTANEOUS_USE {}, and in a submit each {}.",
        range(figures, queue, "buffers")?,
        range(figures, queue, "simultaneous")?,
        range(figures, queue, "submits")?
    ))
}
