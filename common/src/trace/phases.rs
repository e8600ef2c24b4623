//! Fill, steady state and drain, and how dispatches overlap.
//!
//! ```text
//! waves in flight   level ┈┈┈┈┈┈┈┈┈╭──────────╮┈┈┈┈┈┈┈┈
//!                   90 %  ┈┈┈┈┈┈┈┈╱┈┈┈┈┈┈┈┈┈┈┈┈╲┈┈┈┈┈┈┈
//!                               ╱│            │╲
//!                         ─────╯ │            │ ╰──────▶ time
//!                         fill   │   steady   │  drain
//! ```
//!
//! The *level* is what was in flight for at least a twentieth of the span, so that a short spike sets
//! no standard. *Fill* lasts from the first wave until nine tenths of the level are in flight, *drain*
//! from when they last were until the last wave ends.

use serde::{Deserialize, Serialize};

use super::{Curve, Dispatch, Lanes, Trace};

/// Share of the span that the level was held for.
const HELD: f64 = 0.05;
/// Share of the level that ends the fill and begins the drain.
const FULL: f64 = 0.9;

/// Parts of [`TraceFigures::shape`].
pub const PARTS: u32 = 64;

/// What a trace shows of a variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceFigures {
    /// All dispatches together.
    pub whole: Phases,
    /// Each of them, in the order in which they were recorded.
    pub dispatches: Vec<DispatchFigures>,
    /// Time between first and last wave in which none was in flight.
    pub gaps_us: f64,
    /// Lottes' ball-park for a repetition among others: steady state, and half of fill and drain.
    pub estimate_us: f64,
    /// From one timestamp to the other in the same submit.
    pub stamps_us: f64,
    /// Smallest step of the waves' clock that was seen.
    pub step_us: f64,
    /// What told the waves apart.
    pub lanes: Lanes,
    /// Mean of the waves in flight in each of [`PARTS`] equal parts of the span.
    pub shape: Vec<f64>,
}

/// Waves in flight from the first begin to the last end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// First wave's begin, from the first wave of the trace on.
    pub begin_us: f64,
    /// Until nine tenths of the level were in flight.
    pub fill_us: f64,
    /// Between fill and drain.
    pub steady_us: f64,
    /// From when nine tenths of the level were last in flight.
    pub drain_us: f64,
    /// Waves, those that were not recorded among them.
    pub waves: f64,
    /// Waves in flight that were held for a twentieth of the span.
    pub level: f64,
    /// Most waves in flight.
    pub peak: f64,
    /// Mean of the waves in flight, over the span.
    pub mean: f64,
    /// Share of the area below the whole trace's level that no wave filled.
    pub idle: f64,
    /// Waves that began in the fill, while caches were cold and the machine was not full.
    pub first_fill: f64,
    /// Waves a microsecond that began in the fill; none where it is no longer than a few steps of the
    /// clock.
    pub launch_rate: Option<f64>,
}

/// A dispatch's own phases, and how it meets the next one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DispatchFigures {
    /// Its kernel.
    pub kernel: String,
    /// Workgroups.
    pub groups: [u32; 3],
    /// Of so many neighbouring workgroups one was recorded.
    pub one_in: u32,
    /// Its waves alone.
    pub phases: Phases,
    /// Mean time from a wave's begin to its end.
    pub wave_us: f64,
    /// With the next dispatch; none for the last.
    pub overlap: Option<Overlap>,
}

/// From the next dispatch's first begin to this one's last end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overlap {
    /// How long waves of both were in flight; negative where that much lay between them.
    pub us: f64,
    /// Of the shorter one's span; 0 where they did not overlap.
    pub share: f64,
}

impl Phases {
    /// First wave's begin to last wave's end.
    #[must_use]
    pub fn span_us(&self) -> f64 {
        self.fill_us + self.steady_us + self.drain_us
    }

    /// Last wave's end.
    #[must_use]
    pub fn end_us(&self) -> f64 {
        self.begin_us + self.span_us()
    }

    /// Of dispatches; `level` is the whole trace's where these are but a part of it.
    fn of(dispatches: &[&Dispatch], level: Option<f64>, step_us: f64) -> Option<Self> {
        let curve = Curve::of(dispatches.iter().copied());
        let (begin, end) = curve.span().filter(|(begin, end)| end > begin)?;
        let own = curve.held_for(HELD);
        let (full, ebb) = curve.within(FULL * own)?;
        let mean = curve.area(begin, end) / (end - begin);
        let waves = |from: f64, to: f64| {
            let begun = |d: &Dispatch| d.waves.iter().filter(|w| (from..=to).contains(&w.begin_us)).count();
            #[expect(clippy::cast_precision_loss, reason = "a count of waves fits 52 bits")]
            dispatches.iter().map(|d| begun(d) as f64 * d.weight).sum::<f64>()
        };
        let first_fill = waves(begin, full);
        Some(Self {
            begin_us: begin,
            fill_us: full - begin,
            steady_us: ebb - full,
            drain_us: end - ebb,
            waves: waves(begin, end),
            level: own,
            peak: curve.peak(),
            mean,
            idle: (1.0 - mean / level.unwrap_or(own)).max(0.0),
            first_fill,
            launch_rate: (full - begin > 3.0 * step_us).then_some(first_fill / (full - begin)),
        })
    }
}

impl TraceFigures {
    /// What a trace shows; none where it has no wave, or a dispatch without any.
    #[must_use]
    pub fn of(trace: &Trace) -> Option<Self> {
        let all: Vec<&Dispatch> = trace.dispatches.iter().collect();
        let whole = Phases::of(&all, None, trace.step_us)?;
        let phases = |d: &&Dispatch| Phases::of(&[d], Some(whole.level), trace.step_us);
        let each: Vec<Phases> = all.iter().map(phases).collect::<Option<_>>()?;
        let dispatches = (0..each.len()).map(|at| DispatchFigures {
            kernel: all[at].kernel.clone(),
            groups: all[at].groups,
            one_in: all[at].one_in,
            phases: each[at],
            wave_us: mean_wave(all[at]),
            overlap: each.get(at + 1).map(|next| Overlap::of(&each[at], next)),
        });
        let curve = Curve::of(all.iter().copied());
        let part = whole.span_us() / f64::from(PARTS);
        let mean_of =
            |at: f64| curve.area(whole.begin_us + at * part, whole.begin_us + (at + 1.0) * part) / part;
        Some(Self {
            dispatches: dispatches.collect(),
            gaps_us: curve.gaps().map(|(begin, end)| end - begin).sum(),
            shape: (0..PARTS).map(|at| mean_of(f64::from(at))).collect(),
            estimate_us: whole.steady_us + 0.5 * (whole.fill_us + whole.drain_us),
            stamps_us: trace.stamps_us,
            step_us: trace.step_us,
            lanes: trace.lanes,
            whole,
        })
    }

    /// Dispatches that overlap the next one, of those that have a next one.
    #[must_use]
    pub fn overlapping(&self) -> (usize, usize) {
        let overlaps = || self.dispatches.iter().filter_map(|d| d.overlap);
        (overlaps().filter(|overlap| overlap.us > 0.0).count(), overlaps().count())
    }
}

impl Overlap {
    fn of(this: &Phases, next: &Phases) -> Self {
        let us = this.end_us().min(next.end_us()) - next.begin_us.max(this.begin_us);
        let shorter = this.span_us().min(next.span_us());
        Self { us, share: (us / shorter).clamp(0.0, 1.0) }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count of waves fits 52 bits")]
fn mean_wave(dispatch: &Dispatch) -> f64 {
    let sum: f64 = dispatch.waves.iter().map(|wave| wave.end_us - wave.begin_us).sum();
    sum / dispatch.waves.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Wave;

    /// `lots` lots of `lot` waves, one each 100 µs, each 400 µs long: from the fourth lot on four are in
    /// flight, until the last 300 µs.
    fn dispatch(begin: f64, lots: u32, lot: u32) -> Dispatch {
        let waves = (0..lots).flat_map(|at| {
            let begin_us = begin + 100.0 * f64::from(at);
            (0..lot).map(move |lane| Wave { begin_us, end_us: begin_us + 400.0, lane })
        });
        let waves = waves.collect();
        Dispatch { kernel: "k".into(), groups: [lots * lot, 1, 1], one_in: 1, weight: 1.0, waves }
    }

    fn trace(dispatches: Vec<Dispatch>) -> Trace {
        Trace { dispatches, lanes: Lanes::Packed(64), stamps_us: 1.0, step_us: 1.0 }
    }

    #[test]
    fn known_phases_come_out_exactly() {
        let figures = TraceFigures::of(&trace(vec![dispatch(0.0, 20, 8)])).unwrap();
        let whole = figures.whole;
        assert_eq!((whole.fill_us, whole.steady_us, whole.drain_us), (300.0, 1700.0, 300.0));
        assert_eq!((whole.waves, whole.peak, whole.level), (160.0, 32.0, 32.0));
        assert_eq!(whole.mean, 160.0 * 400.0 / 2300.0);
        assert_eq!(whole.idle, 1.0 - whole.mean / 32.0);
        assert_eq!((whole.first_fill, whole.launch_rate), (32.0, Some(32.0 / 300.0)));
        assert_eq!(figures.estimate_us, 2000.0);
        assert_eq!((figures.gaps_us, figures.dispatches[0].wave_us), (0.0, 400.0));
        assert_eq!(figures.dispatches[0].overlap, None);
        assert_eq!((figures.shape.len(), figures.shape[32]), (64, 32.0));
    }

    #[test]
    fn known_overlaps_and_gaps_come_out_exactly() {
        // The second begins 200 µs before the first ends, the third 50 µs after the second ended.
        let parts = vec![dispatch(0.0, 20, 8), dispatch(2100.0, 1, 8), dispatch(2550.0, 20, 8)];
        let figures = TraceFigures::of(&trace(parts)).unwrap();
        let overlap = |at: usize| figures.dispatches[at].overlap.unwrap();
        assert_eq!(overlap(0), Overlap { us: 200.0, share: 0.5 });
        assert_eq!(overlap(1), Overlap { us: -50.0, share: 0.0 });
        assert_eq!((figures.gaps_us, figures.overlapping()), (50.0, (1, 2)));
        assert_eq!(figures.whole.span_us(), 4850.0);
    }

    #[test]
    fn one_of_many_stands_for_the_others() {
        let mut sampled = dispatch(0.0, 20, 8);
        sampled.weight = 3.0;
        let figures = TraceFigures::of(&trace(vec![sampled])).unwrap();
        assert_eq!((figures.whole.waves, figures.whole.peak), (480.0, 96.0));
    }

    #[test]
    fn a_spike_sets_no_level() {
        let mut spiked = dispatch(0.0, 20, 8);
        spiked.waves.extend((0..100).map(|lane| Wave { begin_us: 900.0, end_us: 910.0, lane }));
        let figures = TraceFigures::of(&trace(vec![spiked])).unwrap();
        assert_eq!((figures.whole.fill_us, figures.whole.level, figures.whole.peak), (300.0, 32.0, 132.0));
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert_eq!(TraceFigures::of(&trace(vec![])), None);
        assert_eq!(TraceFigures::of(&trace(vec![dispatch(0.0, 0, 0)])), None);
        let mut still = dispatch(0.0, 1, 8);
        still.waves.iter_mut().for_each(|wave| wave.end_us = wave.begin_us);
        assert_eq!(TraceFigures::of(&trace(vec![still])), None);
        assert_eq!(TraceFigures::of(&trace(vec![dispatch(0.0, 1, 8), dispatch(500.0, 0, 0)])), None);
    }
}
