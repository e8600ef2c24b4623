//! The forms of Vulkan events.

use common::record::event_drivers::Form;
use common::vulkan::cmd::script::Sync;
use common::{Access1, Cmd, Event, EventState, Gpu, Scope1, Stage, Stage1};
use samples::{LOADS, NO_ACCESS, STORES};

// `STORES`, `LOADS` and `NO_ACCESS` in the flags of sync1.
const STORES1: Scope1 = (Stage1::COMPUTE_SHADER, Access1::SHADER_WRITE);
const LOADS1: Scope1 = (Stage1::COMPUTE_SHADER, Access1::SHADER_READ);
const NO_ACCESS1: Scope1 = (Stage1::COMPUTE_SHADER, Access1::empty());

/// How an event is set and waited for.
#[derive(Clone, Copy, Debug)]
pub struct EventForm {
    /// The version of the commands.
    pub sync: Sync,
    /// The talk's own form: coherent stores replace the cache flush, and the event only orders execution.
    pub coherent: bool,
    /// Whether the host can see the event.
    pub state: EventState,
}

impl EventForm {
    /// All forms. The first one may overlap with two open drivers, by their source, and no other does. Asymmetric events
    /// are device-only, because no driver that was read distinguishes states.
    pub fn all() -> impl Iterator<Item = Self> {
        let on_device = [Sync::Two, Sync::One, Sync::Asymmetric].map(|sync| (EventState::DeviceOnly, sync));
        let on_host = [Sync::Two, Sync::One].map(|sync| (EventState::HostVisible, sync));
        let forms = on_device.into_iter().chain(on_host);
        forms.flat_map(|(state, sync)| [true, false].map(|coherent| Self { sync, coherent, state }))
    }

    /// What drivers take it for.
    pub fn of_drivers(self) -> Form {
        match (self.sync, self.coherent) {
            (Sync::One, _) => Form::Sync1,
            (Sync::Two, true) => Form::Sync2NoAccess,
            (Sync::Two, false) => Form::Sync2,
            (Sync::Asymmetric, _) => Form::Asymmetric,
        }
    }

    /// Why this driver does not have it, if so.
    pub fn lacking(self, gpu: &Gpu) -> Option<String> {
        let lacks = self.sync == Sync::Asymmetric && !gpu.has_asymmetric_events;
        lacks.then(|| "the driver lacks VK_KHR_maintenance9".to_owned())
    }

    /// Name of a variant in this form: `events_coherent_sync1_host_2`.
    pub fn variant(self, what: &str, bands: u32) -> String {
        let access = if self.coherent { "_coherent" } else { "" };
        let sync = match self.sync {
            Sync::Two => "",
            Sync::One => "_sync1",
            Sync::Asymmetric => "_asymmetric",
        };
        let state = if self.state == EventState::HostVisible { "_host" } else { "" };
        format!("{what}{access}{sync}{state}_{bands}")
    }

    pub fn set(self, cmd: &Cmd, event: Event) {
        match (self.sync, self.coherent) {
            (Sync::One, _) => cmd.set_event(event, Stage1::COMPUTE_SHADER),
            (Sync::Two, true) => cmd.set_event2(event, NO_ACCESS, NO_ACCESS),
            (Sync::Two, false) => cmd.set_event2(event, STORES, LOADS),
            (Sync::Asymmetric, _) => cmd.set_event2_asymmetric(event, Stage::COMPUTE_SHADER),
        }
    }

    pub fn wait(self, cmd: &Cmd, event: Event) {
        match (self.sync, self.coherent) {
            (Sync::One, true) => cmd.wait_events(event, NO_ACCESS1, NO_ACCESS1),
            (Sync::One, false) => cmd.wait_events(event, STORES1, LOADS1),
            (Sync::Two, true) => cmd.wait_events2(event, NO_ACCESS, NO_ACCESS),
            (Sync::Two, false) => cmd.wait_events2(event, STORES, LOADS),
            (Sync::Asymmetric, true) => cmd.wait_events2_asymmetric(event, NO_ACCESS, NO_ACCESS),
            (Sync::Asymmetric, false) => cmd.wait_events2_asymmetric(event, STORES, LOADS),
        }
    }
}
