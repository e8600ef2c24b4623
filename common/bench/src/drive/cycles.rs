//! The device's clock during a sample, in cycles of a multiprocessor over time. A tiny dispatch before the window
//! and one after it read two counters (VK_KHR_shader_clock). Vulkan has no query for the clock.

use anyhow::Result;
use ash::vk;
use vulkan::cmd::CommandBuffer;
use vulkan::handles::{Buffer, Kernel};
use vulkan::memory::Place;
use vulkan::wrap::LaneSource;

use super::clock;
use crate::counter::BadStamps;
use crate::lab::Lab;
use crate::trace::fault::told;

/// Words of a reading: three pairs of 64-bit counters, the multiprocessor, and padding of the shader's struct.
const WORDS: usize = 16;

/// Duration of a reading in nanoseconds if the multiprocessor is unknown. Counters of different multiprocessors may
/// differ, so each reading must be long enough to give a rate by itself. AMD's second counter has steps of 10 ns.
const LONG_NS: f64 = 20e3;
/// Duration of a reading if the multiprocessor is known.
const SHORT_NS: f64 = 1e3;

/// Two counters whose rates differ by less than this share are taken for the same counter.
const ALIKE: f64 = 1e-3;

/// The counters at the begin and the end of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    /// Cycles and ticks at the begin.
    begin: [u64; 2],
    /// Cycles and ticks at the end.
    end: [u64; 2],
    multiprocessor: u32,
}

impl Reading {
    fn of(words: &[u32]) -> Option<Self> {
        let wide = |at: usize| Some(u64::from(*words.get(at)?) | u64::from(*words.get(at + 1)?) << 32);
        // The first pair is a warm-up.
        let (begin, end) = ([wide(4)?, wide(6)?], [wide(8)?, wide(10)?]);
        Some(Self { begin, end, multiprocessor: *words.get(12)? })
    }

    fn cycles_a_tick(&self) -> Option<f64> {
        cycles_a_tick(self.begin, self.end)
    }
}

/// Cycles per tick from one pair of counters to another.
#[expect(clippy::cast_precision_loss, reason = "a submit lasts less than 2^52 cycles")]
fn cycles_a_tick(begin: [u64; 2], end: [u64; 2]) -> Option<f64> {
    let [cycles, ticks] = [0, 1].map(|at| end[at].wrapping_sub(begin[at]));
    // A counter that ran backwards looks like one that ran extremely long.
    let ran = |count: u64| (1..1 << 48).contains(&count);
    (ran(cycles) && ran(ticks)).then(|| cycles as f64 / ticks as f64)
}

/// Cycles per tick between two readings. If both are known to be from one multiprocessor, this is the rate of its
/// counters over the whole time; otherwise the mean of the rates within each reading.
fn between(first: &Reading, second: &Reading, told: bool) -> Option<f64> {
    if told {
        let same = first.multiprocessor == second.multiprocessor;
        return same.then(|| cycles_a_tick(first.end, second.end)).flatten();
    }
    Some(f64::midpoint(first.cycles_a_tick()?, second.cycles_a_tick()?))
}

/// Reads the cycle counter and the time counter of a device that has both.
pub(super) struct Cycles {
    kernel: Kernel,
    readings: Buffer,
    seen: Buffer,
    /// Nanoseconds per tick of the second counter.
    tick_ns: f64,
    /// Duration of a reading in ticks.
    ticks: u32,
    /// Whether the device tells a wave on which multiprocessor it runs.
    told: bool,
}

impl Cycles {
    /// Tests whether the two counters give a clock; otherwise returns the reason.
    fn find(lab: &Lab, stamps: vk::QueryPool) -> Result<Result<Self, String>> {
        let waves = &lab.gpu.waves;
        if lab.device().is_cpu() {
            // lavapipe has the extension, but both counters are the CPU's time-stamp counter. `try_out` cannot
            // decide this: preemption between the two reads would make the counters look different.
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

    /// Takes two readings to test whether both counters count, and at different rates.
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

    /// Records the first reading of a sample, before its window.
    fn begin(&self, cmd: &CommandBuffer<'_>) {
        cmd.full_barrier();
        self.record(cmd, 0);
    }

    /// Records the second reading of a sample, after its window.
    pub fn end(&self, cmd: &CommandBuffer<'_>) {
        cmd.full_barrier();
        self.record(cmd, 1);
        self.fetch(cmd);
    }

    /// The time in µs of a kernel that counted ticks of the second counter.
    ///
    /// # Errors
    /// It counted none.
    pub fn us(&self, ticks: u32) -> Result<f64, BadStamps> {
        if ticks == 0 { Err(BadStamps::Equal) } else { Ok(f64::from(ticks) * self.tick_ns / 1e3) }
    }

    /// The clock during the last sample, in MHz.
    pub fn mhz(&self, lab: &Lab) -> Result<Option<f64>> {
        let [first, second] = self.read(lab)?[..] else { return Ok(None) };
        Ok(between(&first, &second, self.told).map(|cycles| cycles / self.tick_ns * 1e3))
    }
}

/// The last commands before the timed window.
///
/// There must always be a dispatch, and the same on every device, because the fills before a sample are not always
/// dispatches. On an H200 (driver 580) the first dispatch after a fill begins 2.3 µs later than a dispatch after a
/// dispatch, which would be part of each time alone.
pub(super) enum Before {
    /// A reading of the clock; another follows after the window.
    Clock(Cycles),
    /// A minimal dispatch.
    Touch(Kernel, Buffer),
}

impl Before {
    /// Reads the clock if it can be known, otherwise also returns why not. `stamps` is a pool of two timestamps.
    ///
    /// # Errors
    /// A failed submit.
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
        // On a CPU device preemption decides whether they look alike.
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
        // Each reading sees 2 cycles per tick, and 1.5 between them: the clock was lower in the window.
        let first = reading([0, 1000], [200, 1100], 7);
        let second = reading([15_000, 11_000], [15_200, 11_100], 7);
        let near = |a: Option<f64>, b: f64| (a.unwrap() - b).abs() < 1e-9;
        assert!(near(between(&first, &second, true), 15_000.0 / 10_000.0));
        assert!(near(between(&first, &second, false), 2.0));
        // Counters of different multiprocessors cannot be compared.
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
