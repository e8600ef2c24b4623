//! Made-up traces that look like those of machines.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::trace::{Dispatch, Lanes, Part, PartWaves, Trace, TraceFigures, Wave};

/// A machine that runs workgroups in the order of their dispatches.
pub(crate) struct Machine {
    pub multiprocessors: u32,
    /// Waves that one of them holds.
    pub slots: u32,
    /// Waves that it starts in a microsecond, all multiprocessors together.
    pub launch_rate: f64,
    /// How long a wave lasts.
    pub wave_us: f64,
    pub random: Pcg64,
}

impl Machine {
    pub(crate) fn new(multiprocessors: u32, slots: u32, launch_rate: f64, wave_us: f64) -> Self {
        Self { multiprocessors, slots, launch_rate, wave_us, random: Pcg64::seed_from_u64(7) }
    }

    /// A dispatch of `waves`, none of which begins before `from`; `busy` is until when each slot is.
    fn dispatch(&mut self, waves: u32, from: f64, busy: &mut [f64], launched: &mut f64) -> Vec<Wave> {
        let mut next = std::collections::BinaryHeap::new();
        // In nanoseconds, so that times have an order; the earliest slot first.
        let key = |us: f64| std::cmp::Reverse(ns(us));
        busy.iter().enumerate().for_each(|(slot, us)| next.push((key(*us), slot)));
        let mut all = Vec::new();
        for _ in 0..waves {
            let Some((_, slot)) = next.pop() else { break };
            let begin_us = busy[slot].max(from).max(*launched + 1.0 / self.launch_rate);
            *launched = begin_us;
            let end_us = begin_us + self.wave_us * self.random.random_range(0.8..1.35);
            busy[slot] = end_us;
            next.push((key(end_us), slot));
            let lane = u32::try_from(slot).unwrap() % self.multiprocessors;
            all.push(Wave { begin_us, end_us, lane });
        }
        all
    }

    /// Dispatches of so many waves each; with a barrier, each begins when the one before has ended and
    /// `barrier_us` have passed.
    pub(crate) fn run(&mut self, waves: &[u32], barrier_us: Option<f64>) -> Vec<Vec<Wave>> {
        let mut busy = vec![0.0; (self.multiprocessors * self.slots) as usize];
        let (mut from, mut launched) = (0.0_f64, -1.0 / self.launch_rate);
        let mut all = Vec::new();
        for &count in waves {
            let dispatch = self.dispatch(count, from, &mut busy, &mut launched);
            if let Some(barrier_us) = barrier_us {
                from = dispatch.iter().map(|w| w.end_us).fold(from, f64::max) + barrier_us;
            }
            all.push(dispatch);
        }
        all
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "made-up times are small")]
fn ns(us: f64) -> u64 {
    (us * 1e3) as u64
}

/// The trace of such dispatches, each of a kernel of its own number among `kernels`.
pub(crate) fn trace(dispatches: Vec<Vec<Wave>>, lanes: Lanes, kernels: &[&str]) -> Trace {
    let last = dispatches.iter().flatten().map(|w| w.end_us).fold(0.0, f64::max);
    let dispatches = (0..).zip(dispatches).map(|(at, waves)| Dispatch {
        kernel: kernels[at % kernels.len()].to_owned(),
        groups: [72, u32::try_from(72 / kernels.len()).unwrap(), 1],
        one_in: 1,
        weight: 1.0,
        waves,
        part: None,
    });
    Trace { dispatches: dispatches.collect(), lanes, stamps_us: last + 2.1, step_us: 0.032 }
}

/// Twelve passes on 132 multiprocessors, with barriers between them or without.
pub(crate) fn passes(barrier_us: Option<f64>) -> Trace {
    let waves = Machine::new(132, 32, 1900.0, 2.2).run(&[8192; 12], barrier_us);
    trace(waves, Lanes::Multiprocessors(132), &["chain/step.comp"])
}

/// The same in two bands, of which one's barrier does not wait for the other.
pub(crate) fn bands() -> Trace {
    let mut all = Vec::new();
    for band in 0..2 {
        let mut machine = Machine::new(132, 16, 900.0, 2.2);
        let mut waves = machine.run(&[4096; 12], Some(1.4));
        let begin = 3.0 * f64::from(band);
        waves
            .iter_mut()
            .flatten()
            .for_each(|w| (w.begin_us, w.end_us) = (w.begin_us + begin, w.end_us + begin));
        all.push(waves);
    }
    let second = all.pop().unwrap();
    let waves = all.pop().unwrap().into_iter().zip(second).flat_map(|(a, b)| [a, b]).collect();
    trace(waves, Lanes::Multiprocessors(132), &["chain/step.comp [BAND 0]", "chain/step.comp [BAND 1]"])
}

/// What a CPU does: eight threads, a wave at a time each.
pub(crate) fn threads(packed: u32) -> Trace {
    let waves = Machine::new(packed, 1, 0.5, 40.0).run(&[120, 90, 120], Some(25.0));
    trace(waves, Lanes::Packed(packed), &["chain/step.comp", "copy.comp", "chain/step.comp"])
}

/// Twelve passes in one dispatch, of which each wave waits, loads, steps and tells.
pub(crate) fn parts() -> Trace {
    let waves = Machine::new(132, 32, 1900.0, 2.2).run(&[8192; 12], None);
    let mut trace = trace(waves, Lanes::Multiprocessors(132), &["chain/tiles.comp [CHAINED STAGED]"]);
    for (number, dispatch) in (1..).zip(&mut trace.dispatches) {
        dispatch.groups = [528, 1, 1];
        let wait = if number == 1 { 0.02 } else { 0.12 };
        let shares = [wait, 0.41, 0.52 - wait, 0.07];
        let of = |wave: &Wave| shares.map(|share| share * (wave.end_us - wave.begin_us));
        dispatch.part = Some(PartWaves {
            part: Part { what: "pass".into(), number, of: 12, unit: "tile".into(), units: 12 * 1024 },
            in_a_row: true,
            stretches: &["ticket and wait", "load", "step and store", "tell"],
            waits: 1,
            stretches_us: dispatch.waves.iter().flat_map(of).collect(),
        });
    }
    trace
}

/// One dispatch and nothing else.
pub(crate) fn single() -> Trace {
    trace(
        Machine::new(132, 32, 1900.0, 2.2).run(&[40_000], None),
        Lanes::Multiprocessors(132),
        &["blur.comp"],
    )
}

pub(crate) fn figures(trace: &Trace) -> TraceFigures {
    TraceFigures::of(trace, None).unwrap()
}
