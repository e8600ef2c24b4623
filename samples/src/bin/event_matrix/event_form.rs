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

    /// Name of a variant in this form: `events_coherent_sync1_host_2`.
    pub fn variant(self, what: &str, bands: u32) -> String {
        let host = self.state == EventState::HostVisible;
        let parts = [(self.coherent, "_coherent"), (self.sync1, "_sync1"), (host, "_host")];
        let parts: String = parts.into_iter().filter_map(|(holds, part)| holds.then_some(part)).collect();
        format!("{what}{parts}_{bands}")
    }
}
