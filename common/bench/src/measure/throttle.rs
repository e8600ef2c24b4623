//! Samples at too low a clock are repeated after a pause, and counted.

use std::time::Duration;

use super::{Pair, Reading, Row};

/// The first pause; each further pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// Maximum number of pauses for one sample.
const MOST_PAUSES: u32 = 5;
/// A row ends after this many samples without a sufficient clock since its last complete pair, because pauses use
/// up the other rows' time.
pub(super) const MOST_GIVEN_UP: u32 = 3;

/// The pause before the next try, `None` after the last.
pub(super) fn pause(tries: u32) -> Option<Duration> {
    (tries < MOST_PAUSES).then(|| FIRST_PAUSE * 2_u32.pow(tries))
}

/// The minimum clock of a sample, as a share of the reference clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastClock(pub f64);

impl LeastClock {
    fn is_too_low(self, reading: &Reading, reference: f64) -> bool {
        reading.mhz.is_some_and(|mhz| mhz < self.0 * reference)
    }

    /// Discards the pairs of a row that are too slow for the new reference clock. Returns whether there were any.
    pub(super) fn look_back(self, row: &mut Row, reference: Option<f64>, repetitions: u32) -> bool {
        let Some(reference) = reference else { return false };
        let both = |pair: &Pair| [Some(pair.one), pair.many].into_iter().flatten();
        let (low, kept): (Vec<_>, Vec<_>) = row
            .pairs
            .drain(..)
            .partition(|pair| both(pair).any(|reading| self.is_too_low(&reading, reference)));
        row.pairs = kept;
        for pair in &low {
            row.discard(&pair.one, 1);
            pair.many.iter().for_each(|many| row.discard(many, repetitions));
        }
        !low.is_empty()
    }
}

/// This many readings must reach a clock before it becomes the reference, so that one misread clock does not make
/// all other samples look slow.
const WITNESSES: usize = 3;

/// The clocks of the samples so far.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    /// The highest clocks, at most [`WITNESSES`], in ascending order.
    highest: Vec<f64>,
    judged_by: Option<f64>,
}

impl Clocks {
    /// Whether the clock of this sample is too low, compared with the samples so far.
    pub fn is_too_low(&mut self, least: LeastClock, reading: &Reading) -> bool {
        if let Some(mhz) = reading.mhz {
            let at = self.highest.partition_point(|&other| other < mhz);
            self.highest.insert(at, mhz);
            if self.highest.len() > WITNESSES {
                self.highest.remove(0);
            }
        }
        self.reference().is_some_and(|reference| least.is_too_low(reading, reference))
    }

    /// The reference clock, known after [`WITNESSES`] readings.
    pub fn reference(&self) -> Option<f64> {
        (self.highest.len() == WITNESSES).then(|| self.highest[0])
    }

    /// Whether the reference clock changed since the last call.
    pub fn has_risen(&mut self) -> bool {
        let reference = self.reference();
        std::mem::replace(&mut self.judged_by, reference) != reference
    }
}
