//! Names of fixed size in Vulkan's structures.

use std::ffi::{CStr, c_char};

use ash::vk;

/// Whether the list contains an extension.
pub(crate) fn lists(extensions: &[vk::ExtensionProperties], name: &CStr) -> bool {
    extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name))
}

/// Converts a name of fixed size to a string.
pub(crate) fn text(name: &[c_char]) -> String {
    CStr::from_bytes_until_nul(bytemuck::cast_slice(name))
        .map(CStr::to_string_lossy)
        .unwrap_or_default()
        .into()
}
