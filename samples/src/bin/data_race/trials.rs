//! The share of trials with wrong pixels.

use common::record::stats::Interval;
use common::report::format::percent;

/// Quantile of the normal distribution for a two-sided interval of 95 %.
const Z: f64 = 1.959_964;

/// Trials, and those of them with wrong pixels.
#[derive(Default)]
pub struct Trials {
    /// Trials with wrong pixels.
    pub wrong: usize,
    /// All trials.
    pub of: usize,
}

#[expect(clippy::cast_precision_loss, reason = "a count of trials fits 52 bits")]
impl Trials {
    /// The share of wrong ones.
    pub fn share(&self) -> f64 {
        self.wrong as f64 / self.of as f64
    }

    /// `52 %`; a small share is not shown as none.
    pub fn percent(&self) -> String {
        if self.wrong > 0 && self.share() < 0.001 { "<0.1 %".into() } else { percent(self.share()) }
    }

    /// The 95 % interval (Wilson) of the share, in percent. Its lower end is 0 exactly where none was wrong. `None`
    /// without a trial.
    pub fn interval(&self) -> Option<Interval> {
        if self.of == 0 {
            return None;
        }
        let (n, share) = (self.of as f64, self.share());
        let divisor = 1.0 + Z * Z / n;
        let middle = (share + Z * Z / (2.0 * n)) / divisor;
        let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / divisor;
        Some(Interval {
            low: if self.wrong == 0 { 0.0 } else { 100.0 * (middle - half) },
            high: if self.wrong == self.of { 100.0 } else { 100.0 * (middle + half) },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_the_textbook_intervals() {
        for (wrong, of, low, high) in [
            (0, 10, 0.0, 27.75),
            (1, 10, 1.79, 40.42),
            (5, 10, 23.66, 76.34),
            (10, 10, 72.25, 100.0),
            (1, 100_000, 0.0002, 0.0057),
        ] {
            let interval = Trials { wrong, of }.interval().unwrap();
            let near = |a: f64, b: f64| (a - b).abs() < 0.005;
            assert!(near(interval.low, low) && near(interval.high, high), "{wrong} of {of}: {interval:?}");
            assert_eq!(interval.low > 0.0, wrong > 0);
        }
        assert_eq!(Trials::default().interval(), None);
    }

    #[test]
    fn a_small_share_is_not_shown_as_none() {
        let texts = [0, 1, 2, 1500].map(|wrong| Trials { wrong, of: 2000 }.percent());
        assert_eq!(texts, ["0 %", "<0.1 %", "0.1 %", "75 %"]);
    }
}
