//! In what steps timestamps count, and whether intervals survive the moment when they begin anew.

use record::number::significant;
use record::self_test::Check;
use record::self_test::CheckResult::{Failed, Passed, Warned};

use crate::counter::Counter;

/// Nanoseconds of a step above which short times are coarse: a hundredth of the 50 µs from which on a
/// figure is expected to repeat.
const COARSE_NS: f64 = 500.0;

/// Submits are kept below 0.1 s; half of the counter's range must hold a few of them.
const SHORTEST_RANGE_S: f64 = 1.0;

pub(super) use record::self_test::STEP;
pub(super) const WRAP: &str = "timestamp wrap";

/// Seconds after which a counter begins anew.
fn range_s(counter: Counter) -> f64 {
    2.0_f64.powi(i32::try_from(counter.bits).unwrap_or(64)) * counter.tick_ns / 1e9
}

/// Judges the step from timestamps in the order in which they were taken: of all differences from the first
/// the greatest common divisor, because the smallest difference may be many steps.
#[expect(clippy::cast_precision_loss, reason = "differences of some milliseconds")]
pub(super) fn step(stamps: &[u64], counter: Counter) -> Check {
    let apart: Vec<i64> = stamps.windows(2).map(|pair| counter.ticks(pair[0], pair[1])).collect();
    let backwards = apart.iter().filter(|&&ticks| ticks < 0).count();
    if backwards > 0 {
        let found = format!("{backwards} of {} timestamps lay before the one ahead of them", stamps.len());
        return Check::new(STEP, Failed, found);
    }
    let divisor = apart.iter().fold(0, |divisor, &ticks| common_divisor(divisor, ticks.unsigned_abs()));
    let Some(smallest) = apart.iter().filter(|&&ticks| ticks > 0).min() else {
        let found = format!("all of {} timestamps were equal: the device writes no time", stamps.len());
        return Check::new(STEP, Failed, found);
    };
    let period = counter.tick_ns;
    let [step_ns, smallest_ns] = [divisor as f64, *smallest as f64].map(|ticks| ticks * period);
    let [shown, tick, least] = [step_ns, period, smallest_ns].map(significant);
    let found = format!(
        "{shown} ns at a period of {tick} ns; the smallest difference of {} timestamps was {least} ns",
        stamps.len()
    );
    let check = if step_ns > COARSE_NS {
        Check::new(STEP, Warned, format!("{found}; times of a few steps are coarse"))
    } else {
        Check::new(STEP, Passed, found)
    };
    check
        .with("step", step_ns, "ns")
        .with("period", period, "ns")
        .with("smallest_difference", smallest_ns, "ns")
        .with("timestamps", stamps.len() as f64, "1")
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// Proves that intervals that were taken come out the same when they lie across the wrap, with garbage in
/// the bits that do not count.
pub(super) fn wrap(intervals: &[[u64; 2]], counter: Counter) -> Check {
    wrap_by(intervals, counter, |begin, end| counter.us([begin, end]).ok())
}

/// As [`wrap`], with this arithmetic for an interval.
fn wrap_by(intervals: &[[u64; 2]], counter: Counter, us: impl Fn(u64, u64) -> Option<f64>) -> Check {
    let (mut tried, mut wrong) = (0_u32, 0_u32);
    for &[begin, end] in intervals.iter().filter(|[begin, end]| counter.ticks(*begin, *end) > 0) {
        let across = moved([begin, end], counter);
        tried += 1;
        wrong += u32::from(us(begin, end).is_none() || us(begin, end) != us(across[0], across[1]));
    }
    let (bits, range_s) = (counter.bits, range_s(counter));
    let begins_anew = format!("{bits} bits, which begin anew after {}", span(range_s));
    let (result, found) = if tried == 0 {
        (Failed, format!("{begins_anew}; no interval was taken that could be moved there"))
    } else if wrong > 0 {
        (Failed, format!("{begins_anew}; {wrong} of {tried} intervals came out otherwise across that"))
    } else if range_s < SHORTEST_RANGE_S {
        (Warned, format!("{begins_anew}: a submit of half of that has no time"))
    } else {
        (Passed, format!("{begins_anew}; {tried} intervals came out the same across that"))
    };
    Check::new(WRAP, result, found)
        .with("valid_bits", f64::from(bits), "bits")
        .with("range", range_s, "s")
        .with("intervals", f64::from(tried), "1")
        .with("wrong", f64::from(wrong), "1")
}

/// The interval, begun half its length before the wrap.
fn moved([begin, end]: [u64; 2], counter: Counter) -> [u64; 2] {
    let (mask, ticks) = (counter.mask(), end.wrapping_sub(begin) & counter.mask());
    let garbage = 0xa5a5_a5a5_a5a5_a5a5 & !mask;
    let moved = mask - (ticks - 1) / 2;
    [moved | garbage, moved.wrapping_add(ticks) & mask]
}

/// `68.7 s`, `584 years`.
fn span(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [(365.25 * 86_400.0, "years"), (86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")];
    let unit = UNITS.into_iter().find(|(length, _)| seconds >= 2.0 * length);
    let (length, name) = unit.unwrap_or((1.0, "s"));
    let decimals = usize::from(seconds / length < 100.0);
    format!("{:.decimals$} {name}", seconds / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    const H200: Counter = Counter { bits: 64, tick_ns: 1.0 };
    const SHORT: Counter = Counter { bits: 36, tick_ns: 10.0 };

    #[test]
    fn the_step_is_what_all_differences_have_in_common() {
        // No two neighbours are one step apart.
        let check = step(&[1000, 1096, 1256, 1256, 1448], H200);
        assert_eq!(check.result, Passed);
        assert_eq!((check.figure("step"), check.figure("smallest_difference")), (Some(32.0), Some(96.0)));
        assert_eq!(
            check.found,
            "32.00 ns at a period of 1.000 ns; the smallest difference of 5 timestamps was 96.00 ns"
        );
        assert_eq!(step(&[1, 2, 4], SHORT).figure("step"), Some(10.0));
    }

    #[test]
    fn coarse_equal_and_falling_timestamps_are_told_apart() {
        assert_eq!(step(&[0, 1024, 4096], H200).result, Warned);
        assert_eq!(step(&[7, 7, 7], H200).result, Failed);
        assert_eq!(step(&[7, 9, 8], H200).result, Failed);
        let top = 1 << 36;
        assert_eq!(step(&[top - 2, 1, 4], SHORT).result, Passed, "a wrap is no step back");
    }

    #[test]
    fn intervals_lie_across_the_wrap_of_any_counter() {
        for bits in [36, 40, 56, 63, 64] {
            let counter = Counter { bits, tick_ns: 1.0 };
            let intervals = [[5, 6], [1000, 3500], [u64::MAX - 5, 90]];
            for interval in intervals {
                let [begin, end] = moved(interval, counter);
                assert!(end & counter.mask() < begin & counter.mask(), "{bits} bits: {begin:x} to {end:x}");
            }
            let check = wrap(&intervals, counter);
            assert_eq!((check.result, check.figure("intervals")), (Passed, Some(3.0)), "{bits} bits");
        }
    }

    #[test]
    fn arithmetic_that_forgets_the_wrap_or_the_bits_is_caught() {
        let intervals = [[5, 6], [1000, 3500]];
        let naive = |begin: u64, end: u64| end.checked_sub(begin).map(|ticks| ticks as f64);
        let unmasked = |begin: u64, end: u64| Some(end.wrapping_sub(begin) as f64);
        for (counter, check) in [
            (H200, wrap_by(&intervals, H200, naive)),
            (SHORT, wrap_by(&intervals, SHORT, naive)),
            (SHORT, wrap_by(&intervals, SHORT, unmasked)),
        ] {
            let wrong = check.figure("wrong");
            assert_eq!((check.result, wrong), (Failed, Some(2.0)), "{counter:?}");
        }
    }

    #[test]
    fn a_counter_without_intervals_or_with_a_short_range_does_not_pass() {
        assert_eq!(wrap(&[[5, 5]], H200).result, Failed);
        let short = Counter { bits: 20, tick_ns: 10.0 };
        assert_eq!(wrap(&[[5, 9]], short).result, Warned);
    }

    #[test]
    fn ranges_read_well() {
        let words: Vec<String> =
            [H200, SHORT, Counter { bits: 36, tick_ns: 1.0 }, Counter { bits: 48, tick_ns: 1.0 }]
                .map(|counter| span(range_s(counter)))
                .into();
        assert_eq!(words, ["585 years", "11.5 minutes", "68.7 s", "3.3 days"]);
    }
}
