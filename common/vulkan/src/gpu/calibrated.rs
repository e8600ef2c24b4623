//! The device's clock and the CPU's, read together without a submit, where the device has that.

use anyhow::{Context, Result};
use ash::{ext, vk};

use super::physical::Physical;
use crate::fault::attempt;

/// What reads the clocks. (The extension by KHR came later, with the same functions; drivers that have it have kept
/// this one, and some have this one alone.)
pub struct Calibrated {
    functions: Option<ext::calibrated_timestamps::Device>,
    domains: Vec<vk::TimeDomainKHR>,
}

/// Readings of some clocks that were taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Together {
    /// Ticks of the device's timestamps.
    pub device: u64,
    /// The CPU's clock.
    pub host_ns: u64,
    /// Both were read within this time, as the driver says.
    pub deviation_ns: u64,
}

impl Calibrated {
    /// Of a device that has these clocks, or not the extension.
    pub(super) fn new(
        instance: &ash::Instance,
        device: &ash::Device,
        domains: Option<Vec<vk::TimeDomainKHR>>,
    ) -> Self {
        let functions = domains.is_some().then(|| ext::calibrated_timestamps::Device::new(instance, device));
        Self { functions, domains: domains.unwrap_or_default() }
    }

    /// The clocks that can be read; none without the extension.
    pub fn domains(&self) -> &[vk::TimeDomainKHR] {
        &self.domains
    }

    /// The device's own clock is among them: the extension may have clocks of the CPU only.
    pub fn has_device(&self) -> bool {
        self.domains.contains(&vk::TimeDomainKHR::DEVICE)
    }

    /// The CPU's clock in nanoseconds that can be read together with the device's, and its name. (That of
    /// Windows is no such clock: its ticks are not nanoseconds.)
    pub fn host(&self) -> Option<(vk::TimeDomainKHR, &'static str)> {
        let clocks = [
            (vk::TimeDomainKHR::CLOCK_MONOTONIC, "CLOCK_MONOTONIC"),
            (vk::TimeDomainKHR::CLOCK_MONOTONIC_RAW, "CLOCK_MONOTONIC_RAW"),
        ];
        clocks.into_iter().find(|(clock, _)| self.has_device() && self.domains.contains(clock))
    }

    /// The device's clock alone, for Tracy; none where it cannot be read.
    ///
    /// # Errors
    /// Whatever the driver refuses.
    pub fn device_time(&self) -> Result<Option<u64>> {
        if !self.has_device() {
            return Ok(None);
        }
        let (read, _) = self.read(&[vk::TimeDomainKHR::DEVICE])?;
        Ok(read.first().copied())
    }

    /// The device's clock and the CPU's; none where they cannot be read together.
    ///
    /// # Errors
    /// Whatever the driver refuses.
    pub fn together(&self) -> Result<Option<Together>> {
        let Some((host, _)) = self.host() else { return Ok(None) };
        let (read, deviation_ns) = self.read(&[vk::TimeDomainKHR::DEVICE, host])?;
        let [device, host_ns] = read[..] else { anyhow::bail!("the clocks gave no times") };
        Ok(Some(Together { device, host_ns, deviation_ns }))
    }

    fn read(&self, domains: &[vk::TimeDomainKHR]) -> Result<(Vec<u64>, u64)> {
        let functions = self.functions.as_ref().context("the device's clock cannot be read")?;
        let info = |&domain| vk::CalibratedTimestampInfoKHR::default().time_domain(domain);
        let infos: Vec<_> = domains.iter().map(info).collect();
        attempt("reading the device's clock", || unsafe { functions.get_calibrated_timestamps(&infos) })
    }
}

/// The clocks that a device can read; none without the extension.
///
/// # Errors
/// Whatever the driver refuses.
pub(super) fn domains(physical: &Physical<'_>) -> Result<Option<Vec<vk::TimeDomainKHR>>> {
    if !physical.has(ext::calibrated_timestamps::NAME) {
        return Ok(None);
    }
    let instance = physical.instance;
    let functions = ext::calibrated_timestamps::Instance::new(&instance.entry, &instance.raw);
    let found = attempt("listing the device's clocks", || unsafe {
        functions.get_physical_device_calibrateable_time_domains(physical.raw)
    })?;
    Ok(Some(found))
}

/// What Vulkan calls a clock.
pub fn clock_name(domain: vk::TimeDomainKHR) -> String {
    let name = match domain {
        vk::TimeDomainKHR::DEVICE => "device",
        vk::TimeDomainKHR::CLOCK_MONOTONIC => "CLOCK_MONOTONIC",
        vk::TimeDomainKHR::CLOCK_MONOTONIC_RAW => "CLOCK_MONOTONIC_RAW",
        vk::TimeDomainKHR::QUERY_PERFORMANCE_COUNTER => "QueryPerformanceCounter",
        other => return format!("domain {}", other.as_raw()),
    };
    name.to_owned()
}
