//! Derives the allowed orders of a recording's dispatches, to test whether its result depends on the order.
//!
//! A device may run dispatches in every order that the recorded dependencies allow, but most devices never do: on
//! lavapipe no race ever shows. So `--check` derives from a variant's commands which dispatch must wait for which,
//! and then runs the dispatches one by one, with a full barrier after each, in unlikely but allowed orders. Each
//! order runs one dispatch as early as its dependencies allow. For every two dispatches without a dependency, one
//! of these orders runs the later one first; a read that should have waited then reads the wrong generation on
//! every device.
//!
//! The analysis may miss a dependency that exists, but it never invents one. It does not follow chains through
//! stages without work, such as a barrier from compute to copy and a second barrier from copy to compute.
//!
//! It does not detect races of overlapping dispatches or missing visibility. Visibility is checked by the
//! validation layer. Rules: Vulkan 1.3, sections 7.1 (execution dependencies), 7.5 (events), 7.6 (barriers), 7.4.1
//! and 7.4.2 (semaphores).

use std::collections::{BTreeMap, BTreeSet};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use vulkan::cmd::Stage;
use vulkan::cmd::script::{Point, Script, Step};
use vulkan::handles::{Event, Queue};

/// For each dispatch, in the order of recording: the dispatches that must end before it begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Order(Vec<BTreeSet<usize>>);

impl Order {
    /// Derives the dependencies of a recording. `reset` are the events that are not set at its beginning; an event
    /// that may still be set from an earlier submit orders nothing.
    pub fn of(script: &Script, reset: &[Event]) -> Self {
        let mut found = Found { reset, ..Found::default() };
        for submit in &script.submits {
            let at = submit.point.queue;
            for (point, stages) in &submit.waits {
                found
                    .queues
                    .entry(at)
                    .or_default()
                    .wait(*stages, found.signalled.get(point).map_or(&[], Vec::as_slice));
            }
            submit.steps.iter().for_each(|step| found.step(at, step));
            let all = found.queues.entry(at).or_default().all.clone();
            found.signalled.insert(submit.point, all);
        }
        Self(found.after)
    }

    /// Whether one dispatch must wait for another.
    pub fn waits(&self, dispatch: usize, earlier: usize) -> bool {
        self.0[dispatch].contains(&earlier)
    }

    /// How many dispatches could run earlier than recorded.
    pub fn free(&self) -> usize {
        (0..self.0.len()).filter(|&d| self.0[d].len() < d).count()
    }

    /// Allowed orders other than the recorded one, at most `limit`: in each, one dispatch runs as early as
    /// possible. If there are more, they are drawn at random with a fixed seed; at regular intervals, all would be
    /// of the same band.
    pub fn others(&self, limit: usize) -> Vec<(usize, Vec<usize>)> {
        let mut early: Vec<usize> = (0..self.0.len()).filter(|&d| self.0[d].len() < d).collect();
        if early.len() > limit {
            early.shuffle(&mut Pcg64::seed_from_u64(0));
            early.truncate(limit);
            early.sort_unstable();
        }
        early.into_iter().map(|d| (d, self.with_early(d))).collect()
    }

    /// The order that runs the dependencies of `dispatch`, then `dispatch`, then all others.
    fn with_early(&self, dispatch: usize) -> Vec<usize> {
        let needed = &self.0[dispatch];
        let rest = (0..self.0.len()).filter(|d| *d != dispatch && !needed.contains(d));
        needed.iter().copied().chain([dispatch]).chain(rest).collect()
    }
}

#[derive(Default)]
struct Found<'e> {
    reset: &'e [Event],
    after: Vec<BTreeSet<usize>>,
    queues: BTreeMap<Queue, OnQueue>,
    /// The dispatches that an event or a semaphore value waits for. An event belongs to one queue, because no other
    /// queue may wait for it.
    set: BTreeMap<(Queue, Event), Vec<Work>>,
    signalled: BTreeMap<Point, Vec<Work>>,
}

/// The number of a dispatch and the pipeline stage that it ends in.
type Work = (usize, Stage);

#[derive(Default)]
struct OnQueue {
    /// The dispatches so far.
    all: Vec<Work>,
    /// Dispatches that every later dispatch in these stages must wait for.
    gates: BTreeMap<Stage, BTreeSet<usize>>,
}

impl OnQueue {
    /// Makes later work in `stages` wait for `before`.
    fn wait(&mut self, stages: Stage, before: &[Work]) {
        self.gates.entry(stages).or_default().extend(before.iter().map(|(number, _)| number));
    }
}

impl Found<'_> {
    fn step(&mut self, queue: Queue, step: &Step) {
        let on = self.queues.entry(queue).or_default();
        match step {
            Step::Barrier { src, dst, .. } => on.wait(dst.0, &taken_in(src.0, &on.all)),
            Step::Set { event, src, .. } if self.reset.contains(event) => {
                // Setting an event twice changes nothing: a wait refers to the first set.
                self.set.entry((queue, *event)).or_insert_with(|| taken_in(src.0, &on.all));
            }
            Step::Wait { event, src, dst, .. } => {
                if let Some(before) = self.set.get(&(queue, *event)) {
                    on.wait(dst.0, &taken_in(src.0, before));
                }
            }
            step => {
                step.stage().zip(step.last_stage()).into_iter().for_each(|stages| self.work(queue, stages))
            }
        }
    }

    /// Adds a dispatch. It depends on the gates of its stage and on everything that those depend on.
    fn work(&mut self, queue: Queue, (stage, last): (Stage, Stage)) {
        let number = self.after.len();
        let on = self.queues.entry(queue).or_default();
        let gates = || on.gates.iter().filter(|(stages, _)| takes_in(**stages, stage));
        let gate = || gates().flat_map(|(_, gate)| gate);
        let further = gate().flat_map(|&d| self.after[d].iter());
        let needed = further.chain(gate()).copied().collect();
        self.after.push(needed);
        on.all.push((number, last));
    }
}

/// The work that is in a first scope with these stages.
fn taken_in(stages: Stage, work: &[Work]) -> Vec<Work> {
    work.iter().copied().filter(|(_, stage)| takes_in(stages, *stage)).collect()
}

fn takes_in(stages: Stage, stage: Stage) -> bool {
    stages.intersects(stage | Stage::ALL_COMMANDS)
}

#[cfg(test)]
mod tests {
    use vulkan::cmd::script::{Dispatch, Submit, Sync};
    use vulkan::cmd::{Access, Attachment, ImageLayout, LoadOp, Rendering, Scope};
    use vulkan::handles::{Buffer, Image, Kernel};

    use super::*;

    const COMPUTE: Scope = (Stage::COMPUTE_SHADER, Access::NONE);
    const COPIES: Scope = (Stage::TRANSFER, Access::NONE);

    fn dispatch() -> Step {
        Step::Dispatch(Dispatch::new::<Image, _>(Kernel(0), &[], &(), [1; 3]))
    }

    fn barrier(src: Scope, dst: Scope) -> Step {
        Step::Barrier { src, dst, images: Vec::new() }
    }

    fn set(event: u32) -> Step {
        Step::Set { sync: Sync::Two, event: Event(event), src: COMPUTE, dst: COMPUTE }
    }

    fn wait(event: u32) -> Step {
        Step::Wait { sync: Sync::Two, event: Event(event), src: COMPUTE, dst: COMPUTE }
    }

    fn submit(queue: Queue, value: u64, waits: Vec<(Point, Stage)>, steps: Vec<Step>) -> Submit {
        Submit { point: Point { queue, value }, waits, steps }
    }

    fn order(steps: Vec<Step>, reset: &[u32]) -> Vec<Vec<usize>> {
        let reset: Vec<Event> = reset.iter().map(|&e| Event(e)).collect();
        let order = Order::of(&Script::on_one_queue(steps), &reset);
        order.0.iter().map(|after| after.iter().copied().collect()).collect()
    }

    #[test]
    fn a_barrier_orders_all_before_with_all_behind() {
        let steps = vec![dispatch(), dispatch(), barrier(COMPUTE, COMPUTE), dispatch()];
        assert_eq!(order(steps, &[]), [vec![], vec![], vec![0, 1]]);
        for (src, dst) in [(COPIES, COMPUTE), (COMPUTE, COPIES)] {
            assert_eq!(order(vec![dispatch(), barrier(src, dst), dispatch()], &[]), [[0; 0]; 2]);
        }
    }

    #[test]
    fn a_clear_is_work_of_its_own_stage() {
        let clear = || Step::FillBuffer { buffer: Buffer(0), word: 1 };
        let clears = (Stage::CLEAR, Access::NONE);
        let ordered =
            vec![dispatch(), barrier(COMPUTE, clears), clear(), barrier(clears, COMPUTE), dispatch()];
        assert_eq!(order(ordered, &[]), [vec![], vec![0], vec![0, 1]]);
        let by_transfer = vec![clear(), barrier(COPIES, COMPUTE), dispatch()];
        assert_eq!(order(by_transfer, &[]), [vec![], vec![0]]);
        let of_dispatches_alone = vec![dispatch(), barrier(COMPUTE, COMPUTE), clear(), dispatch()];
        assert_eq!(order(of_dispatches_alone, &[]), [vec![], vec![], vec![0]]);
    }

    #[test]
    fn a_render_pass_is_work_of_its_pixels_and_attachments() {
        let pass = || Step::Rendering(Rendering { colours: Vec::new(), depth: None, inside: Vec::new() });
        let [drawn, pixels] =
            [Stage::COLOR_ATTACHMENT_OUTPUT, Stage::FRAGMENT_SHADER].map(|s| (s, Access::NONE));
        let ordered = vec![pass(), barrier(drawn, pixels), pass(), barrier(drawn, COMPUTE), dispatch()];
        assert_eq!(order(ordered, &[]), [vec![], vec![0], vec![0, 1]]);
        assert_eq!(order(vec![dispatch(), barrier(COMPUTE, COMPUTE), pass()], &[]), [[0; 0]; 2]);
        let with_depth = || {
            let at = Attachment { image: Image(0), layout: ImageLayout::GENERAL, load: LoadOp::Load };
            Step::Rendering(Rendering { colours: Vec::new(), depth: Some(at), inside: Vec::new() })
        };
        let tests = (Stage::EARLY_FRAGMENT_TESTS, Access::NONE);
        assert_eq!(order(vec![dispatch(), barrier(COMPUTE, tests), with_depth()], &[]), [vec![], vec![0]]);
        // Depths are tested before the pixel shader runs.
        assert_eq!(order(vec![dispatch(), barrier(COMPUTE, pixels), with_depth()], &[]), [[0; 0]; 2]);
        // The pixels are done before the attachment is written.
        assert_eq!(order(vec![pass(), barrier(pixels, COMPUTE), dispatch()], &[]), [[0; 0]; 2]);
    }

    #[test]
    fn an_event_stands_for_what_came_before_it_was_set() {
        let steps = || vec![dispatch(), set(7), dispatch(), wait(7), dispatch()];
        assert_eq!(order(steps(), &[7]), [vec![], vec![], vec![0]]);
        assert_eq!(order(steps(), &[]), [[0; 0]; 3], "it may be set from before");
        let never_waited = vec![dispatch(), set(7), dispatch()];
        assert_eq!(order(never_waited, &[7]), [[0; 0]; 2]);
    }

    #[test]
    fn an_asymmetric_set_has_stages_of_its_own() {
        let event = Event(7);
        let set = Step::Set { sync: Sync::Asymmetric, event, src: COMPUTE, dst: (Stage::NONE, Access::NONE) };
        let wait = |src| Step::Wait { sync: Sync::Asymmetric, event, src, dst: COMPUTE };
        let steps = |src| vec![dispatch(), set.clone(), dispatch(), wait(src), dispatch()];
        assert_eq!(order(steps(COMPUTE), &[7]), [vec![], vec![], vec![0]]);
        assert_eq!(order(steps(COPIES), &[7]), [[0; 0]; 3]);
    }

    #[test]
    fn a_set_event_is_not_set_again() {
        let twice = vec![set(7), dispatch(), set(7), wait(7), dispatch()];
        assert_eq!(order(twice, &[7]), [[0; 0]; 2]);
    }

    #[test]
    fn an_event_does_not_cross_queues() {
        let submits = vec![
            submit(Queue::FIRST, 1, vec![], vec![dispatch(), set(1)]),
            submit(Queue::SECOND, 1, vec![], vec![wait(1), dispatch()]),
        ];
        let script = Script { submits };
        assert_eq!(Order::of(&script, &[Event(1)]).0[1], BTreeSet::new());
    }

    #[test]
    fn a_sample_of_the_orders_has_all_bands() {
        let steps = (0..512).map(|_| dispatch()).collect();
        let others = Order::of(&Script::on_one_queue(steps), &[]).others(64);
        assert_eq!(others.len(), 64);
        for band in 0..4 {
            assert!(others.iter().filter(|(early, _)| early % 4 == band).count() > 4, "band {band}");
        }
    }

    #[test]
    fn what_was_waited_for_has_waited_too() {
        let steps = vec![dispatch(), barrier(COMPUTE, COMPUTE), dispatch(), set(1), wait(1), dispatch()];
        assert_eq!(order(steps, &[1]), [vec![], vec![0], vec![0, 1]]);
    }

    #[test]
    fn a_semaphore_orders_what_its_queue_had() {
        let (a, b, compute) = (Queue::FIRST, Queue::SECOND, Stage::COMPUTE_SHADER);
        let on = |queue, value, stage| vec![(Point { queue, value }, stage)];
        let submits = vec![
            submit(a, 1, vec![], vec![dispatch()]),
            submit(b, 1, on(a, 1, compute), vec![dispatch()]),
            submit(a, 2, vec![], vec![dispatch()]),
            submit(a, 3, on(b, 1, compute), vec![dispatch()]),
            submit(b, 2, on(a, 2, Stage::TRANSFER), vec![dispatch()]),
        ];
        let script = Script { submits };
        let after: Vec<Vec<usize>> =
            Order::of(&script, &[]).0.iter().map(|s| s.iter().copied().collect()).collect();
        assert_eq!(after, [vec![], vec![0], vec![], vec![0, 1], vec![0]]);
    }

    #[test]
    fn each_free_dispatch_comes_early_once() {
        let steps = vec![dispatch(), dispatch(), barrier(COMPUTE, COMPUTE), dispatch(), dispatch()];
        let order = Order::of(&Script::on_one_queue(steps), &[]);
        assert_eq!(order.others(9), [(1, vec![1, 0, 2, 3]), (3, vec![0, 1, 3, 2])]);
        assert_eq!(order.others(1).len(), 1);
        let whole = vec![dispatch(), barrier(COMPUTE, COMPUTE), dispatch()];
        assert!(Order::of(&Script::on_one_queue(whole), &[]).others(9).is_empty());
    }
}
