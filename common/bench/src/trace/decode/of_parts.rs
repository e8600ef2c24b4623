//! Tests with made-up slots, valid and invalid, of a kernel that names its parts.

use record::trace::Parts;

use super::*;
use crate::trace::plan::{HEAD, Planned, plan};
use crate::trace::slots::{BEGUN, ENDED};

const CLOCK: Counter = Counter { tick_ns: 1.0, bits: 64 };
const PARTS: Parts = Parts {
    part: "pass",
    count: 2,
    in_a_row: true,
    unit: "tile",
    units: 4,
    stretches: &["wait", "load", "step", "tell"],
    waits: 1,
};
/// Words per slot.
const WORDS: usize = 8;

/// Two workgroups of one wave each, with the units of `PARTS`.
fn regions(most: u64) -> Vec<Region> {
    plan(vec![Planned::for_test([2, 1, 1], 1, Some(&PARTS))], most)
}

/// The times of begin, `trace_part`, two stamps and end; and the part.
type Unit = ([u32; 5], u32);

/// One workgroup runs units 0 and 2, the other 1 and 3.
const UNITS: [Unit; 4] = [
    ([1000, 1010, 1500, 2000, 2100], 0),
    ([1000, 1020, 1700, 2400, 2500], 0),
    ([2100, 2600, 3000, 3500, 3600], 1),
    ([2500, 2510, 3100, 3900, 4100], 1),
];

fn words(units: &[Unit]) -> Vec<u32> {
    let regions = regions(1 << 20);
    let mut words = vec![0; usize::try_from(regions[0].bytes() / 4).unwrap()];
    words[..HEAD].copy_from_slice(&regions[0].head());
    for (slot, &([begin, named, first, second, end], part)) in
        words[HEAD..].chunks_exact_mut(WORDS).zip(units)
    {
        slot.copy_from_slice(&[begin, 0, end, BEGUN | ENDED, part, named, first, second]);
    }
    words
}

fn decoded(words: &[u32]) -> Result<Trace, Fault> {
    decoded_by(CLOCK, words)
}

fn decoded_by(clock: Counter, words: &[u32]) -> Result<Trace, Fault> {
    decode(&Left {
        regions: &regions(1 << 20),
        words,
        clock,
        source: LaneSource::None,
        multiprocessors: None,
        stamps_us: 4.0,
        stamp_bits: 64,
        window: [0, 0],
        stamped: &[],
    })
}

/// The result of decoding with one changed word in a unit's slot.
fn spoiled(unit: usize, word: usize, to: u32) -> Result<Trace, Fault> {
    let mut words = words(&UNITS);
    words[HEAD + unit * WORDS + word] = to;
    decoded(&words)
}

/// The stretches of each wave, in nanoseconds.
fn stretches(dispatch: &Dispatch) -> Vec<Vec<f64>> {
    let each = dispatch.part.as_ref().unwrap().each();
    each.map(|row| row.iter().map(|us| (us * 1e3).round()).collect()).collect()
}

#[test]
fn each_part_is_a_dispatch_of_its_own() {
    let trace = decoded(&words(&UNITS)).unwrap();
    let [first, second] = &trace.dispatches[..] else { panic!("{trace:?}") };
    let spans = |d: &Dispatch| d.waves.iter().map(|w| (w.begin_us, w.end_us)).collect::<Vec<_>>();
    assert_eq!(spans(first), [(0.0, 1.1), (0.0, 1.5)]);
    assert_eq!(spans(second), [(1.1, 2.6), (1.5, 3.1)]);
    let part = &second.part.as_ref().unwrap().part;
    assert_eq!((&*part.what, &*part.unit), ("pass", "tile"));
    assert_eq!((part.number, part.of, part.units), (2, 2, 4));
    assert_eq!((second.groups, second.weight, trace.lanes), ([2, 1, 1], 1.0, Lanes::Packed(2)));
    assert_eq!(stretches(second), [[500.0, 400.0, 500.0, 100.0], [10.0, 590.0, 800.0, 200.0]]);
}

#[test]
fn a_stamp_that_was_left_out_has_no_time() {
    let trace = spoiled(0, 6, 0).unwrap();
    assert_eq!(stretches(&trace.dispatches[0])[0], [10.0, 0.0, 990.0, 100.0]);
}

#[test]
fn a_clock_may_wrap_within_a_unit() {
    let wrapped = UNITS.map(|(times, part)| (times.map(|time: u32| time.wrapping_sub(2550)), part));
    let narrow = Counter { tick_ns: 1.0, bits: 32 };
    let trace = decoded_by(narrow, &words(&wrapped));
    assert_eq!(trace.unwrap().dispatches, decoded(&words(&UNITS)).unwrap().dispatches);
}

#[test]
fn what_a_unit_left_is_not_taken_on_trust() {
    assert_eq!(spoiled(1, 3, BEGUN), Err(Fault::Unended(1)));
    assert_eq!(spoiled(1, 2, 900), Err(Fault::Backwards));
    assert_eq!(spoiled(1, 5, 900), Err(Fault::Backwards));
    assert_eq!(spoiled(1, 6, 1010), Err(Fault::OutOfOrder));
    assert_eq!(spoiled(1, 7, 2501), Err(Fault::OutOfOrder));
    let unknown = |named| Err(Fault::NoSuchPart { part: "pass", named, count: 2 });
    assert_eq!(spoiled(2, 4, 2), unknown(2));
    assert_eq!(spoiled(2, 4, u32::MAX), unknown(u32::MAX));
    let still = UNITS.map(|(_, part)| ([7; 5], part));
    assert_eq!(decoded(&words(&still)), Err(Fault::StandsStill));
    let far = UNITS.map(|(times, part)| (times.map(|time| time * (1 + 9 * part)), part));
    assert!(matches!(decoded(&words(&far)), Err(Fault::Domains { .. })));
}

#[test]
fn what_was_not_recorded_of_parts_is_said() {
    assert_eq!(decoded(&words(&[])), Err(Fault::NoWaves(1, "k".into())));
    let (part, kernel) = ("pass", "k".to_owned());
    let missing = Fault::NoWavesOfPart { part, number: 2, count: 2, kernel };
    assert_eq!(missing.to_string(), "no wave of pass 2 of 2 was recorded (k)");
    assert_eq!(decoded(&words(&UNITS[..2])), Err(missing));
    let mut lost = words(&UNITS);
    lost[3] = 3;
    assert_eq!(decoded(&lost), Err(Fault::Unknown(3, "tile")));
    assert_eq!(decoded(&words(&UNITS)[..20]), Err(Fault::Short));
}

/// The unit drawn from the last lot may not exist.
#[test]
fn a_unit_beyond_the_last_is_found_where_one_of_many_is_recorded() {
    for units in 5..40 {
        let parts = Parts { units, ..PARTS };
        let regions = plan(vec![Planned::for_test([2, 1, 1], 1, Some(&parts))], 7);
        let mut words = vec![0; usize::try_from(regions[0].bytes() / 4).unwrap()];
        words[..HEAD].copy_from_slice(&regions[0].head());
        for slot in words[HEAD..].chunks_exact_mut(WORDS) {
            slot.copy_from_slice(&[1000, 0, 2000, BEGUN | ENDED, 0, 1010, 1500, 1900]);
        }
        let taken = waves(&regions[0], &words)
            .and_then(|waves| waves.iter().try_for_each(|wave| wave.stretches(parts.stamps(), |_| {})));
        let recorded = (0..u64::from(units)).filter(|unit| {
            let one_in = u64::from(regions[0].one_in);
            unit % one_in == crate::trace::slots::drawn(unit / one_in, regions[0].one_in)
        });
        let all_are = recorded.count() == regions[0].slots as usize;
        assert_eq!(taken.is_ok(), all_are, "{units} units, one in {}", regions[0].one_in);
    }
}
