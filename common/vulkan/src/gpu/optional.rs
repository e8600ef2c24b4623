//! What a device may have and the suite can do without.

use std::ffi::CStr;

use anyhow::Result;
use ash::{amd, khr, nv, vk};
use record::hooks::hooks;
use record::{DeviceFacts, Multiprocessors};

use crate::fault::attempt;

/// Names of a device's extensions.
pub(super) struct Extensions(Vec<vk::ExtensionProperties>);

impl Extensions {
    pub fn of(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<Self> {
        attempt("listing device extensions", || unsafe {
            instance.enumerate_device_extension_properties(physical)
        })
        .map(Self)
    }

    pub fn has(&self, name: &CStr) -> bool {
        self.0.iter().any(|e| e.extension_name_as_c_str().is_ok_and(|n| n == name))
    }
}

/// Adds what a usable device has beyond the required.
pub(super) fn add(
    facts: &mut DeviceFacts,
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    extensions: &Extensions,
) {
    let mut vulkan12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut vulkan12);
    unsafe { instance.get_physical_device_features2(physical, &mut features) };
    facts.int16 = features.features.shader_int16 == vk::TRUE;
    facts.float16 = vulkan12.shader_float16 == vk::TRUE;
    facts.device_scope =
        [vulkan12.vulkan_memory_model, vulkan12.vulkan_memory_model_device_scope] == [vk::TRUE; 2];
    // Vulkan 1.3 asks every device for device scope, and none for chains.
    let smallest = hooks().smallest_device;
    facts.visibility_chains =
        vulkan12.vulkan_memory_model_availability_visibility_chains == vk::TRUE && !smallest;
    facts.multiprocessors = multiprocessors(instance, physical, extensions);
}

/// How a device tells what it made of kernels, the better way first; none where it does not.
pub(super) fn statistics(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    extensions: &Extensions,
) -> Option<&'static CStr> {
    if extensions.has(khr::pipeline_executable_properties::NAME) {
        let mut executable = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default();
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut executable);
        unsafe { instance.get_physical_device_features2(physical, &mut features) };
        if executable.pipeline_executable_info == vk::TRUE {
            return Some(khr::pipeline_executable_properties::NAME);
        }
    }
    extensions.has(amd::shader_info::NAME).then_some(amd::shader_info::NAME)
}

fn multiprocessors(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    extensions: &Extensions,
) -> Option<Multiprocessors> {
    if extensions.has(nv::shader_sm_builtins::NAME) {
        let mut sms = vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut sms);
        unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
        // No query tells the sub-partitions; every SM since Maxwell (2014) has four.
        let simds = 4;
        let (count, subgroups_per_simd) = (sms.shader_sm_count, sms.shader_warps_per_sm / simds);
        return Some(Multiprocessors { count, simds, subgroups_per_simd });
    }
    if extensions.has(amd::shader_core_properties::NAME) {
        let mut cores = vk::PhysicalDeviceShaderCorePropertiesAMD::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut cores);
        unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
        return Some(Multiprocessors {
            count: cores.shader_engine_count
                * cores.shader_arrays_per_engine_count
                * cores.compute_units_per_shader_array,
            simds: cores.simd_per_compute_unit,
            subgroups_per_simd: cores.wavefronts_per_simd,
        });
    }
    None
}
