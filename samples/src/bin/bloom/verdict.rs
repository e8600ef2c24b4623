//! The verdict on a bloom in one dispatch.

use common::Figures;
use samples::waits::{self, Compared};

/// Compares the fastest variant with barriers with the fastest in one dispatch.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let compared: [Compared; 1] =
        [("In one dispatch whose tiles wait for each other", |name| name.starts_with("tile_flags"))];
    waits::verdict(figures, "barriers", &compared, "no_barrier")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_images_lose_in_one_dispatch() {
        for (folder, says) in [
            ("bloom", " 65.2 µs (tile_flags_chained), 1.14 ("),
            ("bloom-3840x2160", " 225.4 µs (tile_flags_chained), 0.87 ("),
        ] {
            let record = samples::recorded(&format!("../2026-11-22-nvidia-h200/{folder}")).unwrap();
            let said = verdict(&Figures::new(&record.rows)).unwrap();
            assert!(said.contains(says), "{said}");
        }
    }
}
