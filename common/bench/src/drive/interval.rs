//! From two raw timestamps to a time.

use anyhow::{Result, bail};

/// Microseconds between two raw timestamps of a queue whose counters have `bits` valid bits and
/// tick every `period_ns` nanoseconds. A counter that wrapped in between counts on.
///
/// # Errors
/// An interval of zero or, which looks like more than half the counter's range, a negative one: the
/// stamps are then not to be believed, and no number is made from them.
pub fn microseconds(begin: u64, end: u64, bits: u32, period_ns: f32) -> Result<f64> {
    let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let ticks = end.wrapping_sub(begin) & mask;
    if ticks == 0 {
        bail!("both timestamps are equal: the device wrote no time");
    }
    if ticks > mask / 2 {
        bail!("the second timestamp lies before the first");
    }
    #[expect(clippy::cast_precision_loss, reason = "an interval of 2^53 ticks lasts for months")]
    Ok(ticks as f64 * f64::from(period_ns) / 1e3)
}

#[cfg(test)]
mod tests {
    use super::microseconds;

    #[test]
    fn ticks_become_microseconds() {
        assert_eq!(microseconds(1000, 3500, 64, 1.0).unwrap(), 2.5);
        assert_eq!(microseconds(0, 100, 64, 10.0).unwrap(), 1.0);
    }

    #[test]
    fn only_valid_bits_count_and_a_wrap_is_no_jump() {
        let garbage = 0xabcd_0000_0000_0000;
        assert_eq!(microseconds(garbage | 5, 1005, 36, 1.0).unwrap(), 1.0);
        assert_eq!(microseconds((1 << 36) - 400, 600, 36, 1.0).unwrap(), 1.0);
        assert_eq!(microseconds(u64::MAX - 399, 600, 64, 1.0).unwrap(), 1.0);
    }

    #[test]
    fn zero_and_negative_are_no_numbers() {
        assert!(microseconds(7, 7, 64, 1.0).is_err());
        assert!(microseconds(5000, 4000, 64, 1.0).is_err());
        assert!(microseconds(5000, 4000, 36, 1.0).is_err());
    }
}
