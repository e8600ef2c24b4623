//! The limits that the resolution of the timestamps sets to the precision of a time.

use record::Record;
use record::self_test::STEP;
use record::stats::{Interval, Summary};

/// Relative widths of intervals below this are rounding errors of the conversion to microseconds.
const SAME: f64 = 1e-9;

/// The resolution of a kind of times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Coarse {
    /// Smallest difference between two different times, in microseconds.
    pub(super) apart_us: f64,
    /// Largest error of a time, in microseconds.
    pub(super) error_us: f64,
}

/// The error of a median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Error {
    /// Half the width of its interval divided by the median.
    Share(f64),
    /// An upper limit of the error: all samples are on the same timestamp step, so they do not show their spread.
    Below(f64),
}

/// The resolution of times alone. Both timestamps are truncated, so a time can be wrong by a whole step.
pub(super) fn isolated(record: &Record) -> Option<Coarse> {
    let (apart_us, error_us) = steps_us(record)?;
    Some(Coarse { apart_us, error_us })
}

/// The resolution of times back to back: differences of two times, divided by the number of further repetitions.
pub(super) fn pipelined(record: &Record) -> Option<Coarse> {
    let further = f64::from(record.method.repetitions.checked_sub(1).filter(|n| *n > 0)?);
    let (apart_us, error_us) = steps_us(record)?;
    Some(Coarse { apart_us: apart_us / further, error_us: 2.0 * error_us / further })
}

/// The error of a median. `None` if there is no interval, or if the interval has no width and the step is unknown.
pub(super) fn error(summary: &Summary, coarse: Option<Coarse>) -> Option<Error> {
    let Interval { low, high } = summary.median_95?;
    let share = summary.median_error()?;
    let apart_us = coarse.map_or(0.0, |coarse| coarse.apart_us);
    // A width that comes from rounding in the conversion to microseconds counts as zero.
    if share > SAME && high - low > 0.999 * apart_us {
        return Some(Error::Share(share));
    }
    coarse.map(|coarse| Error::Below(coarse.error_us / summary.median.abs()))
}

/// The smallest difference of two times and an upper limit of the step, in microseconds. Both are the step that the
/// self-test measured. Without a self-test the smallest difference is unknown (0), and the upper limit is the
/// smallest difference between two times of a row, which may be several steps.
fn steps_us(record: &Record) -> Option<(f64, f64)> {
    let checks = record.self_test.iter().flat_map(|test| &test.checks);
    let found = checks.filter(|check| check.name == STEP).find_map(|check| check.figure("step"));
    let step = found.map(|ns| ns / 1e3).filter(|us| *us > 0.0);
    step.map(|us| (us, us)).or_else(|| Some((0.0, record.step_us()?)))
}

#[cfg(test)]
mod tests {
    use record::fixture;
    use record::self_test::{Certificate, Check, CheckResult};

    use super::*;

    fn with_step(ns: f64) -> Record {
        let check = Check::new(STEP, CheckResult::Passed, "").with("step", ns, "ns");
        let mut record = fixture::record();
        record.self_test = Some(Certificate { seconds: 0.1, checks: vec![check] });
        record
    }

    #[test]
    fn the_step_is_the_self_tests_or_what_samples_show() {
        let mut record = with_step(32.0);
        record.method.repetitions = 9;
        assert_eq!(isolated(&record), Some(Coarse { apart_us: 0.032, error_us: 0.032 }));
        assert_eq!(pipelined(&record), Some(Coarse { apart_us: 0.004, error_us: 0.008 }));
        record.method.repetitions = 1;
        assert_eq!(pipelined(&record), None);
        record.self_test = None;
        record.rows.truncate(1);
        let sample = record.rows[0].samples[0];
        let at = |one_us| record::Sample { one_us, ..sample };
        record.rows[0].samples = vec![at(5.0), at(4.5), at(5.0 + 1e-9), at(7.0)];
        assert_eq!(isolated(&record), Some(Coarse { apart_us: 0.0, error_us: 0.5 }));
        record.rows[0].samples = vec![at(5.0), at(5.0)];
        assert_eq!(isolated(&record), None);
    }

    #[test]
    fn samples_on_one_step_leave_that_step_open() {
        let coarse = isolated(&with_step(32.0));
        let same = Summary::of(&[11.2; 20]).unwrap();
        assert_eq!(error(&same, coarse), Some(Error::Below(0.032 / 11.2)));
        assert_eq!(error(&same, None), None);
        let two: Vec<f64> = (0..20).map(|at| if at % 2 == 0 { 11.2 } else { 11.232 }).collect();
        let two = Summary::of(&two).unwrap();
        let share = two.median_error().map(Error::Share);
        assert_eq!((error(&two, coarse), error(&two, None)), (share, share));
        // The interval is narrower than the known step, but an unknown step sets no limit.
        let mixed = Summary::of(&[11.2, 11.2, 11.2, 11.2, 11.21, 11.21, 11.21, 11.21]).unwrap();
        let unknown = Some(Coarse { apart_us: 0.0, error_us: 0.5 });
        assert!(matches!(error(&mixed, coarse), Some(Error::Below(_))));
        assert_eq!(error(&mixed, unknown), mixed.median_error().map(Error::Share));
        assert_eq!(error(&same, unknown), Some(Error::Below(0.5 / 11.2)));
        assert_eq!(error(&Summary::of(&[11.2; 5]).unwrap(), coarse), None);
    }
}
