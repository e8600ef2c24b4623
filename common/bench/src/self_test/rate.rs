//! Whether the device's timestamps run at the rate that they claim, against the CPU's clock.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ash::vk;
use record::number::significant;
use record::self_test::Check;
use record::self_test::CheckResult::{Failed, Passed, Warned};
use vulkan::gpu::{Calibrated, Gpu, clock_name};

use super::stop::Stop;
use crate::counter::Counter;

/// The shortest time between two readings.
const APART: Duration = Duration::from_millis(50);

/// Of so many readings the closest is taken: in others the CPU was elsewhere.
const READINGS: usize = 8;

/// Further off, in parts per million, a rate is wrong. An hour's clock of the CPU is set by up to 500.
const MOST_PPM: f64 = 1000.0;

pub(super) const NAME: &str = "clock rate";

/// Both clocks at one moment.
#[derive(Clone, Copy, Debug)]
struct Reading {
    ticks: u64,
    host_ns: u64,
    /// They may be this much apart, either way.
    within_ns: f64,
}

/// How clocks are read.
#[derive(Clone, Copy)]
enum Source {
    /// By the driver, both in one call.
    Together,
    /// A timestamp in a submit of its own, and the CPU's clock around it.
    Submits(vk::QueryPool),
}

/// Between its making and its end it measures the rate.
pub(super) struct Meter {
    source: Source,
    began: Instant,
    first: Reading,
    first_read: Instant,
}

impl Meter {
    /// Reads the clocks for the first time.
    pub fn begin(gpu: &Gpu, stop: Stop<'_>) -> Result<Self> {
        Self::begin_by(gpu, gpu.clock.host().is_some(), stop)
    }

    fn begin_by(gpu: &Gpu, together: bool, stop: Stop<'_>) -> Result<Self> {
        let source = if together { Source::Together } else { Source::Submits(gpu.timestamps(1)?) };
        let began = Instant::now();
        let first = source.read(gpu, began, stop)?;
        Ok(Self { source, began, first, first_read: Instant::now() })
    }

    /// Reads the clocks again, long enough after.
    pub fn end(self, gpu: &Gpu, stop: Stop<'_>) -> Result<Check> {
        thread::sleep(APART.saturating_sub(self.first_read.elapsed()));
        let second = self.source.read(gpu, self.began, stop)?;
        let how = self.source.words(&gpu.clock);
        Ok(judge([self.first, second], Counter::of(&gpu.facts), &how))
    }
}

impl Source {
    /// The closest of some readings.
    fn read(self, gpu: &Gpu, began: Instant, stop: Stop<'_>) -> Result<Reading> {
        let mut readings = Vec::new();
        for _ in 0..READINGS {
            stop.ask()?;
            readings.push(match self {
                Self::Together => together(gpu)?,
                Self::Submits(stamp) => by_submit(gpu, stamp, began)?,
            });
        }
        readings.into_iter().min_by(|a, b| a.within_ns.total_cmp(&b.within_ns)).context("no clock was read")
    }

    fn words(self, clock: &Calibrated) -> String {
        let domains: Vec<String> = clock.domains().iter().map(|&domain| clock_name(domain)).collect();
        let readable = if domains.is_empty() { "none".to_owned() } else { domains.join(", ") };
        let host = match (self, clock.host()) {
            (Self::Together, Some((_, host))) => host,
            _ => "the CPU's clock around submits",
        };
        format!("against {host}; clocks that can be read together: {readable}")
    }
}

#[expect(clippy::cast_precision_loss, reason = "a deviation of nanoseconds")]
fn together(gpu: &Gpu) -> Result<Reading> {
    let read = gpu.clock.together()?.context("the clocks cannot be read together")?;
    Ok(Reading { ticks: read.device, host_ns: read.host_ns, within_ns: read.deviation_ns as f64 })
}

/// The timestamp was written between the submit and the end of the wait for it.
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

/// An error to a tenth.
pub(super) fn precise(ppm: f64) -> String {
    if ppm < 0.05 { "0.1".to_owned() } else { format!("{ppm:.1}") }
}

/// Judges two readings.
#[expect(clippy::cast_precision_loss, reason = "ticks of less than an hour")]
fn judge([first, second]: [Reading; 2], counter: Counter, how: &str) -> Check {
    let device_ns = counter.ticks(first.ticks, second.ticks) as f64 * counter.tick_ns;
    let host_ns = second.host_ns.saturating_sub(first.host_ns) as f64;
    let within_ns = first.within_ns + second.within_ns;
    let [ppm, error] = [device_ns - host_ns, within_ns].map(|ns| ns / host_ns * 1e6);
    let ms = host_ns / 1e6;
    let found = format!("{ppm:+.1} ±{} ppm over {ms:.0} ms {how}", precise(error));
    let (result, found) = if !ppm.is_finite() || device_ns <= 0.0 {
        let found = format!("the device's clock did not go on for {ms:.0} ms {how}");
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

    /// Two readings 100 ms apart, of a device that takes so many ticks for it.
    fn of(ticks: u64, within_ns: f64) -> Check {
        let top = 1 << 36;
        let at = |ticks, host_ns| Reading { ticks, host_ns, within_ns };
        judge([at(top - 9, 5_000), at((top - 9 + ticks) % top, 100_005_000)], COUNTER, "against a clock")
    }

    #[test]
    fn a_rate_that_is_what_it_claims_passes_across_a_wrap() {
        let check = of(10_000_020, 500.0);
        assert_eq!(check.result, Passed);
        assert_eq!(check.found, "+2.0 ±10.0 ppm over 100 ms against a clock");
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
    fn both_ways_of_reading_find_the_rate_of_this_device() {
        let gpu = Gpu::open(&OpenOptions::default()).unwrap();
        let never = || false;
        for together in [true, false] {
            if together && gpu.clock.host().is_none() {
                continue;
            }
            let meter = Meter::begin_by(&gpu, together, Stop(&never)).unwrap();
            let check = meter.end(&gpu, Stop(&never)).unwrap();
            assert_ne!(check.result, Failed, "{check:?}");
            assert!(check.figure("apart").unwrap() >= 50.0, "{check:?}");
            assert_eq!(check.found.contains("around submits"), !together, "{check:?}");
        }
    }
}
