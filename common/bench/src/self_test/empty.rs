//! What two timestamps with nothing in between are apart: the floor under every figure.

use anyhow::Result;
use record::number::significant;
use record::self_test::Check;
use record::self_test::CheckResult::{Failed, Passed, Warned};
use record::stats::Summary;

use super::stop::Stop;
use crate::counter::Counter;
use crate::drive::session::Session;

const WINDOWS: usize = 48;

pub(super) const NAME: &str = "empty interval";

/// The raw timestamps of empty windows.
pub(super) fn windows(session: &Session<'_>, stop: Stop<'_>) -> Result<Vec<[u64; 2]>> {
    let window = |_| stop.ask().and_then(|()| session.empty_window());
    (0..WINDOWS).map(window).collect()
}

/// Judges empty windows: no time is less than nothing, and one of nothing is no number either.
#[expect(clippy::cast_precision_loss, reason = "a count of windows")]
pub(super) fn judge(windows: &[[u64; 2]], counter: Counter) -> Check {
    let zero = windows.iter().filter(|[begin, end]| counter.ticks(*begin, *end) == 0).count();
    let negative = windows.iter().filter(|[begin, end]| counter.ticks(*begin, *end) < 0).count();
    let us: Vec<f64> = windows.iter().filter_map(|&window| counter.us(window).ok()).collect();
    let us = Summary::of(&us);
    let of = format!("of {} empty windows", windows.len());
    let (result, found) = match &us {
        _ if negative > 0 => {
            let found = format!(
                "in {negative} {of} the second timestamp lay before the first: report it to the driver's makers"
            );
            (Failed, found)
        }
        None => (Failed, format!("in all {of} both timestamps were equal: the device writes no time")),
        Some(us) => {
            let [q1, median, q3] = [us.q1, us.median, us.q3].map(significant);
            let found = format!("{median} µs, quartiles {q1} and {q3} µs, {of}");
            if zero == 0 {
                (Passed, found)
            } else {
                (Warned, format!("{found}, without {zero} whose timestamps were equal"))
            }
        }
    };
    let check = Check::new(NAME, result, found)
        .with("windows", windows.len() as f64, "1")
        .with("zero", zero as f64, "1")
        .with("negative", negative as f64, "1");
    match us {
        Some(us) => check.with("q1", us.q1, "us").with("median", us.median, "us").with("q3", us.q3, "us"),
        None => check,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTER: Counter = Counter { bits: 64, tick_ns: 2.0 };

    #[test]
    fn windows_have_a_median_and_quartiles() {
        let windows: Vec<[u64; 2]> = (0..21).map(|i| [1000 * i, 1000 * i + 900 + 10 * i]).collect();
        let check = judge(&windows, COUNTER);
        assert_eq!((check.result, check.figure("median")), (Passed, Some(2.0)));
        assert_eq!(check.found, "2.000 µs, quartiles 1.893 and 2.107 µs, of 21 empty windows");
    }

    #[test]
    fn equal_and_negative_timestamps_are_told_and_not_counted() {
        let mut windows = vec![[1000, 2000]; 10];
        windows.push([5000, 5000]);
        let check = judge(&windows, COUNTER);
        assert_eq!((check.result, check.figure("zero")), (Warned, Some(1.0)));
        assert_eq!(check.figure("median"), Some(2.0));
        windows.push([6000, 5990]);
        let check = judge(&windows, COUNTER);
        assert_eq!((check.result, check.figure("negative")), (Failed, Some(1.0)));
        let check = judge(&[[7, 7]; 10], COUNTER);
        assert_eq!((check.result, check.figure("median")), (Failed, None));
    }
}
