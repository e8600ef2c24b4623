//! What a run of `bloom` says: passes in one dispatch against passes that barriers order.

use common::{Figures, Time};
use samples::words::{is_lawful, was_right};

/// The fastest of each kind, and how they compare.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let right = |name: &str| figures.row(name).is_some_and(was_right);
    let fastest =
        |start: &str| figures.fastest(Time::Isolated, |name| name.starts_with(start) && right(name));
    let lawful = |name: &str| is_lawful(figures, name);
    let (ordered, ordered_us) =
        figures.fastest(Time::Isolated, |name| name.contains("barriers") && lawful(name))?;
    let (tiles, tiles_us) =
        figures.fastest(Time::Isolated, |name| name.starts_with("tile_flags") && lawful(name))?;
    let mut text = format!("In short: with barriers the bloom takes {ordered_us:.1} µs at best ({ordered}");
    if let Some((each, each_us)) = fastest("barriers_each") {
        text += &format!("; one before each pass: {each_us:.1}, {each}");
    }
    let against = match figures.ratio(ordered, tiles).and_then(|ratio| ratio.median_95) {
        Some(ratio) if ratio.low > 1.0 => format!("{} times faster", between(ratio.low, ratio.high)),
        Some(ratio) if ratio.high < 1.0 => {
            format!("the barriers win, {} times the speed", between(1.0 / ratio.high, 1.0 / ratio.low))
        }
        _ => "which cannot be told apart from that".to_owned(),
    };
    text += &format!("), all passes in one dispatch {tiles_us:.1} by Vulkan's rules ({tiles}: {against})");
    let relying = |name: &str| name.starts_with("tile_flags") && !lawful(name) && right(name);
    if let Some((relying, us)) = figures.fastest(Time::Isolated, relying) {
        text += &format!(" and {us:.1} as the hardware happens to do it ({relying})");
    }
    text += ".";
    if let Some((free, free_us)) = figures.fastest(Time::Isolated, |name| name.starts_with("no_barrier")) {
        text += &format!(" Without any order the fastest dispatches take {free_us:.1} µs ({free}).");
    }
    Some(text)
}

/// `1.15 to 1.16`, or one figure where both are the same.
fn between(low: f64, high: f64) -> String {
    let [low, high] = [low, high].map(|ratio| format!("{ratio:.2}"));
    if low == high { low } else { format!("{low} to {high}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a published record whose tiles take so many times as long.
    fn said(slower: f64) -> String {
        let mut record = samples::recorded("../2026-11-22-nvidia-h200/bloom").unwrap();
        for row in record.rows.iter_mut().filter(|row| row.variant.starts_with("tile_flags")) {
            row.samples.iter_mut().for_each(|sample| sample.one_us *= slower);
            row.isolated_us.iter_mut().for_each(|summary| summary.median *= slower);
        }
        verdict(&Figures::new(&record.rows)).unwrap()
    }

    fn isolated_us(variant: &str) -> f64 {
        let record = samples::recorded("../2026-11-22-nvidia-h200/bloom").unwrap();
        let row = record.rows.into_iter().find(|row| row.variant == variant).unwrap();
        row.isolated_us.unwrap().median
    }

    #[test]
    fn who_wins_is_said_as_it_is() {
        assert!(said(1.0).contains("(tile_flags_chained: 1.13 to 1.14 times faster) and 66.0 as the hardware happens to do it (tile_flags)."), "{}", said(1.0));
        assert!(
            said(1.5).contains("(tile_flags_chained: the barriers win, 1.31 to 1.32 times the speed)"),
            "{}",
            said(1.5)
        );
        let level = isolated_us("barriers") / isolated_us("tile_flags_chained");
        assert!(
            said(level).contains("(tile_flags_chained: which cannot be told apart from that)"),
            "{}",
            said(level)
        );
    }
}
