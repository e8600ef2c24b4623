//! Changes recordings under `--check`: breaks them to show that a check can fail, and fills in empty access masks
//! so that the validation layer can check a hardware-dependent variant.

use ash::vk::{AccessFlags2, PipelineStageFlags2};
use clap::ValueEnum;

use vulkan::cmd::script::{Script, Step, Sync};
use vulkan::cmd::{LoadOp, Scope};
use vulkan::handles::Event;

/// A dependency that is broken on purpose, for the tests that must see it reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Break {
    /// `vkCmdPipelineBarrier2` is left out.
    NoBarriers,
    /// `vkCmdWaitEvents2` and the waits for semaphores are left out.
    NoWaits,
    /// `vkCmdSetEvent2` is left out: what waits for it would wait for ever.
    NoSets,
    /// The runner forgets to reset the events of the submit before.
    NoResets,
    /// Every wait is for the first event of the recording.
    FirstEvent,
    /// Barriers that change layouts are memory barriers.
    NoLayouts,
    /// Render passes load what they should clear or need not load, and clear to another colour what they should load.
    WrongLoads,
    /// All access masks are empty.
    NoAccess,
    /// Every stage is that of copies, which does not take in the dispatches.
    WrongStage,
    /// As `no-sets`, and submitted all the same, on a CPU device: the time-out must end it.
    Endless,
}

/// Changes to the commands of a variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mutation {
    /// Replaces empty access masks with storage writes and reads. The layer does not know about coherent stores, so
    /// it then checks only the execution dependencies.
    pub complete: bool,
    /// What is broken.
    pub broken: Option<Break>,
}

impl Mutation {
    pub(crate) fn breaks(self, what: Break) -> bool {
        self.broken == Some(what) || (what == Break::NoSets && self.broken == Some(Break::Endless))
    }

    /// Applies the changes to a script before it is recorded.
    pub fn apply(self, mut script: Script) -> Script {
        for submit in &mut script.submits {
            if self.breaks(Break::NoWaits) {
                submit.waits.clear();
            }
            let mut first_set = None;
            submit.steps.retain_mut(|step| self.keeps(step, &mut first_set));
        }
        script
    }

    /// Changes a step; returns `false` to leave it out. `first_set` is the event that was set first, if any.
    fn keeps(self, step: &mut Step, first_set: &mut Option<Event>) -> bool {
        match step {
            Step::Barrier { src, dst, images } => {
                (*src, *dst) = self.scopes(*src, *dst, Sync::Two);
                let changes = images.iter().any(|(_, [from, to])| from != to);
                if changes && self.breaks(Break::NoLayouts) {
                    images.clear();
                }
                !self.breaks(Break::NoBarriers)
            }
            Step::Rendering(rendering) if self.breaks(Break::WrongLoads) => {
                for attachment in rendering.attachments_mut() {
                    attachment.load = match attachment.load {
                        LoadOp::Load => LoadOp::Clear([0.5_f32.to_bits(); 4]),
                        LoadOp::Clear(_) | LoadOp::DontCare => LoadOp::Load,
                    };
                }
                true
            }
            Step::Set { sync, event, src, dst } => {
                first_set.get_or_insert(*event);
                (*src, *dst) = match sync {
                    Sync::Two => self.scopes(*src, *dst, *sync),
                    // Only their waits have accesses.
                    Sync::One | Sync::Asymmetric => (self.stage(*src), *dst),
                };
                !self.breaks(Break::NoSets)
            }
            Step::Wait { sync, event, src, dst } => {
                *event = first_set.filter(|_| self.breaks(Break::FirstEvent)).unwrap_or(*event);
                (*src, *dst) = self.scopes(*src, *dst, *sync);
                !self.breaks(Break::NoWaits)
            }
            _ => true,
        }
    }

    /// The scopes of a dependency after the change.
    fn scopes(self, src: Scope, dst: Scope, sync: Sync) -> (Scope, Scope) {
        let (src_access, dst_access) = self.accesses(src, dst, sync);
        ((self.stage(src).0, src_access), (self.stage(dst).0, dst_access))
    }

    /// A scope's stages after the change.
    fn stage(self, scope: Scope) -> Scope {
        let broken = self.breaks(Break::WrongStage);
        (if broken { PipelineStageFlags2::TRANSFER } else { scope.0 }, scope.1)
    }

    fn accesses(self, src: Scope, dst: Scope, sync: Sync) -> (AccessFlags2, AccessFlags2) {
        if self.breaks(Break::NoAccess) || self.breaks(Break::WrongStage) {
            // Shader accesses are invalid with the copy stage, which would be a different error.
            return (AccessFlags2::NONE, AccessFlags2::NONE);
        }
        if self.complete && src.1.is_empty() && dst.1.is_empty() {
            return match sync {
                Sync::One => (AccessFlags2::SHADER_WRITE, AccessFlags2::SHADER_READ),
                Sync::Two | Sync::Asymmetric => {
                    (AccessFlags2::SHADER_STORAGE_WRITE, AccessFlags2::SHADER_STORAGE_READ)
                }
            };
        }
        (src.1, dst.1)
    }
}

#[cfg(test)]
mod tests {
    use vulkan::cmd::{Access, Cmd, Stage};

    use super::*;

    #[test]
    fn an_asymmetric_set_never_gets_accesses() {
        let scope = (Stage::COMPUTE_SHADER, Access::NONE);
        let steps = Cmd::steps(|cmd| {
            cmd.set_event2_asymmetric(Event(0), scope.0);
            cmd.wait_events2_asymmetric(Event(0), scope, scope);
        });
        let (none, copies) = ((Stage::NONE, Access::NONE), (Stage::TRANSFER, Access::NONE));
        let stores = (scope.0, Access::SHADER_STORAGE_WRITE);
        for (mutation, set, wait) in [
            (Mutation { complete: true, broken: None }, scope, stores),
            (Mutation { complete: true, broken: Some(Break::WrongStage) }, copies, copies),
        ] {
            let changed = mutation.apply(Script::on_one_queue(steps.clone()));
            let [Step::Set { src, dst, .. }, Step::Wait { src: waited, .. }] = &*changed.submits[0].steps
            else {
                panic!("{changed:?}");
            };
            assert_eq!((*src, *dst, *waited), (set, none, wait), "{mutation:?}");
        }
    }
}
