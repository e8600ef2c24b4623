//! Fill, steady state and drain, and how dispatches overlap.
//!
//! ```text
//! waves in flight             ╭────────────────╮
//!                            ╱│                │╲
//!                       ────╯ │                │ ╰───▶ time
//!                       fill  │     steady     │ drain
//! ```
//!
//! *Fill* lasts from the first wave's begin to the last one that comes before waves leave: until one in
//! twenty of those that have begun has ended, so that a few that find nothing to do end no fill. *Drain*
//! is the same, read from the end: from the first wave that leaves when none come any more to the last.
//! Neither needs a threshold of waves in flight, which a GPU would not keep to: an H200 (driver 580) at
//! first fills every slot, 8448 waves in 0.9 µs, and then holds a third of that, because it launches
//! no more than leave.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::stretches::{first_at_work, stretches};
use super::{Curve, Dispatch, Lanes, Part, Stretch, TimeStamp, Trace, Wave};

/// The fill is over when this share of the waves that have begun has ended.
const LEFT: f64 = 0.05;

/// Shortest fill, in steps of the clock, from which a launch rate is computed: one step more or less changes it by a
/// tenth.
const LONG_ENOUGH: f64 = 10.0;

/// Number of parts of [`TraceFigures::shape`].
pub const PARTS: u32 = 64;

/// What a trace shows of a variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceFigures {
    /// All dispatches together.
    pub whole: Phases,
    /// Each of them, in the order in which they were recorded; where a kernel names the parts of what it does, each
    /// part stands as a dispatch of its own.
    pub dispatches: Vec<DispatchFigures>,
    /// Begin and end of each stretch between two dispatches in which none was in flight,
    /// in microseconds.
    pub gaps: Vec<[f64; 2]>,
    /// Their sum.
    pub gaps_us: f64,
    /// Lottes' ball-park for a repetition among others: steady state, and half of fill and drain.
    pub estimate_us: f64,
    /// From one timestamp to the other in the same submit.
    pub stamps_us: f64,
    /// Smallest step of the waves' clock that was seen.
    pub step_us: f64,
    /// What told the waves apart.
    pub lanes: Lanes,
    /// Mean of the waves in flight in each of 64 ([`PARTS`]) equal parts of the span.
    pub shape: Vec<f64>,
    /// Where the waves of parts spend their time, one stretch after the other; empty where no kernel tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stretches: Vec<Stretch>,
    /// The timestamps that the variant writes, where the waves' clock is theirs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub time_stamps: Vec<TimeStamp>,
}

/// Waves in flight from the first begin to the last end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Phases {
    /// First wave's begin, from the first wave of the trace on.
    pub begin_us: f64,
    /// From the first wave's begin to the last before waves leave.
    pub fill_us: f64,
    /// Between fill and drain.
    pub steady_us: f64,
    /// From the first wave that leaves when none come any more to the last.
    pub drain_us: f64,
    /// Waves, those that were not recorded among them; of parts a wave counts for each unit that it does.
    pub waves: f64,
    /// Most waves in flight.
    pub peak: f64,
    /// Mean of the waves in flight, over the span.
    pub mean: f64,
    /// Share of what the device has room for, over this span, that no wave filled: of its wave slots, where
    /// it tells them, of the whole trace's peak elsewhere.
    pub idle: f64,
    /// Waves that began in the fill, before others had warmed the caches for them.
    pub first_fill: f64,
    /// Waves a microsecond that began in the fill; none where it is no longer than a few steps of the
    /// clock.
    pub launch_rate: Option<f64>,
}

/// The phases of a dispatch, or of a part of one, and how it meets the next one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DispatchFigures {
    /// Its kernel.
    pub kernel: String,
    /// Workgroups; of a pixel shader, width and height of its viewport, and 0; of a vertex shader, its vertices, 0 and 0.
    pub groups: [u32; 3],
    /// Of so many neighbouring workgroups one was recorded; of parts, of so many units.
    pub one_in: u32,
    /// Its waves alone.
    pub phases: Phases,
    /// Mean time from a wave's begin to its end.
    pub wave_us: f64,
    /// With the next dispatch; none for the last.
    pub overlap: Option<Overlap>,
    /// Which part of a dispatch it is; none of one whose kernel names no parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// Where its waves spend their time, one stretch after the other; empty where the kernel does not tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stretches: Vec<Stretch>,
}

/// From the next dispatch's first begin to this one's last end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overlap {
    /// How long waves of both were in flight; negative where that much lay between them.
    pub us: f64,
    /// Of the shorter one's span; 0 where they did not overlap.
    pub share: f64,
    /// From when the first wave of the next part of the same dispatch has what it waits for to this one's last end;
    /// negative where that much lay between them, none where waves do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_work_us: Option<f64>,
}

impl Phases {
    /// Time from the first wave's begin to the last wave's end.
    #[must_use]
    pub fn span_us(&self) -> f64 {
        self.fill_us + self.steady_us + self.drain_us
    }

    /// Time of the last wave's end.
    #[must_use]
    pub fn end_us(&self) -> f64 {
        self.begin_us + self.span_us()
    }

    /// The phases of dispatches on a device with `room` wave slots; if that is unknown, their own peak is used.
    fn of(dispatches: &[&Dispatch], room: Option<f64>, step_us: f64) -> Option<Self> {
        let curve = Curve::of(dispatches.iter().copied());
        let (begin, end) = curve.span().filter(|(begin, end)| end > begin)?;
        let flow = Flow::of(dispatches);
        let full = flow.filled();
        let ebb = (-flow.reversed().filled()).max(full);
        let mean = curve.area(begin, end) / (end - begin);
        let first_fill = flow.begun_until(full);
        Some(Self {
            begin_us: begin,
            fill_us: full - begin,
            steady_us: ebb - full,
            drain_us: end - ebb,
            waves: all_of(dispatches),
            peak: curve.peak(),
            mean,
            idle: (1.0 - mean / room.unwrap_or(curve.peak())).max(0.0),
            first_fill,
            launch_rate: (full - begin > LONG_ENOUGH * step_us).then_some(first_fill / (full - begin)),
        })
    }
}

/// Number of waves, including those that were not recorded.
#[expect(clippy::cast_precision_loss, reason = "a count of waves fits 52 bits")]
fn all_of(dispatches: &[&Dispatch]) -> f64 {
    dispatches.iter().map(|dispatch| dispatch.waves.len() as f64 * dispatch.weight).sum()
}

/// Begins and ends of waves: the time and the number of waves, sorted by time.
struct Flow {
    begins: Vec<(f64, f64)>,
    ends: Vec<(f64, f64)>,
}

impl Flow {
    fn of(dispatches: &[&Dispatch]) -> Self {
        let sorted = |time: fn(&Wave) -> f64| {
            // A wave that ended in the clock step in which it began is ignored.
            let some = |wave: &&Wave| wave.end_us > wave.begin_us;
            let times =
                dispatches.iter().flat_map(|d| d.waves.iter().filter(some).map(move |w| (time(w), d.weight)));
            let mut times: Vec<(f64, f64)> = times.collect();
            times.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            times
        };
        Self { begins: sorted(|wave| wave.begin_us), ends: sorted(|wave| wave.end_us) }
    }

    /// The flow with time reversed.
    fn reversed(&self) -> Self {
        let reversed = |times: &[(f64, f64)]| times.iter().rev().map(|&(at, waves)| (-at, waves)).collect();
        Self { begins: reversed(&self.ends), ends: reversed(&self.begins) }
    }

    /// The last begin before waves leave.
    fn filled(&self) -> f64 {
        let (mut begun, mut ended, mut next) = (0.0, 0.0, 0);
        let mut last = self.begins.first().map_or(0.0, |first| first.0);
        for &(at, waves) in &self.ends {
            while let Some(&(begin, waves)) = self.begins.get(next).filter(|(begin, _)| *begin < at) {
                (last, begun, next) = (begin, begun + waves, next + 1);
            }
            ended += waves;
            if ended >= LEFT * begun {
                break;
            }
        }
        last
    }

    fn begun_until(&self, time: f64) -> f64 {
        self.begins.iter().take_while(|(begin, _)| *begin <= time).map(|(_, waves)| waves).sum()
    }
}

impl TraceFigures {
    /// The figures of a trace on a device with `slots` wave slots. `None` if the trace or one of its dispatches has
    /// no wave.
    #[must_use]
    pub fn of(trace: &Trace, slots: Option<u32>) -> Option<Self> {
        let all: Vec<&Dispatch> = trace.dispatches.iter().collect();
        let slots = slots.map(f64::from);
        let whole = Phases::of(&all, slots, trace.step_us)?;
        let phases = |d: &&Dispatch| Phases::of(&[d], slots.or(Some(whole.peak)), trace.step_us);
        let each: Vec<Phases> = all.iter().map(phases).collect::<Option<_>>()?;
        let overlap = |at: usize| {
            let overlap = Overlap::of(&each[at], each.get(at + 1)?);
            Some(Overlap { at_work_us: overlap_at_work(all[at], all[at + 1], each[at].end_us()), ..overlap })
        };
        let dispatches = (0..each.len()).map(|at| DispatchFigures {
            kernel: all[at].kernel.clone(),
            groups: all[at].groups,
            one_in: all[at].one_in,
            phases: each[at],
            wave_us: mean_wave(all[at]),
            overlap: overlap(at),
            part: all[at].part.as_ref().map(|waves| waves.part.clone()),
            stretches: stretches(&[all[at]]),
        });
        let curve = Curve::of(all.iter().copied());
        let gaps = gaps(&each);
        let part = whole.span_us() / f64::from(PARTS);
        let mean_of =
            |at: f64| curve.area(whole.begin_us + at * part, whole.begin_us + (at + 1.0) * part) / part;
        Some(Self {
            dispatches: dispatches.collect(),
            // The sum of no numbers is -0.0.
            gaps_us: gaps.iter().map(|[begin, end]| end - begin).sum::<f64>() + 0.0,
            gaps,
            shape: (0..PARTS).map(|at| mean_of(f64::from(at))).collect(),
            estimate_us: whole.steady_us + 0.5 * (whole.fill_us + whole.drain_us),
            stamps_us: trace.stamps_us,
            step_us: trace.step_us,
            lanes: trace.lanes,
            stretches: stretches(&all),
            time_stamps: trace.time_stamps.clone(),
            whole,
        })
    }

    /// Number of dispatches that overlap the next one, and number of dispatches that have a next one.
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
        Self { us, share: (us / shorter).clamp(0.0, 1.0), at_work_us: None }
    }
}

/// Time from the first wave of the next part that no longer waits to the end of this part.
fn overlap_at_work(this: &Dispatch, next: &Dispatch, end_us: f64) -> Option<f64> {
    let follows = next.part.as_ref()?.follows(this.part.as_ref()?);
    follows.then(|| first_at_work(next)).flatten().map(|at_work| end_us - at_work)
}

/// The intervals that no dispatch's span covers. Pauses within a dispatch, as on a device that runs one wave at a
/// time, do not count.
fn gaps(dispatches: &[Phases]) -> Vec<[f64; 2]> {
    let mut spans: Vec<(f64, f64)> = dispatches.iter().map(|d| (d.begin_us, d.end_us())).collect();
    spans.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut covered = f64::INFINITY;
    let mut gaps = Vec::new();
    for (begin, end) in spans {
        if begin > covered {
            gaps.push([covered, begin]);
        }
        covered = if covered.is_finite() { covered.max(end) } else { end };
    }
    gaps
}

#[expect(clippy::cast_precision_loss, reason = "a count of waves fits 52 bits")]
fn mean_wave(dispatch: &Dispatch) -> f64 {
    let sum: f64 = dispatch.waves.iter().map(|wave| wave.end_us - wave.begin_us).sum();
    sum / dispatch.waves.len().max(1) as f64
}

#[cfg(test)]
mod tests;
