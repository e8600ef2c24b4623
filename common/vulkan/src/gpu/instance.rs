//! The Vulkan loader and instance, with or without the validation layer.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use anyhow::{Context, Result};
use ash::{ext, khr, vk};
use record::error::Halt;

use crate::fault::attempt;
use crate::names::lists;
use crate::validation::{self, Messages};

/// An instance, its messenger, and the loader that made them.
pub struct Instance {
    // Fields are dropped in the order of declaration; the loader must be unloaded last.
    /// The instance.
    pub raw: ash::Instance,
    pub(crate) debug: Option<ext::debug_utils::Instance>,
    messenger: vk::DebugUtilsMessengerEXT,
    /// The received messages of the layer; `None` without validation.
    pub messages: Option<Arc<Messages>>,
    /// The loader.
    pub entry: ash::Entry,
}

impl Instance {
    /// Loads Vulkan and makes an instance. With `validate`, core and synchronization validation are on.
    pub fn new(validate: bool) -> Result<Self> {
        // SAFETY: the loader's initialisation routines are trusted like every system library's.
        let entry = unsafe { ash::Entry::load() }.map_err(|error| {
            Halt::Skip(format!(
                "no Vulkan loader ({error}): install it (Debian, Ubuntu: libvulkan1; Fedora, Arch: \
                 vulkan-loader; macOS: vulkan-loader and molten-vk, or the Vulkan SDK; Windows: the GPU's driver \
                 brings it), or let scripts/run do it"
            ))
        })?;
        let available = attempt("listing instance extensions", || unsafe {
            entry.enumerate_instance_extension_properties(None)
        })?;
        let has = |name: &CStr| lists(&available, name);
        let mut extensions = Vec::new();
        let debug_utils = has(ext::debug_utils::NAME);
        if debug_utils {
            extensions.push(ext::debug_utils::NAME.as_ptr());
        }
        let mut flags = vk::InstanceCreateFlags::empty();
        if has(khr::portability_enumeration::NAME) {
            extensions.push(khr::portability_enumeration::NAME.as_ptr());
            flags |= vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR;
        }
        let layer = if validate { Some(validation::Layer::find(&entry)?) } else { None };
        if let Some(layer) = &layer {
            anyhow::ensure!(
                debug_utils,
                "the Vulkan loader lacks VK_EXT_debug_utils, so the validation layer cannot be heard"
            );
            extensions.push(layer.extension().as_ptr());
        }
        let raw = create(&entry, flags, &extensions, layer.as_ref())?;
        let debug = debug_utils.then(|| ext::debug_utils::Instance::new(&entry, &raw));
        let mut instance =
            Self { raw, debug, messenger: vk::DebugUtilsMessengerEXT::null(), messages: None, entry };
        if let Some(layer) = &layer {
            instance.listen(layer)?;
        }
        Ok(instance)
    }

    /// Sends the layer's messages to `messages`.
    fn listen(&mut self, layer: &validation::Layer) -> Result<()> {
        let messages = Arc::new(Messages::of(layer));
        let debug = self.debug.as_ref().context("VK_EXT_debug_utils is missing")?;
        let info = validation::messenger_info(&messages);
        self.messenger = attempt("creating the validation messenger", || unsafe {
            debug.create_debug_utils_messenger(&info, None)
        })?;
        self.messages = Some(messages);
        Ok(())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        unsafe {
            if let Some(debug) = &self.debug {
                debug.destroy_debug_utils_messenger(self.messenger, None);
            }
            self.raw.destroy_instance(None);
        }
    }
}

fn create(
    entry: &ash::Entry,
    flags: vk::InstanceCreateFlags,
    extensions: &[*const c_char],
    layer: Option<&validation::Layer>,
) -> Result<ash::Instance> {
    let application = vk::ApplicationInfo::default()
        .application_name(c"Hot Lap")
        .engine_name(c"Hot Lap")
        .api_version(vk::API_VERSION_1_3);
    let layers: Vec<_> = layer.iter().map(|_| validation::LAYER.as_ptr()).collect();
    let info = vk::InstanceCreateInfo::default()
        .flags(flags)
        .application_info(&application)
        .enabled_layer_names(&layers)
        .enabled_extension_names(extensions);
    let create = |info: &vk::InstanceCreateInfo<'_>| match unsafe { entry.create_instance(info, None) } {
        Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER) => Ok(None),
        other => other.map(Some),
    };
    let created = attempt("creating the Vulkan instance", || match layer {
        Some(layer) => layer.with_settings(info, create),
        None => create(&info),
    });
    created?.ok_or_else(|| no_driver().into())
}

/// The error for a machine without a Vulkan driver.
pub(super) fn no_driver() -> Halt {
    Halt::Skip(
        "no Vulkan driver on this machine: install your GPU's, or a software device (Debian, Ubuntu, \
         Fedora: mesa-vulkan-drivers; Arch: vulkan-swrast), or let scripts/run do it; VK_DRIVER_FILES \
         names a driver's JSON file by hand"
            .into(),
    )
}
