//! Converts readings of a device's counters to times.

use record::DeviceFacts;

/// Properties of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counter {
    /// Valid bits; higher bits are undefined.
    pub bits: u32,
    /// Nanoseconds per tick.
    pub tick_ns: f64,
}

/// Two timestamps that do not give a time. No measurement is made from them.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the texts say what each is")]
pub enum BadStamps {
    #[error("both timestamps are equal: the device wrote no time")]
    Equal,
    #[error("the second timestamp lies before the first")]
    Backwards,
    #[error("the kernel times itself, and how long a tick of its clock is could not be found")]
    NoClock,
}

impl Counter {
    /// The counter of the device's timestamps.
    #[must_use]
    pub fn of(facts: &DeviceFacts) -> Self {
        Self { bits: facts.timestamp_bits, tick_ns: facts.timestamp_period_ns.into() }
    }

    /// Mask of the valid bits.
    #[must_use]
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits.clamp(1, 64))
    }

    /// Ticks from one reading to another, correct across a wrap as long as the readings are less than half the
    /// counter's range apart.
    #[must_use]
    pub fn ticks(self, from: u64, to: u64) -> i64 {
        // Shifting out the invalid bits and back restores the sign.
        let unused = 64 - self.bits.clamp(1, 64);
        (to.wrapping_sub(from) << unused).cast_signed() >> unused
    }

    /// Microseconds between two raw readings.
    ///
    /// # Errors
    /// The interval is zero, or negative (which looks like more than half the counter's range).
    pub fn us(self, [begin, end]: [u64; 2]) -> Result<f64, BadStamps> {
        #[expect(clippy::cast_precision_loss, reason = "an interval of 2^53 ticks lasts for months")]
        match self.ticks(begin, end) {
            0 => Err(BadStamps::Equal),
            ..0 => Err(BadStamps::Backwards),
            ticks => Ok(ticks as f64 * self.tick_ns / 1e3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(begin: u64, end: u64, bits: u32, tick_ns: f64) -> Option<f64> {
        Counter { bits, tick_ns }.us([begin, end]).ok()
    }

    #[test]
    fn ticks_become_microseconds() {
        assert_eq!(us(1000, 3500, 64, 1.0), Some(2.5));
        assert_eq!(us(0, 100, 64, 10.0), Some(1.0));
    }

    #[test]
    fn only_valid_bits_count_and_a_wrap_is_no_jump() {
        let garbage = 0xabcd_0000_0000_0000;
        assert_eq!(us(garbage | 5, 1005, 36, 1.0), Some(1.0));
        assert_eq!(us((1 << 36) - 400, 600, 36, 1.0), Some(1.0));
        assert_eq!(us(u64::MAX - 399, 600, 64, 1.0), Some(1.0));
    }

    #[test]
    fn zero_and_negative_are_no_numbers_but_ticks_have_a_sign() {
        assert_eq!(us(7, 7, 64, 1.0), None);
        assert_eq!(us(5000, 4000, 64, 1.0), None);
        assert_eq!(us(5000, 4000, 36, 1.0), None);
        let [short, long] = [36, 64].map(|bits| Counter { bits, tick_ns: 1.0 });
        assert_eq!((short.ticks(5, 3), short.ticks((1 << 36) - 1, 1), long.ticks(u64::MAX, 1)), (-2, 2, 2));
        assert_eq!([short.mask(), long.mask()], [(1 << 36) - 1, u64::MAX]);
    }
}
