//! The number of waves in flight as a function of time.

use super::Dispatch;

/// A step function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Times at which the number changes, and the number from then on; the last one is 0.
    steps: Vec<(f64, f64)>,
}

impl Curve {
    /// Waves in flight of several dispatches together.
    #[must_use]
    pub fn of<'d>(dispatches: impl IntoIterator<Item = &'d Dispatch>) -> Self {
        let mut changes: Vec<(f64, f64)> = Vec::new();
        for dispatch in dispatches {
            for wave in &dispatch.waves {
                changes.push((wave.begin_us, dispatch.weight));
                changes.push((wave.end_us, -dispatch.weight));
            }
        }
        changes.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut steps: Vec<(f64, f64)> = Vec::new();
        let mut waves = 0.0;
        for (at, change) in changes {
            waves += change;
            match steps.last_mut() {
                Some(last) if last.0 >= at => last.1 = waves,
                _ => steps.push((at, waves)),
            }
        }
        // Removes the rounding error of weights that are not binary fractions.
        if let Some(last) = steps.last_mut() {
            last.1 = 0.0;
        }
        Self { steps }
    }

    /// First begin and last end; `None` without a wave.
    #[must_use]
    pub fn span(&self) -> Option<(f64, f64)> {
        Some((self.steps.first()?.0, self.steps.last()?.0))
    }

    /// Begin, end and number of waves of each interval in which the number is constant.
    pub fn stretches(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        self.steps.windows(2).map(|pair| (pair[0].0, pair[1].0, pair[0].1))
    }

    /// The largest number of waves in flight at the same time.
    #[must_use]
    pub fn peak(&self) -> f64 {
        self.steps.iter().map(|step| step.1).fold(0.0, f64::max)
    }

    /// Wave-microseconds between two times: the area under the curve.
    #[must_use]
    pub fn area(&self, from: f64, to: f64) -> f64 {
        self.stretches().map(|(begin, end, waves)| waves * (end.min(to) - begin.max(from)).max(0.0)).sum()
    }
}
