//! Decodes the words that kernels wrote to the trace's buffer into waves, or returns why they are invalid.

use record::trace::{Dispatch, Lanes, Part, PartWaves, TimeStamp, Trace, Wave, pack};
use vulkan::wrap::LaneSource;

use super::fault::Fault;
use super::plan::Region;
use super::slots::{Raw, waves, weight};
use crate::counter::Counter;

/// The submitted regions, the words that they hold after the submit, and the time between the timestamps.
#[derive(Clone, Copy)]
pub struct Left<'t> {
    pub(crate) regions: &'t [Region],
    pub(crate) words: &'t [u32],
    pub(crate) clock: Counter,
    pub(crate) source: LaneSource,
    /// Number of multiprocessors that the device reports.
    pub multiprocessors: Option<u32>,
    pub(crate) stamps_us: f64,
    /// Valid bits of timestamps.
    pub stamp_bits: u32,
    /// The raw timestamps of the window.
    pub window: [u64; 2],
    /// The raw timestamps of the variant, with their stages.
    pub stamped: &'t [(String, u64)],
}

/// Waves may seem longer than the timestamps around them by this factor and this time, because both clocks have
/// steps.
const SLACK: f64 = 1.02;
const SLACK_US: f64 = 3.0;

/// Limit of a trace in ticks: the end of a wave is stored in 32 bits, whatever the width of the clock.
const MOST_TICKS: f64 = 2_147_483_648.0;

pub(crate) fn decode(left: &Left<'_>) -> Result<Trace, Fault> {
    if left.stamps_us * 1e3 / left.clock.tick_ns >= MOST_TICKS {
        return Err(Fault::Wraps(left.stamps_us));
    }
    let taken = left.regions.iter().map(|region| waves(region, left.words));
    let mut taken: Vec<Vec<Raw<'_>>> = taken.collect::<Result<_, _>>()?;
    let has_none = |waves: &Vec<Raw<'_>>| waves.iter().all(|wave| wave.is_of_vertices);
    if let Some(at) = taken.iter().position(has_none) {
        return Err(Fault::NoWaves(at + 1, left.regions[at].planned.name.clone()));
    }
    let first = count_from_first(left.clock, &mut taken);
    let mut dispatches = Vec::new();
    for (waves, region) in taken.iter_mut().zip(left.regions) {
        waves.sort_by_key(|wave| (!wave.is_of_vertices, wave.part, wave.begin));
        dispatches.extend(of_region(region, waves, left.clock.tick_ns / 1e3)?);
    }
    let span = dispatches.iter().flat_map(|d| &d.waves).map(|w| w.end_us).fold(0.0, f64::max);
    if span <= 0.0 {
        return Err(Fault::StandsStill);
    }
    if span > left.stamps_us * SLACK + SLACK_US {
        return Err(Fault::Domains { waves: span, stamps: left.stamps_us });
    }
    let lanes = match left.source {
        LaneSource::None => pack(&mut dispatches),
        LaneSource::Sm | LaneSource::Core => {
            let seen = dispatches.iter().flat_map(|d| &d.waves).map(|w| w.lane + 1).max().unwrap_or(1);
            Lanes::Multiprocessors(left.multiprocessors.unwrap_or(0).max(seen))
        }
    };
    let step_us = step(&dispatches).unwrap_or(left.clock.tick_ns / 1e3);
    let time_stamps = time_stamps(left, first, span);
    Ok(Trace { dispatches, lanes, stamps_us: left.stamps_us, step_us, time_stamps })
}

/// Makes the begins of the waves relative to the first wave, in ticks. Returns when that begins.
fn count_from_first(clock: Counter, taken: &mut [Vec<Raw<'_>>]) -> u64 {
    let begins = || taken.iter().flatten().map(|wave| wave.begin);
    let reference = begins().next().unwrap_or_default();
    let first = begins().map(|begin| clock.ticks(reference, begin)).min().unwrap_or(0);
    for wave in taken.iter_mut().flatten() {
        wave.begin = (clock.ticks(reference, wave.begin) - first).cast_unsigned();
    }
    reference.wrapping_add_signed(first)
}

/// The variant's timestamps in the time of the waves; none if that is another clock: then the waves lie beside the window.
#[expect(clippy::cast_precision_loss, reason = "ticks of one submit fit 52 bits")]
fn time_stamps(left: &Left<'_>, first: u64, span_us: f64) -> Vec<TimeStamp> {
    let clock = Counter { bits: left.clock.bits.min(left.stamp_bits), ..left.clock };
    let us = |stamp| clock.ticks(first, stamp) as f64 * clock.tick_ns / 1e3;
    let [begin, end] = left.window.map(us);
    if begin > SLACK_US || end < span_us - SLACK_US {
        return Vec::new();
    }
    let stamped = left.stamped.iter();
    stamped.map(|(stage, stamp)| TimeStamp { stage: stage.clone(), at_us: us(*stamp) }).collect()
}

/// The waves of a region as one dispatch, as one dispatch per part, or those of a draw as one per shader.
#[expect(clippy::cast_precision_loss, reason = "ticks of one submit fit 52 bits")]
fn of_region(region: &Region, waves: &[Raw<'_>], tick_us: f64) -> Result<Vec<Dispatch>, Fault> {
    let planned = &region.planned;
    // An end and a begin in the same tick must convert to the same time.
    let us = |ticks: u64| ticks as f64 * tick_us;
    let wave = |raw: &Raw<'_>| {
        let end_us = us(raw.begin + u64::from(raw.ticks));
        Wave { begin_us: us(raw.begin), end_us, lane: raw.lane }
    };
    let ends_us = || {
        let is_whole = region.one_in == 1 && planned.parts.is_none() && planned.draw.is_none();
        let units = waves.iter().map(|raw| raw.unit + 1).max().filter(|_| is_whole);
        let mut ends_us = vec![0.0; units.unwrap_or(0)];
        for raw in waves.iter().filter(|_| is_whole) {
            ends_us[raw.unit] = f64::max(ends_us[raw.unit], wave(raw).end_us);
        }
        ends_us
    };
    let dispatch = |raw: &[Raw<'_>], part| Dispatch {
        kernel: planned.name.clone(),
        groups: planned.groups,
        one_in: region.one_in,
        weight: weight(region),
        waves: raw.iter().map(wave).collect(),
        ends_us: ends_us(),
        part,
    };
    if let Some(draw) = &planned.draw {
        let (of_vertices, of_pixels) = waves.split_at(waves.partition_point(|wave| wave.is_of_vertices));
        let (kernel, groups) = (draw.vertex.clone(), [draw.vertices, 0, 0]);
        let vertices = Dispatch { kernel, groups, ..dispatch(of_vertices, None) };
        let vertices = (!of_vertices.is_empty()).then_some(vertices);
        return Ok(vertices.into_iter().chain([dispatch(of_pixels, None)]).collect());
    }
    let Some(parts) = &planned.parts else { return Ok(vec![dispatch(waves, None)]) };
    let part = |at: u32| {
        let begin = waves.partition_point(|raw| raw.part < at);
        let own = &waves[begin..waves.partition_point(|raw| raw.part <= at)];
        let (number, count) = (at + 1, parts.count);
        if own.is_empty() {
            let kernel = planned.name.clone();
            return Err(Fault::NoWavesOfPart { part: parts.part, number, count, kernel });
        }
        let mut stretches_us = Vec::new();
        for wave in own {
            wave.stretches(parts.stamps(), |ticks| stretches_us.push(f64::from(ticks) * tick_us))?;
        }
        let (what, unit) = (parts.part.to_owned(), parts.unit.to_owned());
        let part = PartWaves {
            part: Part { what, number, of: count, unit, units: parts.units },
            in_a_row: parts.in_a_row,
            stretches: parts.stretches,
            waits: parts.waits,
            stretches_us,
        };
        Ok(dispatch(own, Some(part)))
    };
    (0..parts.count).map(part).collect()
}

/// The smallest difference between two times, an upper limit of the clock's step.
fn step(dispatches: &[Dispatch]) -> Option<f64> {
    let waves = || dispatches.iter().flat_map(|d| &d.waves);
    let mut times: Vec<f64> = waves().flat_map(|w| [w.begin_us, w.end_us]).collect();
    times.sort_unstable_by(f64::total_cmp);
    // Rounding makes differences of sums inexact.
    times.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 1e-5).min_by(f64::total_cmp)
}

#[cfg(test)]
mod of_parts;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::plan::{Draw, HEAD, Planned, SLOT, plan};
    use crate::trace::slots::{BEGUN, ENDED, OF_VERTICES, drawn};

    const NS: Counter = Counter { tick_ns: 1.0, bits: 64 };

    fn region(groups: u32) -> Vec<Region> {
        plan(vec![Planned::for_test([groups, 1, 1], 1, None)], 1 << 20)
    }

    /// The words of a region; `waves` are (begin, end, lane).
    fn words(regions: &[Region], waves: &[(u64, u64, u32)]) -> Vec<u32> {
        let mut words = vec![0; usize::try_from(regions[0].bytes() / 4).unwrap()];
        words[..HEAD].copy_from_slice(&regions[0].head());
        for (slot, &(begin, end, lane)) in words[HEAD..].chunks_exact_mut(SLOT).zip(waves) {
            let low = |ticks: u64| u32::try_from(ticks & u64::from(u32::MAX)).unwrap();
            slot.copy_from_slice(&[low(begin), low(begin >> 32), low(end), BEGUN | ENDED | lane]);
        }
        words
    }

    fn left_of(regions: &[Region], stamps_us: f64) -> Left<'_> {
        Left {
            words: &[],
            regions,
            clock: NS,
            source: LaneSource::Sm,
            multiprocessors: Some(4),
            stamps_us,
            stamp_bits: 64,
            window: [0, 0],
            stamped: &[],
        }
    }

    fn trace_with(clock: Counter, waves: &[(u64, u64, u32)], stamps_us: f64) -> Result<Trace, Fault> {
        let regions = region(u32::try_from(waves.len()).unwrap());
        decode(&Left { words: &words(&regions, waves), clock, ..left_of(&regions, stamps_us) })
    }

    #[test]
    fn waves_come_out_in_microseconds_from_the_first_on() {
        let trace = trace_with(NS, &[(12_000, 15_000, 2), (11_000, 12_500, 0)], 5.0).unwrap();
        let wave = |begin_us, end_us, lane| Wave { begin_us, end_us, lane };
        assert_eq!(trace.dispatches[0].waves, [wave(0.0, 1.5, 0), wave(1.0, 4.0, 2)]);
        // The second workgroup ended first.
        assert_eq!(trace.dispatches[0].ends_us, [4.0, 1.5]);
        assert_eq!((trace.lanes, trace.step_us), (Lanes::Multiprocessors(4), 0.5));
        let coarse = Counter { tick_ns: 10.0, bits: 64 };
        assert_eq!(trace_with(coarse, &[(100, 200, 0)], 5.0).unwrap().dispatches[0].waves[0].end_us, 1.0);
    }

    #[test]
    fn waves_of_a_draw_stand_for_those_left_out() {
        let mut planned = Planned::for_test([16, 4, 0], 8, None);
        planned.name = "a.frag".into();
        planned.draw = Some(Draw { vertex: "a.vert".into(), vertices: 3 });
        let regions = plan(vec![planned], 14);
        // 8 full waves, with room for 36 of pixels and 3 of vertices.
        assert_eq!((regions[0].one_in, regions[0].slots), (3, 13));
        let waves = [(1500, 3000, 1), (2000, 4000, 0), (1000, 1200, OF_VERTICES)];
        let words = words(&regions, &waves);
        assert_eq!(words[2], 0, "slots are counted from 0");
        let left = Left { words: &words, regions: &regions, ..left_of(&regions, 5.0) };
        let trace = decode(&left).unwrap();
        let [vertices, pixels] = &trace.dispatches[..] else { panic!("two shaders") };
        assert_eq!((&*vertices.kernel, vertices.groups, vertices.waves.len()), ("a.vert", [3, 0, 0], 1));
        assert_eq!((pixels.groups, pixels.waves.len(), pixels.weight), ([16, 4, 0], 2, 3.0));
        assert_eq!(pixels.waves[0].begin_us, 0.5);
        assert!(pixels.ends_us.is_empty(), "waves of a draw have no place in it");
        let of_vertices = self::words(&regions, &waves[2..]);
        assert!(matches!(decode(&Left { words: &of_vertices, ..left }), Err(Fault::NoWaves(1, _))));
    }

    #[test]
    fn a_clock_may_wrap_within_a_trace() {
        // A clock of 32 bits, as on lavapipe: the high word is always 0.
        let end = u64::from(u32::MAX);
        let narrow = Counter { tick_ns: 1.0, bits: 32 };
        let trace = trace_with(narrow, &[(end - 999, 1000, 0), (500, 2000, 0)], 5.0).unwrap();
        let spans: Vec<_> = trace.dispatches[0].waves.iter().map(|w| (w.begin_us, w.end_us)).collect();
        assert_eq!(spans, [(0.0, 2.0), (1.5, 3.0)]);
        // A clock of 64 bits whose low word wraps.
        let trace = trace_with(NS, &[(end - 999, end + 1001, 0)], 5.0).unwrap();
        assert_eq!(trace.dispatches[0].waves[0].end_us, 2.0);
    }

    #[test]
    fn a_clock_that_may_have_wrapped_unseen_is_refused() {
        let narrow = Counter { tick_ns: 1.0, bits: 32 };
        assert_eq!(trace_with(narrow, &[(1000, 2000, 0)], 2.2e6), Err(Fault::Wraps(2.2e6)));
        // The end of a wave has 32 bits for any clock.
        assert_eq!(trace_with(NS, &[(1000, 2000, 0)], 2.2e6), Err(Fault::Wraps(2.2e6)));
        let slow = Counter { tick_ns: 10.0, bits: 64 };
        assert!(trace_with(slow, &[(1000, 2000, 0)], 2.2e6).is_ok());
    }

    #[test]
    fn timestamps_are_placed_among_waves_of_the_same_clock() {
        let regions = region(1);
        // Timestamps have fewer bits than the waves' clock.
        let high = 1 << 40;
        let words = words(&regions, &[(high + 11_000, high + 12_500, 0)]);
        let placed = |window: [u64; 2]| {
            let left = Left {
                words: &words,
                regions: &regions,
                clock: NS,
                source: LaneSource::Sm,
                multiprocessors: Some(4),
                stamps_us: 5.0,
                stamp_bits: 36,
                window,
                stamped: &[("NONE".into(), 10_900), ("COPY".into(), 12_750)],
            };
            decode(&left).unwrap().time_stamps
        };
        let stamp = |stage: &str, at_us| TimeStamp { stage: stage.into(), at_us };
        assert_eq!(placed([10_000, 13_000]), [stamp("NONE", -0.1), stamp("COPY", 1.75)]);
        assert_eq!(placed([14_500, 16_000]), [], "the window begins behind the wave");
        assert_eq!(placed([5_000, 8_000]), [], "it ends before the wave");
    }

    #[test]
    fn clocks_that_are_none_are_refused() {
        assert_eq!(trace_with(NS, &[(5, 5, 0), (5, 5, 1)], 5.0), Err(Fault::StandsStill));
        assert_eq!(trace_with(NS, &[(5000, 4000, 0)], 5.0), Err(Fault::Backwards));
        // Two multiprocessors whose clocks differ by a millisecond.
        let apart = trace_with(NS, &[(5000, 9000, 0), (1_005_000, 1_009_000, 1)], 6.0);
        assert_eq!(apart, Err(Fault::Domains { waves: 1004.0, stamps: 6.0 }));
    }

    #[test]
    fn what_was_not_recorded_is_said() {
        let regions = region(2);
        let left = Left {
            regions: &regions,
            words: &[],
            clock: NS,
            source: LaneSource::None,
            multiprocessors: None,
            stamps_us: 9.0,
            stamp_bits: 64,
            window: [0, 0],
            stamped: &[],
        };
        let taken = |words: &[u32]| decode(&Left { words, ..left });
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
        let planned = Planned::for_test([1000, 1, 1], 1, None);
        for most in [10, 77, 333, 1000] {
            let region = plan(vec![planned.clone()], most).remove(0);
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
