//! The rule of `suite compare` for one variant: when does a time count as changed?
//!
//! Two runs are two processes. An unchanged program varies more between processes than its samples vary within one,
//! so an interval alone would find differences everywhere. A difference counts only if its whole interval is beyond
//! the [tolerance](TOLERANCE).

use record::judge::{Shift, Verdict, judge, shift};
use record::stats::{Interval, Summary};
use record::{Record, Row, Sample};
use serde::Serialize;

/// Relative difference between two processes that does not count. Of 188 variants that ran twice on an H200 in
/// separate processes, two of all times alone and back to back shifted by more than 0.7 %, and by at most 1.1 %; 185
/// variants come out as the same. A slowdown of 3 % is found in any of the 91 variants that take 50 µs.
pub const TOLERANCE: f64 = 0.01;

/// Fewest samples per side that need a known clock, as for any interval.
const FEWEST_CLOCKED: usize = 6;
/// Smallest share of a side's samples that need a known clock: fewer may not represent the rest.
const CLOCKED: f64 = 0.75;

/// Quotients with a smaller relative difference differ only by rounding.
const QUOTIENT: f64 = 1e-9;

/// One of the two times of a variant, before and after.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is undecided, if the interval does not show it, or what weakens the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Median before, in microseconds.
    pub before_us: f64,
    /// Median after, in microseconds.
    pub after_us: f64,
    /// The factor between them; `None` with fewer than six samples on a side.
    pub shift: Option<Shift>,
    /// The factor in clock cycles, from the samples with a known clock; `None` unless most samples on both sides
    /// have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<Shift>,
    /// Whether the quotient of the two medians is outside the factor's interval, as happens if samples form groups
    /// whose shares changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub medians_outside: bool,
    /// Relative difference that does not count here: the tolerance plus the timestamps' step.
    pub tolerance: f64,
}

/// The limits for all rows of a pair of records.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The requested tolerance.
    pub tolerance: f64,
    /// Sum of the timestamp steps of both records, in microseconds.
    pub steps_us: f64,
}

impl Limits {
    /// The limits for two records.
    #[must_use]
    pub fn of(before: &Record, after: &Record, tolerance: f64) -> Self {
        let step_us = |record: &Record| record.step_us().unwrap_or(0.0);
        Self { tolerance, steps_us: step_us(before) + step_us(after) }
    }
}

/// Compares the times alone of a row that is `ok` on both sides; `None` if a side has no samples.
#[must_use]
pub fn isolated(before: &Row, after: &Row, limits: Limits) -> Option<Judged> {
    let series = |row: &Row| Series::of(row, |s| Some(s.one_us), |s| Some(s.one_us * s.one_mhz?));
    let judged = judged(&series(before)?, &series(after)?, limits.tolerance, limits.steps_us)?;
    Some(above_floor(judged, before, after))
}

/// Near the floor of the timestamps, only the verdict "same" is kept.
fn above_floor(mut judged: Judged, before: &Row, after: &Row) -> Judged {
    if (before.near_floor || after.near_floor) && judged.verdict != Verdict::Same {
        judged.verdict = Verdict::Unsure;
        judged.reason = Some("within five times the floor of the timestamps".into());
    }
    judged
}

/// Compares the costs of one more repetition, `(T(N) - T(1)) / (N - 1)` of each sample. `None` if a side did not
/// measure them or lost them in noise.
#[must_use]
pub fn pipelined(before: (&Row, u32), after: (&Row, u32), limits: Limits) -> Option<Judged> {
    let further = f64::from(before.1.min(after.1).checked_sub(1).filter(|n| *n > 0)?);
    // Each cost is the difference of two times.
    let steps_us = 2.0 * limits.steps_us / further;
    let judged = judged(&costs(before)?, &costs(after)?, limits.tolerance, steps_us)?;
    Some(above_floor(judged, before.0, after.0))
}

fn costs((row, repetitions): (&Row, u32)) -> Option<Series> {
    row.pipelined_us?;
    let further = f64::from(repetitions.checked_sub(1)?);
    let time = |s: &Sample| Some((s.many_us? - s.one_us) / further);
    let cycles = |s: &Sample| Some((s.many_us? * s.many_mhz? - s.one_us * s.one_mhz?) / further);
    Series::of(row, time, cycles)
}

/// The samples of a row in microseconds and, if most samples have a known clock, in cycles.
struct Series {
    times: Vec<f64>,
    median: f64,
    clocked: Option<Clocked>,
}

/// The samples with a known clock.
struct Clocked {
    cycles: Vec<f64>,
    mhz: f64,
}

impl Series {
    fn of(
        row: &Row,
        time: impl Fn(&Sample) -> Option<f64>,
        cycles: impl Fn(&Sample) -> Option<f64>,
    ) -> Option<Self> {
        let times: Vec<f64> = row.samples.iter().map(time).collect::<Option<_>>()?;
        let cycles: Vec<Option<f64>> = row.samples.iter().map(cycles).collect();
        let median = Summary::of(&times)?.median;
        let clocked = Clocked::of(&times, &cycles);
        (median > 0.0).then_some(Self { times, median, clocked })
    }
}

impl Clocked {
    /// `None` if too few samples have a known clock.
    #[expect(clippy::cast_precision_loss, reason = "counts of samples fit 52 bits")]
    fn of(times: &[f64], cycles: &[Option<f64>]) -> Option<Self> {
        let known = times.iter().zip(cycles).filter_map(|(time, cycles)| Some((time, (*cycles)?)));
        let (clocks, cycles): (Vec<f64>, Vec<f64>) =
            known.map(|(time, cycles)| (cycles / time, cycles)).unzip();
        let enough = cycles.len() >= FEWEST_CLOCKED && cycles.len() as f64 >= CLOCKED * times.len() as f64;
        let mhz = Summary::of(&clocks)?.median;
        enough.then_some(Self { cycles, mhz })
    }
}

fn judged(before: &Series, after: &Series, tolerance: f64, steps_us: f64) -> Option<Judged> {
    let (before_us, after_us) = (before.median, after.median);
    let step = steps_us / before_us.min(after_us);
    let clocked = before.clocked.as_ref().zip(after.clocked.as_ref());
    let mut judged = Judged {
        verdict: Verdict::Unsure,
        reason: None,
        before_us,
        after_us,
        shift: shift(&before.times, &after.times),
        cycles: clocked.and_then(|(before, after)| shift(&before.cycles, &after.cycles)),
        medians_outside: false,
        tolerance: tolerance + step,
    };
    let Some(shift) = judged.shift else {
        let fewest = before.times.len().min(after.times.len());
        judged.reason = Some(match fewest {
            1 => "1 sample is too few".into(),
            0..6 => format!("{fewest} samples are too few"),
            _ => "lost in the noise".into(),
        });
        return Some(judged);
    };
    let of_medians = after_us / before_us;
    let Interval { low, high } = shift.interval;
    judged.medians_outside = of_medians < low * (1.0 - QUOTIENT) || of_medians > high * (1.0 + QUOTIENT);
    judged.verdict = judge(shift.interval, judged.tolerance);
    // Steps that are wider than the tolerance could hide the differences that it should detect.
    if judged.verdict == Verdict::Same
        && step > tolerance
        && judge(shift.interval, tolerance) != Verdict::Same
    {
        judged.verdict = Verdict::Unsure;
        judged.reason = Some(format!("the timestamps step by {:.1} % of it", step / 2.0 * 100.0));
    }
    if let Some((before, after)) = clocked {
        confirm(&mut judged, before.mhz, after.mhz);
    }
    Some(judged)
}

/// Checks the verdict against clock cycles: a change of the clock is no change of the program, and may also hide
/// one.
fn confirm(judged: &mut Judged, before_mhz: f64, after_mhz: f64) {
    let by_clocks = judged.cycles.map_or(Verdict::Unsure, |cycles| judge(cycles.interval, judged.tolerance));
    match (judged.verdict, by_clocks) {
        (by_time, by_clocks) if by_time == by_clocks => {}
        (Verdict::Unsure, _) | (Verdict::Same, Verdict::Unsure) => {}
        (_, Verdict::Unsure) => judged.reason = Some("not confirmed in cycles".into()),
        _ => {
            judged.verdict = Verdict::Unsure;
            judged.reason = Some(format!("the clock ran at {after_mhz:.0} instead of {before_mhz:.0} MHz"));
        }
    }
}
