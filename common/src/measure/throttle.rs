//! Samples at a clock that is too low: taken again after a pause, and told.

use std::time::Duration;

use super::{Reading, Row};

/// When a clock is too low, and how long the device is left alone then.
#[derive(Clone, Debug, PartialEq)]
pub struct Throttle {
    /// A sample counts at this share of the highest clock that was seen, or above.
    pub least: f64,
    /// The first pause; each further one is twice as long.
    pub first_pause: Duration,
    /// So many pauses are made for one sample.
    pub most_pauses: u32,
    /// A row ends when so many of its samples one after the other were given up: pauses cost the others' time.
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

    /// Throws away the pairs that were kept before the device showed how fast its clock can be.
    pub(super) fn look_back(&self, rows: &mut [Row], reference: Option<f64>) {
        let Some(reference) = reference else { return };
        for row in rows {
            let (low, kept): (Vec<_>, Vec<_>) = row.pairs.drain(..).partition(|pair| {
                self.is_too_low(&pair.one, reference)
                    || pair.many.is_some_and(|many| self.is_too_low(&many, reference))
            });
            row.pairs = kept;
            for pair in low {
                let mhz = [Some(pair.one), pair.many].into_iter().flatten().filter_map(|reading| reading.mhz);
                row.discard(mhz.reduce(f64::min));
            }
        }
    }
}

/// The clocks that were seen.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    highest: Option<f64>,
}

impl Clocks {
    /// The clock of this sample is too low, by the highest so far.
    pub fn is_too_low(&mut self, throttle: &Throttle, reading: &Reading) -> bool {
        self.highest = [self.highest, reading.mhz].into_iter().flatten().reduce(f64::max);
        self.highest.is_some_and(|reference| throttle.is_too_low(reading, reference))
    }

    pub fn reference(&self) -> Option<f64> {
        self.highest
    }
}
