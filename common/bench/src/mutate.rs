//! Changes to recordings under `--check`: what shows that a check can fail, and what lets the layer
//! judge a variant that leaves access masks empty.

use ash::vk::{AccessFlags2, PipelineStageFlags2};
use clap::ValueEnum;

use vulkan::cmd::Scope;
use vulkan::cmd::script::{Script, Step, Sync};
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
    /// All access masks are empty.
    NoAccess,
    /// Every stage is that of copies, which does not take in the dispatches.
    WrongStage,
    /// As `no-sets`, and submitted all the same, on a CPU device: the time-out must end it.
    Endless,
}

/// How a variant's own commands are changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mutation {
    /// Empty access masks become those of storage writes and reads, so that the layer, which knows
    /// nothing of coherent stores, judges the execution dependency alone.
    pub complete: bool,
    /// What is broken.
    pub broken: Option<Break>,
}

impl Mutation {
    /// Nothing is changed.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    pub(crate) fn breaks(self, what: Break) -> bool {
        self.broken == Some(what) || (what == Break::NoSets && self.broken == Some(Break::Endless))
    }

    /// The script as it is to be recorded.
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

    /// Changes a step; `false` leaves it out. `first_set` is the event that was set first, as soon as one was.
    fn keeps(self, step: &mut Step, first_set: &mut Option<Event>) -> bool {
        match step {
            Step::Barrier { src, dst, .. } => {
                (*src, *dst) = self.scopes(*src, *dst, Sync::Two);
                !self.breaks(Break::NoBarriers)
            }
            Step::Set { sync, event, src, dst } => {
                first_set.get_or_insert(*event);
                (*src, *dst) = match sync {
                    Sync::Two => self.scopes(*src, *dst, *sync),
                    Sync::One => (self.stage(*src), *dst),
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

    /// The scopes of a dependency.
    fn scopes(self, src: Scope, dst: Scope, sync: Sync) -> (Scope, Scope) {
        let (src_access, dst_access) = self.accesses(src, dst, sync);
        ((self.stage(src).0, src_access), (self.stage(dst).0, dst_access))
    }

    /// A scope with its stage as the recording is to have it.
    fn stage(self, scope: Scope) -> Scope {
        let broken = self.breaks(Break::WrongStage);
        (if broken { PipelineStageFlags2::TRANSFER } else { scope.0 }, scope.1)
    }

    fn accesses(self, src: Scope, dst: Scope, sync: Sync) -> (AccessFlags2, AccessFlags2) {
        if self.breaks(Break::NoAccess) || self.breaks(Break::WrongStage) {
            // A shader's accesses would not go with the stage of copies: another fault than this one.
            return (AccessFlags2::NONE, AccessFlags2::NONE);
        }
        if self.complete && src.1.is_empty() && dst.1.is_empty() {
            return match sync {
                Sync::One => (AccessFlags2::SHADER_WRITE, AccessFlags2::SHADER_READ),
                Sync::Two => (AccessFlags2::SHADER_STORAGE_WRITE, AccessFlags2::SHADER_STORAGE_READ),
            };
        }
        (src.1, dst.1)
    }
}

#[cfg(test)]
mod tests {
    use vulkan::cmd::script::{Point, Submit};
    use vulkan::cmd::{Access, Stage};
    use vulkan::handles::Queue;

    use super::*;

    const STORES: Scope = (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_WRITE);
    const LOADS: Scope = (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_READ);
    const BARE: Scope = (Stage::COMPUTE_SHADER, Access::NONE);

    fn set(event: u32) -> Step {
        Step::Set { sync: Sync::Two, event: Event(event), src: STORES, dst: LOADS }
    }

    fn wait(event: u32) -> Step {
        Step::Wait { sync: Sync::Two, event: Event(event), src: STORES, dst: LOADS }
    }

    fn barrier(src: Scope, dst: Scope) -> Step {
        Step::Barrier { src, dst, image: None }
    }

    /// What is left of one submit of these steps, which waits for a point.
    fn changed(mutation: Mutation, steps: Vec<Step>) -> (usize, Vec<String>) {
        let point = Point { queue: Queue::First, value: 1 };
        let waits = vec![(Point { queue: Queue::Second, value: 1 }, Stage::COMPUTE_SHADER)];
        let script = mutation.apply(Script { submits: vec![Submit { point, waits, steps }] });
        let told = |step: &Step| match step {
            Step::Barrier { src, dst, .. } => format!("barrier {src:?} {dst:?}"),
            Step::Set { event, .. } => format!("set {}", event.0),
            Step::Wait { event, .. } => format!("wait {}", event.0),
            step => format!("{step:?}"),
        };
        (script.submits[0].waits.len(), script.steps().map(told).collect())
    }

    fn broken(what: Break, steps: Vec<Step>) -> (usize, Vec<String>) {
        changed(Mutation { complete: false, broken: Some(what) }, steps)
    }

    #[test]
    fn each_kind_of_dependency_is_left_out_alone() {
        let all = || vec![set(1), barrier(STORES, LOADS), set(2), wait(2), Step::EndLabel];
        let left = |what| {
            let (waits, steps) = broken(what, all());
            let first_word = |step: &String| step.split(' ').next().unwrap().to_owned();
            (waits, steps.iter().map(first_word).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(left(Break::NoBarriers), (1, "set set wait EndLabel".into()));
        assert_eq!(left(Break::NoWaits), (0, "set barrier set EndLabel".into()));
        assert_eq!(left(Break::NoSets), (1, "barrier wait EndLabel".into()));
        assert_eq!(left(Break::Endless), left(Break::NoSets));
        assert_eq!(left(Break::NoResets), (1, "set barrier set wait EndLabel".into()));
    }

    #[test]
    fn every_wait_is_for_the_event_that_was_set_first() {
        let (_, steps) = broken(Break::FirstEvent, vec![wait(9), set(1), set(2), wait(2)]);
        assert_eq!(steps, ["wait 9", "set 1", "set 2", "wait 1"]);
    }

    #[test]
    fn scopes_are_emptied_moved_or_filled_in() {
        let of = |mutation, src, dst| changed(mutation, vec![barrier(src, dst)]).1.remove(0);
        let broken = |what| Mutation { complete: false, broken: Some(what) };
        let copies = (Stage::TRANSFER, Access::NONE);
        assert_eq!(of(broken(Break::NoAccess), STORES, LOADS), format!("barrier {BARE:?} {BARE:?}"));
        assert_eq!(of(broken(Break::WrongStage), STORES, LOADS), format!("barrier {copies:?} {copies:?}"));
        let complete = Mutation { complete: true, broken: None };
        assert_eq!(of(complete, BARE, BARE), format!("barrier {STORES:?} {LOADS:?}"));
        assert_eq!(of(complete, STORES, BARE), format!("barrier {STORES:?} {BARE:?}"));
    }
}
