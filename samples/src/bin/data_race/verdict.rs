//! The verdict of `data_race`: at how many sizes pixels were wrong, beside the sizes of the talk.

use std::ops::RangeInclusive;

use common::record::Racy;
use common::{Extent, Figures};

/// Counts the sizes with wrong pixels, without a barrier where the talk saw races and where it saw none, and with its
/// coherent stores. Without a run of the talk's tester there is no verdict.
pub fn verdict(figures: &Figures<'_>, sizes: &[Extent]) -> Option<String> {
    let counted = |variant: &str, ping_pong| -> Vec<(u64, Racy)> {
        let counts = sizes.iter().filter_map(|&size| {
            let row = figures.row(&name(variant, size, ping_pong))?;
            Some((u64::from(size.width) * u64::from(size.height), row.racy?))
        });
        counts.collect()
    };
    let wrong = |counts: &[(u64, Racy)], pixels: RangeInclusive<u64>| {
        let of: Vec<_> = counts.iter().filter(|(size, _)| pixels.contains(size)).collect();
        format!("{} of {}", of.iter().filter(|(_, racy)| racy.racy_samples > 0).count(), of.len())
    };
    let no_barrier = counted("no_barrier", true);
    let trials = no_barrier.iter().map(|(_, racy)| racy.samples).min()?;
    let coherent = |ping_pong| wrong(&counted("coherent_stores", ping_pong), 0..=u64::MAX);
    Some(format!(
        "Without a barrier pixels were wrong at {} sizes up to 128x128, where the talk saw races, and at {} from 256x256 on, \
         where it saw none (two images in turn, {trials} trials per size; the talk: RX 580). With an execution dependency \
         and coherent stores pixels were wrong at {} sizes with two images in turn, and at {} with one image per pass.",
        wrong(&no_barrier, 0..=128 * 128),
        wrong(&no_barrier, 256 * 256..=u64::MAX),
        coherent(true),
        coherent(false),
    ))
}

/// Name of a variant on images of one size.
pub fn name(variant: &str, size: Extent, ping_pong: bool) -> String {
    format!("{variant}_{size}{}", if ping_pong { "_ping_pong" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_counted_beside_those_of_the_talk() {
        let mut rows = samples::recorded("data-race").unwrap().rows;
        let sizes: Vec<Extent> = (5..=12).map(|n| Extent::square(1 << n)).collect();
        assert_eq!(
            verdict(&Figures::new(&rows), &sizes).unwrap(),
            "Without a barrier pixels were wrong at 3 of 3 sizes up to 128x128, where the talk saw races, and at 3 of 5 from \
             256x256 on, where it saw none (two images in turn, 200 trials per size; the talk: RX 580). With an execution \
             dependency and coherent stores pixels were wrong at 6 of 8 sizes with two images in turn, and at 0 of 8 with \
             one image per pass."
        );
        rows.retain(|row| !row.variant.starts_with("no_barrier"));
        assert_eq!(verdict(&Figures::new(&rows), &sizes), None);
    }
}
