//! Samples at a clock that is too low: taken again after a pause, and told.

use std::time::Duration;

use super::{Pair, Reading, Row};

/// The first pause; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// So many pauses are made for one sample.
const MOST_PAUSES: u32 = 5;
/// A row ends when so many of its samples were given up since its last complete pair: pauses cost the others'
/// time.
pub(super) const MOST_GIVEN_UP: u32 = 3;

/// How long to wait before a sample is taken once more.
pub(super) fn pause(tries: u32) -> Option<Duration> {
    (tries < MOST_PAUSES).then(|| FIRST_PAUSE * 2_u32.pow(tries))
}

/// The share of the highest clock that was seen at which a sample counts, or above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastClock(pub f64);

impl LeastClock {
    fn is_too_low(self, reading: &Reading, reference: f64) -> bool {
        reading.mhz.is_some_and(|mhz| mhz < self.0 * reference)
    }

    /// Throws away the pairs of a row that are too slow for what the clock was found to reach since; whether
    /// there were any.
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

/// So many readings have to agree on a clock before others are judged by it: one that was misread must not
/// make all others look slow.
const WITNESSES: usize = 3;

/// The clocks that were seen.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    /// The highest, at most [`WITNESSES`] of them, the lowest first.
    highest: Vec<f64>,
    judged_by: Option<f64>,
}

impl Clocks {
    /// The clock of this sample is too low, by those so far.
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

    /// The highest clock that has its witnesses.
    pub fn reference(&self) -> Option<f64> {
        (self.highest.len() == WITNESSES).then(|| self.highest[0])
    }

    /// The reference is another than when this was last asked.
    pub fn has_risen(&mut self) -> bool {
        let reference = self.reference();
        std::mem::replace(&mut self.judged_by, reference) != reference
    }
}
