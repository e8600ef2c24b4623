//! A stand-in for the functions of `VK_EXT_debug_utils`, for the tests that look at what a capture
//! tool would see.
//!
//! `HOTLAP_LABEL_LOG=FILE` puts own functions before the driver's. Each writes a line into FILE (what
//! was called, on which handle, with which name, separated by tabs) and then calls the driver's.
//! Submits and the beginnings of command buffers are among them, because labels mean nothing without
//! them, and dispatches and timestamps, because they are what regions are to hold and what a capture is
//! to be free of. Without the variable the driver's own functions stay in place.

use std::ffi::{CStr, c_char, c_void};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::{Context, Result};
use ash::ext::debug_utils;
use ash::vk::{self, Handle};

const VARIABLE: &str = "HOTLAP_LABEL_LOG";

/// Set before the functions below can be called. A second device of the process shares it.
static LOG: OnceLock<Log> = OnceLock::new();

/// Calls are not written down for the time being.
static PAUSED: AtomicBool = AtomicBool::new(false);

/// Leaves calls out of the log, or no more.
pub(super) fn pause(paused: bool) {
    PAUSED.store(paused, Ordering::Relaxed);
}

/// The file, and the driver's own functions.
struct Log {
    file: Mutex<File>,
    instance: ash::Instance,
    device: ash::Device,
    debug: Option<debug_utils::Device>,
}

/// The file to write, where the environment names one.
///
/// # Errors
/// It cannot be written.
pub(super) fn file() -> Result<Option<File>> {
    let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) else { return Ok(None) };
    let file = File::create(&path);
    file.map(Some).with_context(|| format!("{VARIABLE}: cannot write {}", path.display()))
}

/// The functions of a device and of its labels, with a line in `file` for each call.
pub(super) fn logged(
    file: File,
    instance: &ash::Instance,
    device: &ash::Device,
    debug: Option<debug_utils::Device>,
) -> (ash::Device, Option<debug_utils::Device>) {
    let has_labels = debug.is_some();
    LOG.get_or_init(|| Log {
        file: Mutex::new(file),
        instance: instance.clone(),
        device: device.clone(),
        debug,
    });
    let lookup = |name: &CStr| {
        let is_lookup = name == c"vkGetDeviceProcAddr";
        if is_lookup {
            device_function as vk::PFN_vkGetDeviceProcAddr as *const c_void
        } else {
            std::ptr::null()
        }
    };
    unsafe {
        let instance = ash::Instance::load_with(lookup, instance.handle());
        let device = ash::Device::load(instance.fp_v1_0(), device.handle());
        let debug = has_labels.then(|| debug_utils::Device::new(&instance, &device));
        (device, debug)
    }
}

/// `vkGetDeviceProcAddr`: own functions for some names, the driver's for the rest.
unsafe extern "system" fn device_function(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    let own = match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"vkBeginCommandBuffer" => begin_command_buffer as vk::PFN_vkBeginCommandBuffer as *const c_void,
        b"vkCmdDispatch" => cmd_dispatch as vk::PFN_vkCmdDispatch as _,
        b"vkCmdWriteTimestamp2" => cmd_write_timestamp2 as vk::PFN_vkCmdWriteTimestamp2 as _,
        b"vkQueueSubmit2" => queue_submit2 as vk::PFN_vkQueueSubmit2 as _,
        b"vkCmdBeginDebugUtilsLabelEXT" => cmd_begin_label as vk::PFN_vkCmdBeginDebugUtilsLabelEXT as _,
        b"vkCmdEndDebugUtilsLabelEXT" => cmd_end_label as vk::PFN_vkCmdEndDebugUtilsLabelEXT as _,
        b"vkCmdInsertDebugUtilsLabelEXT" => cmd_insert_label as vk::PFN_vkCmdInsertDebugUtilsLabelEXT as _,
        b"vkQueueBeginDebugUtilsLabelEXT" => queue_begin_label as vk::PFN_vkQueueBeginDebugUtilsLabelEXT as _,
        b"vkQueueEndDebugUtilsLabelEXT" => queue_end_label as vk::PFN_vkQueueEndDebugUtilsLabelEXT as _,
        b"vkQueueInsertDebugUtilsLabelEXT" => {
            queue_insert_label as vk::PFN_vkQueueInsertDebugUtilsLabelEXT as _
        }
        _ => {
            let log = LOG.get()?;
            return unsafe { (log.instance.fp_v1_0().get_device_proc_addr)(device, name) };
        }
    };
    // SAFETY: a function of the type that the name stands for, as the caller expects it.
    Some(unsafe { std::mem::transmute::<*const c_void, unsafe extern "system" fn()>(own) })
}

impl Log {
    fn line(&self, call: &str, on: impl Handle, rest: &str) {
        if PAUSED.load(Ordering::Relaxed) {
            return;
        }
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // The test that reads the log misses what could not be written.
        let _ = file.write_all(format!("{call}\t{:#x}\t{rest}\n", on.as_raw()).as_bytes());
    }

    /// # Safety
    /// The label is valid, as Vulkan asks of the caller.
    unsafe fn label(&self, call: &str, on: impl Handle, label: *const vk::DebugUtilsLabelEXT<'_>) {
        let name = unsafe { (*label).label_name_as_c_str() };
        self.line(call, on, &name.map(CStr::to_string_lossy).unwrap_or_default());
    }
}

/// Writes a line and calls the driver's own function of the extension.
macro_rules! label_function {
    ($function:ident, $field:ident, $on:ty, $call:literal, named) => {
        unsafe extern "system" fn $function(on: $on, label: *const vk::DebugUtilsLabelEXT<'_>) {
            let Some(log) = LOG.get() else { return };
            unsafe { log.label($call, on, label) };
            if let Some(debug) = &log.debug {
                unsafe { (debug.fp().$field)(on, label) };
            }
        }
    };
    ($function:ident, $field:ident, $on:ty, $call:literal) => {
        unsafe extern "system" fn $function(on: $on) {
            let Some(log) = LOG.get() else { return };
            log.line($call, on, "");
            if let Some(debug) = &log.debug {
                unsafe { (debug.fp().$field)(on) };
            }
        }
    };
}

label_function!(
    cmd_begin_label,
    cmd_begin_debug_utils_label_ext,
    vk::CommandBuffer,
    "cmd begin label",
    named
);
label_function!(cmd_end_label, cmd_end_debug_utils_label_ext, vk::CommandBuffer, "cmd end label");
label_function!(
    cmd_insert_label,
    cmd_insert_debug_utils_label_ext,
    vk::CommandBuffer,
    "cmd insert label",
    named
);
label_function!(queue_begin_label, queue_begin_debug_utils_label_ext, vk::Queue, "queue begin label", named);
label_function!(queue_end_label, queue_end_debug_utils_label_ext, vk::Queue, "queue end label");
label_function!(
    queue_insert_label,
    queue_insert_debug_utils_label_ext,
    vk::Queue,
    "queue insert label",
    named
);

unsafe extern "system" fn begin_command_buffer(
    buffer: vk::CommandBuffer,
    info: *const vk::CommandBufferBeginInfo<'_>,
) -> vk::Result {
    let Some(log) = LOG.get() else { return vk::Result::ERROR_UNKNOWN };
    log.line("begin", buffer, "");
    unsafe { (log.device.fp_v1_0().begin_command_buffer)(buffer, info) }
}

unsafe extern "system" fn cmd_dispatch(buffer: vk::CommandBuffer, x: u32, y: u32, z: u32) {
    let Some(log) = LOG.get() else { return };
    log.line("dispatch", buffer, "");
    unsafe { (log.device.fp_v1_0().cmd_dispatch)(buffer, x, y, z) };
}

unsafe extern "system" fn cmd_write_timestamp2(
    buffer: vk::CommandBuffer,
    stage: vk::PipelineStageFlags2,
    pool: vk::QueryPool,
    query: u32,
) {
    let Some(log) = LOG.get() else { return };
    log.line("timestamp", buffer, "");
    unsafe { (log.device.fp_v1_3().cmd_write_timestamp2)(buffer, stage, pool, query) };
}

unsafe extern "system" fn queue_submit2(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo2<'_>,
    fence: vk::Fence,
) -> vk::Result {
    let Some(log) = LOG.get() else { return vk::Result::ERROR_UNKNOWN };
    for at in 0..count as usize {
        // SAFETY: the arrays have the lengths that they are handed over with.
        let buffers = unsafe {
            let submit = &*submits.add(at);
            std::slice::from_raw_parts(
                submit.p_command_buffer_infos,
                submit.command_buffer_info_count as usize,
            )
        };
        let mut handles = String::new();
        for buffer in buffers {
            let _ = write!(handles, " {:#x}", buffer.command_buffer.as_raw());
        }
        log.line("submit", queue, handles.trim_start());
    }
    unsafe { (log.device.fp_v1_3().queue_submit2)(queue, count, submits, fence) }
}
