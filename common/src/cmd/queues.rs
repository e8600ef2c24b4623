//! Work on two queues, which is several submits by nature.

use std::cell::{Cell, RefCell};
use std::fmt;

use anyhow::anyhow;

use super::script::{Point, Queue, Script, Submit};
use super::{Cmd, Noted, Stage};
use crate::gpu::Gpu;
use crate::tamper::Break;

/// What a variant for two queues submits to. The submits are collected, gated until the last of them
/// is with the driver, and timed on the first queue: see METHODOLOGY.md.
pub struct Queues<'g> {
    gpu: &'g Gpu,
    script: RefCell<Script>,
    noted: RefCell<Noted>,
    /// How far each queue is, and how far in the other's timeline it has waited.
    submitted: [Cell<u64>; 2],
    waited: [Cell<u64>; 2],
}

impl fmt::Debug for Queues<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queues").field("script", &self.script).finish_non_exhaustive()
    }
}

impl<'g> Queues<'g> {
    pub(crate) fn new(gpu: &'g Gpu) -> Self {
        Self {
            gpu,
            script: RefCell::default(),
            noted: RefCell::default(),
            submitted: Default::default(),
            waited: Default::default(),
        }
    }

    /// `vkQueueSubmit2` of one command buffer: `waits` are points of the timeline semaphores, each
    /// with the stages that wait for it, and it signals the returned point of its own queue's.
    ///
    /// The second queue's first submit must wait for the first queue, and the last submit must be on
    /// the first queue and wait for all of the second: both timestamps are on the first.
    pub fn submit2(&self, queue: Queue, waits: &[(Point, Stage)], record: impl FnOnce(&Cmd<'_>)) -> Point {
        let cmd = Cmd::script(self.gpu);
        record(&cmd);
        let (steps, noted) = cmd.into_steps();
        self.noted.borrow_mut().add(noted);
        let at = queue as usize;
        let point = Point { queue, value: self.submitted[at].get() + 1 };
        self.submitted[at].set(point.value);
        for (other, _) in waits.iter().filter(|(other, _)| other.queue != queue) {
            self.waited[at].set(self.waited[at].get().max(other.value));
        }
        if queue == Queue::Second && self.waited[at].get() == 0 {
            self.misuse("the second queue's first submit must wait for one of the first queue");
        }
        let kept = if self.gpu.tamper.get().breaks(Break::NoWaits) { &[] } else { waits };
        self.script.borrow_mut().submits.push(Submit { point, waits: kept.to_vec(), steps });
        point
    }

    pub(crate) fn end(self) -> (Script, Noted) {
        let ends_on_first =
            self.script.borrow().submits.last().is_some_and(|s| s.point.queue == Queue::First);
        if !ends_on_first || self.waited[0].get() < self.submitted[1].get() {
            self.misuse("the last submit must be on the first queue and wait for all of the second's");
        }
        (self.script.into_inner(), self.noted.into_inner())
    }

    fn misuse(&self, what: &str) {
        self.noted.borrow_mut().misuse.get_or_insert_with(|| anyhow!("{what}"));
    }
}
