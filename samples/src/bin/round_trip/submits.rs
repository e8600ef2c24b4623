//! Submits in flight.

use std::cell::Cell;
use std::collections::VecDeque;
use std::time::Instant;

use anyhow::Result;
use common::record::error::Halt;
use common::vulkan::ash::vk;
use common::vulkan::cmd::CommandBuffer;
use common::vulkan::gpu::{Completion, Mark, SubmitCall};
use common::{Counter, Gpu, Lab, Queue, Stage};

use crate::Work;
use crate::trip::{Clocks, Trip};

/// How the CPU learns that a submit is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitMethod {
    /// The end of variants' names, without the number of submits in flight.
    pub name: &'static str,
    has_timeline: bool,
    polls: bool,
}

impl WaitMethod {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 4] = [
        Self { name: "fence", has_timeline: false, polls: false },
        Self { name: "fence_polled", has_timeline: false, polls: true },
        Self { name: "timeline", has_timeline: true, polls: false },
        Self { name: "timeline_polled", has_timeline: true, polls: true },
    ];
}

/// Objects for the submits of a sample, which all variants use.
pub struct Submits {
    work: Work,
    pool: vk::CommandPool,
    /// For each submit.
    buffers: Vec<vk::CommandBuffer>,
    /// Two for each submit.
    stamps: vk::QueryPool,
    /// For each submit in flight.
    fences: Vec<vk::Fence>,
    timeline: vk::Semaphore,
    /// The value that the last submit signals.
    value: Cell<u64>,
}

/// A submit that may not be complete.
struct InFlight {
    call: SubmitCall,
    completion: Completion,
}

impl Submits {
    /// Objects for `work.count` submits, of which so many are in flight at most.
    pub fn new(lab: &Lab, work: Work, most: usize) -> Result<Self> {
        let gpu = &lab.gpu;
        let pool = gpu.command_pool(Queue::FIRST)?;
        Ok(Self {
            work,
            pool,
            buffers: (0..work.count).map(|_| gpu.command_buffer(pool)).collect::<Result<_>>()?,
            stamps: gpu.timestamps(2 * work.count)?,
            fences: (0..most).map(|_| gpu.fence()).collect::<Result<_>>()?,
            timeline: gpu.timeline("submits done")?,
            value: Cell::new(0),
        })
    }

    /// Submits all, with so many in flight.
    ///
    /// # Errors
    /// An error of the driver; a submit that does not end.
    pub fn run(&self, gpu: &Gpu, method: WaitMethod, in_flight: usize) -> Result<(Clocks, Vec<Trip>)> {
        self.prepare(gpu)?;
        let read_clock = || gpu.has_readable_clock().then(|| gpu.read_clock()).transpose();
        let before = read_clock()?;
        let (mut flying, mut times, mut submitted) = (VecDeque::new(), Vec::new(), Ok(()));
        for (&buffer, &fence) in self.buffers.iter().zip(self.fences[..in_flight].iter().cycle()) {
            if flying.len() == in_flight
                && let Some(first) = flying.pop_front()
            {
                times.push(wait_for(gpu, method, first)?);
            }
            match self.submit(gpu, method, buffer, fence) {
                Ok(next) => flying.push_back(next),
                // Nothing ends on a lost device.
                Err(error) if error.is::<Halt>() => return Err(error),
                // What is in flight is waited for before anything is freed.
                Err(error) => {
                    submitted = Err(error);
                    break;
                }
            }
        }
        for last in flying {
            times.push(wait_for(gpu, method, last)?);
        }
        submitted?;
        let mut stamps = vec![0; 2 * times.len()];
        gpu.read_queries(self.stamps, &mut stamps)?;
        let stamps = stamps.as_chunks().0.iter();
        let trips = times.into_iter().zip(stamps).map(|((call, done), &stamps)| Trip { call, done, stamps });
        let readings = before.zip(read_clock()?).map(|(before, behind)| [before, behind]);
        Ok((Clocks { counter: Counter::of(&gpu.facts), readings }, trips.collect()))
    }

    /// Forgets what earlier submits have left, and records all command buffers.
    fn prepare(&self, gpu: &Gpu) -> Result<()> {
        let Work { step, state, count } = self.work;
        gpu.refill(state, "what the submits begin with", &Work::seeds(count))?;
        gpu.run_once("resetting timestamps", |cmd| cmd.reset_query_pool(self.stamps, 2 * count))?;
        gpu.reset_pool(self.pool)?;
        for (&buffer, row) in self.buffers.iter().zip(0..) {
            let cmd = CommandBuffer::begin(gpu, buffer)?;
            cmd.region(format_args!("submit {row}"), || {
                cmd.write_timestamp2(self.stamps, 2 * row);
                cmd.dispatch(step, &[state, state], &row, [1, 1, 1]);
                cmd.write_timestamp2(self.stamps, 2 * row + 1);
            });
            cmd.end()?;
        }
        Ok(())
    }

    fn submit(
        &self,
        gpu: &Gpu,
        method: WaitMethod,
        buffer: vk::CommandBuffer,
        fence: vk::Fence,
    ) -> Result<InFlight> {
        if !method.has_timeline {
            let call = gpu.submit_to(Queue::FIRST, &[], &[buffer], &[], fence)?;
            return Ok(InFlight { call, completion: Completion::Fence(fence) });
        }
        let (semaphore, value, stages) = (self.timeline, self.value.get() + 1, Stage::ALL_COMMANDS);
        let signals = [Mark { semaphore, value, stages }];
        let call = gpu.submit_to(Queue::FIRST, &[], &[buffer], &signals, vk::Fence::null())?;
        self.value.set(value);
        Ok(InFlight { call, completion: Completion::Timeline(semaphore, value) })
    }
}

/// Waits for a submit. Returns when the CPU knew that it was complete.
fn wait_for(
    gpu: &Gpu,
    method: WaitMethod,
    InFlight { call, completion }: InFlight,
) -> Result<(SubmitCall, Instant)> {
    let what = "one of many submits";
    if method.polls { gpu.poll(completion, what) } else { gpu.wait(completion, what) }?;
    Ok((call, Instant::now()))
}
