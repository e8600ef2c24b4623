//! Checks the rate of the device's timestamps against the CPU's clock.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ash::vk;
use record::number::significant;
use record::self_test::Check;
use record::self_test::CheckResult::{Failed, Passed, Warned};
use vulkan::gpu::Gpu;

use super::stop::Stop;
use crate::counter::Counter;

/// The shortest time from the first reading to the second.
const APART: Duration = Duration::from_millis(50);

/// Of this many readings the most precise one is used; during others the CPU may have been preempted.
const READINGS: usize = 8;

/// Largest accepted deviation in parts per million. Time synchronization may adjust the CPU's clock by up to 500.
const MOST_PPM: f64 = 1000.0;

pub(super) const NAME: &str = "clock rate";

/// The device's and the CPU's clock at one moment.
#[derive(Clone, Copy, Debug)]
struct Reading {
    ticks: u64,
    host_ns: u64,
    /// Uncertainty of the moment, in either direction.
    within_ns: f64,
}

/// Measures the rate between its creation and its end.
pub(super) struct Meter {
    stamp: vk::QueryPool,
    began: Instant,
    first: Reading,
}

impl Meter {
    /// Reads the clocks for the first time.
    pub fn begin(gpu: &Gpu, stop: Stop<'_>) -> Result<Self> {
        let (stamp, began) = (gpu.timestamps(1)?, Instant::now());
        Ok(Self { stamp, began, first: closest(gpu, stamp, began, stop)? })
    }

    /// Reads the clocks again, at least `APART` after the first time, and evaluates the rate.
    pub fn end(self, gpu: &Gpu, stop: Stop<'_>) -> Result<Check> {
        thread::sleep(APART.saturating_sub(self.began.elapsed()));
        let second = closest(gpu, self.stamp, self.began, stop)?;
        Ok(judge([self.first, second], Counter::of(&gpu.facts)))
    }
}

/// The most precise of several readings.
fn closest(gpu: &Gpu, stamp: vk::QueryPool, began: Instant, stop: Stop<'_>) -> Result<Reading> {
    let read = |_| stop.ask().and_then(|()| by_submit(gpu, stamp, began));
    let readings = (0..READINGS).map(read).collect::<Result<Vec<_>>>()?;
    readings.into_iter().min_by(|a, b| a.within_ns.total_cmp(&b.within_ns)).context("no clock was read")
}

/// Reads a timestamp in a submit of its own, and the CPU's clock before and after it. The timestamp was written in
/// between.
fn by_submit(gpu: &Gpu, stamp: vk::QueryPool, began: Instant) -> Result<Reading> {
    let before = began.elapsed();
    gpu.run_once("a timestamp", |cmd| {
        cmd.reset_query_pool(stamp, 1);
        cmd.write_timestamp2(stamp, 0);
    })?;
    let half = (began.elapsed() - before) / 2;
    let [ticks] = gpu.read_stamps(stamp)?;
    let host_ns = u64::try_from((before + half).as_nanos())?;
    Ok(Reading { ticks, host_ns, within_ns: half.as_secs_f64() * 1e9 })
}

/// Evaluates two readings.
#[expect(clippy::cast_precision_loss, reason = "ticks of less than an hour")]
fn judge([first, second]: [Reading; 2], counter: Counter) -> Check {
    let device_ns = counter.ticks(first.ticks, second.ticks) as f64 * counter.tick_ns;
    let host_ns = second.host_ns.saturating_sub(first.host_ns) as f64;
    let within_ns = first.within_ns + second.within_ns;
    let [ppm, error] = [device_ns - host_ns, within_ns].map(|ns| ns / host_ns * 1e6);
    let ms = host_ns / 1e6;
    let found = format!("{ppm:+.1} ±{error:.1} ppm over {ms:.0} ms of the CPU's clock");
    let (result, found) = if !ppm.is_finite() || device_ns <= 0.0 {
        let found = format!("the device's clock did not go on for {ms:.0} ms of the CPU's");
        (Failed, found)
    } else if ppm.abs() - error > MOST_PPM {
        let period = significant(counter.tick_ns);
        let found = format!(
            "{found}: a tick is not {period} ns long, so every time of this device is wrong by that share"
        );
        (Failed, found)
    } else if error > MOST_PPM {
        (Warned, format!("{found}: too uncertain to tell a rate that is off by 0.1 %"))
    } else {
        (Passed, found)
    };
    let deviation_us = first.within_ns.max(second.within_ns) / 1e3;
    Check::new(NAME, result, found)
        .with("off", ppm, "ppm")
        .with("uncertainty", error, "ppm")
        .with("apart", ms, "ms")
        .with("deviation", deviation_us, "us")
}

#[cfg(test)]
mod tests {
    use vulkan::gpu::OpenOptions;

    use super::*;

    const COUNTER: Counter = Counter { bits: 36, tick_ns: 10.0 };

    /// The check of two readings 100 ms apart, in which the device counted `ticks`.
    fn of(ticks: u64, within_ns: f64) -> Check {
        let top = 1 << 36;
        let at = |ticks, host_ns| Reading { ticks, host_ns, within_ns };
        judge([at(top - 9, 5_000), at((top - 9 + ticks) % top, 100_005_000)], COUNTER)
    }

    #[test]
    fn a_rate_that_is_what_it_claims_passes_across_a_wrap() {
        let check = of(10_000_020, 500.0);
        assert_eq!(check.result, Passed);
        assert_eq!(check.found, "+2.0 ±10.0 ppm over 100 ms of the CPU's clock");
        assert_eq!(check.figure("off").map(f64::round), Some(2.0));
    }

    #[test]
    fn a_rate_that_is_off_fails_and_one_that_is_unclear_is_a_warning() {
        let check = of(10_020_000, 500.0);
        assert_eq!(check.result, Failed);
        assert!(
            check.found.contains("+2000.0 ±10.0 ppm") && check.found.contains("10.00 ns"),
            "{}",
            check.found
        );
        assert_eq!(of(9_980_000, 500.0).result, Failed);
        assert_eq!(of(10_020_000, 60_000.0).result, Warned);
        assert_eq!(of(10_000_000, 60_000.0).result, Warned);
        assert_eq!(of(0, 500.0).result, Failed, "it stands still");
    }

    #[test]
    fn the_rate_of_this_device_is_found() {
        let gpu = Gpu::open(&OpenOptions::default()).unwrap();
        let meter = Meter::begin(&gpu, Stop(&|| false)).unwrap();
        let check = meter.end(&gpu, Stop(&|| false)).unwrap();
        assert_ne!(check.result, Failed, "{check:?}");
        assert!(check.figure("apart").unwrap() >= 40.0, "{check:?}");
    }
}
