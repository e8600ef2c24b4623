//! What waiting and fusing gain, apart from each other.

use common::Figures;
use samples::waits::{self, Compared};

/// One pass per tile whose tiles wait, several passes per dispatch with barriers, and both, each beside barriers.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    fn waits(name: &str) -> bool {
        name.starts_with("tags") || name.starts_with("flags")
    }
    let compared: [Compared; 3] = [
        ("In one dispatch whose tiles wait for each other", |name| waits(name) && !name.ends_with("_fused")),
        ("With several passes per dispatch and barriers between dispatches", |name| name == "fused"),
        ("With several passes per tile, in one dispatch whose tiles wait", |name| {
            waits(name) && name.ends_with("_fused")
        }),
    ];
    waits::verdict(figures, "barriers", &compared, "no_order")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_not_given_the_gain_of_fusing() {
        let mut rows = samples::recorded_on("2026-11-25", "tiles-512").unwrap().rows;
        let all = "With barriers the passes take 36.2 µs (barriers). In one dispatch whose tiles wait for each other: 33.2 \
                   µs (tags), 1.09 (1.09 to 1.10) times as fast. With several passes per dispatch and barriers between \
                   dispatches: 16.5 µs (fused), 2.19 (2.19 to 2.20) times as fast. With several passes per tile, in one \
                   dispatch whose tiles wait: 16.4 µs (tags_fused), 2.21 (2.20 to 2.21) times as fast. Without any order: \
                   9.1 µs (no_order).";
        assert_eq!(verdict(&Figures::new(&rows)).unwrap(), all);
        // What is not correct by the specification does not count, however fast.
        let racing = rows.iter().find(|row| row.variant == "no_order").unwrap().promise.clone();
        rows.iter_mut().find(|row| row.variant == "tags_fused").unwrap().promise = racing;
        assert!(verdict(&Figures::new(&rows)).unwrap().contains("wait: 17.5 µs (flags_fused)"));
        // Of flags no difference is shown, and of what was wrong nothing is told.
        rows.iter_mut().filter(|row| row.variant == "tags").for_each(|row| {
            row.racy.as_mut().unwrap().racy_samples = 1;
        });
        rows.retain(|row| !row.variant.ends_with("fused"));
        let text = verdict(&Figures::new(&rows)).unwrap();
        assert!(text.contains(": 36.1 µs (flags), as fast, as far as these samples tell. Without"), "{text}");
        rows.iter_mut().for_each(|row| row.samples.truncate(3));
        let text = verdict(&Figures::new(&rows)).unwrap();
        assert!(text.contains("too few samples to tell"), "{text}");
        rows.retain(|row| !row.variant.starts_with("barriers"));
        assert_eq!(verdict(&Figures::new(&rows)), None);
    }
}
