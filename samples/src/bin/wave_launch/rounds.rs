//! Lengths of the probes' rays, in rounds: the same for all, or drawn so that a few probes take most of them.

use samples::steps::{first, stepped};

use crate::reference::REGION;

/// Shape of the Pareto distribution; its variance is infinite before the cut-off.
const SHAPE: f64 = 1.5;
/// A probe takes at most this many times the mean.
const MOST_TIMES: f64 = 32.0;
/// lavapipe of Mesa 22.3 ends a loop after so many rounds, without an error.
pub const MOST_ROUNDS: u32 = 65_535;

/// How the rays differ in length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// All of one length, as far as whole numbers allow, with the same total over the regions as irregular ones.
    Equal,
    /// One draw per region.
    Irregular,
}

impl Lengths {
    /// Rounds of each probe, `mean` on average, the same for all probes of a region: a wave takes as long as its
    /// longest.
    pub fn drawn(self, probes: u32, mean: u32) -> Vec<u32> {
        let regions = probes.div_ceil(REGION);
        let irregular: Vec<u32> = (0..regions).map(|region| pareto(uniform(region), mean)).collect();
        let of_regions = match self {
            Self::Equal => spread(irregular.iter().map(|&rounds| u64::from(rounds)).sum(), regions),
            Self::Irregular => irregular,
        };
        (0..probes).map(|probe| of_regions[(probe / REGION) as usize]).collect()
    }
}

/// A picture of irregular work. The brighter a probe, the longer its ray, on a logarithmic scale from black for one
/// round to white for the most; wrong probes are red.
pub fn painted(irregular: &[u32], right: &[u32], words: &[u32]) -> Vec<[u8; 3]> {
    let most = irregular.iter().copied().max().unwrap_or(1).max(2);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
    let shade = |rounds: u32| (255.0 * f64::from(rounds).ln() / f64::from(most).ln()) as u8;
    let colour = |((&rounds, word), right)| if word == right { [shade(rounds); 3] } else { [255, 0, 0] };
    irregular.iter().zip(words).zip(right).map(colour).collect()
}

/// Distributes `total` rounds as evenly as whole numbers allow; the items with one more are spread out too.
fn spread(total: u64, items: u32) -> Vec<u32> {
    let until = |item: u32| u128::from(total) * u128::from(item) / u128::from(items);
    (0..items).map(|item| u32::try_from(until(item + 1) - until(item)).unwrap_or(u32::MAX)).collect()
}

/// A number above 0 and at most 1, the same in every run.
fn uniform(draw: u32) -> f64 {
    let mixed = [0x85EB_CA6B, 0xC2B2_AE35].into_iter().fold(first(draw), stepped);
    (f64::from(mixed >> 8) + 1.0) / f64::from(1 << 24)
}

/// Rounds at this quantile of the distribution, at least one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 65,535")]
fn pareto(place: f64, mean: u32) -> u32 {
    let mean = f64::from(mean);
    let least = mean * (SHAPE - 1.0) / SHAPE;
    let rounds = least * place.powf(-1.0 / SHAPE);
    rounds.min(MOST_TIMES * mean).clamp(1.0, MOST_ROUNDS.into()).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_regions_take_most_of_the_same_total() {
        let [regular, irregular] =
            [Lengths::Equal, Lengths::Irregular].map(|lengths| lengths.drawn(64 * 10_000, 64));
        // A wave takes as many rounds as its longest probe.
        let total = |counts: &[u32], lanes| {
            counts.chunks(lanes).map(|wave| u64::from(*wave.iter().max().unwrap())).sum::<u64>()
        };
        for lanes in [1, 4, 32, 64] {
            assert_eq!(total(&regular, lanes), total(&irregular, lanes), "waves of {lanes} lanes");
        }
        let (least, most) = (regular.iter().min().unwrap(), regular.iter().max().unwrap());
        assert!(most - least <= 1 && (50..70).contains(least), "{least} to {most}");
        let regions: Vec<u32> = irregular.iter().copied().step_by(REGION as usize).collect();
        // Four fifths of the regions are below the mean; a few reach the cut-off.
        assert_eq!((regions.iter().min(), regions.iter().max()), (Some(&21), Some(&2048)));
        let below = regions.iter().filter(|&&n| n < 64).count();
        assert!((7500..8500).contains(&below), "{below}");
        // A part of a region is a region, too.
        assert_eq!(Lengths::Equal.drawn(64 * 10_000 - 61, 64), regular[..64 * 10_000 - 61]);
        // No loop is longer than lavapipe supports.
        assert_eq!((pareto(1e-9, 4096), pareto(1.0, 1)), (65_535, 1));
    }
}
