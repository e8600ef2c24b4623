//! Decides when a row has enough samples.

use std::collections::VecDeque;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::{Interval, median_interval};

/// The stopping rule. A row ends when its mean is known well enough, when its noise has shown that
/// more samples teach nothing new, or when the run's budget is spent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rule {
    /// No row ends with fewer pairs, the budget aside.
    pub min_samples: usize,
    /// Wanted relative standard error of the mean (0.005 is half a percent).
    pub noise: f64,
    /// GPU time that a row must have been sampled for before its noise is believed.
    pub min_gpu_time: Duration,
    /// How many of the latest noise figures are compared.
    pub stable_window: usize,
    /// The noise is stable when these figures deviate by less than this share of their mean.
    pub stable_noise: f64,
    /// Wanted half width of the 95 % interval of the median of T(1), as a share of it: where it is 0.7 %, two runs
    /// differ by less than 1 % in 95 of 100. 0 in records of rules without it.
    #[serde(default)]
    pub median: f64,
    /// A row of so many pairs ends without.
    #[serde(default)]
    pub most_for_median: usize,
    /// Take exactly this many pairs instead of all of the above.
    pub fixed: Option<usize>,
}

impl Default for Rule {
    fn default() -> Self {
        Self {
            min_samples: 20,
            noise: 0.005,
            min_gpu_time: Duration::from_millis(50),
            stable_window: 64,
            stable_noise: 0.05,
            median: 0.007,
            most_for_median: 500,
            fixed: None,
        }
    }
}

/// Why a row's sampling ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Stop {
    /// The mean is known to the wanted error.
    Precise,
    /// More samples would not make the noise smaller.
    NoiseStable,
    /// The number of samples that was asked for.
    FixedCount,
    /// The shared budget is spent.
    Budget {
        /// Each condition that was not met, in words.
        unmet: Vec<String>,
    },
    /// It has as many samples as are taken for the sake of the median.
    SampleLimit {
        /// What was not met, in words.
        unmet: Vec<String>,
    },
    /// The device's clock stayed too low, whatever pauses were made.
    Throttled,
    /// The run was ended before the row had enough.
    Interrupted,
}

impl Rule {
    /// The decision for a row with these meters; `None` to continue. `many` is absent if no time back to back is
    /// measured.
    pub fn verdict(&self, one: &Meter, many: Option<&Meter>, budget_spent: bool) -> Option<Stop> {
        let meters = || std::iter::once(one).chain(many);
        if let Some(wanted) = self.fixed {
            if one.count >= wanted {
                return Some(Stop::FixedCount);
            }
            return budget_spent
                .then(|| Stop::Budget { unmet: vec![format!("{} of {wanted} samples", one.count)] });
        }
        let mut unmet = Vec::new();
        if one.count < self.min_samples {
            unmet.push(format!("{} of at least {} samples", one.count, self.min_samples));
        }
        let gpu_us: f64 = meters().map(|m| m.total_us).sum();
        let wanted_us = self.min_gpu_time.as_secs_f64() * 1e6;
        if gpu_us < wanted_us {
            unmet.push(format!("{:.0} of {:.0} ms GPU time", gpu_us / 1e3, wanted_us / 1e3));
        }
        let enough = unmet.is_empty();
        let error = meters().map(Meter::mean_error).fold(0.0, f64::max);
        if error.is_infinite() {
            unmet.push("one sample shows no error".into());
        } else if error > self.noise {
            unmet.push(wide("mean", error, self.noise));
        }
        let stable = || enough && meters().all(|m| m.noise_is_stable(self));
        let ends = if unmet.is_empty() { Some(Stop::Precise) } else { stable().then_some(Stop::NoiseStable) };
        // If samples fall into two groups, the median is in the sparse part between them, while the mean is already
        // precise.
        let wide_median = self.wide_median(one);
        if ends.is_some() && wide_median.is_none() {
            return ends;
        }
        unmet.extend(wide_median);
        if ends.is_some() && one.count >= self.most_for_median {
            return Some(Stop::SampleLimit { unmet });
        }
        budget_spent.then_some(Stop::Budget { unmet })
    }

    /// Describes how imprecise the median is, if it has an interval that is wider than wanted.
    fn wide_median(&self, one: &Meter) -> Option<String> {
        let error = one.median_error().filter(|&error| error > self.median)?;
        Some(wide("median", error, self.median))
    }
}

/// Describes a relative error that is larger than requested. It has one digit, so that rows with similar errors
/// share a footnote.
fn wide(what: &str, error: f64, wanted: f64) -> String {
    let [error, wanted] = [error, wanted].map(|share| one_digit(share * 100.0));
    let over = if error == wanted { "just over " } else { "" };
    format!("{what} to {over}±{error} %, asked ±{wanted} %")
}

/// A percentage rounded to a whole number, below 1 to one decimal: `3`, `0.8`.
fn one_digit(percent: f64) -> String {
    if percent < 1.0 { format!("{percent:.1}") } else { format!("{percent:.0}") }
}

/// Running mean and deviation of one series (Welford), with the history of its noise.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    count: usize,
    mean: f64,
    squares: f64,
    total_us: f64,
    noise: VecDeque<f64>,
    sorted: Vec<f64>,
}

/// Number of noise figures that are kept: more than any rule compares.
const HISTORY: usize = 512;

impl Meter {
    #[expect(clippy::cast_precision_loss, reason = "a count of samples fits 52 bits")]
    /// Adds a time in microseconds.
    pub fn add(&mut self, us: f64) {
        self.count += 1;
        self.total_us += us;
        self.sorted.insert(self.sorted.partition_point(|&other| other < us), us);
        let delta = us - self.mean;
        self.mean += delta / self.count as f64;
        self.squares += delta * (us - self.mean);
        if self.count > 1 {
            self.noise.push_back(self.relative_stdev());
        }
        if self.noise.len() > HISTORY {
            self.noise.pop_front();
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a count of samples fits 52 bits")]
    fn relative_stdev(&self) -> f64 {
        (self.squares / (self.count - 1) as f64).sqrt() / self.mean
    }

    /// Relative standard error of the mean; infinite with a single sample.
    #[expect(clippy::cast_precision_loss, reason = "a count of samples fits 52 bits")]
    fn mean_error(&self) -> f64 {
        if self.count < 2 { f64::INFINITY } else { self.relative_stdev() / (self.count as f64).sqrt() }
    }

    /// Half the width of the median's interval divided by the median; `None` with too few samples for an interval.
    fn median_error(&self) -> Option<f64> {
        let Interval { low, high } = median_interval(&self.sorted)?;
        Some((high - low) / (high + low))
    }

    #[expect(clippy::cast_precision_loss, reason = "a window of noise figures fits 52 bits")]
    fn noise_is_stable(&self, rule: &Rule) -> bool {
        let window = rule.stable_window;
        if self.noise.len() < window {
            return false;
        }
        let latest = self.noise.iter().rev().take(window);
        let mean = latest.clone().sum::<f64>() / window as f64;
        let variance = latest.map(|x| (x - mean).powi(2)).sum::<f64>() / (window - 1) as f64;
        // A series without noise, as coarse timestamps produce, is stable.
        variance.sqrt() <= rule.stable_noise * mean
    }
}
