//! A Vulkan layer that lets any single call fail, as a driver might.
//!
//! `HOTLAP_LAYER=list:FILE` writes down the calls that can fail, in order. `HOTLAP_LAYER=FUNCTION#N:CODE` lets
//! the N-th call of a function answer with that `VkResult`, without making it; `FUNCTION#N+:CODE` lets all
//! calls from the N-th on do so. `common::fault` does the same inside the program, for the calls that go
//! through it; the layer meets every call, whoever makes it.
//!
//! `HOTLAP_LAYER=labels:FILE` writes down what a capture tool would see: see `labels`. `HOTLAP_LAYER=events:FILE` pretends
//! that the device has asymmetric events and writes down how events are set and waited for: see `events`.
//!
//! A planned `VK_TIMEOUT` stands for a queue that hangs: a `vkWaitForFences` of an hour or more then never returns, nor
//! does a later call that waits for the device.
//!
//! # Safety
//! The loader calls the entry points as Vulkan's layer interface says, and hands over pointers that are valid
//! for the call. Each hook passes its arguments on untouched, as machine words: on the 64-bit systems that
//! Vulkan runs on, each integer, handle and pointer is passed in a word of its own, and no hooked function has
//! an argument of another kind. The functions of the last device are called for all: they must be of one driver.
#![expect(unsafe_code, reason = "a layer is C; see the contract above")]
#![cfg(target_pointer_width = "64")]

mod events;
mod labels;
mod link;
mod plan;

use std::ffi::{CStr, c_char};
use std::mem::transmute;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use ash::vk::{self, StructureType};
use link::{NegotiateInterface, next_link};

/// A function of the next layer or of the driver.
type Next = AtomicPtr<()>;

static NEXT_INSTANCE_PROC: Next = AtomicPtr::new(std::ptr::null_mut());
static NEXT_DEVICE_PROC: Next = AtomicPtr::new(std::ptr::null_mut());
static INSTANCE: AtomicUsize = AtomicUsize::new(0);

macro_rules! word {
    ($name:ident) => {
        usize
    };
}

/// A hook for each function: counts the call, and makes it or lets it fail. The result of one that has none is never
/// looked at.
macro_rules! hooks {
    ($($name:ident ( $($argument:ident)+ );)+) => {
        #[allow(non_snake_case, reason = "Vulkan's own names")]
        mod hooks {
            use super::*;
            $(pub mod $name {
                use super::*;
                pub static NEXT: Next = AtomicPtr::new(std::ptr::null_mut());
                pub extern "system" fn hook($($argument: word!($argument)),+) -> vk::Result {
                    let words = [$($argument),+];
                    if let Some(result) = plan::answer(stringify!($name), &words) {
                        return result;
                    }
                    let next = NEXT.load(Ordering::Acquire);
                    // SAFETY: the loader found this function under the name that the hook stands for.
                    let next: extern "system" fn($(word!($argument)),+) -> vk::Result = unsafe { transmute(next) };
                    let result = next($($argument),+);
                    plan::after(stringify!($name), &words);
                    result
                }
            })+
        }

        /// The hook of a function that `next` leads to.
        fn hooked(name: &CStr, next: vk::PFN_vkVoidFunction) -> vk::PFN_vkVoidFunction {
            let next = next?;
            match name.to_bytes() {
                $(name if name == stringify!($name).as_bytes() => {
                    hooks::$name::NEXT.store(next as *mut (), Ordering::Release);
                    let hook: extern "system" fn($(word!($argument)),+) -> vk::Result = hooks::$name::hook;
                    // SAFETY: the caller casts it back to the type that its name has.
                    Some(unsafe { transmute::<*const (), unsafe extern "system" fn()>(hook as *const ()) })
                })+
                _ => Some(next),
            }
        }
    };
}

hooks! {
    vkEnumeratePhysicalDevices(a b c);
    vkEnumerateDeviceExtensionProperties(a b c d);
    vkGetPhysicalDeviceToolProperties(a b c);
    vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(a b c);
    vkGetPhysicalDeviceFeatures2(a b);
    vkGetPhysicalDeviceImageFormatProperties(a b c d e f g);
    vkGetPhysicalDeviceImageFormatProperties2(a b c);
    vkCreateDebugUtilsMessengerEXT(a b c d);
    vkQueueSubmit(a b c d);
    vkQueueSubmit2(a b c d);
    vkQueueWaitIdle(a);
    vkDeviceWaitIdle(a);
    vkAllocateMemory(a b c d);
    vkMapMemory(a b c d e f);
    vkFlushMappedMemoryRanges(a b c);
    vkInvalidateMappedMemoryRanges(a b c);
    vkBindBufferMemory(a b c d);
    vkBindBufferMemory2(a b c);
    vkBindImageMemory(a b c d);
    vkBindImageMemory2(a b c);
    vkCreateFence(a b c d);
    vkResetFences(a b c);
    vkGetFenceStatus(a b);
    vkWaitForFences(a b c d e);
    vkCreateSemaphore(a b c d);
    vkWaitSemaphores(a b c);
    vkSignalSemaphore(a b);
    vkGetSemaphoreCounterValue(a b c);
    vkGetCalibratedTimestampsEXT(a b c d e);
    vkCreateEvent(a b c d);
    vkSetEvent(a b);
    vkResetEvent(a b);
    vkCreateQueryPool(a b c d);
    vkGetQueryPoolResults(a b c d e f g h);
    vkCreateBuffer(a b c d);
    vkCreateBufferView(a b c d);
    vkCreateImage(a b c d);
    vkCreateImageView(a b c d);
    vkCreateShaderModule(a b c d);
    vkCreatePipelineCache(a b c d);
    vkCreateComputePipelines(a b c d e f);
    vkCreateGraphicsPipelines(a b c d e f);
    vkCreatePipelineLayout(a b c d);
    vkCreateDescriptorSetLayout(a b c d);
    vkCreateDescriptorPool(a b c d);
    vkAllocateDescriptorSets(a b c);
    vkCreateCommandPool(a b c d);
    vkResetCommandPool(a b c);
    vkAllocateCommandBuffers(a b c);
    vkBeginCommandBuffer(a b);
    vkEndCommandBuffer(a);
    vkSetDebugUtilsObjectNameEXT(a b);
    vkGetPipelineExecutablePropertiesKHR(a b c d);
    vkGetPipelineExecutableStatisticsKHR(a b c d);
    vkGetPipelineExecutableInternalRepresentationsKHR(a b c d);
    vkDestroyDevice(a b);
    vkCmdSetEvent2(a b c);
    vkCmdWaitEvents2(a b c d);
    vkCmdDispatch(a b c d);
    vkCmdDraw(a b c d e);
    vkCmdWriteTimestamp2(a b c d);
    vkCmdBeginDebugUtilsLabelEXT(a b);
    vkCmdEndDebugUtilsLabelEXT(a);
    vkCmdInsertDebugUtilsLabelEXT(a b);
    vkQueueBeginDebugUtilsLabelEXT(a b);
    vkQueueEndDebugUtilsLabelEXT(a);
    vkQueueInsertDebugUtilsLabelEXT(a b);
}

/// The first call of the loader: where the layer's other entry points are.
///
/// # Safety
/// See the head of the file.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    interface: *mut NegotiateInterface,
) -> vk::Result {
    // SAFETY: the loader's own structure.
    let Some(interface) = (unsafe { interface.as_mut() }) else { return vk::Result::ERROR_UNKNOWN };
    interface.version = interface.version.min(2);
    interface.get_instance_proc_addr = Some(get_instance_proc_addr);
    interface.get_device_proc_addr = Some(get_device_proc_addr);
    interface.get_physical_device_proc_addr = None;
    vk::Result::SUCCESS
}

/// A function of type `T` as the loader hands functions around.
macro_rules! void_function {
    ($function:expr, $type:ty) => {
        // SAFETY: the caller casts it back to the type that its name has.
        Some(unsafe { transmute::<$type, unsafe extern "system" fn()>($function) })
    };
}

unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: a string of the caller's, which ends with a zero.
    let text = unsafe { CStr::from_ptr(name) };
    match text.to_bytes() {
        b"vkGetInstanceProcAddr" => void_function!(get_instance_proc_addr, vk::PFN_vkGetInstanceProcAddr),
        b"vkGetDeviceProcAddr" => void_function!(get_device_proc_addr, vk::PFN_vkGetDeviceProcAddr),
        b"vkCreateInstance" => void_function!(create_instance, vk::PFN_vkCreateInstance),
        b"vkCreateDevice" => void_function!(create_device, vk::PFN_vkCreateDevice),
        _ => hooked(text, next_instance_proc(instance, text)),
    }
}

unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    let next = NEXT_DEVICE_PROC.load(Ordering::Acquire);
    if next.is_null() {
        return None;
    }
    // SAFETY: the next layer's function of this type, and the caller's own string.
    let (next, text) =
        unsafe { (transmute::<*mut (), vk::PFN_vkGetDeviceProcAddr>(next), CStr::from_ptr(name)) };
    match text.to_bytes() {
        b"vkGetDeviceProcAddr" => void_function!(get_device_proc_addr, vk::PFN_vkGetDeviceProcAddr),
        // SAFETY: as above.
        _ => hooked(text, unsafe { next(device, name) }),
    }
}

fn next_instance_proc(instance: vk::Instance, name: &CStr) -> vk::PFN_vkVoidFunction {
    let next = NEXT_INSTANCE_PROC.load(Ordering::Acquire);
    if next.is_null() {
        return None;
    }
    // SAFETY: the next layer's function of this type, and a string that ends with a zero.
    unsafe { transmute::<*mut (), vk::PFN_vkGetInstanceProcAddr>(next)(instance, name.as_ptr()) }
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    instance: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the loader's chain holds its link for this layer.
    let Some(link) = (unsafe {
        next_link::<vk::PFN_vkVoidFunction>((*info).p_next, StructureType::LOADER_INSTANCE_CREATE_INFO)
    }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let next = link.get_instance_proc_addr;
    NEXT_INSTANCE_PROC.store(next as *mut (), Ordering::Release);
    if let Some(result) = plan::answer("vkCreateInstance", &[]) {
        return result;
    }
    let Some(create) = next_instance_proc(vk::Instance::null(), c"vkCreateInstance") else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: the next layer's function of this name, with the caller's own arguments.
    let result = unsafe {
        transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateInstance>(create)(info, allocator, instance)
    };
    if result == vk::Result::SUCCESS {
        // SAFETY: it was just written. A handle is a pointer on 64-bit systems.
        INSTANCE.store(unsafe { instance.cast::<usize>().read() }, Ordering::Release);
    }
    result
}

unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    device: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the loader's chain holds its link for this layer.
    let Some(link) = (unsafe {
        next_link::<vk::PFN_vkGetDeviceProcAddr>((*info).p_next, StructureType::LOADER_DEVICE_CREATE_INFO)
    }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    if let Some(result) = plan::answer("vkCreateDevice", &[]) {
        return result;
    }
    NEXT_INSTANCE_PROC.store(link.get_instance_proc_addr as *mut (), Ordering::Release);
    NEXT_DEVICE_PROC.store(link.other as *mut (), Ordering::Release);
    // SAFETY: the handle that was stored when the instance was made.
    let instance: vk::Instance = unsafe { transmute(INSTANCE.load(Ordering::Acquire)) };
    let Some(create) = next_instance_proc(instance, c"vkCreateDevice") else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: the next layer's function of this name, with the caller's own arguments.
    unsafe {
        transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateDevice>(create)(
            physical, info, allocator, device,
        )
    }
}
