//! A physical device: its properties and features before it is opened.

use std::ffi::CStr;

use anyhow::Result;
use ash::{amd, nv, vk};
use record::Multiprocessors;

use super::instance::Instance;
use crate::fault::{self, attempt};
use crate::names::{lists, text};

/// A physical device of an instance, with its extensions.
pub struct Physical<'i> {
    /// The Vulkan handle.
    pub raw: vk::PhysicalDevice,
    pub(crate) instance: &'i Instance,
    pub(super) extensions: Vec<vk::ExtensionProperties>,
}

impl<'i> Physical<'i> {
    pub(crate) fn new(instance: &'i Instance, raw: vk::PhysicalDevice) -> Result<Self> {
        let extensions = attempt("listing device extensions", || unsafe {
            instance.raw.enumerate_device_extension_properties(raw)
        })?;
        Ok(Self { raw, instance, extensions })
    }

    pub(super) fn has(&self, extension: &CStr) -> bool {
        lists(&self.extensions, extension)
    }

    /// Queries a structure in the chain of `VkPhysicalDeviceProperties2`.
    pub(crate) fn properties<T: vk::ExtendsPhysicalDeviceProperties2 + Default>(&self) -> T {
        let mut found = T::default();
        let mut chain = vk::PhysicalDeviceProperties2::default().push_next(&mut found);
        unsafe { self.instance.raw.get_physical_device_properties2(self.raw, &mut chain) };
        found
    }

    /// Queries a structure in the chain of `VkPhysicalDeviceFeatures2`.
    pub(crate) fn features<T: vk::ExtendsPhysicalDeviceFeatures2 + Default>(&self) -> T {
        let mut found = T::default();
        let mut chain = vk::PhysicalDeviceFeatures2::default().push_next(&mut found);
        unsafe { self.instance.raw.get_physical_device_features2(self.raw, &mut chain) };
        found
    }

    /// The features of an extension; all off if the device lacks the extension.
    pub(super) fn features_of<T: vk::ExtendsPhysicalDeviceFeatures2 + Default>(&self, extension: &CStr) -> T {
        if self.has(extension) { self.features() } else { T::default() }
    }

    pub(crate) fn core_features(&self) -> vk::PhysicalDeviceFeatures {
        unsafe { self.instance.raw.get_physical_device_features(self.raw) }
    }

    pub(super) fn multiprocessors(&self) -> Option<Multiprocessors> {
        if self.has(nv::shader_sm_builtins::NAME) {
            let sms: vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV<'_> = self.properties();
            // Vulkan has no query for the sub-partitions; every SM since Maxwell (2014) has four.
            let simds = 4;
            let (count, subgroups_per_simd) = (sms.shader_sm_count, sms.shader_warps_per_sm / simds);
            return Some(Multiprocessors { count, simds, subgroups_per_simd });
        }
        if self.has(amd::shader_core_properties::NAME) {
            let cores: vk::PhysicalDeviceShaderCorePropertiesAMD<'_> = self.properties();
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

    /// Names of the active layers and tools; empty if the driver does not report them.
    pub(super) fn tools(&self) -> Vec<String> {
        let listed = fault::call("listing tools", || {
            let count = unsafe { self.instance.raw.get_physical_device_tool_properties_len(self.raw) }?;
            let mut tools = vec![vk::PhysicalDeviceToolProperties::default(); count];
            unsafe { self.instance.raw.get_physical_device_tool_properties(self.raw, &mut tools) }
                .map(|()| tools)
        });
        listed.unwrap_or_default().iter().map(|tool| text(&tool.name)).collect()
    }
}
