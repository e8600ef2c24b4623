//! Samples at a clock that is too low: taken again after a pause, and told.

use std::time::Duration;

use super::{Pair, Reading, Row};

/// When a clock is too low, and how long the device is left alone then.
#[derive(Clone, Debug, PartialEq)]
pub struct Throttle {
    /// A sample counts at this share of the highest clock that was seen, or above.
    pub least: f64,
    /// The first pause; each further one is twice as long.
    pub first_pause: Duration,
    /// So many pauses are made for one sample.
    pub most_pauses: u32,
    /// A row ends when so many of its samples were given up since its last complete pair: pauses cost the
    /// others' time.
    pub most_given_up: u32,
}

impl Default for Throttle {
    fn default() -> Self {
        Self { least: 0.75, first_pause: Duration::from_millis(20), most_pauses: 5, most_given_up: 3 }
    }
}

impl Throttle {
    /// How long to wait before the sample is taken once more.
    pub(super) fn pause(&self, tries: u32) -> Option<Duration> {
        (tries < self.most_pauses).then(|| self.first_pause * 2_u32.pow(tries))
    }

    fn is_too_low(&self, reading: &Reading, reference: f64) -> bool {
        reading.mhz.is_some_and(|mhz| mhz < self.least * reference)
    }

    /// Throws away the pairs of a row that are too slow for what the clock was found to reach since; whether
    /// there were any.
    pub(super) fn look_back(&self, row: &mut Row, reference: Option<f64>, repetitions: u32) -> bool {
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
    pub fn is_too_low(&mut self, throttle: &Throttle, reading: &Reading) -> bool {
        if let Some(mhz) = reading.mhz {
            let at = self.highest.partition_point(|&other| other < mhz);
            self.highest.insert(at, mhz);
            if self.highest.len() > WITNESSES {
                self.highest.remove(0);
            }
        }
        self.reference().is_some_and(|reference| throttle.is_too_low(reading, reference))
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
