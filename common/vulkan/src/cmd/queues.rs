//! Recordings for several queues, which consist of several submits.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::script::{Point, Script, Step, Submit};
use super::{Cmd, Stage};
use crate::handles::Queue;

/// The queues that a variant for several queues submits to. The submits are collected; they start after the last one
/// has been handed to the driver, and are timed on the first queue: see METHODOLOGY.md.
#[derive(Debug, Default)]
pub struct Queues {
    script: RefCell<Script>,
    misuse: Cell<Option<&'static str>>,
    /// Number of submits per queue.
    submitted: RefCell<BTreeMap<Queue, u64>>,
    /// The value of a queue's timeline that the first queue has waited for.
    waited: RefCell<BTreeMap<Queue, u64>>,
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
            queues.script.borrow().submits.last().is_some_and(|submit| submit.point.queue == Queue::FIRST);
        let waited = queues.waited.borrow();
        let is_left = |(queue, last): (&Queue, &u64)| {
            *queue != Queue::FIRST && waited.get(queue).is_none_or(|waited| waited < last)
        };
        if !ends_on_first || queues.submitted.borrow().iter().any(is_left) {
            queues.misuse("the last submit must be on the first queue and wait for all of the others'");
        }
        drop(waited);
        match queues.misuse.get() {
            Some(misuse) => bail!(misuse),
            None => Ok(queues.script.take()),
        }
    }

    /// `vkQueueSubmit2` of one command buffer, or of several: see [`Cmd::next_command_buffer`]. `waits` are points of the timeline semaphores, each with the stages
    /// that wait for it. Returns the point that the submit signals on its own queue's timeline.
    ///
    /// The first submit of any other queue must wait for a submit before it. The last submit must be on the first
    /// queue, which must have waited for all of the others, because both timestamps are on the first queue.
    pub fn submit2(&self, queue: Queue, waits: &[(Point, Stage)], record: impl FnOnce(&Cmd)) -> Point {
        let steps = Cmd::steps(record);
        let value = self.submitted.borrow().get(&queue).copied().unwrap_or_default() + 1;
        let point = Point { queue, value };
        self.submitted.borrow_mut().insert(queue, value);
        if queue == Queue::FIRST {
            for (other, _) in waits {
                let mut waited = self.waited.borrow_mut();
                let waited = waited.entry(other.queue).or_default();
                *waited = other.value.max(*waited);
            }
        } else if value == 1 && waits.is_empty() {
            self.misuse("the first submit of another queue must wait for a submit before it");
        }
        if queue != Queue::FIRST && steps.iter().any(|step| matches!(step, Step::Rendering(_))) {
            self.misuse("only the first queue may draw");
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
            let first = queues.submit2(Queue::FIRST, &[], |_| {});
            let second = queues.submit2(Queue::SECOND, &[(first, ALL)], |_| {});
            queues.submit2(Queue::FIRST, &[(second, ALL)], |_| {});
        });
        let submits = script.unwrap().submits;
        let points: Vec<_> = submits.iter().map(|submit| (submit.point.queue, submit.point.value)).collect();
        assert_eq!(points, [(Queue::FIRST, 1), (Queue::SECOND, 1), (Queue::FIRST, 2)]);
        assert_eq!(submits[2].waits, [(submits[1].point, ALL)]);
    }

    #[test]
    fn a_submit_has_the_command_buffers_that_are_listed() {
        let script = Queues::script(|queues| {
            queues.submit2(Queue::FIRST, &[], |cmd| {
                for query in 0..3 {
                    cmd.write_timestamp2(ALL, query);
                    if query != 1 {
                        cmd.next_command_buffer();
                    }
                }
            });
        });
        let submits = script.unwrap().submits;
        let lengths: Vec<usize> = submits[0].buffers().map(<[Step]>::len).collect();
        assert_eq!(lengths, [1, 2, 0]);
    }

    #[test]
    fn what_could_not_be_timed_is_refused() {
        let told = |record: fn(&Queues)| Queues::script(record).unwrap_err().to_string();
        let begins_alone = told(|queues| {
            queues.submit2(Queue::SECOND, &[], |_| {});
        });
        assert!(begins_alone.contains("must wait for a submit before it"), "{begins_alone}");
        let is_left = told(|queues| {
            let first = queues.submit2(Queue::FIRST, &[], |_| {});
            queues.submit2(Queue::SECOND, &[(first, ALL)], |_| {});
            queues.submit2(Queue::FIRST, &[], |_| {});
        });
        assert!(is_left.contains("wait for all of the others'"), "{is_left}");
        let one_of_two_is_left = told(|queues| {
            let first = queues.submit2(Queue::FIRST, &[], |_| {});
            let second = queues.submit2(Queue::SECOND, &[(first, ALL)], |_| {});
            queues.submit2(Queue(2), &[(second, ALL)], |_| {});
            queues.submit2(Queue::FIRST, &[(second, ALL)], |_| {});
        });
        assert!(one_of_two_is_left.contains("wait for all of the others'"), "{one_of_two_is_left}");
        let draws = told(|queues| {
            let first = queues.submit2(Queue::FIRST, &[], |_| {});
            let second = queues.submit2(Queue::SECOND, &[(first, ALL)], |cmd| cmd.rendering(&[], |_| {}));
            queues.submit2(Queue::FIRST, &[(second, ALL)], |_| {});
        });
        assert!(draws.contains("only the first queue may draw"), "{draws}");
    }
}
