//! What the numbers of waves at once and the times between them mean.

use common::{Figures, Headline, Holds};

use crate::COUNTS;

/// Whether more than one compute queue runs at once.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let claim = Headline::of("queues of one family run at once");
    let [graphics, compute] = ["graphics", "compute"].map(|family| most(figures, family));
    let Some((count, at_once)) = compute.or(graphics) else { return claim };
    let family = if compute.is_some() { "compute" } else { "graphics" };
    let beside = graphics.filter(|_| compute.is_some());
    let beside = beside.map(|(count, at_once)| format!(", {at_once:.0} of {count} graphics queues"));
    claim.test(figures.metric(&format!("at_once_{family}_{count}")), &Holds::Above(1.5), |_| {
        format!("{at_once:.0} of {count} {family} queues{}", beside.unwrap_or_default())
    })
}

/// The most queues of a family that were tried, and how many waves ran at once on them.
fn most(figures: &Figures<'_>, family: &str) -> Option<(usize, f64)> {
    let of = |count: usize| Some((count, us(figures, &format!("at_once_{family}_{count}"))?));
    COUNTS.into_iter().filter_map(of).next_back()
}

fn us(figures: &Figures<'_>, variant: &str) -> Option<f64> {
    Some(figures.metric(variant)?.median)
}

/// How many queues run at once, and what it costs to go on in another.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let lines =
        [at_once(figures), on_one_queue(figures), within_a_family(figures), between_families(figures)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn at_once(figures: &Figures<'_>) -> Option<String> {
    let of = |family: &str| {
        let (count, at_once) = most(figures, family)?;
        Some(format!("{at_once:.0} of {count} {family} queues"))
    };
    let all: Vec<String> = ["graphics", "compute"].into_iter().filter_map(of).collect();
    let both = most(figures, "both");
    let both = both.map(|(count, waves)| format!(" {count} of each family together run {waves:.0} waves."));
    (!all.is_empty()).then(|| format!("At once run {}.{}", all.join(" and "), both.unwrap_or_default()))
}

/// The times from a wave on a graphics queue and on a compute queue.
fn pair(figures: &Figures<'_>, by: &str) -> Option<String> {
    let of = |family: &str| {
        Some(format!("{:.1} µs from a {family} queue", us(figures, &format!("hand_over_{family}_{by}"))?))
    };
    let all: Vec<String> = ["graphics", "compute"].into_iter().filter_map(of).collect();
    (!all.is_empty()).then(|| all.join(" and "))
}

fn on_one_queue(figures: &Figures<'_>) -> Option<String> {
    let of = |by: &str| us(figures, &format!("hand_over_graphics_{by}"));
    let [barrier, event, submit] = ["barrier", "event", "submit"].map(of);
    Some(format!(
        "On one graphics queue a wave begins {:.1} µs after the one before it with a barrier, {:.1} with an event, and {:.1} with a \
         semaphore between two submits.",
        barrier?, event?, submit?
    ))
}

fn within_a_family(figures: &Figures<'_>) -> Option<String> {
    Some(format!("On another queue of the same family that is {}.", pair(figures, "sibling")?))
}

fn between_families(figures: &Figures<'_>) -> Option<String> {
    Some(format!("On a queue of the other family it is {}.", pair(figures, "other")?))
}
