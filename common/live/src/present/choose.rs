//! Which device draws: the one that is measured on where it can, else the best that can.

use std::ffi::CStr;

use anyhow::Result;
use ash::{khr, vk};
use record::DeviceFacts;
use record::error::Halt;
use record::hooks::hooks;
use vulkan::fault::attempt;
use vulkan::gpu::{Instance, candidates};

use super::surface::Surface;

/// A device that can draw, with the family of the queue on which it can.
pub(super) struct Seat {
    pub physical: vk::PhysicalDevice,
    pub facts: DeviceFacts,
    pub family: u32,
    /// It draws into a window.
    pub presents: bool,
    /// It is no full Vulkan (`VK_KHR_portability_subset`), as on macOS.
    pub is_portable: bool,
}

/// Chooses among the devices that can draw into `surface`, or off-screen without one.
///
/// # Errors
/// [`Halt::Skip`] where none can.
pub(super) fn choose(instance: &Instance, measured: &DeviceFacts, surface: Option<&Surface>) -> Result<Seat> {
    let mut seats = Vec::new();
    // They come best first.
    for candidate in candidates(instance, None)? {
        if let Some(seat) = seat(&instance.raw, candidate.physical.raw, candidate.facts, surface)? {
            seats.push(seat);
        }
    }
    let is_measured = |seat: &Seat| is_same(&seat.facts, measured);
    let other =
        if hooks().present_elsewhere { seats.iter().position(|seat| !is_measured(seat)) } else { None };
    let at = other.or_else(|| seats.iter().position(is_measured)).unwrap_or(0);
    if at < seats.len() { Ok(seats.swap_remove(at)) } else { Err(none(surface.is_some()).into()) }
}

pub(super) fn is_same(one: &DeviceFacts, other: &DeviceFacts) -> bool {
    one.uuid == other.uuid && one.name == other.name
}

fn none(for_window: bool) -> Halt {
    Halt::Skip(
        match for_window {
            true => {
                "no device of this machine can draw into this window: measure with --bench, or draw into \
                 pictures with --live --headless"
            }
            false => {
                "no device of this machine can draw (a graphics queue, dynamicRendering and \
                 synchronization2 of Vulkan 1.3): measure with --bench"
            }
        }
        .into(),
    )
}

/// The device, where it can draw.
fn seat(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    facts: DeviceFacts,
    surface: Option<&Surface>,
) -> Result<Option<Seat>> {
    // A null device has no memory.
    if facts.device_memory == 0 || !has_features(instance, physical) {
        return Ok(None);
    }
    let extensions = attempt("listing the extensions of a device", || unsafe {
        instance.enumerate_device_extension_properties(physical)
    })?;
    let has = |name: &CStr| extensions.iter().any(|e| e.extension_name_as_c_str().is_ok_and(|n| n == name));
    if surface.is_some() && !has(khr::swapchain::NAME) {
        return Ok(None);
    }
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
    for (family, properties) in (0..).zip(&families) {
        let draws = properties.queue_flags.contains(vk::QueueFlags::GRAPHICS);
        // What one driver cannot answer is no reason against the others.
        let presents = |surface: &Surface| surface.is_for(physical, family).unwrap_or(false);
        if draws && surface.is_none_or(presents) {
            let is_portable = has(khr::portability_subset::NAME);
            return Ok(Some(Seat { physical, facts, family, presents: surface.is_some(), is_portable }));
        }
    }
    Ok(None)
}

fn has_features(instance: &ash::Instance, physical: vk::PhysicalDevice) -> bool {
    let core = unsafe { instance.get_physical_device_properties(physical) };
    if core.api_version < vk::API_VERSION_1_3 {
        return false;
    }
    let mut vulkan13 = vk::PhysicalDeviceVulkan13Features::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut vulkan13);
    unsafe { instance.get_physical_device_features2(physical, &mut features) };
    vulkan13.dynamic_rendering == vk::TRUE && vulkan13.synchronization2 == vk::TRUE
}
