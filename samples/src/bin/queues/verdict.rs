//! What the numbers of waves at once and the times between them mean.

use common::{Figures, Headline, Holds};

use crate::COUNTS;

/// Whether more than one compute queue runs at once.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let claim = Headline::of("several compute queues run at once");
    let Some((count, at_once)) = most(figures, "compute") else { return claim };
    let graphics = most(figures, "graphics");
    let graphics = graphics.map(|(count, at_once)| format!(", {at_once:.0} of {count} graphics queues"));
    claim.test(figures.metric(&format!("at_once_compute_{count}")), &Holds::Above(1.5), |_| {
        format!("{at_once:.0} of {count} compute queues{}", graphics.unwrap_or_default())
    })
}

/// The most queues of a family that were tried, if they are several, and how many waves ran at once on them.
fn most(figures: &Figures<'_>, family: &str) -> Option<(usize, f64)> {
    let of = |count: usize| Some((count, median(figures, &format!("at_once_{family}_{count}"))?));
    COUNTS.into_iter().filter(|count| *count > 1).filter_map(of).next_back()
}

fn median(figures: &Figures<'_>, variant: &str) -> Option<f64> {
    Some(figures.metric(variant)?.median)
}

/// How many queues run at once, and what it costs to go on in another.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let families = ["graphics", "compute"];
    let at_once = families.map(|family| at_once(figures, family));
    let times = families.map(|family| [on_one_queue(figures, family), on_another(figures, family)]);
    let lines = at_once.into_iter().chain([together(figures)]).chain(times.into_iter().flatten());
    let lines: Vec<String> = lines.flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn at_once(figures: &Figures<'_>, family: &str) -> Option<String> {
    let (count, at_once) = most(figures, family)?;
    Some(format!("Of {count} {family} queues {at_once:.0} run at once."))
}

fn together(figures: &Figures<'_>) -> Option<String> {
    let (count, at_once) = most(figures, "each")?;
    Some(format!("Of {count} queues of each family {at_once:.0} run at once."))
}

fn on_one_queue(figures: &Figures<'_>, family: &str) -> Option<String> {
    let of = |ordered: &str| median(figures, &format!("hand_over_{family}_{ordered}"));
    Some(format!(
        "On one {family} queue a wave starts {:.1} µs after the one before it with a barrier, {:.1} with an event, and {:.1} with a \
         semaphore between two submits.",
        of("barrier")?,
        of("event")?,
        of("semaphore_same_queue")?
    ))
}

fn on_another(figures: &Figures<'_>, family: &str) -> Option<String> {
    let of = |place: &str| median(figures, &format!("hand_over_{family}_semaphore_{place}"));
    Some(format!(
        "After a {family} queue, a wave on another queue of its family starts {:.1} µs later, and on a queue of the other family {:.1}.",
        of("same_family")?,
        of("other_family")?
    ))
}

#[cfg(test)]
mod tests {
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;

    #[test]
    fn a_record_leads_to_its_verdict() {
        let record = samples::recorded("2026-11-28-nvidia-h200/queues").unwrap();
        let found = headline(&Figures::new(&record.rows));
        assert_eq!(found.finding, "8 of 8 compute queues, 1 of 16 graphics queues");
        assert!(found.finding.chars().count() <= LONGEST);
        assert_eq!(found.outcome, Outcome::Holds);
        let text = verdict(&Figures::new(&record.rows)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 7, "{text}");
        assert_eq!(lines[2], "Of 8 queues of each family 9 run at once.");
        assert!(lines[3].starts_with("On one graphics queue a wave starts 1.8 µs after"), "{}", lines[3]);
        assert!(lines[4].ends_with("and on a queue of the other family 5.8."), "{}", lines[4]);
        assert_eq!(verdict(&Figures::new(&[])), None);
    }

    #[test]
    fn one_queue_says_nothing_of_several() {
        let record = samples::recorded("2026-11-28-nvidia-h200/queues").unwrap();
        let rows: Vec<_> = record.rows.into_iter().filter(|row| row.variant.ends_with("_1")).collect();
        assert_eq!(headline(&Figures::new(&rows)).outcome, Outcome::Undecided);
        assert_eq!(verdict(&Figures::new(&rows)), None);
    }
}
