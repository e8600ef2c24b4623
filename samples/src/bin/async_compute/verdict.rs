//! What a second queue saves.

use common::{Figures, Headline, Holds, Time};

/// Whether passes and a compute job take less time on two queues than after one another.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let beside = figures.ratio_of(Time::Isolated, "passes_beside", "passes_after");
    let beside = beside.map(|ratio| format!(", {:.2}x on one without a barrier", ratio.median));
    Headline::of("a second queue shortens raster and compute work").test_ratio(
        figures,
        Time::Isolated,
        ["passes_async", "passes_after"],
        &Holds::FASTER,
        |ratio| format!("{ratio} on two queues{}", beside.unwrap_or_default()),
    )
}

fn us(figures: &Figures<'_>, variant: &str) -> Option<f64> {
    figures.us(Time::Isolated, variant)
}

/// What each way saves of what can be saved, and when the first compute wave starts.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let lines = ["passes", "layers"].into_iter().flat_map(|raster| {
        let saved = [
            ("async", "a second queue"),
            ("async_limited", "a second queue with few compute waves"),
            ("async_late", "a late dispatch on a second queue"),
            ("beside", "one queue without a barrier"),
        ]
        .map(|(how, words)| saved_by(figures, raster, how, words));
        [times(figures, raster)].into_iter().chain(saved).chain([start(figures, raster)]).collect::<Vec<_>>()
    });
    let lines: Vec<String> = lines.flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn times(figures: &Figures<'_>, raster: &str) -> Option<String> {
    Some(format!(
        "The {raster} take {:.0} µs alone, the compute job {:.0}, and one after the other {:.0}.",
        us(figures, &format!("{raster}_alone"))?,
        us(figures, "compute_alone")?,
        us(figures, &format!("{raster}_after"))?,
    ))
}

/// The least that can be saved, as a share of the time one after the other, so that a share of it means something.
const LEAST: f64 = 0.05;

fn saved_by(figures: &Figures<'_>, raster: &str, how: &str, words: &str) -> Option<String> {
    let after = us(figures, &format!("{raster}_after"))?;
    let longer = us(figures, &format!("{raster}_alone"))?.max(us(figures, "compute_alone")?);
    let most = Some(after - longer).filter(|most| *most > LEAST * after)?;
    let saved = after - us(figures, &format!("{raster}_{how}"))?;
    if saved < 0.0 {
        return Some(format!("With {words} they take {:.0} µs more.", -saved));
    }
    let share = 100.0 * saved / most;
    Some(format!("With {words} they take {saved:.0} µs less, of {most:.0} at most ({share:.0} %)."))
}

fn start(figures: &Figures<'_>, raster: &str) -> Option<String> {
    let start = |how| figures.metric(&format!("{raster}_{how}")).map(|start| start.median);
    let late = start("async_late").map(|late| format!(", or {late:.1} if it is late"));
    let [start, late] = [format!("{:.1}", start("async")?), late.unwrap_or_default()];
    Some(format!("On the second queue the first compute wave starts after {start} µs{late}."))
}

#[cfg(test)]
mod tests {
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;

    #[test]
    fn a_record_leads_to_its_verdict() {
        let record = samples::recorded("2026-11-29-nvidia-h200/async_compute").unwrap();
        let found = headline(&Figures::new(&record.rows));
        assert_eq!(found.finding, "0.86x on two queues, 1.01x on one without a barrier");
        assert!(found.finding.chars().count() <= LONGEST);
        assert_eq!(found.outcome, Outcome::Holds);
        let text = verdict(&Figures::new(&record.rows)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 12, "{text}");
        assert!(lines[1].starts_with("With a second queue they take"), "{}", lines[1]);
        assert!(lines[4].ends_with("µs more."), "{}", lines[4]);
        assert!(lines[9].starts_with("With a late dispatch on a second queue they take"), "{}", lines[9]);
        assert!(lines[11].ends_with("after 4.5 µs, or 252.6 if it is late."), "{}", lines[11]);
        assert_eq!(verdict(&Figures::new(&[])), None);
    }

    #[test]
    fn nothing_is_saved_where_nothing_can_be() {
        let mut record = samples::recorded("2026-11-29-nvidia-h200/async_compute").unwrap();
        record.rows.retain(|row| row.variant != "compute_alone");
        let text = verdict(&Figures::new(&record.rows)).unwrap();
        assert!(!text.contains("at most"), "{text}");
    }
}
