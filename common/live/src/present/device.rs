//! The device that draws: the one that is measured on where it can, else the best that can. It has one queue and one
//! command buffer, and every submit is waited for.

use std::cell::{Cell, RefCell};
use std::ffi::CStr;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Result;
use ash::prelude::VkResult;
use ash::{khr, vk};
use record::DeviceFacts;
use record::error::Halt;
use record::hooks::hooks;
use vulkan::fault::{self, attempt, failure};
use vulkan::gpu::{Instance, WHOLE, candidates};

use super::surface::Surface;

/// A device that can draw, with the family of the queue on which it can.
pub(super) struct Seat {
    pub physical: vk::PhysicalDevice,
    pub facts: DeviceFacts,
    pub family: u32,
    /// What the device must be asked for by name.
    extensions: Vec<&'static CStr>,
}

impl Seat {
    /// Chooses among the devices that can draw into `surface`, or off-screen without one.
    ///
    /// # Errors
    /// [`Halt::Skip`] where none can.
    pub fn choose(instance: &Instance, measured: &DeviceFacts, surface: Option<&Surface>) -> Result<Self> {
        let mut seats = Vec::new();
        // They come best first.
        for candidate in candidates(instance, None)? {
            seats.extend(Self::of(&instance.raw, candidate.physical.raw, candidate.facts, surface)?);
        }
        let is_measured = |seat: &Self| seat.is_of(measured);
        let other = seats.iter().position(|seat| hooks().present_elsewhere && !is_measured(seat));
        let at = other.or_else(|| seats.iter().position(is_measured)).unwrap_or(0);
        if at < seats.len() {
            return Ok(seats.swap_remove(at));
        }
        let reason = match surface {
            Some(_) => {
                "no device of this machine can draw into this window: measure with --bench, or draw into \
                 pictures with --live --headless"
            }
            None => {
                "no device of this machine can draw (a graphics queue, dynamicRendering and \
                 synchronization2 of Vulkan 1.3): measure with --bench"
            }
        };
        Err(Halt::Skip(reason.into()).into())
    }

    /// It is this device.
    pub fn is_of(&self, device: &DeviceFacts) -> bool {
        self.facts.uuid == device.uuid && self.facts.name == device.name
    }

    /// The device, where it can draw.
    fn of(
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        facts: DeviceFacts,
        surface: Option<&Surface>,
    ) -> Result<Option<Self>> {
        // A null device has no memory.
        if facts.device_memory == 0 || !has_features(instance, physical) {
            return Ok(None);
        }
        let known = attempt("listing the extensions of a device", || unsafe {
            instance.enumerate_device_extension_properties(physical)
        })?;
        let has = |name: &CStr| known.iter().any(|e| e.extension_name_as_c_str().is_ok_and(|n| n == name));
        if surface.is_some() && !has(khr::swapchain::NAME) {
            return Ok(None);
        }
        // One that is no full Vulkan, as on macOS, must be told that this is known.
        let portable = Some(khr::portability_subset::NAME).filter(|name| has(name));
        let extensions = surface.map(|_| khr::swapchain::NAME).into_iter().chain(portable).collect();
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let draws = |&(family, properties): &(u32, &vk::QueueFamilyProperties)| {
            properties.queue_flags.contains(vk::QueueFlags::GRAPHICS)
                // What one driver cannot answer is no reason against the others.
                && surface.is_none_or(|surface| surface.is_for(physical, family).unwrap_or(false))
        };
        let found = (0..).zip(&families).find(draws);
        Ok(found.map(|(family, _)| Self { physical, facts, family, extensions }))
    }
}

fn has_features(instance: &ash::Instance, physical: vk::PhysicalDevice) -> bool {
    let core = unsafe { instance.get_physical_device_properties(physical) };
    if core.api_version < vk::API_VERSION_1_3 {
        return false;
    }
    let mut vulkan13 = vk::PhysicalDeviceVulkan13Features::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut vulkan13);
    unsafe { instance.get_physical_device_features2(physical, &mut features) };
    vulkan13.dynamic_rendering == vk::TRUE && vulkan13.synchronization2 == vk::TRUE
}

/// How something that goes with the device is destroyed.
type Destroy = Box<dyn FnOnce(&ash::Device)>;

/// A device and its queue.
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
    /// Destroys what goes with the device, the last made first.
    kept: RefCell<Vec<Destroy>>,
    pub instance: ManuallyDrop<Rc<Instance>>,
}

/// A semaphore that a submit waits for, and one that it signals.
pub(super) type Links = Option<[vk::Semaphore; 2]>;

impl Device {
    pub fn open(instance: Rc<Instance>, seat: Seat, timeout: Duration) -> Result<Rc<Self>> {
        let raw = create(&instance.raw, &seat)?;
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
            kept: RefCell::default(),
            instance: ManuallyDrop::new(instance),
        };
        device.prepare()?;
        Ok(Rc::new(device))
    }

    fn prepare(&mut self) -> Result<()> {
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(self.seat.family)
            .flags(vk::CommandPoolCreateFlags::TRANSIENT);
        let pool = || unsafe { self.raw.create_command_pool(&info, None) };
        self.pool =
            self.keep("creating the window's command pool", pool, ash::Device::destroy_command_pool)?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        let buffers = attempt("allocating the window's command buffer", || unsafe {
            self.raw.allocate_command_buffers(&info)
        })?;
        self.commands = buffers[0];
        let fence = || unsafe { self.raw.create_fence(&vk::FenceCreateInfo::default(), None) };
        self.done = self.keep("creating the window's fence", fence, ash::Device::destroy_fence)?;
        Ok(())
    }

    /// Makes something that goes with the device.
    pub fn keep<T: Copy + 'static>(
        &self,
        what: &str,
        make: impl FnOnce() -> VkResult<T>,
        destroy: unsafe fn(&ash::Device, T, Option<&vk::AllocationCallbacks<'_>>),
    ) -> Result<T> {
        let made = attempt(what, make)?;
        // SAFETY: it is run once, when the device has nothing more to do.
        self.kept.borrow_mut().push(Box::new(move |device| unsafe { destroy(device, made, None) }));
        Ok(made)
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
        self.submit(&[], None)?;
        self.wait("presenting")
    }

    fn submit(&self, commands: &[vk::CommandBufferSubmitInfo<'_>], links: Links) -> Result<()> {
        let info = |semaphore| {
            let all = vk::PipelineStageFlags2::ALL_COMMANDS;
            vk::SemaphoreSubmitInfo::default().semaphore(semaphore).stage_mask(all)
        };
        let (waits, signals) = (links.map(|[ready, _]| info(ready)), links.map(|[_, drawn]| info(drawn)));
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

    /// Puts an image of a swapchain on the screen: right, right but not the best (true), or an error.
    pub fn present(&self, loader: &khr::swapchain::Device, info: &vk::PresentInfoKHR<'_>) -> VkResult<bool> {
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

    /// Moves an image from one layout to another, between all that comes before and all that comes behind.
    pub fn transition(
        &self,
        commands: vk::CommandBuffer,
        image: vk::Image,
        [from, to]: [vk::ImageLayout; 2],
    ) {
        let all = vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE;
        let barriers = [vk::ImageMemoryBarrier2::default()
            .image(image)
            .old_layout(from)
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .new_layout(to)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_access_mask(all)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .subresource_range(WHOLE)];
        let dependency = vk::DependencyInfo::default().image_memory_barriers(&barriers);
        unsafe { self.raw.cmd_pipeline_barrier2(commands, &dependency) };
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // What a hung queue still uses must not be freed, and a driver that has lost its device is not
        // trusted to free anything: the process ends anyway.
        if self.is_busy() {
            return;
        }
        self.kept.take().into_iter().rev().for_each(|destroy| destroy(&self.raw));
        unsafe {
            self.raw.destroy_device(None);
            ManuallyDrop::drop(&mut self.instance);
        }
    }
}

fn create(instance: &ash::Instance, seat: &Seat) -> Result<ash::Device> {
    let extensions: Vec<_> = seat.extensions.iter().map(|name| name.as_ptr()).collect();
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

/// What an image held before goes.
pub(super) const NOTHING: vk::ImageLayout = vk::ImageLayout::UNDEFINED;
pub(super) const DRAWN: vk::ImageLayout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
pub(super) const COPIED: vk::ImageLayout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
pub(super) const FILLED: vk::ImageLayout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
pub(super) const SAMPLED: vk::ImageLayout = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
