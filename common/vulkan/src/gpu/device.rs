//! The logical device: what is switched on, and what is active around it.

use std::ffi::CStr;

use anyhow::Result;
use ash::{khr, vk};

use super::calibrated::{self, Calibrated};
use super::choose::Candidate;
use super::wave_clock::{Chain, WaveClock};
use crate::fault::{self, attempt};

/// Names of the active layers and tools; none where the driver does not tell.
pub(super) fn tools(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Vec<String> {
    let listed = fault::call("listing tools", || {
        let count = unsafe { instance.get_physical_device_tool_properties_len(physical) }?;
        let mut tools = vec![vk::PhysicalDeviceToolProperties::default(); count];
        unsafe { instance.get_physical_device_tool_properties(physical, &mut tools) }.map(|()| tools)
    });
    let Ok(tools) = listed else { return Vec::new() };
    let name = |tool: &vk::PhysicalDeviceToolProperties<'_>| {
        tool.name_as_c_str().map_or_else(|_| String::new(), |name| name.to_string_lossy().into_owned())
    };
    tools.iter().map(name).collect()
}

/// What was found and switched on beyond the required.
pub(super) struct Features {
    pub events: bool,
    pub max_push_descriptors: u32,
    pub clock: Calibrated,
    pub waves: WaveClock,
}

/// One entry a family: Vulkan takes none twice.
fn queue_infos<'a>(
    queues: &[Option<(u32, u32)>; 2],
    priorities: &'a [f32; 2],
) -> Vec<vk::DeviceQueueCreateInfo<'a>> {
    let of = |family: u32, count: usize| {
        vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&priorities[..count])
    };
    match *queues {
        [Some(a), Some(b)] if a == b => vec![of(a.0, 1)],
        [Some((a, _)), Some((b, _))] if a == b => vec![of(a, 2)],
        _ => queues.iter().flatten().map(|&(family, _)| of(family, 1)).collect(),
    }
}

/// Creates the device with what the suite requires (synchronization2, maintenance4, push
/// descriptors) and, where present, what the samples to come ask for.
/// `statistics` is the extension that tells what became of kernels, where that is wanted.
pub(super) fn create(
    instance: &ash::Instance,
    chosen: &Candidate,
    statistics: Option<&'static CStr>,
) -> Result<(ash::Device, Features)> {
    let physical = chosen.physical;
    let available = attempt("listing device extensions", || unsafe {
        instance.enumerate_device_extension_properties(physical)
    })?;
    let has = |name: &CStr| available.iter().any(|e| e.extension_name_as_c_str().is_ok_and(|n| n == name));
    let mut extensions = vec![khr::push_descriptor::NAME.as_ptr()];
    let calibrated = calibrated::extension(has);
    extensions.extend(calibrated.map(CStr::as_ptr));
    let clocks = calibrated.map(|name| calibrated::domains(instance, physical, name)).transpose()?;
    extensions.extend(statistics.map(CStr::as_ptr));
    let waves = WaveClock::of(instance, physical, has, chosen.facts.subgroup_size);
    extensions.extend(waves.extensions().map(CStr::as_ptr));
    let portability = has(khr::portability_subset::NAME);
    if portability {
        extensions.push(khr::portability_subset::NAME.as_ptr());
    }
    let executables = statistics == Some(khr::pipeline_executable_properties::NAME);
    let mut executable = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
        .pipeline_executable_info(executables);
    let mut subset = vk::PhysicalDevicePortabilitySubsetFeaturesKHR::default();
    let mut present12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut present = vk::PhysicalDeviceFeatures2::default().push_next(&mut present12);
    if portability {
        present = present.push_next(&mut subset);
    }
    unsafe { instance.get_physical_device_features2(physical, &mut present) };
    let core = vk::PhysicalDeviceFeatures {
        shader_storage_image_extended_formats: present.features.shader_storage_image_extended_formats,
        shader_int16: present.features.shader_int16,
        ..vk::PhysicalDeviceFeatures::default()
    };
    let mut subset =
        vk::PhysicalDevicePortabilitySubsetFeaturesKHR::default().events(subset.events == vk::TRUE);
    let mut vulkan12 = vk::PhysicalDeviceVulkan12Features::default()
        .timeline_semaphore(true)
        .shader_float16(present12.shader_float16 == vk::TRUE)
        .vulkan_memory_model(present12.vulkan_memory_model == vk::TRUE)
        .vulkan_memory_model_device_scope(present12.vulkan_memory_model_device_scope == vk::TRUE)
        .vulkan_memory_model_availability_visibility_chains(
            present12.vulkan_memory_model_availability_visibility_chains == vk::TRUE,
        );
    let mut vulkan13 =
        vk::PhysicalDeviceVulkan13Features::default().synchronization2(true).maintenance4(true);
    let priorities = [1.0; 2];
    let queues = queue_infos(&chosen.queues, &priorities);
    let mut info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .enabled_features(&core)
        .push_next(&mut vulkan12)
        .push_next(&mut vulkan13);
    if portability {
        info = info.push_next(&mut subset);
    }
    if executables {
        info = info.push_next(&mut executable);
    }
    let mut chain = Chain::default();
    let info = chain.onto(&waves, info);
    let device = attempt(format_args!("creating the device on {}", chosen.facts.name), || unsafe {
        instance.create_device(physical, &info, None)
    })?;
    let mut push = vk::PhysicalDevicePushDescriptorPropertiesKHR::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut push);
    unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
    let features = Features {
        events: !portability || subset.events == vk::TRUE,
        max_push_descriptors: push.max_push_descriptors,
        clock: Calibrated::new(instance, &device, calibrated, clocks.unwrap_or_default()),
        waves,
    };
    Ok((device, features))
}
