//! Checks the resolution of timestamps, and that they never run backwards.

use record::number::significant;
use record::self_test::Check;
use record::self_test::CheckResult::{Failed, Passed, Warned};

use crate::counter::Counter;

/// Resolution in nanoseconds above which short times are coarse: a hundredth of 50 µs, from which on a time is
/// expected to repeat.
const COARSE_NS: f64 = 500.0;

pub(super) use record::self_test::STEP;

/// Determines the resolution from timestamps in the order in which they were taken. It is the greatest common
/// divisor of all differences from the first, because the smallest difference may be many steps.
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

#[cfg(test)]
mod tests {
    use super::*;

    const H200: Counter = Counter { bits: 64, tick_ns: 1.0 };
    const SHORT: Counter = Counter { bits: 36, tick_ns: 10.0 };

    #[test]
    fn the_step_is_what_all_differences_have_in_common() {
        // No two adjacent timestamps are one step apart.
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
}
