//! The device that draws, with one queue and one command buffer: every submit is waited for.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use ash::prelude::VkResult;
use ash::{khr, vk};
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{
    Allocation, AllocationCreateDesc, AllocationScheme, Allocator, AllocatorCreateDesc,
};
use record::error::Halt;
use vulkan::fault::{self, attempt, failure};
use vulkan::gpu::Instance;
use vulkan::memory::bytes_in_words;

use super::choose::Seat;

/// A device, its queue and its memory.
pub(super) struct Device {
    pub raw: ash::Device,
    pub seat: Seat,
    queue: vk::Queue,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    done: vk::Fence,
    timeout: Duration,
    /// A submit has not been seen to end, or lost the device.
    busy: Cell<bool>,
    memory: ManuallyDrop<RefCell<Allocator>>,
    pub instance: ManuallyDrop<Rc<Instance>>,
}

/// What a submit waits for, and what it signals.
#[derive(Clone, Copy, Default)]
pub(super) struct Links {
    pub wait: Option<vk::Semaphore>,
    pub signal: Option<vk::Semaphore>,
}

impl Device {
    pub fn open(instance: Rc<Instance>, seat: Seat, timeout: Duration) -> Result<Rc<Self>> {
        let raw = create(&instance.raw, &seat)?;
        let memory = Allocator::new(&AllocatorCreateDesc {
            instance: instance.raw.clone(),
            device: raw.clone(),
            physical_device: seat.physical,
            debug_settings: gpu_allocator::AllocatorDebugSettings::default(),
            buffer_device_address: false,
            allocation_sizes: gpu_allocator::AllocationSizes::default(),
        })
        .inspect_err(|_| unsafe { raw.destroy_device(None) })?;
        let queue = unsafe { raw.get_device_queue(seat.family, 0) };
        let mut device = Self {
            raw,
            seat,
            queue,
            pool: vk::CommandPool::null(),
            commands: vk::CommandBuffer::null(),
            done: vk::Fence::null(),
            timeout,
            busy: Cell::new(false),
            memory: ManuallyDrop::new(RefCell::new(memory)),
            instance: ManuallyDrop::new(instance),
        };
        device.prepare()?;
        Ok(Rc::new(device))
    }

    fn prepare(&mut self) -> Result<()> {
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(self.seat.family)
            .flags(vk::CommandPoolCreateFlags::TRANSIENT);
        self.pool = attempt("creating the window's command pool", || unsafe {
            self.raw.create_command_pool(&info, None)
        })?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        let buffers = attempt("allocating the window's command buffer", || unsafe {
            self.raw.allocate_command_buffers(&info)
        })?;
        self.commands = buffers[0];
        self.done = attempt("creating the window's fence", || unsafe {
            self.raw.create_fence(&vk::FenceCreateInfo::default(), None)
        })?;
        Ok(())
    }

    /// Records commands, submits them and waits for their end; `what` completes "while running …".
    pub fn run(&self, what: &str, links: Links, record: impl FnOnce(vk::CommandBuffer)) -> Result<()> {
        attempt("resetting the window's command pool", || unsafe {
            self.raw.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())
        })?;
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        attempt("beginning the window's commands", || unsafe {
            self.raw.begin_command_buffer(self.commands, &begin)
        })?;
        record(self.commands);
        attempt("ending the window's commands", || unsafe { self.raw.end_command_buffer(self.commands) })?;
        let commands = [vk::CommandBufferSubmitInfo::default().command_buffer(self.commands)];
        self.submit(&commands, links)?;
        self.wait(what)
    }

    /// Waits for what presenting put on the queue. `vkQueueWaitIdle` would wait for ever.
    pub fn settle(&self) -> Result<()> {
        self.submit(&[], Links::default())?;
        self.wait("presenting")
    }

    fn submit(&self, commands: &[vk::CommandBufferSubmitInfo<'_>], links: Links) -> Result<()> {
        let info = |semaphore: vk::Semaphore, stages| {
            vk::SemaphoreSubmitInfo::default().semaphore(semaphore).stage_mask(stages)
        };
        let waits = links.wait.map(|s| info(s, vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT));
        let signals = links.signal.map(|s| info(s, vk::PipelineStageFlags2::ALL_COMMANDS));
        let submit = vk::SubmitInfo2::default()
            .wait_semaphore_infos(waits.as_slice())
            .command_buffer_infos(commands)
            .signal_semaphore_infos(signals.as_slice());
        attempt("resetting the window's fence", || unsafe { self.raw.reset_fences(&[self.done]) })?;
        let submitted = fault::call("submitting the window's commands", || unsafe {
            self.raw.queue_submit2(self.queue, &[submit], self.done)
        });
        // A submit that failed has no effect, but for one that lost the device.
        if matches!(submitted, Ok(()) | Err(vk::Result::ERROR_DEVICE_LOST)) {
            self.busy.set(true);
        }
        submitted.map_err(|result| failure(result, "submitting the window's commands"))
    }

    fn wait(&self, what: &str) -> Result<()> {
        let nanoseconds = u64::try_from(self.timeout.as_nanos()).unwrap_or(u64::MAX);
        let running = format_args!("running {what}");
        match fault::wait(running, || unsafe { self.raw.wait_for_fences(&[self.done], true, nanoseconds) }) {
            Err(vk::Result::TIMEOUT) => {
                Err(Halt::Hung { what: what.to_owned(), seconds: self.timeout.as_secs_f64() }.into())
            }
            other => {
                self.busy.set(other.is_err());
                other.map_err(|result| failure(result, running))
            }
        }
    }

    /// Puts an image of a swapchain on the screen.
    pub fn present(&self, loader: &khr::swapchain::Device, info: &vk::PresentInfoKHR<'_>) -> Presenting {
        let presented = fault::call("presenting", || unsafe { loader.queue_present(self.queue, info) });
        if presented == Err(vk::Result::ERROR_DEVICE_LOST) {
            self.busy.set(true);
        }
        presented
    }

    /// Something may still be at work: nothing may be freed any more.
    pub fn is_busy(&self) -> bool {
        self.busy.get()
    }

    pub fn allocate(
        &self,
        name: &str,
        requirements: vk::MemoryRequirements,
        location: MemoryLocation,
        linear: bool,
    ) -> Result<Allocation> {
        fault::allocation(format_args!("allocating {name}"))
            .map_err(|result| failure(result, format_args!("allocating {name}")))?;
        let description = AllocationCreateDesc {
            name,
            requirements,
            location,
            linear,
            allocation_scheme: AllocationScheme::GpuAllocatorManaged,
        };
        self.memory.borrow_mut().allocate(&description).map_err(|error| {
            let (device, size) = (&self.seat.facts.name, bytes_in_words(requirements.size));
            anyhow!("no memory on {device} for {name} ({size}): {error}")
        })
    }

    pub fn free(&self, allocation: Allocation) {
        // A failure to free is no failure of the run.
        let _ = self.memory.borrow_mut().free(allocation);
    }
}

/// What a present says: right, right but not the best (true), or an error.
pub(super) type Presenting = VkResult<bool>;

impl Drop for Device {
    fn drop(&mut self) {
        // What a hung queue still uses must not be freed, and a driver that has lost its device is not
        // trusted to free anything: the process ends anyway.
        if self.is_busy() {
            return;
        }
        unsafe {
            self.raw.destroy_fence(self.done, None);
            self.raw.destroy_command_pool(self.pool, None);
            // The allocator frees its blocks through the device, so it goes first.
            ManuallyDrop::drop(&mut self.memory);
            self.raw.destroy_device(None);
            ManuallyDrop::drop(&mut self.instance);
        }
    }
}

fn create(instance: &ash::Instance, seat: &Seat) -> Result<ash::Device> {
    let mut extensions = Vec::new();
    if seat.presents {
        extensions.push(khr::swapchain::NAME.as_ptr());
    }
    if seat.is_portable {
        extensions.push(khr::portability_subset::NAME.as_ptr());
    }
    let priorities = [1.0];
    let queues =
        [vk::DeviceQueueCreateInfo::default().queue_family_index(seat.family).queue_priorities(&priorities)];
    let mut vulkan13 =
        vk::PhysicalDeviceVulkan13Features::default().synchronization2(true).dynamic_rendering(true);
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .push_next(&mut vulkan13);
    attempt(format_args!("creating the window's device on {}", seat.facts.name), || unsafe {
        instance.create_device(seat.physical, &info, None)
    })
}
