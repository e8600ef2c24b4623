//! Queues: command buffers, submits, and waiting for completion.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ash::prelude::VkResult;
use ash::vk;
use record::error::Halt;

use super::Gpu;
use super::choose::QueuePlace;
use crate::fault::{self, attempt, failure};
use crate::handles::Queue;

/// A queue, and where it is.
pub(super) struct Handle {
    pub raw: vk::Queue,
    place: QueuePlace,
}

impl Handle {
    pub fn get(device: &ash::Device, place: QueuePlace) -> Self {
        Self { raw: unsafe { device.get_device_queue(place.family, place.index) }, place }
    }
}

/// A value of a timeline semaphore to wait for or to signal.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// The semaphore.
    pub semaphore: vk::Semaphore,
    /// The value to wait for, or to signal.
    pub value: u64,
    /// The stages that wait, or that must complete before the signal.
    pub stages: vk::PipelineStageFlags2,
}

/// What tells the CPU that a submit is complete.
#[derive(Clone, Copy, Debug)]
pub enum Completion {
    /// A binary fence.
    Fence(vk::Fence),
    /// A timeline semaphore with at least this value.
    Timeline(vk::Semaphore, u64),
}

/// A call that submitted.
#[derive(Clone, Copy, Debug)]
pub struct SubmitCall {
    /// When it began.
    pub began: Instant,
    /// How long it took.
    pub took: Duration,
}

impl From<vk::Fence> for Completion {
    fn from(fence: vk::Fence) -> Self {
        Self::Fence(fence)
    }
}

impl Mark {
    fn info(self) -> vk::SemaphoreSubmitInfo<'static> {
        vk::SemaphoreSubmitInfo::default().semaphore(self.semaphore).value(self.value).stage_mask(self.stages)
    }
}

impl Gpu {
    /// The queues that work can run on, in the order of their [`Queue`].
    pub fn queues(&self) -> impl ExactSizeIterator<Item = QueuePlace> {
        self.queues.iter().map(|queue| queue.place)
    }

    /// Whether a test uses one queue as several.
    pub fn uses_one_queue_as_several(&self) -> bool {
        matches!(&self.queues[..], [a, b, ..] if a.raw == b.raw)
    }

    /// The families of the queues if they are several; resources must then be shared between them.
    pub fn shared_families(&self) -> Option<Vec<u32>> {
        let families: BTreeSet<u32> = self.queues().map(|queue| queue.family).collect();
        (families.len() > 1).then(|| families.into_iter().collect())
    }

    fn queue(&self, queue: Queue) -> Result<&Handle> {
        let count = self.queues.len();
        self.queues.get(queue.0).with_context(|| format!("there is no queue {} of {count}", queue.0))
    }

    /// A pool for command buffers of a queue. It is reset before each recording.
    pub fn command_pool(&self, queue: Queue) -> Result<vk::CommandPool> {
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(self.queue(queue)?.place.family)
            .flags(vk::CommandPoolCreateFlags::TRANSIENT);
        let pool =
            attempt("creating a command pool", || unsafe { self.device.create_command_pool(&info, None) })?;
        self.name(pool, "commands");
        self.arena.borrow_mut().pools.push(pool);
        Ok(pool)
    }

    /// Allocates a command buffer from a pool.
    pub fn command_buffer(&self, pool: vk::CommandPool) -> Result<vk::CommandBuffer> {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        let buffers = attempt("allocating a command buffer", || unsafe {
            self.device.allocate_command_buffers(&info)
        })?;
        self.name(buffers[0], "commands");
        Ok(buffers[0])
    }

    /// Resets all command buffers of a pool.
    ///
    /// # Errors
    /// An error of the driver.
    pub fn reset_pool(&self, pool: vk::CommandPool) -> Result<()> {
        let flags = vk::CommandPoolResetFlags::empty();
        attempt("resetting a command pool", || unsafe { self.device.reset_command_pool(pool, flags) })
    }

    /// A fence. Each submit resets the fence that it uses.
    pub fn fence(&self) -> Result<vk::Fence> {
        let fence = attempt("creating a fence", || unsafe {
            self.device.create_fence(&vk::FenceCreateInfo::default(), None)
        })?;
        self.name(fence, "submit done");
        self.arena.borrow_mut().fences.push(fence);
        Ok(fence)
    }

    /// A timeline semaphore that begins at 0.
    pub fn timeline(&self, name: &str) -> Result<vk::Semaphore> {
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        let semaphore = attempt(format_args!("creating the semaphore {name}"), || unsafe {
            self.device.create_semaphore(&info, None)
        })?;
        self.name(semaphore, name);
        self.arena.borrow_mut().semaphores.push(semaphore);
        Ok(semaphore)
    }

    /// Signals a timeline semaphore from the CPU.
    pub fn signal(&self, semaphore: vk::Semaphore, value: u64) -> Result<()> {
        let info = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(value);
        attempt("signalling a semaphore", || unsafe { self.device.signal_semaphore(&info) })
    }

    /// Submits to the first queue and returns the CPU time of the call.
    pub fn submit(&self, buffer: vk::CommandBuffer, fence: vk::Fence) -> Result<Duration> {
        Ok(self.submit_to(Queue::FIRST, &[], &[buffer], &[], fence)?.took)
    }

    /// Submits command buffers with one `vkQueueSubmit2`.
    pub fn submit_to(
        &self,
        queue: Queue,
        waits: &[Mark],
        buffers: &[vk::CommandBuffer],
        signals: &[Mark],
        fence: vk::Fence,
    ) -> Result<SubmitCall> {
        let infos = |marks: &[Mark]| marks.iter().map(|mark| mark.info()).collect::<Vec<_>>();
        let (waits, signals) = (infos(waits), infos(signals));
        let info = |buffer: &_| vk::CommandBufferSubmitInfo::default().command_buffer(*buffer);
        let buffers: Vec<_> = buffers.iter().map(info).collect();
        let submit = [vk::SubmitInfo2::default()
            .wait_semaphore_infos(&waits)
            .command_buffer_infos(&buffers)
            .signal_semaphore_infos(&signals)];
        let queue = self.queue(queue)?.raw;
        // The fence is reset here, not after the wait: if a reset after the wait failed, the fence would stay
        // signalled and end the next wait immediately.
        if fence != vk::Fence::null() {
            attempt("resetting a fence", || unsafe { self.device.reset_fences(&[fence]) })?;
        }
        self.submits.set(self.submits.get() + 1);
        let began = Instant::now();
        let submitted =
            fault::call("submitting", || unsafe { self.device.queue_submit2(queue, &submit, fence) });
        let took = began.elapsed();
        // A failed submit has no effect, unless the device was lost.
        if matches!(submitted, Ok(()) | Err(vk::Result::ERROR_DEVICE_LOST)) {
            self.pending.set(true);
        }
        submitted.map_err(|result| failure(result, "submitting"))?;
        Ok(SubmitCall { began, took })
    }

    /// Number of submits so far.
    pub fn submits(&self) -> u64 {
        self.submits.get()
    }

    /// `vkQueueInsertDebugUtilsLabelEXT` on the first queue. Some drivers wait for the queue in this call, so it
    /// must not be used in a timed run.
    pub fn insert_queue_label(&self, name: &CStr) -> Result<()> {
        let queue = self.queue(Queue::FIRST)?.raw;
        if let Some(debug) = &self.debug {
            let info = vk::DebugUtilsLabelEXT::default().label_name(name);
            unsafe { debug.queue_insert_debug_utils_label(queue, &info) };
        }
        Ok(())
    }

    /// Waits for a submit: `vkWaitForFences` or `vkWaitSemaphores`.
    ///
    /// # Errors
    /// [`Halt::Hung`] after the time-out, or [`Halt::DeviceLost`].
    pub fn wait(&self, done: impl Into<Completion>, what: &str) -> Result<()> {
        let nanoseconds = u64::try_from(self.timeout.as_nanos()).unwrap_or(u64::MAX);
        self.complete(what, || match done.into() {
            Completion::Fence(fence) => unsafe { self.device.wait_for_fences(&[fence], true, nanoseconds) },
            Completion::Timeline(semaphore, value) => {
                let (semaphores, values) = ([semaphore], [value]);
                let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
                unsafe { self.device.wait_semaphores(&info, nanoseconds) }
            }
        })
    }

    /// Like [`Gpu::wait`], without sleep: `vkGetFenceStatus` or `vkGetSemaphoreCounterValue` until the submit is complete.
    ///
    /// # Errors
    /// As for [`Gpu::wait`].
    pub fn poll(&self, done: Completion, what: &str) -> Result<()> {
        let is_done = || match done {
            Completion::Fence(fence) => unsafe { self.device.get_fence_status(fence) },
            Completion::Timeline(semaphore, value) => {
                unsafe { self.device.get_semaphore_counter_value(semaphore) }.map(|reached| reached >= value)
            }
        };
        self.complete(what, || {
            let began = Instant::now();
            while !is_done()? {
                if began.elapsed() > self.timeout {
                    return Err(vk::Result::TIMEOUT);
                }
                std::hint::spin_loop();
            }
            Ok(())
        })
    }

    fn complete(&self, what: &str, wait: impl FnOnce() -> VkResult<()>) -> Result<()> {
        let running = format_args!("running {what}");
        match fault::wait(running, wait) {
            Err(vk::Result::TIMEOUT) => {
                // Another submit that was waited for may have ended, but this one has not.
                self.pending.set(true);
                Err(Halt::Hung { what: what.to_owned(), seconds: self.timeout.as_secs_f64() }.into())
            }
            other => {
                self.pending.set(other.is_err());
                other.map_err(|result| failure(result, running))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::OpenOptions;

    /// A semaphore reaches its value, or the wait ends with the time-out.
    #[test]
    fn waits_and_polls_end() {
        let timeout = Some(Duration::from_millis(20));
        let gpu = Gpu::open(&OpenOptions { timeout, ..OpenOptions::default() }).unwrap();
        let semaphore = gpu.timeline("test").unwrap();
        let fence = Completion::Fence(gpu.fence().unwrap());
        gpu.signal(semaphore, 2).unwrap();
        for (done, is_reached) in [
            (Completion::Timeline(semaphore, 2), true),
            (Completion::Timeline(semaphore, 3), false),
            (fence, false),
        ] {
            for ended in [gpu.wait(done, "test"), gpu.poll(done, "test")] {
                let hung = ended.as_ref().err().and_then(|error| error.downcast_ref::<Halt>());
                let is_hung = matches!(hung, Some(Halt::Hung { .. }));
                assert_eq!((ended.is_ok(), is_hung), (is_reached, !is_reached), "{done:?}");
                assert_eq!(gpu.is_busy(), is_hung, "nothing is freed that a queue may still use");
            }
        }
    }
}
