//! Statistics of repeated measurements: order statistics, the interval of the median, ratios.
//!
//! Times of GPU work are skewed (a minimum, and a tail of interruptions), so the suite reports the median and its
//! distribution-free interval; mean and deviation serve the stopping rule and interested readers. Quantiles are
//! those of statrs (R's type 8, approximately median-unbiased).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{Binomial, DiscreteCDF};
use statrs::statistics::{Data, Distribution, OrderStatistics};

/// A 95 % interval, in the unit of what it brackets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What is kept of a series of samples beside the samples themselves. Same unit as the samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Number of samples.
    pub n: usize,
    /// Smallest sample.
    pub min: f64,
    /// First quartile.
    pub q1: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub q3: f64,
    /// Largest sample.
    pub max: f64,
    /// Interquartile range, `q3 - q1`.
    pub iqr: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation; 0 for a single sample.
    pub stdev: f64,
    /// `stdev / mean`.
    pub relative_stdev: f64,
    /// 95 % interval of the median; `None` below 6 samples, where order statistics give none.
    pub median_95: Option<Interval>,
    /// Samples outside Tukey's fences (1.5 interquartile ranges beyond the quartiles). They are
    /// labelled, never dropped.
    pub outliers: usize,
}

impl Summary {
    /// Summarises `samples`; `None` when there are none or when one of them is not finite.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Self> {
        if samples.is_empty() || samples.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mut data = Data::new(sorted.clone());
        let (q1, median, q3) = (data.lower_quartile(), data.median(), data.upper_quartile());
        let mean = data.mean()?;
        let stdev = if sorted.len() > 1 { data.std_dev()? } else { 0.0 };
        let summary = Self {
            n: sorted.len(),
            min: sorted[0],
            q1,
            median,
            q3,
            max: sorted[sorted.len() - 1],
            iqr: q3 - q1,
            mean,
            stdev,
            relative_stdev: if mean == 0.0 { 0.0 } else { stdev / mean.abs() },
            median_95: median_interval(&sorted),
            outliers: 0,
        };
        Some(Self { outliers: sorted.iter().filter(|&&x| summary.is_outlier(x)).count(), ..summary })
    }

    /// Whether the sample is outside Tukey's fences.
    #[must_use]
    pub fn is_outlier(&self, sample: f64) -> bool {
        let fence = 1.5 * self.iqr;
        sample < self.q1 - fence || sample > self.q3 + fence
    }

    /// Half the width of the median's 95 % interval divided by the median: the `± x %` of a table.
    #[must_use]
    pub fn median_error(&self) -> Option<f64> {
        let Interval { low, high } = self.median_95?;
        (self.median != 0.0).then(|| (high - low) / 2.0 / self.median.abs())
    }
}

/// Distribution-free 95 % interval of the median of `sorted`: the order statistics `x(l)` and
/// `x(n + 1 - l)` with the largest `l` for which `P(Binomial(n, 1/2) < l) <= 2.5 %`.
pub(crate) fn median_interval(sorted: &[f64]) -> Option<Interval> {
    let n = sorted.len();
    let tosses = Binomial::new(0.5, n as u64).ok()?;
    // inverse_cdf(p) is the smallest k with P(X <= k) >= p, so P(X < k) < p: ranks below and at
    // k (counting from one) leave less than p on either side.
    let l = usize::try_from(tosses.inverse_cdf(0.025)).ok()?;
    (l >= 1).then(|| Interval { low: sorted[l - 1], high: sorted[n - l] })
}

/// Summary of the quotients of two series that were taken in the same rounds: `numerator[i] / denominator[i]`.
/// Pairing cancels common influences such as clock drift. The caller must leave out rounds without a partner.
#[must_use]
pub fn paired_ratio(numerator: &[f64], denominator: &[f64]) -> Option<Summary> {
    let quotients: Vec<f64> = numerator.iter().zip(denominator).map(|(a, b)| a / b).collect();
    Summary::of(&quotients)
}

/// Upper end of the one-sided 95 % interval of a share of which `n` trials showed no case: `1 - 0.05^(1/n)`, the
/// exact form of the rule of three. Without a trial it is 1.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a count of trials fits 52 bits")]
pub fn none_seen_bound(n: usize) -> f64 {
    if n == 0 { 1.0 } else { 1.0 - 0.05_f64.powf(1.0 / n as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_of_known_samples() {
        let s = Summary::of(&[5.0, 1.0, 3.0, 2.0, 4.0]).unwrap();
        assert_eq!((s.n, s.min, s.median, s.max, s.mean), (5, 1.0, 3.0, 5.0, 3.0));
        assert!((s.stdev - 2.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(s.median_95, None, "five samples bracket a median with 94 % only");
    }

    #[test]
    fn interval_of_the_median_has_the_textbook_ranks() {
        // n = 6: x(1)..x(6) covers 96.9 %. n = 10: x(2)..x(9), 97.9 %. n = 100: x(40)..x(61).
        for (n, low, high) in [(6, 1.0, 6.0), (10, 2.0, 9.0), (100, 40.0, 61.0)] {
            let samples: Vec<f64> = (1..=n).map(f64::from).collect();
            assert_eq!(Summary::of(&samples).unwrap().median_95, Some(Interval { low, high }), "n = {n}");
        }
    }

    #[test]
    fn interval_of_the_median_covers_it_95_times_in_100() {
        use rand::{RngExt, SeedableRng};
        let mut rng = rand_pcg::Pcg64::seed_from_u64(7);
        let covered = (0..4000)
            .filter(|_| {
                // Exponential: skewed like times; its median is ln 2.
                let samples: Vec<f64> = (0..40).map(|_| -rng.random::<f64>().ln()).collect();
                let i = Summary::of(&samples).unwrap().median_95.unwrap();
                i.low <= std::f64::consts::LN_2 && std::f64::consts::LN_2 <= i.high
            })
            .count();
        assert!((3800..=3960).contains(&covered), "{covered} of 4000");
    }

    #[test]
    fn outliers_are_counted_and_kept() {
        let s = Summary::of(&[10.0, 10.1, 9.9, 10.0, 10.2, 9.8, 10.0, 55.0]).unwrap();
        assert_eq!((s.outliers, s.max), (1, 55.0));
        assert!(s.is_outlier(55.0) && !s.is_outlier(10.2));
    }

    #[test]
    fn nothing_and_nan_have_no_summary() {
        assert!(Summary::of(&[]).is_none());
        assert!(Summary::of(&[1.0, f64::NAN]).is_none());
    }

    #[test]
    fn what_none_seen_leaves_open() {
        assert_eq!(none_seen_bound(0), 1.0);
        assert!((none_seen_bound(1) - 0.95).abs() < 1e-12);
        // 200 trials: (1 - p)^200 = 0.05.
        assert!(((1.0 - none_seen_bound(200)).powi(200) - 0.05).abs() < 1e-9);
        assert!((none_seen_bound(200) - 0.014_867).abs() < 1e-6);
    }

    #[test]
    fn pairing_cancels_drift() {
        let a: Vec<f64> = (0..20).map(|i| 100.0 + f64::from(i)).collect();
        let b: Vec<f64> = a.iter().map(|x| x * 2.0).collect();
        let r = paired_ratio(&b, &a).unwrap();
        assert_eq!((r.median, r.stdev), (2.0, 0.0));
    }
}
