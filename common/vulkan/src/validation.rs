//! The validation layer: how it is enabled, and the messages that it sends.
//!
//! `--check` needs core *and* synchronization validation. Layers up to about 1.3.280 enable the latter through
//! VK_EXT_validation_features and check shader accesses by default. Later layers use VK_EXT_layer_settings and
//! check shader accesses only if a setting asks for it.

use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use ash::{ext, vk};

use crate::fault::attempt;
use crate::names::lists;

/// Name of the Khronos validation layer.
pub const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// The installed layer.
pub struct Layer {
    takes_settings: bool,
    /// The layer's version, such as `1.4.363`.
    version: String,
}

impl Layer {
    /// Looks for the layer.
    ///
    /// # Errors
    /// The layer is not installed; the message says what to install.
    pub fn find(entry: &ash::Entry) -> Result<Self> {
        let layers = attempt("listing layers", || unsafe { entry.enumerate_instance_layer_properties() })?;
        let found = layers.iter().find(|l| l.layer_name_as_c_str().is_ok_and(|n| n == LAYER));
        let found = found.context(
            "--check needs the Vulkan validation layer, which is not installed: install it (Debian, \
             Fedora: vulkan-validationlayers, vulkan-validation-layers; Arch: vulkan-validation-layers), \
             or let scripts/run do it",
        )?;
        let version = found.spec_version;
        let part = [vk::api_version_major, vk::api_version_minor, vk::api_version_patch];
        let version = part.map(|part| part(version).to_string()).join(".");
        let extensions = attempt("listing the validation layer's extensions", || unsafe {
            entry.enumerate_instance_extension_properties(Some(LAYER))
        })?;
        Ok(Self { takes_settings: lists(&extensions, ext::layer_settings::NAME), version })
    }

    /// The instance extension for the layer's settings.
    pub fn extension(&self) -> &'static CStr {
        if self.takes_settings { ext::layer_settings::NAME } else { ext::validation_features::NAME }
    }

    /// Calls `create` with `info` and the settings chained to it.
    pub fn with_settings<T>(
        &self,
        info: vk::InstanceCreateInfo<'_>,
        create: impl FnOnce(&vk::InstanceCreateInfo<'_>) -> T,
    ) -> T {
        if self.takes_settings {
            let (on, off) = ([vk::TRUE], [vk::FALSE]);
            // Without the last setting, 1.4.309 stops after ten messages of an id, and messages of the layer's
            // self-check and of earlier variants would hide those of the checked one.
            let settings = [
                (c"validate_sync", &on),
                (c"syncval_shader_accesses_heuristic", &on),
                (c"enable_message_limit", &off),
            ]
            .map(|(name, value)| vk::LayerSettingEXT {
                value_count: 1,
                p_values: value.as_ptr().cast(),
                ..vk::LayerSettingEXT::default()
                    .layer_name(LAYER)
                    .setting_name(name)
                    .ty(vk::LayerSettingTypeEXT::BOOL32)
            });
            let mut settings = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
            create(&info.push_next(&mut settings))
        } else {
            let enabled = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
            let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enabled);
            create(&info.push_next(&mut features))
        }
    }
}

/// A message of the layer.
#[derive(Clone, Debug)]
pub struct Message {
    /// Message id, such as `SYNC-HAZARD-READ-AFTER-WRITE`.
    pub id: String,
    /// The text of the message.
    pub text: String,
    /// The label regions around the command, outermost first; empty for messages that are raised at a submit.
    pub regions: Vec<String>,
}

impl Message {
    /// Whether the message is from synchronization validation.
    pub fn is_hazard(&self) -> bool {
        self.id.starts_with("SYNC-HAZARD")
    }

    /// Whether the message names an image, in any repetition. All versions put the names into the text, in
    /// brackets; the message's list of objects lacks the image when 1.4.309 reports a hazard at a submit.
    pub fn names(&self, image: &str) -> bool {
        [']', ','].iter().any(|end| self.text.contains(&format!("[{image}{end}")))
    }
}

/// The messages of the layer.
#[derive(Debug)]
pub struct Messages {
    /// The layer's version.
    pub layer: String,
    received: Mutex<Received>,
}

#[derive(Debug, Default)]
struct Received {
    /// Received messages that were not taken yet.
    messages: Vec<Message>,
    /// Open regions around the command that is being recorded, kept here because layer 1.3.239 sends no regions
    /// with its messages.
    regions: Vec<String>,
}

impl Messages {
    pub(crate) fn of(layer: &Layer) -> Self {
        Self { layer: layer.version.clone(), received: Mutex::default() }
    }

    /// Removes and returns the messages received so far.
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut self.received().messages)
    }

    pub(crate) fn enter(&self, region: &str) {
        self.received().regions.push(region.to_owned());
    }

    pub(crate) fn leave(&self) {
        self.received().regions.pop();
    }

    fn received(&self) -> MutexGuard<'_, Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A messenger that appends to `messages`, which must outlive it.
pub fn messenger_info(messages: &Arc<Messages>) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(
            vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        )
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
        .pfn_user_callback(Some(receive))
        .user_data(Arc::as_ptr(messages).cast_mut().cast())
}

unsafe extern "system" fn receive(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    messages: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes valid data, and `messages` points into the Arc that the instance
    // holds as long as the messenger.
    let (data, messages) = unsafe { (&*data, &*messages.cast::<Messages>()) };
    let text = |s: Option<&CStr>| s.map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let mut received = messages.received();
    let message = Message {
        id: text(unsafe { data.message_id_name_as_c_str() }),
        text: text(unsafe { data.message_as_c_str() }),
        regions: received.regions.clone(),
    };
    received.messages.push(message);
    vk::FALSE
}
