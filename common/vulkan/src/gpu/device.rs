//! Creates the logical device with the extensions and features in use.

use std::collections::BTreeMap;
use std::ffi::CStr;

use anyhow::Result;
use ash::{arm, ext, khr, nv, vk};
use record::hooks::hooks;

use super::choose::{Candidate, QueuePlace};
use super::maintenance9;
use super::physical::Physical;
use crate::fault::attempt;
use crate::wrap::LaneSource;

/// Device features for traces of waves: a clock that all waves share, and the multiprocessor of a wave.
#[derive(Clone, Copy, Debug)]
pub struct WaveClock {
    /// `shaderDeviceClock`, required for traces.
    pub clock: bool,
    /// Whether `shaderSubgroupClock` is available too. On some devices it counts cycles.
    pub cycles: bool,
    /// How a wave finds the multiprocessor that it runs on.
    pub lanes: LaneSource,
    /// Whether vertex shaders can record their waves.
    pub in_vertices: bool,
    /// Whether fragment shaders can record their waves.
    pub in_fragments: bool,
    /// Minimum number of invocations of a subgroup.
    pub least_subgroup: u32,
}

impl WaveClock {
    /// The features of a device with this subgroup size.
    fn of(physical: &Physical<'_>, subgroup: u32) -> Self {
        let clock: vk::PhysicalDeviceShaderClockFeaturesKHR<'_> =
            physical.features_of(khr::shader_clock::NAME);
        let sm: vk::PhysicalDeviceShaderSMBuiltinsFeaturesNV<'_> =
            physical.features_of(nv::shader_sm_builtins::NAME);
        let core: vk::PhysicalDeviceShaderCoreBuiltinsFeaturesARM<'_> =
            physical.features_of(arm::shader_core_builtins::NAME);
        let lanes = match (sm.shader_sm_builtins, core.shader_core_builtins) {
            (vk::TRUE, _) => LaneSource::Sm,
            (_, vk::TRUE) => LaneSource::Core,
            _ => LaneSource::None,
        };
        let sizes: vk::PhysicalDeviceSubgroupSizeControlProperties<'_> = physical.properties();
        // A device before Vulkan 1.3 may report 0.
        let least_subgroup = if sizes.min_subgroup_size > 0 { sizes.min_subgroup_size } else { subgroup };
        let has_clock = clock.shader_device_clock == vk::TRUE && !hooks().no_wave_clock;
        let subgroups: vk::PhysicalDeviceSubgroupProperties<'_> = physical.properties();
        let features = physical.core_features();
        let records = |stage, stores| subgroups.supported_stages.contains(stage) && stores == vk::TRUE;
        Self {
            in_vertices: records(vk::ShaderStageFlags::VERTEX, features.vertex_pipeline_stores_and_atomics),
            in_fragments: records(vk::ShaderStageFlags::FRAGMENT, features.fragment_stores_and_atomics),
            clock: has_clock,
            cycles: has_clock && clock.shader_subgroup_clock == vk::TRUE,
            lanes,
            least_subgroup: least_subgroup.max(1),
        }
    }
}

/// A logical device, and what of its optional features others need to know.
pub(super) struct Created {
    pub device: ash::Device,
    pub has_events: bool,
    pub has_asymmetric_events: bool,
    pub waves: WaveClock,
}

/// The priorities of the queues of each family, which Vulkan does not allow twice.
fn priorities(queues: &[QueuePlace]) -> BTreeMap<u32, Vec<f32>> {
    let mut families = BTreeMap::new();
    for QueuePlace { family, index, .. } in queues {
        let priorities: &mut Vec<f32> = families.entry(*family).or_default();
        priorities.resize(priorities.len().max(*index as usize + 1), 1.0);
    }
    families
}

/// Creates the device with the required features (synchronization2, maintenance4, whole subgroups, dynamic rendering, push
/// descriptors) and the available optional features of samples. With `statistics` it enables the extension that reports compiled
/// kernels, with `readable_clock` the one that reads the device's clock.
pub(super) fn create(chosen: &Candidate<'_>, statistics: bool, readable_clock: bool) -> Result<Created> {
    let Candidate { physical, facts, .. } = chosen;
    let mut extensions = vec![khr::push_descriptor::NAME];
    extensions.extend(statistics.then_some(khr::pipeline_executable_properties::NAME));
    extensions.extend(readable_clock.then_some(ext::calibrated_timestamps::NAME));
    let waves = WaveClock::of(physical, facts.subgroup_size);
    let portability = physical.has(khr::portability_subset::NAME);
    extensions.extend(portability.then_some(khr::portability_subset::NAME));
    let present: vk::PhysicalDevicePortabilitySubsetFeaturesKHR<'_> =
        physical.features_of(khr::portability_subset::NAME);
    let events = present.events == vk::TRUE;
    let mut subset = vk::PhysicalDevicePortabilitySubsetFeaturesKHR::default().events(events);
    let mut asymmetric: maintenance9::Features = physical.features_of(maintenance9::NAME);
    let has_asymmetric_events = asymmetric.maintenance9 == vk::TRUE;
    let mut executable =
        vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
    let mut shader_clock = vk::PhysicalDeviceShaderClockFeaturesKHR::default()
        .shader_device_clock(true)
        .shader_subgroup_clock(waves.cycles);
    let mut sm = vk::PhysicalDeviceShaderSMBuiltinsFeaturesNV::default().shader_sm_builtins(true);
    let mut core = vk::PhysicalDeviceShaderCoreBuiltinsFeaturesARM::default().shader_core_builtins(true);
    let mut vulkan12 = vk::PhysicalDeviceVulkan12Features::default()
        .timeline_semaphore(true)
        .shader_float16(facts.float16)
        .shader_buffer_int64_atomics(facts.atomics64)
        .vulkan_memory_model(facts.device_scope)
        .vulkan_memory_model_device_scope(facts.device_scope)
        .vulkan_memory_model_availability_visibility_chains(facts.visibility_chains);
    let mut vulkan13 = vk::PhysicalDeviceVulkan13Features::default()
        .synchronization2(true)
        .maintenance4(true)
        .subgroup_size_control(true)
        .compute_full_subgroups(true)
        .dynamic_rendering(true);
    let mut info = vk::DeviceCreateInfo::default().push_next(&mut vulkan12).push_next(&mut vulkan13);
    if portability {
        info = info.push_next(&mut subset);
    }
    if has_asymmetric_events {
        extensions.push(maintenance9::NAME);
        info = info.push_next(&mut asymmetric);
    }
    if statistics {
        info = info.push_next(&mut executable);
    }
    if waves.clock {
        extensions.push(khr::shader_clock::NAME);
        info = info.push_next(&mut shader_clock);
    }
    match waves.lanes {
        LaneSource::Sm if waves.clock => {
            extensions.push(nv::shader_sm_builtins::NAME);
            info = info.push_next(&mut sm);
        }
        LaneSource::Core if waves.clock => {
            extensions.push(arm::shader_core_builtins::NAME);
            info = info.push_next(&mut core);
        }
        _ => {}
    }
    let core_features = physical.core_features();
    let enabled = vk::PhysicalDeviceFeatures {
        shader_storage_image_extended_formats: core_features.shader_storage_image_extended_formats,
        vertex_pipeline_stores_and_atomics: core_features.vertex_pipeline_stores_and_atomics,
        fragment_stores_and_atomics: core_features.fragment_stores_and_atomics,
        shader_int16: facts.int16.into(),
        shader_int64: facts.atomics64.into(),
        ..vk::PhysicalDeviceFeatures::default()
    };
    let priorities = priorities(&chosen.queues);
    let queues: Vec<_> = priorities
        .iter()
        .map(|(family, priorities)| {
            vk::DeviceQueueCreateInfo::default().queue_family_index(*family).queue_priorities(priorities)
        })
        .collect();
    let extensions: Vec<_> = extensions.into_iter().map(CStr::as_ptr).collect();
    let info =
        info.queue_create_infos(&queues).enabled_extension_names(&extensions).enabled_features(&enabled);
    let device = attempt(format_args!("creating the device on {}", facts.name), || unsafe {
        physical.instance.raw.create_device(physical.raw, &info, None)
    })?;
    Ok(Created { device, has_events: !portability || events, has_asymmetric_events, waves })
}
