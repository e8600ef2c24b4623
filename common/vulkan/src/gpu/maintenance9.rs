//! VK_KHR_maintenance9, as far as it concerns events. ash 0.38 does not know it; names and values are those of
//! `vulkan_core.h`.

use std::ffi::{CStr, c_void};

use ash::vk;

/// `VK_KHR_MAINTENANCE_9_EXTENSION_NAME`.
pub(super) const NAME: &CStr = c"VK_KHR_maintenance9";

/// `VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR`: a set and its wait need not have the same dependency. The set has one memory
/// barrier with source stages alone, the wait has the same stages and all the rest.
pub(crate) const ASYMMETRIC_EVENT: vk::DependencyFlags = vk::DependencyFlags::from_raw(0x40);

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_9_FEATURES_KHR`.
const FEATURES: vk::StructureType = vk::StructureType::from_raw(1_000_584_000);

/// `VkPhysicalDeviceMaintenance9FeaturesKHR`.
#[repr(C)]
pub(super) struct Features {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    pub maintenance9: vk::Bool32,
}

impl Default for Features {
    fn default() -> Self {
        Self { s_type: FEATURES, p_next: std::ptr::null_mut(), maintenance9: vk::FALSE }
    }
}

// SAFETY: it begins with a type and the next structure, as those that ash knows, and the specification lets it extend
// both chains.
unsafe impl vk::ExtendsPhysicalDeviceFeatures2 for Features {}
// SAFETY: as above.
unsafe impl vk::ExtendsDeviceCreateInfo for Features {}
