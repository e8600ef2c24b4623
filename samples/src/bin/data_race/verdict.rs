//! The verdict of `data_race`: at how many sizes pixels were wrong, beside the sizes of the talk.

use std::ops::RangeInclusive;

use common::{Extent, Figures};

const ALL: RangeInclusive<u64> = 0..=u64::MAX;

/// Says where dispatches overlap, which one image per pass shows, and then what two images in turn add. Without a run
/// of one image per pass there is no verdict.
pub fn verdict(figures: &Figures<'_>, sizes: &[Extent]) -> Option<String> {
    let no_barrier = Counts::of(figures, sizes, "no_barrier", false)?;
    let mut text = format!(
        "Without a barrier, with one image per pass, pixels were wrong at {} sizes up to 128x128, where the talk saw \
         races, and at {} from 256x256 on, where it saw none ({} trials per size{}; the talk: two images in turn, RX \
         580).",
        no_barrier.wrong(0..=128 * 128),
        no_barrier.wrong(256 * 256..=u64::MAX),
        no_barrier.trials,
        no_barrier.largest().map_or_else(String::new, |size| format!(", the largest wrong one {size}")),
    );
    if let Some(ordered) = Counts::of(figures, sizes, "execution_only", false) {
        text += &format!(" With an order alone they were wrong at {}", ordered.wrong(ALL));
        let overlap = no_barrier.any() && !ordered.any();
        text += if overlap { ", so dispatches overlap." } else { "." };
    }
    let two_images = |variant| Counts::of(figures, sizes, variant, true);
    if let Some((no_barrier, coherent)) = two_images("no_barrier").zip(two_images("coherent_stores")) {
        let with_one = Counts::of(figures, sizes, "coherent_stores", false);
        let stale = coherent.any() && with_one.is_some_and(|counts| !counts.any());
        text += &format!(
            " With two images in turn pixels were wrong at {} sizes without a barrier, and at {} with an order and \
             coherent stores{}.",
            no_barrier.wrong(ALL),
            coherent.wrong(ALL),
            if stale { ", which leaves stale lines as the cause there" } else { "" },
        );
    }
    Some(text)
}

/// At which sizes a variant had wrong pixels.
struct Counts {
    sizes: Vec<(Extent, bool)>,
    /// The fewest trials of a size.
    trials: usize,
}

impl Counts {
    /// Of the sizes that ran, if any did.
    fn of(figures: &Figures<'_>, sizes: &[Extent], variant: &str, ping_pong: bool) -> Option<Self> {
        let racy = |size| figures.row(&name(variant, size, ping_pong))?.racy;
        let ran = || sizes.iter().filter_map(|&size| Some((size, racy(size)?)));
        let trials = ran().map(|(_, racy)| racy.samples).min()?;
        Some(Self { sizes: ran().map(|(size, racy)| (size, racy.racy_samples > 0)).collect(), trials })
    }

    /// `3 of 8`: sizes with wrong pixels, of those with so many pixels.
    fn wrong(&self, pixels: RangeInclusive<u64>) -> String {
        let of = || self.sizes.iter().filter(|(size, _)| pixels.contains(&area(*size)));
        format!("{} of {}", of().filter(|(_, wrong)| *wrong).count(), of().count())
    }

    fn any(&self) -> bool {
        self.largest().is_some()
    }

    /// The largest size with wrong pixels.
    fn largest(&self) -> Option<Extent> {
        self.sizes.iter().filter(|(_, wrong)| *wrong).map(|(size, _)| *size).max_by_key(|&size| area(size))
    }
}

fn area(size: Extent) -> u64 {
    u64::from(size.width) * u64::from(size.height)
}

/// Name of a variant on images of one size.
pub fn name(variant: &str, size: Extent, ping_pong: bool) -> String {
    format!("{variant}_{size}{}", if ping_pong { "_ping_pong" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes() -> Vec<Extent> {
        (5..=12).map(|n| Extent::square(1 << n)).collect()
    }

    #[test]
    fn overlap_is_told_from_stale_lines() {
        for record in [samples::recorded("data-race"), samples::recorded_on("2026-11-25", "data_race")] {
            let mut rows = record.unwrap().rows;
            assert_eq!(
                verdict(&Figures::new(&rows), &sizes()).unwrap(),
                "Without a barrier, with one image per pass, pixels were wrong at 3 of 3 sizes up to 128x128, where \
                 the talk saw races, and at 2 of 5 from 256x256 on, where it saw none (200 trials per size, the \
                 largest wrong one 512x512; the talk: two images in turn, RX 580). With an order alone they were wrong \
                 at 0 of 8, so dispatches overlap. With two images in turn pixels were wrong at 6 of 8 sizes without a \
                 barrier, and at 6 of 8 with an order and coherent stores, which leaves stale lines as the cause \
                 there."
            );
            rows.retain(|row| !row.variant.starts_with("no_barrier"));
            assert_eq!(verdict(&Figures::new(&rows), &sizes()), None);
        }
    }

    #[test]
    fn what_was_not_wrong_proves_nothing() {
        let mut rows = samples::recorded("data-race").unwrap().rows;
        // Wrong with an order, too: the stores may not have been visible.
        for variant in ["execution_only_32x32", "coherent_stores_32x32"] {
            let row = rows.iter_mut().find(|row| row.variant == variant).unwrap();
            row.racy.as_mut().unwrap().racy_samples = 1;
        }
        let text = verdict(&Figures::new(&rows), &sizes()).unwrap();
        assert!(text.contains("With an order alone they were wrong at 1 of 8. With two"), "{text}");
        assert!(text.ends_with("at 6 of 8 with an order and coherent stores."), "{text}");
        rows.iter_mut().filter_map(|row| row.racy.as_mut()).for_each(|racy| racy.racy_samples = 0);
        let text = verdict(&Figures::new(&rows), &sizes()).unwrap();
        assert!(
            text.contains("(200 trials per size; the talk") && text.contains("wrong at 0 of 8. With two"),
            "{text}"
        );
        assert!(text.ends_with("at 0 of 8 with an order and coherent stores."), "{text}");
    }
}
