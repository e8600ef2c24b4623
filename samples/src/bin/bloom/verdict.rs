//! What a run of `bloom` says: passes in one dispatch against passes that barriers order.

use common::{Figures, Time};
use samples::words::{fastest_right, is_lawful, times_as};

/// The fastest of each kind, and how they compare.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let fastest = |start: &str, lawful: bool| {
        fastest_right(figures, |name| name.starts_with(start) && is_lawful(figures, name) == lawful)
    };
    let ((ordered, ordered_us), (tiles, tiles_us)) =
        (fastest("barriers", true)?, fastest("tile_flags", true)?);
    let mut text = format!("In short: with barriers the bloom takes {ordered_us:.1} µs at best ({ordered}");
    if let Some((each, each_us)) = fastest("barriers_each", true) {
        text += &format!("; one before each pass: {each_us:.1}, {each}");
    }
    let against = times_as(&figures.ratio(ordered, tiles)?, "fast");
    text += &format!("), all passes in one dispatch {tiles_us:.1} by Vulkan's rules ({tiles}: {against})");
    if let Some((relying, us)) = fastest("tile_flags", false) {
        text += &format!(" and {us:.1} as the hardware happens to do it ({relying})");
    }
    text += ".";
    if let Some((free, free_us)) = figures.fastest(Time::Isolated, |name| name.starts_with("no_barrier")) {
        text += &format!(" Without any order the fastest dispatches take {free_us:.1} µs ({free}).");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wins_is_said_as_it_is() {
        let record = samples::recorded("../2026-11-22-nvidia-h200/bloom").unwrap();
        let said = verdict(&Figures::new(&record.rows)).unwrap();
        for part in [
            "with barriers the bloom takes 74.3 µs at best (barriers; one before each pass: 95.7, barriers_each)",
            "(tile_flags_chained: 1.14 (1.13 to 1.14) times as fast) and 66.0 as the hardware happens to do it (tile_flags).",
        ] {
            assert!(said.contains(part), "no '{part}' in: {said}");
        }
    }
}
