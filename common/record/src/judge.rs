//! Decides whether something became faster or slower, for the self-test and `suite compare`.

use serde::{Deserialize, Serialize};

use crate::stats::Interval;

/// The meaning of an interval of the ratio of a second time to a first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The second takes less time, by more than the tolerance.
    Faster,
    /// The second takes more time, by more than the tolerance.
    Slower,
    /// The difference is below the tolerance.
    Same,
    /// The samples do not decide it.
    Unsure,
}

impl Verdict {
    /// The word shown to users.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Faster => "FASTER",
            Self::Slower => "SLOWER",
            Self::Same => "SAME",
            Self::Unsure => "UNSURE",
        }
    }
}

/// The verdict on a ratio with the interval `ratio`. The interval must lie entirely on one side of a limit.
/// Differences up to `tolerance` do not count; 0.01 is one per cent.
#[must_use]
pub fn judge(ratio: Interval, tolerance: f64) -> Verdict {
    if ratio.low > 1.0 + tolerance {
        Verdict::Slower
    } else if ratio.high < 1.0 - tolerance {
        Verdict::Faster
    } else if ratio.low >= 1.0 - tolerance && ratio.high <= 1.0 + tolerance {
        Verdict::Same
    } else {
        Verdict::Unsure
    }
}

/// The factor between two series of samples that were not taken in the same rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// The factor.
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval: Interval,
}

/// Fewer samples on either side give no useful interval.
const FEWEST: usize = 6;

/// The Hodges-Lehmann estimator for ratios: the median of all `after[j] / before[i]`, with the interval that belongs
/// to Wilcoxon's rank-sum test. It assumes only that the second distribution is the first one times a factor, and
/// needs fewer samples than a comparison of two median intervals. `None` below 6 samples on a side, or if a sample
/// is not a positive number.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts of samples fit 52 bits")]
pub fn shift(before: &[f64], after: &[f64]) -> Option<Shift> {
    let (before, after) = (sorted(before)?, sorted(after)?);
    let (m, n) = (before.len() as f64, after.len() as f64);
    let pairs = m * n;
    // 1.96 standard deviations of the rank sum, in its normal approximation.
    let stray = 1.96 * (pairs * (m + n + 1.0) / 12.0).sqrt();
    let rank = |at: f64| ratio_of_rank(&before, &after, at.clamp(1.0, pairs));
    let interval =
        Interval { low: rank((pairs / 2.0 - stray).floor()), high: rank((pairs / 2.0 + stray).ceil() + 1.0) };
    Some(Shift { ratio: rank((pairs / 2.0).ceil()), interval })
}

fn sorted(samples: &[f64]) -> Option<Vec<f64>> {
    if samples.len() < FEWEST || samples.iter().any(|x| !x.is_finite() || *x <= 0.0) {
        return None;
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(sorted)
}

/// The quotient of the given rank (from 1) among all `after[j] / before[i]`. It is found by bisection, so that the
/// quotients of a million pairs need not be stored.
#[expect(clippy::cast_precision_loss, reason = "counts of samples fit 52 bits")]
fn ratio_of_rank(before: &[f64], after: &[f64], rank: f64) -> f64 {
    let (mut low, mut high) = (after[0] / before[before.len() - 1], after[after.len() - 1] / before[0]);
    // 60 bisections exhaust the precision of a double.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if at_most(before, after, middle) as f64 >= rank { high = middle } else { low = middle }
    }
    high
}

/// Number of quotients that are at most `ratio`; both series are sorted.
fn at_most(before: &[f64], after: &[f64], ratio: f64) -> usize {
    let mut below = 0;
    before
        .iter()
        .map(|b| {
            while below < after.len() && after[below] <= ratio * b {
                below += 1;
            }
            below
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::*;

    #[test]
    fn an_interval_decides_only_as_a_whole() {
        let of = |low, high| judge(Interval { low, high }, 0.01);
        assert_eq!(of(0.995, 1.004), Verdict::Same);
        assert_eq!(of(1.011, 1.03), Verdict::Slower);
        assert_eq!(of(0.9, 0.98), Verdict::Faster);
        assert_eq!(of(1.0, 1.02), Verdict::Unsure);
        assert_eq!(of(0.8, 1.2), Verdict::Unsure);
        assert_eq!(of(f64::NAN, f64::NAN), Verdict::Unsure);
    }

    fn series(rng: &mut Pcg64, n: usize, factor: f64) -> Vec<f64> {
        // A minimum and a tail above it, like measured times.
        (0..n).map(|_| factor * (100.0 - 2.0 * rng.random::<f64>().ln())).collect()
    }

    #[test]
    fn the_shift_of_known_series() {
        let before: Vec<f64> = (0..50).map(|i| 100.0 + f64::from(i % 7)).collect();
        let after: Vec<f64> = before.iter().map(|x| x * 1.25).collect();
        let shift = shift(&before, &after).unwrap();
        assert!((shift.ratio - 1.25).abs() < 1e-9, "{shift:?}");
        assert!(shift.interval.low <= 1.25 && 1.25 <= shift.interval.high);
    }

    #[test]
    fn ranks_are_those_of_all_quotients() {
        let (before, after) = ([1.0, 2.0, 4.0, 5.0, 8.0, 9.0], [3.0, 4.0, 6.0, 7.0, 9.0, 11.0, 12.0]);
        let mut all: Vec<f64> = before.iter().flat_map(|b| after.iter().map(move |a| a / b)).collect();
        all.sort_by(f64::total_cmp);
        for (at, ratio) in all.iter().enumerate() {
            let found = ratio_of_rank(&before, &after, (at + 1) as f64);
            assert!((found - ratio).abs() < 1e-9, "rank {at}: {found} instead of {ratio}");
        }
    }

    #[test]
    fn the_interval_holds_the_factor_95_times_in_100() {
        let mut rng = Pcg64::seed_from_u64(11);
        let held = (0..1000).filter(|_| {
            let (before, after) = (series(&mut rng, 25, 1.0), series(&mut rng, 40, 1.01));
            let interval = shift(&before, &after).unwrap().interval;
            (interval.low..=interval.high).contains(&1.01)
        });
        let held = held.count();
        assert!((930..=980).contains(&held), "{held} of 1000");
    }

    #[test]
    fn few_samples_and_no_numbers_have_no_shift() {
        let fine = [1.0; 6];
        assert!(shift(&fine, &fine).is_some());
        assert!(shift(&fine, &fine[1..]).is_none());
        assert!(shift(&fine, &[1.0, 1.0, 1.0, 1.0, 1.0, f64::NAN]).is_none());
        assert!(shift(&[0.0; 6], &fine).is_none());
    }
}
