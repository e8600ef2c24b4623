//! The device's clock during a sample: cycles of a multiprocessor over time, from two counters that a tiny
//! dispatch reads before the window and behind it (VK_KHR_shader_clock). Vulkan itself tells no clock.

use anyhow::Result;
use ash::vk;
use vulkan::cmd::CommandBuffer;
use vulkan::handles::{Buffer, Kernel};
use vulkan::memory::Place;
use vulkan::wrap::LaneSource;

use super::clock;
use crate::lab::Lab;
use crate::trace::fault::told;

/// Words of a reading: three pairs of two counters, low and high word, the multiprocessor, and what the
/// shader's alignment adds.
const WORDS: usize = 16;

/// How long a reading lasts where nobody tells on which multiprocessor it ran, in nanoseconds: counters of two
/// may differ, so that only what one reading saw counts. AMD's second counter steps 10 ns.
const LONG_NS: f64 = 20e3;
/// How long one lasts otherwise.
const SHORT_NS: f64 = 1e3;

/// Two counters as alike as this are one.
const ALIKE: f64 = 1e-3;

/// What a reading saw.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    /// Cycles and ticks at its begin.
    begin: [u64; 2],
    /// Cycles and ticks at its end.
    end: [u64; 2],
    multiprocessor: u32,
}

impl Reading {
    fn of(words: &[u32]) -> Option<Self> {
        let wide = |at: usize| Some(u64::from(*words.get(at)?) | u64::from(*words.get(at + 1)?) << 32);
        // The first pair only warms up.
        let (begin, end) = ([wide(4)?, wide(6)?], [wide(8)?, wide(10)?]);
        Some(Self { begin, end, multiprocessor: *words.get(12)? })
    }

    fn cycles_a_tick(&self) -> Option<f64> {
        cycles_a_tick(self.begin, self.end)
    }
}

/// Cycles a tick from one pair of counters to another.
#[expect(clippy::cast_precision_loss, reason = "a submit lasts less than 2^52 cycles")]
fn cycles_a_tick(begin: [u64; 2], end: [u64; 2]) -> Option<f64> {
    let [cycles, ticks] = [0, 1].map(|at| end[at].wrapping_sub(begin[at]));
    // A counter that ran backwards shows as one that ran for ever.
    let ran = |count: u64| (1..1 << 48).contains(&count);
    (ran(cycles) && ran(ticks)).then(|| cycles as f64 / ticks as f64)
}

/// Cycles a tick during what lies between two readings. Where they are known to be of one multiprocessor,
/// that is what its counters say of the whole time; else the mean of what each saw for itself.
fn between(first: &Reading, second: &Reading, told: bool) -> Option<f64> {
    if told {
        let same = first.multiprocessor == second.multiprocessor;
        return same.then(|| cycles_a_tick(first.end, second.end)).flatten();
    }
    Some(f64::midpoint(first.cycles_a_tick()?, second.cycles_a_tick()?))
}

/// The counters of a device that has both.
pub(super) struct Cycles {
    kernel: Kernel,
    readings: Buffer,
    seen: Buffer,
    /// Nanoseconds a tick of the second counter.
    tick_ns: f64,
    /// Ticks that a reading lasts.
    ticks: u32,
    /// Waves are told on which multiprocessor they run.
    told: bool,
}

impl Cycles {
    /// Finds out whether the two counters are a clock; otherwise says why not.
    fn find(lab: &Lab, stamps: vk::QueryPool) -> Result<Result<Self, String>> {
        let waves = &lab.gpu.waves;
        if lab.device().is_cpu() {
            // lavapipe has the extension, and both its counters are the time-stamp counter. They are not left
            // to `try_out`: a thread that is preempted between the two would make them look unlike.
            return Ok(Err("a CPU device counts ticks of one rate, whatever its clock".into()));
        }
        if !waves.cycles {
            return Ok(Err("the device has no VK_KHR_shader_clock that counts both cycles and time".into()));
        }
        let mut cycles = Self::build(lab)?;
        if let Err(reason) = cycles.try_out(lab)? {
            return Ok(Err(reason));
        }
        match told(clock::set_against_stamps(lab, stamps))? {
            Ok(clock) => cycles.tick_ns = clock.tick_ns,
            Err(fault) => return Ok(Err(fault)),
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some microseconds")]
        let ticks = (if cycles.told { SHORT_NS } else { LONG_NS } / cycles.tick_ns).clamp(1.0, 1e6) as u32;
        Ok(Ok(Self { ticks, ..cycles }))
    }

    fn build(lab: &Lab) -> Result<Self> {
        let lanes = lab.gpu.waves.lanes;
        let kernel = lab.kernel("lab/cycles.comp");
        let kernel = match lanes {
            LaneSource::Sm => kernel.define("CYCLES_SM"),
            LaneSource::Core => kernel.define("CYCLES_CORE"),
            LaneSource::None => kernel,
        };
        let kernel = kernel.build_for_runner()?;
        let buffer = |name, place| lab.gpu.buffer(name, 2 * 4 * WORDS as u64, place);
        let (readings, seen) =
            (buffer("clock readings", Place::Device)?, buffer("clock readings (CPU)", Place::Readback)?);
        let told = lanes != LaneSource::None;
        Ok(Self { kernel, readings, seen, tick_ns: 1.0, ticks: 50_000, told })
    }

    /// Two readings that show whether both counters count, and not the same.
    fn try_out(&self, lab: &Lab) -> Result<Result<(), String>> {
        lab.gpu.run_once("reading the device's clock", |cmd| {
            self.record(cmd, 0);
            self.record(cmd, 1);
            self.fetch(cmd);
        })?;
        let readings = self.read(lab)?;
        let ratios: Option<Vec<f64>> = readings.iter().map(Reading::cycles_a_tick).collect();
        Ok(match ratios.as_deref() {
            None | Some([]) => Err("a counter of the device stands still or runs backwards".into()),
            Some(ratios) if ratios.iter().any(|ratio| (ratio - 1.0).abs() < ALIKE) => {
                Err("both counters of the device tick alike, so that neither counts cycles".into())
            }
            Some(_) => Ok(()),
        })
    }

    fn record(&self, cmd: &CommandBuffer<'_>, reading: u32) {
        cmd.dispatch(self.kernel, &[self.readings], &[reading, self.ticks], [1, 1, 1]);
    }

    fn fetch(&self, cmd: &CommandBuffer<'_>) {
        cmd.full_barrier();
        cmd.copy_buffer(self.readings, self.seen, 2 * 4 * WORDS as u64);
        cmd.host_barrier();
    }

    fn read(&self, lab: &Lab) -> Result<Vec<Reading>> {
        Ok(lab.gpu.read(self.seen)?.chunks_exact(WORDS).filter_map(Reading::of).collect())
    }

    /// The first reading of a sample, in front of its window.
    fn begin(&self, cmd: &CommandBuffer<'_>) {
        cmd.full_barrier();
        self.record(cmd, 0);
    }

    /// The second, behind it.
    pub fn end(&self, cmd: &CommandBuffer<'_>) {
        cmd.full_barrier();
        self.record(cmd, 1);
        self.fetch(cmd);
    }

    /// The clock of the sample that has ended, in MHz.
    pub fn mhz(&self, lab: &Lab) -> Result<Option<f64>> {
        let [first, second] = self.read(lab)?[..] else { return Ok(None) };
        Ok(between(&first, &second, self.told).map(|cycles| cycles / self.tick_ns * 1e3))
    }
}

/// What runs right before the timed window.
///
/// Something has to, and the same on every device: the fills before a sample are not always dispatches,
/// and on an H200 (driver 580) the first dispatch behind them begins 2.3 µs later than one behind another
/// dispatch. That would be in each isolated time.
pub(super) enum Before {
    /// A reading of the clock; another follows behind the window.
    Clock(Cycles),
    /// A dispatch that does next to nothing.
    Touch(Kernel, Buffer),
}

impl Before {
    /// Reads the clock where it can be known, and otherwise says why not; `stamps` is a pool of two timestamps.
    ///
    /// # Errors
    /// Whatever a submit can meet.
    pub fn of(lab: &Lab, stamps: vk::QueryPool) -> Result<(Self, Option<String>)> {
        match Cycles::find(lab, stamps)? {
            Ok(cycles) => Ok((Self::Clock(cycles), None)),
            Err(reason) => {
                let kernel = lab.kernel("lab/touch.comp").build_for_runner()?;
                let touched = lab.gpu.buffer("touched", 4, Place::Device)?;
                Ok((Self::Touch(kernel, touched), Some(reason)))
            }
        }
    }

    pub fn record(&self, cmd: &CommandBuffer<'_>) {
        match self {
            Self::Clock(cycles) => cycles.begin(cmd),
            Self::Touch(kernel, touched) => {
                cmd.full_barrier();
                cmd.dispatch(*kernel, &[*touched], &(), [1, 1, 1]);
            }
        }
    }

    pub fn clock(&self) -> Option<&Cycles> {
        match self {
            Self::Clock(cycles) => Some(cycles),
            Self::Touch(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::LabOptions;

    #[test]
    fn the_shader_reads_two_counters_that_run() {
        let lab = Lab::for_test(false, &LabOptions::default());
        if !lab.gpu.waves.cycles {
            return;
        }
        let cycles = Cycles::build(&lab).unwrap();
        // Whether they are alike, on a CPU device preemption decides.
        let found = cycles.try_out(&lab).unwrap();
        assert!(found.is_ok() || found.is_err_and(|reason| reason.contains("alike")));
        assert_eq!(cycles.read(&lab).unwrap().len(), 2);
    }

    fn reading(begin: [u64; 2], end: [u64; 2], multiprocessor: u32) -> Reading {
        Reading { begin, end, multiprocessor }
    }

    #[test]
    fn a_reading_has_the_layout_of_the_shader() {
        let words = [90, 91, 92, 93, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0];
        let wide = |low: u64, high: u64| low | high << 32;
        let expected = reading([wide(1, 2), wide(3, 4)], [wide(5, 6), wide(7, 8)], 9);
        assert_eq!(Reading::of(&words), Some(expected));
        assert_eq!(Reading::of(&words[..12]), None);
    }

    #[test]
    fn one_multiprocessor_is_believed_over_the_whole_window() {
        // Each reading sees 2 cycles a tick, and 1.5 lie between: the clock was lower in the window.
        let first = reading([0, 1000], [200, 1100], 7);
        let second = reading([15_000, 11_000], [15_200, 11_100], 7);
        let near = |a: Option<f64>, b: f64| (a.unwrap() - b).abs() < 1e-9;
        assert!(near(between(&first, &second, true), 15_000.0 / 10_000.0));
        assert!(near(between(&first, &second, false), 2.0));
        // Counters of two multiprocessors say nothing about each other.
        assert_eq!(between(&first, &Reading { multiprocessor: 8, ..second }, true), None);
    }

    #[test]
    fn counters_wrap_and_must_not_run_backwards() {
        let wrapped = reading([u64::MAX - 99, 0], [100, 100], 0);
        assert_eq!(wrapped.cycles_a_tick(), Some(2.0));
        let backwards = reading([500, 0], [400, 100], 0);
        assert_eq!(backwards.cycles_a_tick(), None);
        let still = reading([500, 7], [700, 7], 0);
        assert_eq!(still.cycles_a_tick(), None);
    }
}
