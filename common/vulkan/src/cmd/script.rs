//! A recording as a list of steps instead of a command buffer: what a variant's order allows can be
//! read off it, and it can be recorded later, in another order too.

use std::collections::BTreeSet;

use bytemuck::NoUninit;

use super::{Binding, Scope, Stage};
use crate::gpu::Arena;
use crate::handles::{Event, Image, Kernel, Queue};

/// What a variant hands to the queues, in the order of its submits.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Of a variant for one queue there is one.
    pub submits: Vec<Submit>,
}

/// One command buffer, what it waits for, and the point that it signals.
#[derive(Clone, Debug)]
pub struct Submit {
    /// What it signals when it is done.
    pub point: Point,
    /// Points of the timelines, and the stages that wait for them.
    pub waits: Vec<(Point, Stage)>,
    /// The commands, in the order of recording.
    pub steps: Vec<Step>,
}

/// What a submit signals when it is done: a value of its queue's timeline semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// Whose semaphore it is.
    pub queue: Queue,
    /// Submits on this queue so far in this recording.
    pub value: u64,
}

/// Which commands an event is set and waited for with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// `vkCmdSetEvent`, `vkCmdWaitEvents`.
    One,
    /// `vkCmdSetEvent2`, `vkCmdWaitEvents2`.
    Two,
}

/// One call of [`Cmd`](super::Cmd).
#[derive(Clone, Debug)]
pub enum Step {
    /// [`Cmd::dispatch`](super::Cmd::dispatch).
    Dispatch(Dispatch),
    /// `vkCmdPipelineBarrier2`: a memory barrier or, of an image, an image barrier.
    Barrier {
        /// What must be done before.
        src: Scope,
        /// What must wait.
        dst: Scope,
        /// The image, where it is an image barrier.
        image: Option<Image>,
    },
    /// The event is set once `src` is done.
    Set {
        /// Which commands are meant.
        sync: Sync,
        /// The event.
        event: Event,
        /// What must be done before.
        src: Scope,
        /// What will wait for it.
        dst: Scope,
    },
    /// What is in `dst` waits for the event.
    Wait {
        /// Which commands are meant.
        sync: Sync,
        /// The event.
        event: Event,
        /// What was done before it was set.
        src: Scope,
        /// What must wait.
        dst: Scope,
    },
    /// A region of this name begins.
    Label(String),
    /// The region that began last ends.
    EndLabel,
}

impl Step {
    /// The stage in which it works on memory; none of what orders others or labels them.
    pub fn stage(&self) -> Option<Stage> {
        match self {
            Self::Dispatch(_) => Some(Stage::COMPUTE_SHADER),
            Self::Barrier { .. } | Self::Set { .. } | Self::Wait { .. } | Self::Label(_) | Self::EndLabel => {
                None
            }
        }
    }

    /// What it is, in words: of a dispatch what its region is called.
    pub fn name(&self, arena: &Arena) -> String {
        match self {
            Self::Dispatch(Dispatch { kernel, groups: [x, y, z], .. }) => {
                format!("{} {x}x{y}x{z}", arena.kernel(*kernel).facts.name)
            }
            step => format!("{step:?}"),
        }
    }
}

/// What steps name, which must be there before they are recorded.
#[derive(Debug, Default)]
pub struct Named {
    /// What is dispatched.
    pub kernels: BTreeSet<Kernel>,
    /// What is read or written.
    pub bindings: BTreeSet<Binding>,
    /// What is set or waited for.
    pub events: BTreeSet<Event>,
}

impl Named {
    /// By these steps.
    pub fn by<'s>(steps: impl IntoIterator<Item = &'s Step>) -> Self {
        let mut named = Self::default();
        for step in steps {
            match step {
                Step::Dispatch(dispatch) => {
                    named.kernels.insert(dispatch.kernel);
                    named.bindings.extend(&dispatch.bindings);
                }
                Step::Set { event, .. } | Step::Wait { event, .. } => _ = named.events.insert(*event),
                Step::Barrier { .. } | Step::Label(_) | Step::EndLabel => {}
            }
        }
        named
    }
}

/// `vkCmdDispatch` with all that it needs.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The kernel that it runs.
    pub kernel: Kernel,
    /// What is at its bindings, from 0 on.
    pub bindings: Vec<Binding>,
    /// Push constants.
    pub push: Vec<u8>,
    /// Workgroups in x, y and z.
    pub groups: [u32; 3],
}

impl Dispatch {
    /// As [`Cmd::dispatch`](super::Cmd::dispatch) lists it.
    pub fn new<B: Into<Binding> + Copy, P: NoUninit>(
        kernel: Kernel,
        bindings: &[B],
        push: &P,
        groups: [u32; 3],
    ) -> Self {
        let bindings = bindings.iter().map(|&binding| binding.into()).collect();
        Self { kernel, bindings, push: bytemuck::bytes_of(push).to_vec(), groups }
    }
}

impl Script {
    /// A recording for one queue.
    pub fn on_one_queue(steps: Vec<Step>) -> Self {
        let point = Point { queue: Queue::First, value: 1 };
        Self { submits: vec![Submit { point, waits: Vec::new(), steps }] }
    }

    /// All commands, in the order of recording.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.submits.iter().flat_map(|submit| &submit.steps)
    }

    /// The commands that work on memory, in the order of recording.
    pub fn work(&self) -> impl Iterator<Item = &Step> {
        self.steps().filter(|step| step.stage().is_some())
    }

    /// The dispatches, in the order in which they were recorded.
    pub fn dispatches(&self) -> impl Iterator<Item = &Dispatch> {
        self.steps().filter_map(|step| if let Step::Dispatch(d) = step { Some(d) } else { None })
    }

    /// The dispatches, to be changed.
    pub fn dispatches_mut(&mut self) -> impl Iterator<Item = &mut Dispatch> {
        let steps = self.submits.iter_mut().flat_map(|submit| &mut submit.steps);
        steps.filter_map(|step| if let Step::Dispatch(d) = step { Some(d) } else { None })
    }

    /// The events that are set; the runner resets them before each submit.
    pub fn events_set(&self) -> Vec<Event> {
        let set = |step: &Step| if let Step::Set { event, .. } = step { Some(*event) } else { None };
        self.steps().filter_map(set).collect()
    }

    /// Number, from 1, of the first wait for an event that nothing sets before it.
    pub fn first_endless_wait(&self, set_before: &BTreeSet<Event>) -> Option<usize> {
        // An event may not be waited for on another queue than the one that set it.
        let mut set: BTreeSet<(Queue, Event)> = BTreeSet::new();
        let mut waits = 0;
        let all = self.submits.iter().flat_map(|submit| submit.steps.iter().map(|s| (submit.point.queue, s)));
        for (queue, step) in all {
            match step {
                Step::Set { event, .. } => _ = set.insert((queue, *event)),
                Step::Wait { event, .. } => {
                    waits += 1;
                    if !set.contains(&(queue, *event)) && !set_before.contains(event) {
                        return Some(waits);
                    }
                }
                _ => {}
            }
        }
        None
    }
}
