//! A sample of a variant on several queues: several submits, timed as one.
//!
//! ```text
//! first queue   prepare ─ full barrier │ gate ─ stamp ─ barrier ─ work … ─ work ─ barrier ─ stamp │ verify
//! another queue                                   wait ─ work … ─ signal ─┘
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
use vulkan::cmd::{CommandBuffer, Point, Stage, Usage};
use vulkan::gpu::{Gpu, Mark};
use vulkan::handles::Queue;

/// Semaphores and command buffers for samples on several queues.
pub(super) struct Queued<'l> {
    gpu: &'l Gpu,
    gate: vk::Semaphore,
    /// How many times the gate was opened; the value of its timeline.
    opened: u64,
    /// One timeline per queue, and its value when the sample began.
    timelines: Vec<vk::Semaphore>,
    before: Vec<u64>,
    /// One pool per queue, with as many command buffers as a sample has needed so far.
    pools: Vec<vk::CommandPool>,
    buffers: Vec<Vec<vk::CommandBuffer>>,
    /// Command buffers for preparation and verification.
    around: [vk::CommandBuffer; 2],
}

/// The submits of a sample, with the name and the timestamps to use.
#[derive(Clone, Copy)]
pub(super) struct Sample<'s> {
    pub name: &'s str,
    pub submits: &'s [Submit],
    pub usage: Usage,
    pub stamps: vk::QueryPool,
    pub fence: vk::Fence,
}

impl<'l> Queued<'l> {
    pub fn new(gpu: &'l Gpu) -> Result<Self> {
        let queues = gpu.queues().len();
        let pools = (0..queues).map(|queue| gpu.command_pool(Queue(queue))).collect::<Result<Vec<_>>>()?;
        let timeline = |queue| gpu.timeline(&format!("timeline of queue {queue}"));
        Ok(Self {
            gpu,
            gate: gpu.timeline("gate")?,
            opened: 0,
            timelines: (0..queues).map(timeline).collect::<Result<_>>()?,
            before: vec![0; queues],
            around: [gpu.command_buffer(pools[0])?, gpu.command_buffer(pools[0])?],
            pools,
            buffers: vec![Vec::new(); queues],
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
        gpu.submit_to(Queue::FIRST, &[], &self.around[..1], &[], vk::Fence::null())?;
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
            self.before[submit.point.queue.0] += 1;
        }
    }

    /// Records the command buffers of each submit; for a window, with timestamps at both ends on the first queue.
    fn record(&mut self, sample: Sample<'_>, stamped: bool) -> Result<Vec<Vec<vk::CommandBuffer>>> {
        let Sample { name, submits, usage, stamps, .. } = sample;
        let mut used = vec![0; self.pools.len()];
        let mut recorded = Vec::new();
        for (at, submit) in submits.iter().enumerate() {
            let parts: Vec<_> = submit.buffers().collect();
            let mut buffers = Vec::new();
            for (part, steps) in parts.iter().enumerate() {
                let buffer = self.buffer(submit.point.queue, &mut used)?;
                let cmd = CommandBuffer::begin_for(self.gpu, buffer, usage)?;
                if stamped && (at, part) == (0, 0) {
                    cmd.write_timestamp2(stamps, 0);
                    cmd.execution_barrier();
                }
                cmd.region(format_args!("{name}"), || cmd.replay(steps));
                if stamped && (at + 1, part + 1) == (submits.len(), parts.len()) {
                    cmd.execution_barrier();
                    cmd.write_timestamp2(stamps, 1);
                }
                cmd.end()?;
                buffers.push(buffer);
            }
            recorded.push(buffers);
        }
        Ok(recorded)
    }

    /// The next command buffer of a queue that is not `used`.
    fn buffer(&mut self, Queue(queue): Queue, used: &mut [usize]) -> Result<vk::CommandBuffer> {
        if used[queue] == self.buffers[queue].len() {
            self.buffers[queue].push(self.gpu.command_buffer(self.pools[queue])?);
        }
        used[queue] += 1;
        Ok(self.buffers[queue][used[queue] - 1])
    }

    /// Submits everything after the gate and opens the gate, also if a submit fails.
    fn submit(&mut self, submits: &[Submit], buffers: &[Vec<vk::CommandBuffer>]) -> Result<Duration> {
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
        buffers: &[Vec<vk::CommandBuffer>],
        gate: Option<Mark>,
        fence: vk::Fence,
    ) -> Result<Duration> {
        let mut taken = Duration::ZERO;
        for (at, (submit, buffers)) in submits.iter().zip(buffers).enumerate() {
            let waits = submit.waits.iter().map(|&(point, stages)| self.mark(point, stages));
            let waits: Vec<Mark> = gate.filter(|_| at == 0).into_iter().chain(waits).collect();
            let signal = self.mark(submit.point, Stage::ALL_COMMANDS);
            let fence = if at + 1 == submits.len() { fence } else { vk::Fence::null() };
            taken += self.gpu.submit_to(submit.point.queue, &waits, buffers, &[signal], fence)?.took;
        }
        Ok(taken)
    }

    fn mark(&self, point: Point, stages: Stage) -> Mark {
        let queue = point.queue.0;
        Mark { semaphore: self.timelines[queue], value: self.before[queue] + point.value, stages }
    }
}
