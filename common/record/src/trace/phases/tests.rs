//! Tests with invented waves whose phases are known.

use super::*;

/// `lots` groups of `lot` waves. A group begins every 100 µs and takes 400 µs, so that four groups are in flight
/// from the fourth on, until the last 300 µs.
fn dispatch(begin: f64, lots: u32, lot: u32) -> Dispatch {
    let waves = (0..lots).flat_map(|at| {
        let begin_us = begin + 100.0 * f64::from(at);
        (0..lot).map(move |lane| Wave { begin_us, end_us: begin_us + 400.0, lane })
    });
    let waves = waves.collect();
    Dispatch {
        kernel: "k".into(),
        groups: [lots * lot, 1, 1],
        one_in: 1,
        weight: 1.0,
        waves,
        ends_us: Vec::new(),
        part: None,
    }
}

fn trace(dispatches: Vec<Dispatch>) -> Trace {
    Trace { dispatches, lanes: Lanes::Packed(64), stamps_us: 1.0, step_us: 1.0, time_stamps: Vec::new() }
}

#[test]
fn known_phases_come_out_exactly() {
    let figures = TraceFigures::of(&trace(vec![dispatch(0.0, 20, 8)]), None).unwrap();
    let whole = figures.whole;
    assert_eq!((whole.fill_us, whole.steady_us, whole.drain_us), (300.0, 1700.0, 300.0));
    assert_eq!((whole.waves, whole.peak), (160.0, 32.0));
    assert_eq!(whole.mean, 160.0 * 400.0 / 2300.0);
    assert_eq!(whole.idle, 1.0 - whole.mean / 32.0);
    let roomy = TraceFigures::of(&trace(vec![dispatch(0.0, 20, 8)]), Some(64)).unwrap();
    assert_eq!(roomy.whole.idle, 1.0 - whole.mean / 64.0);
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
    let figures = TraceFigures::of(&trace(parts), None).unwrap();
    let overlap = |at: usize| figures.dispatches[at].overlap.unwrap();
    assert_eq!(overlap(0), Overlap { us: 200.0, share: 0.5, at_work_us: None });
    assert_eq!(overlap(1), Overlap { us: -50.0, share: 0.0, at_work_us: None });
    assert_eq!((figures.gaps_us, figures.overlapping()), (50.0, (1, 2)));
    assert_eq!(figures.gaps, [[2500.0, 2550.0]]);
    assert_eq!(figures.whole.span_us(), 4850.0);
}

#[test]
fn one_of_many_stands_for_the_others() {
    let mut sampled = dispatch(0.0, 20, 8);
    sampled.weight = 3.0;
    let figures = TraceFigures::of(&trace(vec![sampled]), None).unwrap();
    assert_eq!((figures.whole.waves, figures.whole.peak), (480.0, 96.0));
}

#[test]
fn waves_that_find_nothing_to_do_end_no_fill() {
    let mut early = dispatch(0.0, 20, 100);
    early.waves.push(Wave { begin_us: 0.0, end_us: 10.0, lane: 0 });
    // One that begins after all others.
    early.waves.push(Wave { begin_us: 2150.0, end_us: 2160.0, lane: 0 });
    // Some that are too short for the clock.
    for still in [0.0, 900.0, 2300.0] {
        early.waves.push(Wave { begin_us: still, end_us: still, lane: 0 });
    }
    let whole = TraceFigures::of(&trace(vec![early]), None).unwrap().whole;
    assert_eq!((whole.fill_us, whole.steady_us, whole.drain_us), (300.0, 1700.0, 300.0));
}

#[test]
fn a_burst_at_the_beginning_is_a_fill_and_no_level() {
    // 100 waves at once, then one per 10 µs: a tenth of the capacity.
    let wave = |begin_us: f64, long: f64| Wave { begin_us, end_us: begin_us + long, lane: 0 };
    let burst = (0..100).map(|at| wave(f64::from(at), 100.0 + f64::from(at)));
    let mut waves: Vec<Wave> = burst.collect();
    waves.extend((0..100).map(|at| wave(300.0 + 10.0 * f64::from(at), 100.0)));
    let burst = Dispatch { waves, ..dispatch(0.0, 0, 0) };
    let whole = TraceFigures::of(&trace(vec![burst]), None).unwrap().whole;
    assert_eq!((whole.fill_us, whole.first_fill, whole.drain_us), (99.0, 100.0, 90.0));
}

#[test]
fn one_wave_at_a_time_neither_fills_nor_drains() {
    let waves = (0..10).map(|at| Wave {
        begin_us: 20.0 * f64::from(at),
        end_us: 20.0 * f64::from(at) + 15.0,
        lane: 0,
    });
    let serial = Dispatch { waves: waves.collect(), ..dispatch(0.0, 0, 0) };
    let figures = TraceFigures::of(&trace(vec![serial]), None).unwrap();
    assert_eq!((figures.whole.fill_us, figures.whole.drain_us, figures.gaps_us), (0.0, 0.0, 0.0));
}

#[test]
fn nothing_comes_of_nothing() {
    assert_eq!(TraceFigures::of(&trace(vec![]), None), None);
    assert_eq!(TraceFigures::of(&trace(vec![dispatch(0.0, 0, 0)]), None), None);
    let mut still = dispatch(0.0, 1, 8);
    still.waves.iter_mut().for_each(|wave| wave.end_us = wave.begin_us);
    assert_eq!(TraceFigures::of(&trace(vec![still]), None), None);
    assert_eq!(TraceFigures::of(&trace(vec![dispatch(0.0, 1, 8), dispatch(500.0, 0, 0)]), None), None);
}
