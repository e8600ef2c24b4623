//! The device's clock beside the CPU's, so that timestamps can be compared with the CPU's times.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ash::{ext, vk};

use super::{Gpu, Physical};
use crate::fault::attempt;

/// Readings of which the best is taken.
const READINGS: u32 = 20;

/// A reading of the device's clock, and when it was taken by the CPU's.
#[derive(Clone, Copy, Debug)]
pub struct ClockReading {
    /// Ticks of timestamps.
    pub ticks: u64,
    /// The middle between the CPU's times before and after the reading.
    pub at: Instant,
    /// How far from that it may have been taken.
    pub within: Duration,
}

/// Whether the CPU can read the clock of timestamps.
pub(super) fn are_readable(physical: &Physical<'_>) -> Result<bool> {
    if !physical.has(ext::calibrated_timestamps::NAME) {
        return Ok(false);
    }
    let of = ext::calibrated_timestamps::Instance::new(&physical.instance.entry, &physical.instance.raw);
    let domains = attempt("listing clocks", || unsafe {
        of.get_physical_device_calibrateable_time_domains(physical.raw)
    });
    Ok(domains?.contains(&vk::TimeDomainEXT::DEVICE))
}

impl Gpu {
    /// Whether the CPU can read the clock of timestamps (`VK_EXT_calibrated_timestamps`).
    #[must_use]
    pub fn has_readable_clock(&self) -> bool {
        self.readable_clock.is_some()
    }

    /// Reads the device's clock: of several readings the one that took the CPU the least time.
    ///
    /// # Errors
    /// The device's clock is not readable; an error of the driver.
    pub fn read_clock(&self) -> Result<ClockReading> {
        let readings = (0..READINGS).map(|_| self.read_clock_once()).collect::<Result<Vec<_>>>()?;
        readings.into_iter().min_by_key(|reading| reading.within).context("there are no readings")
    }

    fn read_clock_once(&self) -> Result<ClockReading> {
        let clock = self.readable_clock.as_ref().context("the device has no VK_EXT_calibrated_timestamps")?;
        let domain = [vk::CalibratedTimestampInfoEXT::default().time_domain(vk::TimeDomainEXT::DEVICE)];
        let began = Instant::now();
        let (ticks, _) =
            attempt("reading the device's clock", || unsafe { clock.get_calibrated_timestamps(&domain) })?;
        let within = began.elapsed() / 2;
        Ok(ClockReading { ticks: ticks[0], at: began + within, within })
    }
}
