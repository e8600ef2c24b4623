//! A sample of a variant on two queues: several submits, timed as one.
//!
//! ```text
//! first queue   prepare ─ full barrier │ gate ─ stamp ─ barrier ─ work … ─ work ─ barrier ─ stamp │ verify
//! second queue                                    wait ─ work … ─ signal ─┘
//! ```
//!
//! The gate is a timeline semaphore that the CPU signals after the last submit, so that the time of submitting is
//! not in the window. An event would not do, because a driver may drain the queue for it. The gate is opened on
//! every way out of the sample: a waiting submit would hang the queue.
//!
//! The exception is Mesa's common runtime: it keeps a submit that waits for an unsignalled timeline, and all later
//! submits, in a thread of the process until the timeline is signalled (see its vk_queue.c). There the CPU submits
//! after the gate opens, inside the window; a note in the record says so.

use std::time::{Duration, Instant};

use anyhow::Result;
use ash::vk;
use vulkan::cmd::script::Submit;
use vulkan::cmd::{CommandBuffer, Point, Stage};
use vulkan::gpu::{Gpu, Mark};
use vulkan::handles::Queue;

/// Semaphores and command buffers for samples on two queues.
pub(super) struct TwoQueues<'l> {
    gpu: &'l Gpu,
    gate: vk::Semaphore,
    /// How many times the gate was opened; the value of its timeline.
    opened: u64,
    /// One timeline per queue, and its value when the sample began.
    timelines: [vk::Semaphore; 2],
    before: [u64; 2],
    /// One pool per queue, with as many command buffers as a sample has needed so far.
    pools: [vk::CommandPool; 2],
    buffers: [Vec<vk::CommandBuffer>; 2],
    /// Command buffers for preparation and verification.
    around: [vk::CommandBuffer; 2],
}

/// The submits of a sample, with the name and the timestamps to use.
#[derive(Clone, Copy)]
pub(super) struct Sample<'s> {
    pub name: &'s str,
    pub submits: &'s [Submit],
    pub stamps: vk::QueryPool,
    pub fence: vk::Fence,
}

impl<'l> TwoQueues<'l> {
    pub fn new(gpu: &'l Gpu) -> Result<Self> {
        let pools = [gpu.command_pool(Queue::First)?, gpu.command_pool(Queue::Second)?];
        Ok(Self {
            gpu,
            gate: gpu.timeline("gate")?,
            opened: 0,
            timelines: [gpu.timeline("first queue's timeline")?, gpu.timeline("second queue's timeline")?],
            before: [0; 2],
            around: [gpu.command_buffer(pools[0])?, gpu.command_buffer(pools[0])?],
            pools,
            buffers: [Vec::new(), Vec::new()],
        })
    }

    /// Takes a sample; its timestamps and counters stay on the device. `prepare` and `verify` record the commands
    /// before and after the window. Returns the CPU times of recording and submitting the window.
    pub fn run(
        &mut self,
        sample: Sample<'_>,
        prepare: impl FnOnce(&CommandBuffer<'_>),
        verify: impl FnOnce(&CommandBuffer<'_>),
    ) -> Result<[Duration; 2]> {
        let gpu = self.gpu;
        self.pools.iter().try_for_each(|&pool| gpu.reset_pool(pool))?;
        let cmd = CommandBuffer::begin(gpu, self.around[0])?;
        cmd.reset_query_pool(sample.stamps, 2);
        prepare(&cmd);
        cmd.full_barrier();
        cmd.end()?;
        let cmd = CommandBuffer::begin(gpu, self.around[1])?;
        verify(&cmd);
        cmd.end()?;
        let began = Instant::now();
        let buffers = self.record(sample, true)?;
        let recorded = began.elapsed();
        gpu.submit_to(Queue::First, &[], self.around[0], &[], vk::Fence::null())?;
        let submitted = self.submit(sample.submits, &buffers)?;
        gpu.submit(self.around[1], sample.fence)?;
        gpu.wait(sample.fence, sample.name)?;
        self.count(sample.submits);
        Ok([recorded, submitted])
    }

    /// Submits only the variant's commands, for a capture: without timestamps, and without the gate, because a
    /// driver that captures each submit waits for its end before it accepts the next.
    pub fn run_bare(&mut self, sample: Sample<'_>) -> Result<()> {
        self.pools.iter().try_for_each(|&pool| self.gpu.reset_pool(pool))?;
        let buffers = self.record(sample, false)?;
        self.submit_all(sample.submits, &buffers, None, sample.fence)?;
        self.gpu.wait(sample.fence, sample.name)?;
        self.count(sample.submits);
        Ok(())
    }

    /// Advances the values of the timelines after the submits are done.
    fn count(&mut self, submits: &[Submit]) {
        for submit in submits {
            self.before[submit.point.queue as usize] += 1;
        }
    }

    /// Records the script; for a window, with timestamps at both ends on the first queue.
    fn record(
        &mut self,
        Sample { name, submits, stamps, .. }: Sample<'_>,
        stamped: bool,
    ) -> Result<Vec<vk::CommandBuffer>> {
        let mut used = [0; 2];
        let mut recorded = Vec::new();
        let is_first = |at: usize| submits[..at].iter().all(|s| s.point.queue == Queue::Second);
        for (at, submit) in submits.iter().enumerate() {
            let queue = submit.point.queue as usize;
            if used[queue] == self.buffers[queue].len() {
                self.buffers[queue].push(self.gpu.command_buffer(self.pools[queue])?);
            }
            let buffer = self.buffers[queue][used[queue]];
            used[queue] += 1;
            let cmd = CommandBuffer::begin(self.gpu, buffer)?;
            if stamped && submit.point.queue == Queue::First && is_first(at) {
                cmd.write_timestamp2(stamps, 0);
                cmd.execution_barrier();
            }
            cmd.region(format_args!("{name}"), || cmd.replay(&submit.steps));
            if stamped && at + 1 == submits.len() {
                cmd.execution_barrier();
                cmd.write_timestamp2(stamps, 1);
            }
            cmd.end()?;
            recorded.push(buffer);
        }
        Ok(recorded)
    }

    /// Submits everything after the gate and opens the gate, also if a submit fails.
    fn submit(&mut self, submits: &[Submit], buffers: &[vk::CommandBuffer]) -> Result<Duration> {
        self.opened += 1;
        let gate = Mark { semaphore: self.gate, value: self.opened, stages: Stage::ALL_COMMANDS };
        let submitted = self.submit_all(submits, buffers, Some(gate), vk::Fence::null());
        self.gpu.signal(self.gate, self.opened)?;
        submitted
    }

    /// Submits in order: the first submit waits for the gate, the last signals the fence.
    fn submit_all(
        &self,
        submits: &[Submit],
        buffers: &[vk::CommandBuffer],
        gate: Option<Mark>,
        fence: vk::Fence,
    ) -> Result<Duration> {
        let mut taken = Duration::ZERO;
        for (at, (submit, &buffer)) in submits.iter().zip(buffers).enumerate() {
            let waits = submit.waits.iter().map(|&(point, stages)| self.mark(point, stages));
            let waits: Vec<Mark> = gate.filter(|_| at == 0).into_iter().chain(waits).collect();
            let signal = self.mark(submit.point, Stage::ALL_COMMANDS);
            let fence = if at + 1 == submits.len() { fence } else { vk::Fence::null() };
            taken += self.gpu.submit_to(submit.point.queue, &waits, buffer, &[signal], fence)?.took;
        }
        Ok(taken)
    }

    fn mark(&self, point: Point, stages: Stage) -> Mark {
        let queue = point.queue as usize;
        Mark { semaphore: self.timelines[queue], value: self.before[queue] + point.value, stages }
    }
}
