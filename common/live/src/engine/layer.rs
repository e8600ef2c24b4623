//! Messages of the validation layer while a sample is shown. Variants are sampled in random order, so a message
//! that any variant of the lab explains is accepted; only `--check` knows which variant raised it.

use std::cell::Cell;

use bench::lab::Experiment;
use report::terminal::say;
use vulkan::validation::Message;

use super::state::EngineState;
use crate::messages::About;

/// Number of messages that are printed; thousands would hide the first.
const MOST_SAID: usize = 3;

/// Counts messages that no variant explains.
#[derive(Debug, Default)]
pub(super) struct LayerMessages {
    heard: Cell<usize>,
}

impl LayerMessages {
    /// Takes the layer's new messages and reports the unexplained ones.
    pub fn hear(&self, lab: &Experiment, state: &mut EngineState) {
        let messages = lab.gpu.take_messages();
        let mut unexplained = messages.into_iter().filter(|message| !lab.explains(message)).peekable();
        if let Some(first) = unexplained.peek() {
            state.tell(About::Layer, Some(format!("{}: {}", first.id, first.text)));
        }
        self.report(unexplained);
    }

    /// Reports messages that the layer left when the device was destroyed.
    pub fn report(&self, messages: impl IntoIterator<Item = Message>) {
        for Message { id, text, .. } in messages {
            if self.heard.get() < MOST_SAID {
                say(&format!("the validation layer: {id}: {text}"));
            }
            self.heard.set(self.heard.get() + 1);
        }
    }

    pub fn is_silent(&self) -> bool {
        self.heard.get() == 0
    }
}
