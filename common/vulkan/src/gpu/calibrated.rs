//! The device's clock and the CPU's, read together without a submit, where the device has that.

use std::ffi::CStr;

use anyhow::{Context, Result};
use ash::{ext, khr, vk};

use crate::fault::attempt;

/// The extension by KHR came later than the one by EXT, with the same functions; drivers that have it have
/// kept the other, and some have the other alone.
const EXTENSIONS: [&CStr; 2] = [ext::calibrated_timestamps::NAME, khr::calibrated_timestamps::NAME];

/// The extension to switch on.
pub(super) fn extension(has: impl Fn(&CStr) -> bool) -> Option<&'static CStr> {
    EXTENSIONS.into_iter().find(|name| has(name))
}

/// What reads the clocks.
pub struct Calibrated {
    functions: Option<Functions>,
    domains: Vec<vk::TimeDomainKHR>,
}

enum Functions {
    Ext(ext::calibrated_timestamps::Device),
    Khr(khr::calibrated_timestamps::Device),
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
    /// Of a device that was made with `extension`, and whose clocks are these.
    pub fn new(
        instance: &ash::Instance,
        device: &ash::Device,
        extension: Option<&'static CStr>,
        domains: Vec<vk::TimeDomainKHR>,
    ) -> Self {
        let functions = extension.map(|name| {
            if name == ext::calibrated_timestamps::NAME {
                Functions::Ext(ext::calibrated_timestamps::Device::new(instance, device))
            } else {
                Functions::Khr(khr::calibrated_timestamps::Device::new(instance, device))
            }
        });
        Self { functions, domains }
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
        attempt("reading the device's clock", || unsafe {
            match functions {
                Functions::Ext(functions) => functions.get_calibrated_timestamps(&infos),
                Functions::Khr(functions) => functions.get_calibrated_timestamps(&infos),
            }
        })
    }
}

/// The clocks that the device can read with this extension.
///
/// # Errors
/// Whatever the driver refuses.
pub(super) fn domains(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    extension: &CStr,
) -> Result<Vec<vk::TimeDomainKHR>> {
    // SAFETY: the loader is loaded already; this only finds it again.
    let entry = unsafe { ash::Entry::load() }?;
    attempt("listing the device's clocks", || unsafe {
        if extension == ext::calibrated_timestamps::NAME {
            ext::calibrated_timestamps::Instance::new(&entry, instance)
                .get_physical_device_calibrateable_time_domains(physical)
        } else {
            khr::calibrated_timestamps::Instance::new(&entry, instance)
                .get_physical_device_calibrateable_time_domains(physical)
        }
    })
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
