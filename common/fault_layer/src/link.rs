//! The loader's own structures, which Vulkan's headers for layers define (`vk_layer.h`).

use std::ffi::c_void;

use ash::vk;

/// `VkNegotiateLayerInterface`.
#[repr(C)]
#[derive(Debug)]
pub struct NegotiateInterface {
    s_type: i32,
    p_next: *mut c_void,
    pub(crate) version: u32,
    pub(crate) get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    pub(crate) get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
    pub(crate) get_physical_device_proc_addr: vk::PFN_vkVoidFunction,
}

/// `VkLayerInstanceLink` and `VkLayerDeviceLink`: what the next layer has.
#[repr(C)]
pub(crate) struct Link<F> {
    next: *mut Self,
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// Of a device's, `vkGetDeviceProcAddr`.
    pub other: F,
}

/// `VkLayerInstanceCreateInfo` and `VkLayerDeviceCreateInfo`, as far as they are read here.
#[repr(C)]
struct LinkInfo<F> {
    s_type: vk::StructureType,
    p_next: *const c_void,
    function: i32,
    link: *mut Link<F>,
}

/// `VK_LAYER_LINK_INFO`: other entries of the same type hold something else.
const LINK_INFO: i32 = 0;

/// The link of this layer; the chain is moved on for the next one.
///
/// # Safety
/// `chain` is the chain that the loader made for a layer's `vkCreateInstance` or `vkCreateDevice`.
pub(crate) unsafe fn next_link<'a, F>(
    mut chain: *const c_void,
    of_type: vk::StructureType,
) -> Option<&'a Link<F>> {
    while !chain.is_null() {
        // SAFETY: every structure of a chain begins with a type and the next one.
        let info = unsafe { &mut *chain.cast_mut().cast::<LinkInfo<F>>() };
        if info.s_type == of_type && info.function == LINK_INFO {
            // SAFETY: the loader's list has an entry for this layer.
            let link = unsafe { info.link.as_ref() }?;
            info.link = link.next;
            return Some(link);
        }
        chain = info.p_next;
    }
    None
}
