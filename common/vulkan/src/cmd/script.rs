//! A recording as a list of steps. The dependencies of a variant can be derived from it, and it can be recorded
//! later, also in another order.

use std::collections::BTreeSet;

use bytemuck::NoUninit;

use super::{Binding, ImageLayout, Rendering, Scope, Stage};
use crate::gpu::Arena;
use crate::handles::{BindingRows, Buffer, Event, Image, Kernel, Queue};

/// The submits of a variant, in order.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// A variant for one queue has one submit.
    pub submits: Vec<Submit>,
}

/// A submit of one command buffer or more: the points that it waits for, and the point that it signals.
#[derive(Clone, Debug)]
pub struct Submit {
    /// The point that the submit signals when it completes.
    pub point: Point,
    /// Points of the timelines to wait for, and the stages that wait.
    pub waits: Vec<(Point, Stage)>,
    /// The commands, in the order of recording.
    pub steps: Vec<Step>,
}

/// The completion of a submit: a value of its queue's timeline semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// The queue of the submit.
    pub queue: Queue,
    /// Number of submits on this queue so far in this recording.
    pub value: u64,
}

/// The version of the event commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// `vkCmdSetEvent` and `vkCmdWaitEvents`.
    One,
    /// `vkCmdSetEvent2` and `vkCmdWaitEvents2`.
    Two,
    /// `vkCmdSetEvent2` and `vkCmdWaitEvents2` with `VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR`.
    Asymmetric,
}

/// One call of [`Cmd`](super::Cmd).
#[derive(Clone, Debug)]
pub enum Step {
    /// [`Cmd::dispatch`](super::Cmd::dispatch).
    Dispatch(Dispatch),
    /// [`Cmd::fill_buffer`](super::Cmd::fill_buffer).
    FillBuffer {
        /// The buffer that is filled.
        buffer: Buffer,
        /// The value of every word.
        word: u32,
    },
    /// [`Cmd::clear_color_image`](super::Cmd::clear_color_image).
    ClearColorImage {
        /// The image that is cleared.
        image: Image,
        /// Its layout.
        layout: ImageLayout,
        /// The value of every texel.
        words: [u32; 4],
    },
    /// [`Cmd::rendering`](super::Cmd::rendering).
    Rendering(Rendering),
    /// `vkCmdPipelineBarrier2` with one memory barrier, or with image barriers of the same scopes.
    Barrier {
        /// The first scope.
        src: Scope,
        /// The second scope.
        dst: Scope,
        /// The images of image barriers, each with its layout before and after; empty for a memory barrier.
        images: Vec<(Image, [ImageLayout; 2])>,
    },
    /// Sets the event after the work in `src`.
    Set {
        /// The version of the command.
        sync: Sync,
        /// The event.
        event: Event,
        /// The first scope.
        src: Scope,
        /// The second scope, as in the wait; empty where only the wait has one.
        dst: Scope,
    },
    /// Makes the work in `dst` wait for the event.
    Wait {
        /// The version of the command.
        sync: Sync,
        /// The event.
        event: Event,
        /// The first scope, as in the set.
        src: Scope,
        /// The second scope.
        dst: Scope,
    },
    /// [`Cmd::write_timestamp2`](super::Cmd::write_timestamp2).
    Timestamp {
        /// The stage of earlier commands that is waited for.
        stage: Stage,
        /// Number of the query.
        query: u32,
    },
    /// [`Cmd::next_command_buffer`](super::Cmd::next_command_buffer).
    NextCommandBuffer,
    /// Begins a label region with this name.
    Label(String),
    /// Ends the innermost label region.
    EndLabel,
}

impl Step {
    /// The stages, each enough for a barrier's second scope, in which the step works on memory; `None` for barriers, events,
    /// timestamps and labels. A render pass works as a whole: from its tests of depth on, if it has any, else from its pixel shaders on, if these
    /// read or store anything.
    pub fn stage(&self) -> Option<Stage> {
        match self {
            Self::Dispatch(_) => Some(Stage::COMPUTE_SHADER),
            Self::FillBuffer { .. } | Self::ClearColorImage { .. } => {
                Some(Stage::CLEAR | Stage::ALL_TRANSFER)
            }
            Self::Rendering(rendering) => {
                let binds = rendering.draws().any(|draw| !draw.bindings.is_empty());
                let first = match rendering.depth {
                    Some(_) => Stage::EARLY_FRAGMENT_TESTS,
                    None if binds => Stage::FRAGMENT_SHADER,
                    None => Stage::FRAGMENT_SHADER | Stage::COLOR_ATTACHMENT_OUTPUT,
                };
                Some(first | Stage::ALL_GRAPHICS)
            }
            Self::Barrier { .. }
            | Self::Set { .. }
            | Self::Wait { .. }
            | Self::Timestamp { .. }
            | Self::NextCommandBuffer
            | Self::Label(_)
            | Self::EndLabel => None,
        }
    }

    /// The stages of [`Step::stage`], each enough for a barrier's first scope: a render pass ends when its attachments are
    /// written.
    pub fn last_stage(&self) -> Option<Stage> {
        match self {
            Self::Rendering(_) => Some(Stage::COLOR_ATTACHMENT_OUTPUT | Stage::ALL_GRAPHICS),
            step => step.stage(),
        }
    }

    /// The images that the step uses, each with the layout that it must have; buffers have none.
    pub fn layouts(&self) -> BTreeSet<(Image, ImageLayout)> {
        let bound =
            self.launches().into_iter().flat_map(|launch| &launch.bindings).filter_map(Binding::image);
        match self {
            Self::ClearColorImage { image, layout, .. } => [(*image, *layout)].into(),
            Self::Rendering(rendering) => {
                bound.chain(rendering.attachments().map(|at| (at.image, at.layout))).collect()
            }
            _ => bound.collect(),
        }
    }

    /// The step itself if it is a dispatch, or the draws inside.
    pub fn launches(&self) -> Vec<&Dispatch> {
        match self {
            Self::Dispatch(dispatch) => vec![dispatch],
            Self::Rendering(rendering) => rendering.draws().collect(),
            _ => Vec::new(),
        }
    }

    fn launches_mut(&mut self) -> Vec<&mut Dispatch> {
        match self {
            Self::Dispatch(dispatch) => vec![dispatch],
            Self::Rendering(rendering) => rendering.draws_mut().collect(),
            _ => Vec::new(),
        }
    }

    /// A description of the step; for a dispatch, a clear or a render pass, the name of its label region.
    pub fn name(&self, arena: &Arena) -> String {
        match self {
            Self::Dispatch(Dispatch { kernel, groups: [x, y, z], .. }) => {
                format!("{} {x}x{y}x{z}", arena.kernel(*kernel).facts.name)
            }
            Self::FillBuffer { .. } => "vkCmdFillBuffer".into(),
            Self::ClearColorImage { .. } => "vkCmdClearColorImage".into(),
            Self::Rendering(rendering) => match rendering.draws().next() {
                Some(draw) => {
                    let [width, height] = draw.viewport();
                    format!("{} {width}x{height}", arena.kernel(draw.kernel).facts.name)
                }
                None => "vkCmdBeginRendering".into(),
            },
            step => format!("{step:?}"),
        }
    }
}

/// The objects that steps name. They must exist before the steps are recorded.
#[derive(Debug, Default)]
pub struct Named {
    /// Kernels that are dispatched or drawn with.
    pub kernels: BTreeSet<Kernel>,
    /// Bound, attached or cleared resources.
    pub bindings: BTreeSet<Binding>,
    /// Events that are set or waited for.
    pub events: BTreeSet<Event>,
}

impl Named {
    /// The objects that these steps name.
    pub fn by<'s>(steps: impl IntoIterator<Item = &'s Step>) -> Self {
        let mut named = Self::default();
        for step in steps {
            for launch in step.launches() {
                named.kernels.insert(launch.kernel);
                // An image is the same one in any layout.
                named.bindings.extend(launch.bindings.iter().map(|binding| match binding {
                    Binding::Sampled(image, _) => image.sampled(),
                    binding => *binding,
                }));
            }
            match step {
                Step::Rendering(rendering) => {
                    named.bindings.extend(rendering.attachments().map(|at| Binding::Image(at.image)));
                }
                Step::FillBuffer { buffer, .. } => _ = named.bindings.insert((*buffer).into()),
                Step::ClearColorImage { image, .. } => _ = named.bindings.insert((*image).into()),
                Step::Set { event, .. } | Step::Wait { event, .. } => _ = named.events.insert(*event),
                Step::Dispatch(_)
                | Step::Barrier { .. }
                | Step::Timestamp { .. }
                | Step::NextCommandBuffer
                | Step::Label(_)
                | Step::EndLabel => {}
            }
        }
        named
    }
}

/// `vkCmdDispatch`, or `vkCmdDraw` inside of a render pass, with its kernel, bindings and push constants.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The kernel that it runs.
    pub kernel: Kernel,
    /// Bindings from index 0 on.
    pub bindings: Vec<Binding>,
    /// The rows of each binding that the dispatch touches; see [`BindingRows`].
    pub rows: Vec<[u32; 2]>,
    /// Push constants.
    pub push: Vec<u8>,
    /// Number of workgroups in x, y and z. Of a draw: width and height of its viewport, and vertices.
    pub groups: [u32; 3],
}

impl Dispatch {
    /// A dispatch as [`Cmd::dispatch`](super::Cmd::dispatch) lists it.
    pub fn new<B: Into<BindingRows> + Copy, P: NoUninit>(
        kernel: Kernel,
        bindings: &[B],
        push: &P,
        groups: [u32; 3],
    ) -> Self {
        let bindings = bindings.iter().map(|&binding| binding.into());
        let (bindings, rows) = bindings.map(|BindingRows { binding, rows }| (binding, rows)).unzip();
        Self { kernel, bindings, rows, push: bytemuck::bytes_of(push).to_vec(), groups }
    }

    /// Width and height of a draw's viewport.
    pub fn viewport(&self) -> [u32; 2] {
        let [width, height, _] = self.groups;
        [width, height]
    }
}

impl Submit {
    /// The commands of each command buffer.
    pub fn buffers(&self) -> impl Iterator<Item = &[Step]> {
        self.steps.split(|step| matches!(step, Step::NextCommandBuffer))
    }
}

impl Script {
    /// A recording with one submit on the first queue.
    pub fn on_one_queue(steps: Vec<Step>) -> Self {
        let point = Point { queue: Queue::FIRST, value: 1 };
        Self { submits: vec![Submit { point, waits: Vec::new(), steps }] }
    }

    /// All commands, in the order of recording. A render pass is one.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.submits.iter().flat_map(|submit| &submit.steps)
    }

    /// The steps that work on memory (dispatches, render passes and clears), in the order of recording.
    pub fn work(&self) -> impl Iterator<Item = &Step> {
        self.steps().filter(|step| step.stage().is_some())
    }

    /// The dispatches, in the order of recording.
    pub fn dispatches(&self) -> impl Iterator<Item = &Dispatch> {
        self.steps().filter_map(|step| if let Step::Dispatch(d) = step { Some(d) } else { None })
    }

    /// The dispatches and draws, in the order of recording.
    pub fn launches(&self) -> impl Iterator<Item = &Dispatch> {
        self.steps().flat_map(Step::launches)
    }

    /// The dispatches and draws, for changing them.
    pub fn launches_mut(&mut self) -> impl Iterator<Item = &mut Dispatch> {
        self.submits.iter_mut().flat_map(|submit| &mut submit.steps).flat_map(Step::launches_mut)
    }

    /// The images whose layouts it changes.
    pub fn moved(&self) -> Vec<Image> {
        let barriers = self.steps().filter_map(|step| match step {
            Step::Barrier { images, .. } => Some(images),
            _ => None,
        });
        let moved = barriers.flatten().filter(|(_, [from, to])| from != to).map(|(image, _)| *image);
        moved.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The timestamps, sorted by their queries; the runner resets the queries before each submit.
    pub fn stamped(&self) -> Vec<(u32, Stage)> {
        let stamped = |step: &Step| match step {
            Step::Timestamp { stage, query } => Some((*query, *stage)),
            _ => None,
        };
        let mut stamped: Vec<_> = self.steps().filter_map(stamped).collect();
        stamped.sort_by_key(|(query, _)| *query);
        stamped
    }

    /// The events that are set; the runner resets them before each submit.
    pub fn events_set(&self) -> Vec<Event> {
        let set = |step: &Step| if let Step::Set { event, .. } = step { Some(*event) } else { None };
        self.steps().filter_map(set).collect()
    }

    /// Number, from 1, of the first wait for an event that is not set before it.
    pub fn first_endless_wait(&self, set_before: &BTreeSet<Event>) -> Option<usize> {
        // An event must be waited for on the queue that sets it.
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
