//! Calibrates the waves' clock: Vulkan does not report the length of a tick, so it is computed from the timestamps
//! around two readings.

use std::thread;
use std::time::Duration;

use anyhow::Result;
use ash::vk;
use vulkan::gpu::Gpu;
use vulkan::handles::{Buffer, Kernel};
use vulkan::memory::Place;

use crate::counter::Counter;
use crate::lab::Lab;
use crate::trace::fault::Fault;

/// Time between two readings: a thousand times the time between a reading and its timestamps.
const APART: Duration = Duration::from_millis(30);

/// Tolerance of a reading's position between its timestamps, as a share of the time between the readings.
const TOLERANCE: f64 = 0.01;

/// A reading of the waves' clock, and the timestamps before and after it in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Reading {
    ticks: u64,
    before_ns: f64,
    after_ns: f64,
}

/// The kernel and the buffers that read the waves' clock.
struct Reader {
    kernel: Kernel,
    buffers: [Buffer; 2],
    stamps: vk::QueryPool,
}

/// Calibrates the waves' clock with two readings. `stamps` is a pool of at least two timestamps.
///
/// # Errors
/// A [`Fault`] of the clock; a failed submit.
pub(super) fn set_against_stamps(lab: &Lab, stamps: vk::QueryPool) -> Result<Counter> {
    let kernel = lab.kernel("lab/clock.comp").build_for_runner()?;
    let [buffer, readback] = [("clock", Place::Device), ("clock (CPU)", Place::Readback)]
        .map(|(name, place)| lab.gpu.buffer(name, 8, place));
    let reader = Reader { kernel, buffers: [buffer?, readback?], stamps };
    // The first submit of a kernel may take longer.
    reader.read(&lab.gpu)?;
    let first = reader.read(&lab.gpu)?;
    thread::sleep(APART);
    let second = reader.read(&lab.gpu)?;
    let period_ns = f64::from(lab.device().timestamp_period_ns);
    Ok(judge([first, second], period_ns)?)
}

/// Computes the clock from two readings. `period_ns` is the period of the timestamps, which most waves' clocks
/// share.
fn judge([first, second]: [Reading; 2], period_ns: f64) -> Result<Counter, Fault> {
    // If the high word is 0, the counter has 32 bits, or it counts nanoseconds or slower and began less than four
    // seconds ago.
    let bits = if (first.ticks | second.ticks) >> 32 == 0 { 32 } else { 64 };
    let clock = Counter { tick_ns: period_ns, bits };
    let ticks = clock.ticks(first.ticks, second.ticks);
    if ticks == 0 {
        return Err(Fault::StandsStill);
    }
    if ticks < 0 {
        return Err(Fault::Backwards);
    }
    #[expect(clippy::cast_precision_loss, reason = "ticks of some milliseconds fit 52 bits")]
    let ticks = ticks as f64;
    let least = second.before_ns - first.after_ns;
    let most = second.after_ns - first.before_ns;
    let slack = TOLERANCE * most;
    if (least - slack..=most + slack).contains(&(ticks * period_ns)) {
        return Ok(clock);
    }
    let between = f64::midpoint(least, most);
    if most - least > 2.0 * slack {
        return Err(Fault::Unset { least_ns: least / ticks, most_ns: most / ticks });
    }
    Ok(Counter { tick_ns: between / ticks, bits })
}

impl Reader {
    /// A reading between two timestamps.
    fn read(&self, gpu: &Gpu) -> Result<Reading> {
        let [buffer, readback] = self.buffers;
        gpu.run_once("reading the waves' clock", |cmd| {
            cmd.reset_query_pool(self.stamps, 2);
            cmd.write_timestamp2(self.stamps, 0);
            cmd.execution_barrier();
            cmd.dispatch(self.kernel, &[buffer], &(), [1, 1, 1]);
            cmd.execution_barrier();
            cmd.write_timestamp2(self.stamps, 1);
            cmd.full_barrier();
            cmd.copy_buffer(buffer, readback, 8);
            cmd.host_barrier();
        })?;
        let [before, after] = gpu.read_stamps(self.stamps)?;
        let counter = Counter::of(&gpu.facts);
        #[expect(clippy::cast_precision_loss, reason = "a step of a microsecond in a year is no matter here")]
        let ns = |stamp: u64| (stamp & counter.mask()) as f64 * counter.tick_ns;
        let words = gpu.read(readback)?;
        let ticks = words.iter().rev().fold(0, |ticks, &word| ticks << 32 | u64::from(word));
        Ok(Reading { ticks, before_ns: ns(before), after_ns: ns(after) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two readings 30 ms apart, each 2 µs after a timestamp and 2 µs before another.
    fn readings(first: u64, second: u64) -> [Reading; 2] {
        let at = |ns: f64, ticks| Reading { ticks, before_ns: ns, after_ns: ns + 4e3 };
        [at(1e9, first), at(1.03e9, second)]
    }

    #[test]
    fn a_clock_that_ticks_as_the_timestamps_do_has_their_period() {
        let long = 1 << 40;
        let of = |ticks: u64, period| judge(readings(long, long + ticks), period);
        assert_eq!(of(30_000_900, 1.0), Ok(Counter { tick_ns: 1.0, bits: 64 }));
        assert_eq!(of(3_000_000, 10.0), Ok(Counter { tick_ns: 10.0, bits: 64 }));
    }

    #[test]
    fn another_tick_is_taken_from_the_timestamps() {
        let long = 1 << 40;
        let Ok(clock) = judge(readings(long, long + 60_000_000), 1.0) else { panic!() };
        assert!((clock.tick_ns - 0.5).abs() < 1e-4, "{clock:?}");
    }

    #[test]
    fn a_word_that_wraps_between_the_readings_is_no_step_back() {
        let Ok(clock) = judge(readings(u64::from(u32::MAX) - 9_999_999, 20_000_000), 1.0) else { panic!() };
        assert_eq!(clock, Counter { tick_ns: 1.0, bits: 32 });
    }

    #[test]
    fn clocks_that_are_none_are_refused() {
        assert_eq!(judge(readings(5, 5), 1.0), Err(Fault::StandsStill));
        assert_eq!(judge(readings(1 << 40, (1 << 40) - 30_000_000), 1.0), Err(Fault::Backwards));
        // The timestamps are too far apart to determine the tick.
        let mut wide = readings(1 << 40, (1 << 40) + 90_000_000);
        wide[1].after_ns += 30e6;
        assert!(matches!(judge(wide, 1.0), Err(Fault::Unset { .. })));
    }
}
