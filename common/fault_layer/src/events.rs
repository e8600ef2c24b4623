//! A driver with VK_KHR_maintenance9, which is pretended, and a line for each set of an event and each wait for one.
//!
//! A line is the command, the event, the dependency's flags, its numbers of memory, buffer and image barriers, and the
//! stages and accesses of its first memory barrier. The layer's manifest names the extension too, so that the loader lets a
//! device be made with it; it keeps the name from the driver.

use std::fmt::Write;

use ash::vk;

/// `VkPhysicalDeviceMaintenance9FeaturesKHR`, which ash 0.38 does not know, and its type.
#[repr(C)]
struct Maintenance9 {
    head: vk::BaseOutStructure<'static>,
    maintenance9: vk::Bool32,
}

const MAINTENANCE9: vk::StructureType = vk::StructureType::from_raw(1_000_584_000);

/// The lines of a call, which is then made.
pub(crate) fn lines(function: &str, words: &[usize]) -> Option<String> {
    match (function, words) {
        ("vkGetPhysicalDeviceFeatures2", &[_, features]) => {
            pretend(features);
            None
        }
        ("vkCmdSetEvent2", &[_, event, dependency]) => Some(line("set", event, dependency)),
        ("vkCmdWaitEvents2", &[_, count, events, dependencies]) => {
            // An argument of 32 bits leaves the upper half of its word undefined.
            let of = |at: usize| {
                // SAFETY: the caller's own arrays have this length.
                let event = unsafe { *(events as *const usize).add(at) };
                line("wait", event, dependencies + at * size_of::<vk::DependencyInfo<'_>>())
            };
            Some((0..count & 0xFFFF_FFFF).map(of).collect())
        }
        _ => None,
    }
}

/// Adds the extension to those that a device was found to have.
pub(crate) fn extend(function: &str, words: &[usize]) {
    let ("vkEnumerateDeviceExtensionProperties", &[_, _, count, found]) = (function, words) else { return };
    let mut name = [0; vk::MAX_EXTENSION_NAME_SIZE];
    for (letter, byte) in name.iter_mut().zip(b"VK_KHR_maintenance9") {
        *letter = byte.cast_signed();
    }
    let extension = vk::ExtensionProperties { extension_name: name, spec_version: 1 };
    let (count, found) = (count as *mut u32, found as *mut vk::ExtensionProperties);
    // SAFETY: the caller's own memory, with room for as many as the call without it has counted.
    unsafe {
        if !found.is_null() {
            found.add(*count as usize).write(extension);
        }
        *count += 1;
    }
}

/// Answers that the device has the feature. A driver that knows the structure then overwrites it.
fn pretend(features: usize) {
    // SAFETY: the caller's own chain, in which every structure begins with a type and the next one.
    let mut next = unsafe { (*(features as *const vk::BaseOutStructure<'_>)).p_next };
    while !next.is_null() {
        // SAFETY: as above; a structure of this type has the feature behind its head.
        unsafe {
            if (*next).s_type == MAINTENANCE9 {
                (*next.cast::<Maintenance9>()).maintenance9 = vk::TRUE;
            }
            next = (*next).p_next;
        }
    }
}

fn line(command: &str, event: usize, dependency: usize) -> String {
    // SAFETY: the caller's own structure, whose arrays have the lengths that it names.
    let (info, first) = unsafe {
        let info = &*(dependency as *const vk::DependencyInfo<'_>);
        (info, info.p_memory_barriers.as_ref().filter(|_| info.memory_barrier_count > 0))
    };
    let first = first.copied().unwrap_or_default();
    let mut line = format!("{command}\t{event}\t{}", info.dependency_flags.as_raw());
    let counts =
        [info.memory_barrier_count, info.buffer_memory_barrier_count, info.image_memory_barrier_count];
    let source = [first.src_stage_mask.as_raw(), first.src_access_mask.as_raw()];
    let target = [first.dst_stage_mask.as_raw(), first.dst_access_mask.as_raw()];
    for number in counts.map(u64::from).into_iter().chain(source).chain(target) {
        let _ = write!(line, "\t{number}");
    }
    line + "\n"
}
