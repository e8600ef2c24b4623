//! Divides the time of waves into stretches, for kernels that name the parts of their work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Dispatch, PartWaves};

/// A stretch of what a wave does of a unit, between two of its stamps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stretch {
    /// What waves do there.
    pub what: String,
    /// Of the time that the waves were in flight; those of all stretches sum up to 1.
    pub share: f64,
    /// Mean of the waves, in microseconds.
    pub wave_us: f64,
}

/// The time per stretch of the waves of parts; empty if no dispatch is a part.
pub(crate) fn stretches(dispatches: &[&Dispatch]) -> Vec<Stretch> {
    let mut sums: Vec<(&str, f64)> = Vec::new();
    let mut waves = 0.0;
    for (dispatch, part) in dispatches.iter().filter_map(|d| Some((d, d.part.as_ref()?))) {
        waves += count(dispatch) * dispatch.weight;
        for (at, &what) in part.stretches.iter().enumerate() {
            let us: f64 = part.each().map(|row| row[at]).sum::<f64>() * dispatch.weight;
            match sums.iter_mut().find(|(known, _)| *known == what) {
                Some((_, sum)) => *sum += us,
                None => sums.push((what, us)),
            }
        }
    }
    let all: f64 = sums.iter().map(|(_, us)| us).sum();
    // A stretch that every wave skipped is left out.
    let some = sums.into_iter().filter(|(_, us)| *us > 0.0);
    some.map(|(what, us)| Stretch { what: what.into(), share: us / all, wave_us: us / waves }).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a count of waves fits 52 bits")]
fn count(dispatch: &Dispatch) -> f64 {
    dispatch.waves.len() as f64
}

/// When the first wave of a part has its inputs, in microseconds; `None` if the waves do not report it.
pub(crate) fn first_at_work(dispatch: &Dispatch) -> Option<f64> {
    let part = dispatch.part.as_ref()?;
    let waited = |row: &[f64]| row[..part.waits].iter().sum::<f64>();
    let times = dispatch.waves.iter().zip(part.each()).map(|(wave, row)| wave.begin_us + waited(row));
    times.min_by(f64::total_cmp)
}

impl PartWaves {
    /// Whether it depends on `other`, which is the previous part of the same dispatch.
    pub(crate) fn follows(&self, other: &Self) -> bool {
        self.in_a_row
            && self.part.number == other.part.number + 1
            && (&self.part.what, self.part.of) == (&other.part.what, other.part.of)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Lanes, Part, Trace, TraceFigures, Wave};
    use super::*;

    /// Two waves of 10 µs, the first at `begin`, the second 2 µs later.
    fn part(number: u32, begin: f64, rows: [[f64; 3]; 2]) -> Dispatch {
        let wave = |begin_us: f64| Wave { begin_us, end_us: begin_us + 10.0, lane: 0 };
        let part = PartWaves {
            part: Part { what: "pass".into(), number, of: 2, unit: "tile".into(), units: 4 },
            in_a_row: true,
            stretches: &["wait", "work", "tell"],
            waits: 1,
            stretches_us: rows.concat(),
        };
        Dispatch {
            kernel: "k".into(),
            groups: [4, 1, 1],
            one_in: 1,
            weight: 1.0,
            waves: vec![wave(begin), wave(begin + 2.0)],
            ends_us: Vec::new(),
            part: Some(part),
        }
    }

    fn figures(dispatches: Vec<Dispatch>) -> TraceFigures {
        let trace = Trace {
            dispatches,
            lanes: Lanes::Packed(2),
            stamps_us: 30.0,
            step_us: 0.01,
            time_stamps: Vec::new(),
        };
        TraceFigures::of(&trace, None).unwrap()
    }

    #[test]
    fn shares_are_of_all_waves_and_of_each_part() {
        let [first, second] = [
            part(1, 0.0, [[0.0, 9.0, 1.0], [1.0, 8.0, 1.0]]),
            part(2, 6.0, [[4.0, 5.0, 1.0], [5.0, 4.0, 1.0]]),
        ];
        let figures = figures(vec![first, second]);
        let shares = |all: &[Stretch]| -> Vec<(String, f64, f64)> {
            all.iter().map(|s| (s.what.clone(), s.share, s.wave_us)).collect()
        };
        let all = [("wait".into(), 0.25, 2.5), ("work".into(), 0.65, 6.5), ("tell".into(), 0.1, 1.0)];
        assert_eq!(shares(&figures.stretches), all);
        assert_eq!(shares(&figures.dispatches[1].stretches)[0], ("wait".into(), 0.45, 4.5));
        assert_eq!(figures.dispatches[1].part.as_ref().unwrap().number, 2);
    }

    #[test]
    fn a_part_that_only_waits_is_not_at_work() {
        let first = || part(1, 0.0, [[0.0, 9.0, 1.0], [1.0, 8.0, 1.0]]);
        let at_work = |second: Dispatch| figures(vec![first(), second]).dispatches[0].overlap.unwrap();
        // In flight from 6 µs on and at work from 10 µs on; the first part ends at 12 µs.
        let overlap = at_work(part(2, 6.0, [[4.0, 5.0, 1.0], [5.0, 4.0, 1.0]]));
        assert_eq!((overlap.us, overlap.at_work_us), (6.0, Some(2.0)));
        let overlap = at_work(part(2, 6.0, [[7.0, 2.0, 1.0], [8.0, 1.0, 1.0]]));
        assert_eq!((overlap.us, overlap.at_work_us), (6.0, Some(-1.0)));
        // Independent parts, and the first part of the next dispatch.
        let mut apart = part(2, 6.0, [[4.0, 5.0, 1.0], [5.0, 4.0, 1.0]]);
        apart.part.as_mut().unwrap().in_a_row = false;
        assert_eq!(at_work(apart).at_work_us, None);
        assert_eq!(at_work(part(1, 6.0, [[4.0, 5.0, 1.0], [5.0, 4.0, 1.0]])).at_work_us, None);
    }

    #[test]
    fn what_no_wave_reaches_is_not_listed() {
        let figures = figures(vec![part(1, 0.0, [[0.0, 9.0, 1.0], [0.0, 9.0, 1.0]])]);
        assert_eq!(figures.stretches.iter().map(|s| &*s.what).collect::<Vec<_>>(), ["work", "tell"]);
        assert_eq!(figures.stretches[0].share, 0.9);
    }
}
