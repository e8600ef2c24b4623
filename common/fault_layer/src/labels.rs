//! What a capture tool sees of a run, a line for each call: what was called, on which handle, and a name or what is
//! submitted, separated by tabs. Submits and the beginnings of command buffers are among them, because labels mean
//! nothing without them, and dispatches, draws and timestamps, because they are what regions are to hold and what a capture
//! is to be free of.

use std::ffi::CStr;
use std::fmt::Write;

use ash::vk::{self, Handle};

/// Whether a call is not among those that can fail.
pub(crate) fn cannot_fail(function: &str) -> bool {
    function.starts_with("vkCmd")
        || function.ends_with("DebugUtilsLabelEXT")
        || ["vkDestroyDevice", "vkGetPhysicalDeviceFeatures2"].contains(&function)
}

/// The line of a call with these arguments.
pub(crate) fn line(function: &str, words: &[usize]) -> Option<String> {
    let call = match function {
        "vkBeginCommandBuffer" => "begin",
        "vkQueueSubmit2" => return Some(submits(words)),
        "vkCmdDispatch" => "dispatch",
        "vkCmdDraw" => "draw",
        "vkCmdWriteTimestamp2" => "timestamp",
        "vkCmdBeginDebugUtilsLabelEXT" => "cmd begin label",
        "vkCmdEndDebugUtilsLabelEXT" => "cmd end label",
        "vkCmdInsertDebugUtilsLabelEXT" => "cmd insert label",
        "vkQueueBeginDebugUtilsLabelEXT" => "queue begin label",
        "vkQueueEndDebugUtilsLabelEXT" => "queue end label",
        "vkQueueInsertDebugUtilsLabelEXT" => "queue insert label",
        _ => return None,
    };
    let is_named = call.ends_with("begin label") || call.ends_with("insert label");
    let name = if is_named { name(words[1]) } else { String::new() };
    Some(format!("{call}\t{:#x}\t{name}\n", words[0]))
}

fn name(label: usize) -> String {
    // SAFETY: the caller's own label, valid for the call.
    let label = unsafe { &*(label as *const vk::DebugUtilsLabelEXT<'_>) };
    // SAFETY: as above, with a name that ends with a zero.
    unsafe { label.label_name_as_c_str() }.map(CStr::to_string_lossy).unwrap_or_default().into_owned()
}

/// A line for each submit of a call.
fn submits(words: &[usize]) -> String {
    let &[queue, count, submits, ..] = words else { return String::new() };
    // An argument of 32 bits leaves the upper half of its word undefined.
    let count = count & 0xFFFF_FFFF;
    let mut lines = String::new();
    for at in 0..count {
        // SAFETY: the arrays have the lengths that they are handed over with.
        let buffers = unsafe {
            let submit = &*(submits as *const vk::SubmitInfo2<'_>).add(at);
            std::slice::from_raw_parts(
                submit.p_command_buffer_infos,
                submit.command_buffer_info_count as usize,
            )
        };
        let handles = buffers.iter().map(|buffer| format!("{:#x}", buffer.command_buffer.as_raw()));
        let _ = writeln!(lines, "submit\t{queue:#x}\t{}", handles.collect::<Vec<_>>().join(" "));
    }
    lines
}
