//! The forms of Vulkan events.

use common::EventState;

/// How an event is set and waited for.
#[derive(Clone, Copy, Debug)]
pub struct EventForm {
    /// Use the commands of Vulkan 1.0 instead of synchronization2.
    pub sync1: bool,
    /// The talk's own form: coherent stores replace the cache flush, and the event only orders execution.
    pub coherent: bool,
    /// Whether the host can see the event.
    pub state: EventState,
}

impl EventForm {
    /// All forms.
    pub fn all() -> impl Iterator<Item = Self> {
        let states = [EventState::DeviceOnly, EventState::HostVisible];
        let forms = states.into_iter().flat_map(|state| [false, true].map(|sync1| (state, sync1)));
        forms.flat_map(|(state, sync1)| [false, true].map(|coherent| Self { sync1, coherent, state }))
    }

    /// Whether the form runs by default.
    pub fn is_default(self) -> bool {
        !self.sync1 && self.state == EventState::DeviceOnly
    }

    /// Name of a variant in this form: `events_coherent_sync1_host_2`.
    pub fn variant(self, what: &str, count: u32) -> String {
        let parts = [(self.coherent, "_coherent"), (self.sync1, "_sync1"), (self.is_host(), "_host")];
        let parts: String = parts.into_iter().filter_map(|(holds, part)| holds.then_some(part)).collect();
        format!("{what}{parts}_{count}")
    }

    /// Row in the cross tables.
    pub fn words(self) -> String {
        let sync = if self.sync1 { "sync1" } else { "sync2" };
        let access = if self.coherent { "no access, coherent stores" } else { "write→read" };
        let state = if self.is_host() { "host-visible" } else { "device-only" };
        format!("{sync}, {access}, {state}")
    }

    /// Words for captions: passes in `count` bands, and events of this form.
    pub fn in_captions(self, count: u32) -> [String; 2] {
        let stores = if self.coherent { " with coherent stores" } else { "" };
        let host = if self.is_host() { "host-visible " } else { "" };
        let sync = if self.sync1 { "sync1 " } else { "" };
        [format!("Passes in {count} bands{stores}"), format!("{host}{sync}events")]
    }

    /// Whether the host can see the event.
    pub fn is_host(self) -> bool {
        self.state == EventState::HostVisible
    }
}
