//! Changes to recordings under `--check`: what shows that a check can fail, and what lets the layer
//! judge a variant that leaves access masks empty.

use ash::vk::AccessFlags2;
use clap::ValueEnum;

use crate::cmd::Scope;

/// A dependency that is broken on purpose, for the tests that must see it reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Break {
    /// `vkCmdPipelineBarrier2` is left out.
    NoBarriers,
    /// `vkCmdWaitEvents2` is left out.
    NoWaits,
    /// Every wait is for the first event of the recording.
    FirstEvent,
    /// All access masks are empty.
    NoAccess,
}

/// How a variant's own commands are changed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tamper {
    /// Empty access masks become those of storage writes and reads, so that the layer, which knows
    /// nothing of coherent stores, judges the execution dependency alone.
    pub complete: bool,
    /// What is broken.
    pub broken: Option<Break>,
}

impl Tamper {
    pub fn breaks(self, what: Break) -> bool {
        self.broken == Some(what)
    }

    /// The access masks of a dependency.
    pub fn accesses(self, src: Scope, dst: Scope) -> (AccessFlags2, AccessFlags2) {
        if self.breaks(Break::NoAccess) {
            return (AccessFlags2::NONE, AccessFlags2::NONE);
        }
        if self.complete && src.1.is_empty() && dst.1.is_empty() {
            return (AccessFlags2::SHADER_STORAGE_WRITE, AccessFlags2::SHADER_STORAGE_READ);
        }
        (src.1, dst.1)
    }
}
