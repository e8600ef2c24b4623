//! The verdict on chains in one dispatch, compared with the fastest variant that uses one dispatch per pass.

use common::{Figures, Time};

use crate::words::{fastest_right, is_lawful, times_as};

/// Compares the fastest variant of each kind.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let fastest = |part: &str, lawful| {
        fastest_right(figures, |name| name.contains(part) && is_lawful(figures, name) == lawful)
    };
    let ((ordered, ordered_us), (tiles, tiles_us)) = (fastest("barrier", true)?, fastest("tile_", true)?);
    let against = times_as(&figures.ratio(ordered, tiles)?, "fast");
    let mut text = format!(
        "In short: with barriers the passes take {ordered_us:.1} µs at best ({ordered}), in one dispatch {tiles_us:.1} by \
         Vulkan's rules ({tiles}: {against})"
    );
    if let Some((relying, us)) = fastest("tile_", false) {
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
        for (folder, expected) in [
            (
                "bloom",
                "74.3 µs at best (barriers), in one dispatch 65.2 by Vulkan's rules (tile_flags_chained: 1.14 (",
            ),
            (
                "bloom-3840x2160",
                "(tile_flags_chained: 0.87 (0.86 to 0.87) times as fast) and 228.0 as the hardware",
            ),
            ("ladder-1152-radius-2", "86.0 µs at best (full_barrier_32x4x4_staged), in one dispatch 73.1 by"),
            ("ladder-4096-radius-2", "the fastest dispatches take 561.5 µs (no_barrier_32x4x8_staged)."),
        ] {
            let record = crate::recorded(&format!("../2026-11-22-nvidia-h200/{folder}")).unwrap();
            let said = verdict(&Figures::new(&record.rows)).unwrap();
            assert!(said.contains(expected), "{said}");
        }
    }

    #[test]
    fn without_a_lawful_form_nothing_is_said() {
        let mut rows = crate::recorded("../2026-11-22-nvidia-h200/bloom").unwrap().rows;
        rows.retain(|row| !row.variant.starts_with("tile_"));
        assert_eq!(verdict(&Figures::new(&rows)), None);
        assert_eq!(verdict(&Figures::new(&[])), None);
    }
}
