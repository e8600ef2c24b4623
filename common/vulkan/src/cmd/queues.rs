//! Recordings for two queues, which consist of several submits.

use std::cell::{Cell, RefCell};

use anyhow::{Result, bail};

use super::script::{Point, Script, Step, Submit};
use super::{Cmd, Stage};
use crate::handles::Queue;

/// The queues that a variant for two queues submits to. The submits are collected; they start after the last one
/// has been handed to the driver, and are timed on the first queue: see METHODOLOGY.md.
#[derive(Debug, Default)]
pub struct Queues {
    script: RefCell<Script>,
    misuse: Cell<Option<&'static str>>,
    /// Number of submits per queue, and the value of the other queue's timeline that each has waited for.
    submitted: [Cell<u64>; 2],
    waited: [Cell<u64>; 2],
}

impl Queues {
    /// Collects the submits of `record`.
    ///
    /// # Errors
    /// Submits that cannot be timed; see [`Queues::submit2`].
    pub fn script(record: impl FnOnce(&Self)) -> Result<Script> {
        let queues = Self::default();
        record(&queues);
        let ends_on_first =
            queues.script.borrow().submits.last().is_some_and(|submit| submit.point.queue == Queue::First);
        if !ends_on_first || queues.waited[0].get() < queues.submitted[1].get() {
            queues.misuse("the last submit must be on the first queue and wait for all of the second's");
        }
        match queues.misuse.get() {
            Some(misuse) => bail!(misuse),
            None => Ok(queues.script.take()),
        }
    }

    /// `vkQueueSubmit2` of one command buffer. `waits` are points of the timeline semaphores, each with the stages
    /// that wait for it. Returns the point that the submit signals on its own queue's timeline.
    ///
    /// The second queue's first submit must wait for the first queue. The last submit must be on the first queue
    /// and wait for all of the second, because both timestamps are on the first queue.
    pub fn submit2(&self, queue: Queue, waits: &[(Point, Stage)], record: impl FnOnce(&Cmd)) -> Point {
        let steps = Cmd::steps(record);
        let at = queue as usize;
        let point = Point { queue, value: self.submitted[at].get() + 1 };
        self.submitted[at].set(point.value);
        for (other, _) in waits.iter().filter(|(other, _)| other.queue != queue) {
            self.waited[at].set(self.waited[at].get().max(other.value));
        }
        if queue == Queue::Second && steps.iter().any(|step| matches!(step, Step::Rendering(_))) {
            self.misuse("the second queue may not draw");
        }
        if queue == Queue::Second && self.waited[at].get() == 0 {
            self.misuse("the second queue's first submit must wait for one of the first queue");
        }
        self.script.borrow_mut().submits.push(Submit { point, waits: waits.to_vec(), steps });
        point
    }

    fn misuse(&self, what: &'static str) {
        self.misuse.set(self.misuse.get().or(Some(what)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Stage = Stage::ALL_COMMANDS;

    #[test]
    fn submits_are_collected_in_order() {
        let script = Queues::script(|queues| {
            let first = queues.submit2(Queue::First, &[], |_| {});
            let second = queues.submit2(Queue::Second, &[(first, ALL)], |_| {});
            queues.submit2(Queue::First, &[(second, ALL)], |_| {});
        });
        let submits = script.unwrap().submits;
        let points: Vec<_> = submits.iter().map(|submit| (submit.point.queue, submit.point.value)).collect();
        assert_eq!(points, [(Queue::First, 1), (Queue::Second, 1), (Queue::First, 2)]);
        assert_eq!(submits[2].waits, [(submits[1].point, ALL)]);
    }

    #[test]
    fn what_could_not_be_timed_is_refused() {
        let told = |record: fn(&Queues)| Queues::script(record).unwrap_err().to_string();
        let begins_alone = told(|queues| {
            queues.submit2(Queue::Second, &[], |_| {});
        });
        assert!(begins_alone.contains("must wait for one of the first queue"), "{begins_alone}");
        let is_left = told(|queues| {
            let first = queues.submit2(Queue::First, &[], |_| {});
            queues.submit2(Queue::Second, &[(first, ALL)], |_| {});
            queues.submit2(Queue::First, &[], |_| {});
        });
        assert!(is_left.contains("wait for all of the second's"), "{is_left}");
        let draws = told(|queues| {
            let first = queues.submit2(Queue::First, &[], |_| {});
            let second = queues.submit2(Queue::Second, &[(first, ALL)], |cmd| cmd.rendering(&[], |_| {}));
            queues.submit2(Queue::First, &[(second, ALL)], |_| {});
        });
        assert!(draws.contains("may not draw"), "{draws}");
    }
}
