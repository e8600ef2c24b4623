//! What the validation layer says while a sample is shown. `--check` knows which variant raises it; here
//! variants are sampled in random order, so what any of them may raise is let pass.

use std::cell::Cell;

use bench::lab::Experiment;
use report::terminal::say;
use vulkan::validation::Message;

use super::state::EngineState;
use crate::messages::About;

/// So many messages are said; thousands would hide the first.
const MOST_SAID: usize = 3;

/// What was heard that no variant explains.
#[derive(Debug, Default)]
pub(super) struct LayerMessages {
    heard: Cell<usize>,
}

impl LayerMessages {
    /// Takes in what the layer has said.
    pub fn hear(&self, lab: &Experiment, state: &mut EngineState) {
        let messages = lab.gpu.take_messages();
        let mut unexplained = messages.into_iter().filter(|message| !lab.explains(message)).peekable();
        if let Some(first) = unexplained.peek() {
            state.tell(About::Layer, Some(format!("{}: {}", first.id, first.text)));
        }
        self.report(unexplained);
    }

    /// Takes in what the layer has said of a device that is gone.
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
