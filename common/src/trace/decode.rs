//! From the words that kernels left in the trace's buffer to waves, or to the reason why they are none.

use thiserror::Error;

use super::plan::{HEAD, Region, SLOT};
use super::wrap::LaneSource;
use super::{Dispatch, Lanes, Trace, Wave, lanes};

const BEGUN: u32 = 1 << 31;
const ENDED: u32 = 1 << 30;

/// A trace that shows nothing that could be trusted.
#[derive(Clone, Debug, Error, PartialEq)]
pub(crate) enum Fault {
    #[error("{0} waves found no slot: the device makes more waves of a workgroup than it says")]
    Overflow(u64),
    #[error("no wave of dispatch {0} ({1}) was recorded")]
    NoWaves(usize, String),
    #[error("{0} waves began and never came to their end")]
    Unended(usize),
    #[error("the waves' clock stands still")]
    StandsStill,
    #[error("the waves' clock runs backwards within a wave")]
    Backwards,
    #[error("the trace's buffer is shorter than planned")]
    Short,
    #[error("the run of {0:.0} µs is longer than half of what the waves' clock counts before it begins anew")]
    Wraps(f64),
    #[error(
        "the waves span {waves:.1} µs and the timestamps around them {stamps:.1} µs: the clocks of two multiprocessors, \
         or the waves' and the timestamps', do not agree"
    )]
    Domains { waves: f64, stamps: f64 },
    #[error(
        "the timestamps do not tell how long a tick of the waves' clock is: {least_ns:.2} to {most_ns:.2} ns"
    )]
    Unset { least_ns: f64, most_ns: f64 },
}

/// What is known of a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clock {
    /// Nanoseconds a tick.
    pub tick_ns: f64,
    /// Bits that count: 32 where the high word is always 0.
    pub bits: u32,
}

/// What was submitted, what it left, and what the timestamps said.
pub(crate) struct Left<'t> {
    pub regions: &'t [Region],
    /// Kernel names, one a region.
    pub kernels: &'t [String],
    pub words: &'t [u32],
    pub clock: Clock,
    pub source: LaneSource,
    /// Multiprocessors that the device says it has.
    pub multiprocessors: Option<u32>,
    pub stamps_us: f64,
}

/// A wave in ticks of the clock.
struct Raw {
    begin: u64,
    ticks: u32,
    lane: u32,
}

/// Waves may seem longer than the timestamps around them by so much: both clocks have steps.
const SLACK: f64 = 1.02;
const SLACK_US: f64 = 3.0;

/// Ticks that are told apart: a wave's end is kept in 32 bits, whatever the clock has.
const MOST_TICKS: f64 = 2_147_483_648.0;

pub(crate) fn decode(left: &Left<'_>) -> Result<Trace, Fault> {
    if left.stamps_us * 1e3 / left.clock.tick_ns >= MOST_TICKS {
        return Err(Fault::Wraps(left.stamps_us));
    }
    let raw: Vec<Vec<Raw>> = left.regions.iter().map(|r| waves(r, left.words)).collect::<Result<_, _>>()?;
    for (at, waves) in raw.iter().enumerate() {
        if waves.is_empty() {
            return Err(Fault::NoWaves(at + 1, left.kernels[at].clone()));
        }
    }
    let Some(reference) = raw.iter().flatten().map(|wave| wave.begin).next() else {
        return Err(Fault::NoWaves(1, String::new()));
    };
    let us = left.clock.tick_ns / 1e3;
    let since = |ticks: u64| left.clock.since(ticks, reference);
    let first = raw.iter().flatten().map(|wave| since(wave.begin)).min().unwrap_or(0);
    #[expect(clippy::cast_precision_loss, reason = "ticks of one submit fit 52 bits")]
    let wave = |raw: &Raw| {
        let begin = since(raw.begin) - first;
        let begin_us = begin as f64 * us;
        Wave { begin_us, end_us: begin_us + f64::from(raw.ticks) * us, lane: raw.lane }
    };
    let dispatches = left.regions.iter().zip(left.kernels).zip(&raw).map(|((region, kernel), raw)| {
        let mut waves: Vec<Wave> = raw.iter().map(wave).collect();
        waves.sort_unstable_by(|a, b| a.begin_us.total_cmp(&b.begin_us));
        Dispatch {
            kernel: kernel.clone(),
            groups: region.planned.groups,
            one_in: region.one_in,
            weight: weight(region),
            waves,
        }
    });
    let mut dispatches: Vec<Dispatch> = dispatches.collect();
    let span = dispatches.iter().flat_map(|d| &d.waves).map(|w| w.end_us).fold(0.0, f64::max);
    if span <= 0.0 {
        return Err(Fault::StandsStill);
    }
    if span > left.stamps_us * SLACK + SLACK_US {
        return Err(Fault::Domains { waves: span, stamps: left.stamps_us });
    }
    let lanes = match left.source {
        LaneSource::None => lanes::pack(&mut dispatches),
        LaneSource::Sm | LaneSource::Core => {
            let seen = dispatches.iter().flat_map(|d| &d.waves).map(|w| w.lane + 1).max().unwrap_or(1);
            Lanes::Multiprocessors(left.multiprocessors.unwrap_or(0).max(seen))
        }
    };
    let step_us = step(&dispatches).unwrap_or(us);
    Ok(Trace { dispatches, lanes, stamps_us: left.stamps_us, step_us })
}

/// The waves of a region.
fn waves(region: &Region, words: &[u32]) -> Result<Vec<Raw>, Fault> {
    let words = region.words(words).ok_or(Fault::Short)?;
    let (head, slots) = words.split_at(HEAD);
    if head[3] > 0 {
        return Err(Fault::Overflow(head[3].into()));
    }
    let begun = || slots.chunks_exact(SLOT).filter(|slot| slot[3] & BEGUN != 0);
    let unended = begun().filter(|slot| slot[3] & ENDED == 0).count();
    if unended > 0 {
        return Err(Fault::Unended(unended));
    }
    let wave = |slot: &[u32]| {
        let ticks = slot[2].wrapping_sub(slot[0]);
        // More than half of what a word counts is no wave but a step back.
        if ticks > u32::MAX / 2 {
            return Err(Fault::Backwards);
        }
        let begin = u64::from(slot[1]) << 32 | u64::from(slot[0]);
        Ok(Raw { begin, ticks, lane: slot[3] & !(BEGUN | ENDED) })
    };
    begun().map(wave).collect()
}

/// Waves that a recorded one stands for. Which of the last lot is drawn may not exist.
#[expect(clippy::cast_precision_loss, reason = "a count of workgroups fits 52 bits")]
fn weight(region: &Region) -> f64 {
    let all = region.workgroups();
    let lots = all.div_ceil(region.one_in.into());
    let last = lots.saturating_sub(1);
    let recorded =
        if last * u64::from(region.one_in) + drawn(last, region.one_in) < all { lots } else { last };
    all as f64 / recorded.max(1) as f64
}

/// Which of a lot's workgroups is recorded: as in `trace.glsl`.
fn drawn(lot: u64, one_in: u32) -> u64 {
    let lot = u32::try_from(lot).unwrap_or(u32::MAX);
    u64::from((lot.wrapping_mul(2_654_435_769) >> 8) % one_in)
}

/// Smallest difference between two times, which is no shorter than a step of the clock.
fn step(dispatches: &[Dispatch]) -> Option<f64> {
    let waves = || dispatches.iter().flat_map(|d| &d.waves);
    let mut times: Vec<f64> = waves().flat_map(|w| [w.begin_us, w.end_us]).collect();
    times.sort_unstable_by(f64::total_cmp);
    // Differences of sums are not exact.
    times.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 1e-5).min_by(f64::total_cmp)
}

impl Clock {
    /// Ticks from one time to another; neither is further away than half of what the clock counts.
    #[expect(clippy::cast_possible_wrap, reason = "the difference is meant to be signed")]
    pub fn since(self, ticks: u64, from: u64) -> i64 {
        let shift = 64 - self.bits.clamp(1, 64);
        (ticks.wrapping_sub(from) << shift) as i64 >> shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::trace::plan::{Planned, plan};

    const NS: Clock = Clock { tick_ns: 1.0, bits: 64 };

    fn region(groups: u32) -> Vec<Region> {
        plan(&[Planned { kernel: Kernel(0), groups: [groups, 1, 1], waves: 1 }], 1 << 20)
    }

    /// A region's words; waves are (begin, end, lane).
    fn words(regions: &[Region], waves: &[(u64, u64, u32)]) -> Vec<u32> {
        let mut words = vec![0; usize::try_from(regions[0].bytes() / 4).unwrap()];
        words[..HEAD].copy_from_slice(&regions[0].head());
        for (slot, &(begin, end, lane)) in words[HEAD..].chunks_exact_mut(SLOT).zip(waves) {
            let low = |ticks: u64| u32::try_from(ticks & u64::from(u32::MAX)).unwrap();
            slot.copy_from_slice(&[low(begin), low(begin >> 32), low(end), BEGUN | ENDED | lane]);
        }
        words
    }

    fn trace_with(clock: Clock, waves: &[(u64, u64, u32)], stamps_us: f64) -> Result<Trace, Fault> {
        let regions = region(u32::try_from(waves.len()).unwrap());
        decode(&Left {
            words: &words(&regions, waves),
            regions: &regions,
            kernels: &["k".to_owned()],
            clock,
            source: LaneSource::Sm,
            multiprocessors: Some(4),
            stamps_us,
        })
    }

    #[test]
    fn waves_come_out_in_microseconds_from_the_first_on() {
        let trace = trace_with(NS, &[(12_000, 15_000, 2), (11_000, 12_500, 0)], 5.0).unwrap();
        let wave = |begin_us, end_us, lane| Wave { begin_us, end_us, lane };
        assert_eq!(trace.dispatches[0].waves, [wave(0.0, 1.5, 0), wave(1.0, 4.0, 2)]);
        assert_eq!((trace.lanes, trace.step_us), (Lanes::Multiprocessors(4), 0.5));
        let coarse = Clock { tick_ns: 10.0, bits: 64 };
        assert_eq!(trace_with(coarse, &[(100, 200, 0)], 5.0).unwrap().dispatches[0].waves[0].end_us, 1.0);
    }

    #[test]
    fn a_clock_may_wrap_within_a_trace() {
        // 32 bits, as lavapipe has them: the high word is always 0.
        let end = u64::from(u32::MAX);
        let narrow = Clock { tick_ns: 1.0, bits: 32 };
        let trace = trace_with(narrow, &[(end - 999, 1000, 0), (500, 2000, 0)], 5.0).unwrap();
        let spans: Vec<_> = trace.dispatches[0].waves.iter().map(|w| (w.begin_us, w.end_us)).collect();
        assert_eq!(spans, [(0.0, 2.0), (1.5, 3.0)]);
        // 64 bits, of which the low word wraps.
        let trace = trace_with(NS, &[(end - 999, end + 1001, 0)], 5.0).unwrap();
        assert_eq!(trace.dispatches[0].waves[0].end_us, 2.0);
    }

    #[test]
    fn a_clock_that_may_have_wrapped_unseen_is_refused() {
        let narrow = Clock { tick_ns: 1.0, bits: 32 };
        assert_eq!(trace_with(narrow, &[(1000, 2000, 0)], 2.2e6), Err(Fault::Wraps(2.2e6)));
        // A wave's end has 32 bits of any clock.
        assert_eq!(trace_with(NS, &[(1000, 2000, 0)], 2.2e6), Err(Fault::Wraps(2.2e6)));
        let slow = Clock { tick_ns: 10.0, bits: 64 };
        assert!(trace_with(slow, &[(1000, 2000, 0)], 2.2e6).is_ok());
    }

    #[test]
    fn clocks_that_are_none_are_refused() {
        assert_eq!(trace_with(NS, &[(5, 5, 0), (5, 5, 1)], 5.0), Err(Fault::StandsStill));
        assert_eq!(trace_with(NS, &[(5000, 4000, 0)], 5.0), Err(Fault::Backwards));
        // Two multiprocessors whose clocks are a millisecond apart.
        let apart = trace_with(NS, &[(5000, 9000, 0), (1_005_000, 1_009_000, 1)], 6.0);
        assert_eq!(apart, Err(Fault::Domains { waves: 1004.0, stamps: 6.0 }));
    }

    #[test]
    fn what_was_not_recorded_is_said() {
        let regions = region(2);
        let taken = |words: &[u32]| {
            let kernels = ["k".to_owned()];
            let (regions, source) = (&regions, LaneSource::None);
            decode(&Left {
                regions,
                kernels: &kernels,
                words,
                clock: NS,
                source,
                multiprocessors: None,
                stamps_us: 9.0,
            })
        };
        let whole = words(&regions, &[(1000, 2000, 0), (1000, 3000, 0)]);
        assert_eq!(taken(&whole).unwrap().lanes, Lanes::Packed(2));
        let mut lost = whole.clone();
        lost[3] = 7;
        assert_eq!(taken(&lost), Err(Fault::Overflow(7)));
        let mut unended = whole.clone();
        unended[HEAD + 3] &= !ENDED;
        assert_eq!(taken(&unended), Err(Fault::Unended(1)));
        assert_eq!(taken(&whole[..5]), Err(Fault::Short));
        assert_eq!(taken(&words(&regions, &[])), Err(Fault::NoWaves(1, "k".into())));
    }

    #[test]
    fn a_recorded_workgroup_stands_for_its_lot() {
        let planned = Planned { kernel: Kernel(0), groups: [1000, 1, 1], waves: 1 };
        for most in [10, 77, 333, 1000] {
            let region = plan(&[planned], most)[0];
            let lots = 1000_u64.div_ceil(region.one_in.into());
            let recorded = (0..1000_u64).filter(|g| {
                let one_in = u64::from(region.one_in);
                g % one_in == drawn(g / one_in, region.one_in)
            });
            let recorded = recorded.count();
            assert!(lots - 1 <= recorded as u64, "{recorded} of {lots}");
            assert_eq!(weight(&region), 1000.0 / recorded as f64);
        }
    }
}
