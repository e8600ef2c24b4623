//! A queue's counter as Tracy wants to see it: one that never goes backwards.

use crate::counter::Counter;

/// Counts on where the device's counter wraps or starts anew, as some do in a low-power state.
pub(super) struct Steady {
    counter: Counter,
    /// The last reading of the device's clock, raw and as it was counted.
    raw: u64,
    count: i64,
    /// End of the last zone.
    last: i64,
}

impl Steady {
    /// A counter which reads `now`.
    pub fn new(counter: Counter, now: u64) -> Self {
        Self { counter, raw: now, count: (now & counter.mask()).cast_signed(), last: i64::MIN }
    }

    /// Takes a reading for the present and returns its count. What lies around it, by less than half
    /// the counter's range, is counted from there.
    pub fn settle(&mut self, now: u64) -> i64 {
        self.count = self.at(now).max(self.last.saturating_add(1));
        self.raw = now;
        self.count
    }

    /// The two ends of a zone; none where it would not lie behind the last one, which only a counter
    /// that was reset in between can bring about.
    pub fn zone(&mut self, stamps: [u64; 2]) -> Option<[i64; 2]> {
        let [begin, end] = stamps.map(|stamp| self.at(stamp));
        (self.last < begin && begin < end).then(|| {
            self.last = end;
            [begin, end]
        })
    }

    fn at(&self, raw: u64) -> i64 {
        self.count.wrapping_add(self.counter.ticks(self.raw, raw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(bits: u32, now: u64) -> Steady {
        Steady::new(Counter { bits, tick_ns: 1.0 }, now)
    }

    #[test]
    fn stamps_before_and_after_a_reading_are_counted_from_it() {
        let mut counter = counter(64, 1000);
        assert_eq!(counter.zone([900, 950]), Some([900, 950]));
        assert_eq!(counter.zone([1100, 1200]), Some([1100, 1200]));
        assert_eq!(counter.settle(1300), 1300);
    }

    #[test]
    fn a_wrap_counts_on_and_invalid_bits_do_not_count() {
        let garbage = 0xabcd_0000_0000_0000;
        let top = 1 << 36;
        let mut counter = counter(36, garbage | (top - 100));
        assert_eq!(counter.zone([top - 50, garbage | 20]), Some([(1 << 36) - 50, (1 << 36) + 20]));
        assert_eq!(counter.settle(garbage | 30), (1 << 36) + 30);
        assert_eq!(counter.zone([40, 50]), Some([(1 << 36) + 40, (1 << 36) + 50]));
    }

    #[test]
    fn a_reset_moves_no_zone_backwards() {
        let mut counter = counter(64, 5000);
        assert_eq!(counter.zone([5100, 5200]), Some([5100, 5200]));
        assert_eq!(counter.zone([10, 20]), None, "the counter has started anew");
        assert_eq!(counter.settle(30), 5201);
        assert_eq!(counter.zone([15, 25]), None, "it would lie before 5200");
        assert_eq!(counter.zone([40, 60]), Some([5211, 5231]));
    }

    #[test]
    fn zones_neither_overlap_nor_are_empty() {
        let mut counter = counter(64, 0);
        assert!(counter.zone([10, 20]).is_some());
        assert_eq!(counter.zone([20, 30]), None);
        assert_eq!(counter.zone([40, 40]), None);
        assert!(counter.zone([21, 30]).is_some());
    }
}
