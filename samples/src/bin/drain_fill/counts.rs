//! Steps per item: the same for all, or drawn so that a few items take most of them.

use crate::reference::{counted, first, stepped};

/// Number of items that share one draw. Irregular work comes in regions, as light probes cover parts of a picture,
/// so that not only lanes but also waves differ.
pub const REGION: u32 = 64;
/// Shape of the Pareto distribution; its variance is infinite before the cut-off.
const SHAPE: f64 = 1.5;
/// An item takes at most this many times the mean.
const MOST_TIMES: f64 = 32.0;
/// lavapipe of Mesa 22.3 ends loops after 65,535 rounds.
const MOST_STEPS: f64 = 65_535.0;

/// Steps of each item with one draw per region, and those of regular work with the same total. Returns regular
/// work first.
pub fn drawn(items: u32, mean: u32) -> [Vec<u32>; 2] {
    let irregular: Vec<u32> = (0..items).map(|item| pareto(uniform(item / REGION), mean)).collect();
    let total: u64 = irregular.iter().map(|&steps| u64::from(steps)).sum();
    [spread(total, items), irregular]
}

/// A picture of irregular work. The brighter an item, the more steps it takes, on a logarithmic scale from black
/// for one step to white for the most; wrong items are red.
pub fn painted(irregular: &[u32], words: &[u32]) -> Vec<[u8; 3]> {
    let most = irregular.iter().copied().max().unwrap_or(1).max(2);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
    let shade = |steps: u32| (255.0 * f64::from(steps).ln() / f64::from(most).ln()) as u8;
    let right = counted(irregular);
    let colour = |((&steps, word), right)| if word == right { [shade(steps); 3] } else { [255, 0, 0] };
    irregular.iter().zip(words).zip(&right).map(colour).collect()
}

/// Distributes `total` steps as evenly as whole numbers allow; the items with one more step are spread out too.
fn spread(total: u64, items: u32) -> Vec<u32> {
    let until = |item: u32| u128::from(total) * u128::from(item) / u128::from(items);
    (0..items).map(|item| u32::try_from(until(item + 1) - until(item)).unwrap_or(u32::MAX)).collect()
}

/// A number above 0 and at most 1, the same in every run.
fn uniform(draw: u32) -> f64 {
    let mixed = [0x85EB_CA6B, 0xC2B2_AE35].into_iter().fold(first(draw), stepped);
    (f64::from(mixed >> 8) + 1.0) / f64::from(1 << 24)
}

/// Number of steps at this quantile of the distribution, at least one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 65,535")]
fn pareto(place: f64, mean: u32) -> u32 {
    let mean = f64::from(mean);
    let least = mean * (SHAPE - 1.0) / SHAPE;
    let steps = least * place.powf(-1.0 / SHAPE);
    steps.min(MOST_TIMES * mean).clamp(1.0, MOST_STEPS).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_regions_take_most_of_the_same_total() {
        let [regular, irregular] = drawn(64 * 10_000 + 3, 64);
        let total = |counts: &[u32]| counts.iter().map(|&n| u64::from(n)).sum::<u64>();
        assert_eq!((regular.len(), total(&regular)), (irregular.len(), total(&irregular)));
        let (least, most) = (regular.iter().min().unwrap(), regular.iter().max().unwrap());
        assert!(most - least <= 1 && (50..70).contains(least), "{least} to {most}");
        let regions: Vec<u32> = irregular.iter().copied().step_by(REGION as usize).collect();
        // Four fifths of the regions are below the mean; a few reach the cut-off.
        assert_eq!((regions.iter().min(), regions.iter().max()), (Some(&21), Some(&2048)));
        let below = regions.iter().filter(|&&n| n < 64).count();
        assert!((7500..8500).contains(&below), "{below}");
        // No loop is longer than lavapipe supports.
        assert_eq!((pareto(1e-9, 4096), pareto(1.0, 1)), (65_535, 1));
    }
}
