//! What the barriers of `drain_fill` take, and its clears.

use common::record::stats::Interval;
use common::{Extent, Figures, Headline, Holds, Time, Value};
use samples::words::published;

/// The passes of the talk's figure: over 1/4 of the area.
const QUARTER: &str = "4";

/// The share of small passes that barriers take.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let idle = published("lottes2018", "idle/quarter");
    Headline::of("barriers between quarter-size passes waste time")
        .test(taken(figures, QUARTER), &Holds::Above(1.0), |percent| {
            format!("barriers take {percent} of passes over a quarter of the area")
        })
        .compares(["barrier_4", "no_barrier_4"], Time::Pipelined)
        .published(idle.map(|percent| format!("talk: at least {percent} %")))
}

/// The times behind the headline, barriers on the largest and smallest passes, and clears.
pub fn verdict(figures: &Figures<'_>, size: Extent, passes: u32) -> Option<String> {
    let lines = [times(figures, size, passes), by_area(figures), cleared(figures), clears(figures, passes)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn times(figures: &Figures<'_>, size: Extent, passes: u32) -> Option<String> {
    let us = |order: &str| figures.us(Time::Pipelined, &format!("{order}_{QUARTER}"));
    Some(format!(
        "{:.1} against {:.1} µs without barriers: {passes} passes over 1/4 of {size}, back to back.",
        us("barrier")?,
        us("no_barrier")?
    ))
}

fn by_area(figures: &Figures<'_>) -> Option<String> {
    Some(format!(
        "Barriers take {} of the time of whole passes and {} at 1/64 of the area. Time that a barrier takes is not \
         idle time.",
        taken(figures, "1")?.text(),
        taken(figures, "64")?.text()
    ))
}

fn cleared(figures: &Figures<'_>) -> Option<String> {
    Some(format!(
        "With a clear by a kernel before each pass over 1/4 of the area barriers take {}. In the talk VALUs idle for \
         at least {} % of such a pass.",
        taken(figures, "4_clear")?.text(),
        published("lottes2018", "idle/quarter_clear")?
    ))
}

/// Percent of the time of a chain with barriers that the chain without does not take, back to back.
fn taken(figures: &Figures<'_>, share: &str) -> Option<Value> {
    let ratio = figures.pipelined_ratio(&format!("barrier_{share}"), &format!("no_barrier_{share}"))?;
    let percent = |ratio: f64| 100.0 * (1.0 - 1.0 / ratio).max(0.0);
    let interval =
        ratio.median_95.map(|interval| Interval { low: percent(interval.low), high: percent(interval.high) });
    Some(Value { median: percent(ratio.median), interval, unit: "%".into() })
}

/// What a clear adds to a pass, by each way to clear, where its interval excludes zero.
fn clears(figures: &Figures<'_>, passes: u32) -> Option<String> {
    let added = |(name, words): (&str, &str)| {
        let cost = figures.difference_us(&format!("barrier_4_{name}"), "barrier_4")?;
        let is_told = cost.median_95.is_some_and(|interval| interval.low > 0.0);
        let us = format!("{:.1} µs", cost.median / f64::from(passes));
        Some(format!("{} by {words}", if is_told { us } else { "no measurable time".into() }))
    };
    let ways =
        [("clear", "a kernel"), ("fill_buffer", "vkCmdFillBuffer"), ("clear_image", "vkCmdClearColorImage")];
    let parts: Vec<String> = ways.into_iter().filter_map(added).collect();
    (!parts.is_empty()).then(|| {
        format!(
            "A clear and its barrier add to each pass over 1/4 of the area (alone): {}.",
            parts.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Record};

    use super::*;

    fn concluded(record: &Record) -> String {
        verdict(&Figures::new(&record.rows), Extent { width: 2560, height: 1440 }, 8).unwrap()
    }

    #[test]
    fn a_record_leads_to_its_verdict() {
        let mut record = samples::recorded("2026-11-26-nvidia-h200/drain_fill").unwrap();
        let headline = headline(&Figures::new(&record.rows));
        assert_eq!(headline.finding, "barriers take 11 % of passes over a quarter of the area");
        assert!(headline.finding.chars().count() <= LONGEST);
        assert_eq!(
            (headline.outcome, headline.published.as_deref()),
            (Outcome::Holds, Some("talk: at least 14 %"))
        );
        assert_eq!(
            concluded(&record),
            "94.8 against 84.2 µs without barriers: 8 passes over 1/4 of 2560x1440, back to back.\n\
             Barriers take 3 % of the time of whole passes and 81 % at 1/64 of the area. Time that a barrier takes is \
             not idle time.\n\
             With a clear by a kernel before each pass over 1/4 of the area barriers take 11 %. In the talk VALUs \
             idle for at least 26 % of such a pass.\n\
             A clear and its barrier add to each pass over 1/4 of the area (alone): 11.3 µs by a kernel, 2.7 µs by \
             vkCmdFillBuffer, 74.4 µs by vkCmdClearColorImage."
        );
        record
            .rows
            .retain(|row| !row.variant.ends_with("_fill_buffer") && !row.variant.ends_with("_clear_image"));
        assert!(concluded(&record).ends_with("(alone): 11.3 µs by a kernel."), "{}", concluded(&record));
        assert_eq!(verdict(&Figures::new(&[]), Extent::square(8), 8), None);
    }

    #[test]
    fn what_noise_hides_is_not_told() {
        let mut record = samples::recorded("2026-11-26-nvidia-h200/drain_fill").unwrap();
        for row in record.rows.iter_mut().filter(|row| row.variant.starts_with("barrier_4")) {
            let clears = row.variant.ends_with("clear");
            for (sample, noise) in row.samples.iter_mut().zip([0.7, 1.3].into_iter().cycle()) {
                sample.one_us = if clears { noise } else { 1.0 };
            }
        }
        let text = concluded(&record);
        assert!(text.contains("(alone): no measurable time by a kernel, "), "{text}");
    }
}
