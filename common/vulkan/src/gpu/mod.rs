//! The device of a run, and all objects that are made on it.

mod arena;
mod choose;
mod clocks;
mod device;
mod instance;
pub(crate) mod maintenance9;
mod physical;
mod queue;
mod reader;

pub(crate) use arena::aspect;
pub use arena::{Arena, BufferSlot, ImageSlot, KernelSlot, Mark as ArenaMark, Raster, Recipe};
use choose::candidates;
pub use choose::{Limits, QueueKind, QueuePlace, find_device, list_devices, usable_devices};
pub use clocks::ClockReading;
pub use device::WaveClock;
pub use instance::Instance;
pub use physical::Physical;
pub use queue::{Completion, Mark, SubmitCall};
pub use reader::Reader;

use std::cell::{Cell, Ref, RefCell};
use std::ffi::CString;
use std::fmt;
use std::mem::ManuallyDrop;
use std::time::Duration;

use anyhow::Result;
use ash::{ext, khr, vk};
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use record::{DeviceFacts, Kind};

use crate::cmd::MOST_STAMPS;
use crate::fault;
use crate::handles::Queue;
use crate::validation::Messages;

/// Options for opening a device.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Index, part of the name, or UUID; `None` takes the best device.
    pub device: Option<String>,
    /// Whether core and synchronization validation are on.
    pub validate: bool,
    /// Time-out of a submit; `None` takes 10 s on a GPU and 60 s on a CPU device.
    pub timeout: Option<Duration>,
    /// The kind of queue to work on; `None` prefers a graphics queue.
    pub queue: Option<QueueKind>,
    /// Whether all queues that compute are made, or only two.
    pub all_queues: bool,
    /// Whether pipelines are made so that the driver reports their compiled code, if it can.
    pub statistics: bool,
}

/// A device with its queues, and the arena of all objects made on it.
///
/// The `unsafe` code of a run, mostly in this type and [`CommandBuffer`](crate::cmd::CommandBuffer), relies on this
/// contract:
///
/// - [Handles](crate::handles) are indices into the arena of the `Gpu` that made them. They are used only with that
///   `Gpu`, and only while that arena is in place. Only the engine of `--live` replaces an arena or rebuilds a kernel,
///   and it uses a lab only while the lab's arena is in place.
/// - Objects live until the `Gpu` is dropped or their arena is freed.
/// - Nothing is freed while a queue works: every submit is waited for, and objects that a hung queue may still use are
///   leaked.
/// - Only one thread uses the `Gpu`.
pub struct Gpu {
    /// What the device reports about itself.
    pub facts: DeviceFacts,
    /// The logical device.
    pub device: ash::Device,
    pub(crate) push: khr::push_descriptor::Device,
    /// Reads the clock of timestamps, where the CPU can.
    readable_clock: Option<ext::calibrated_timestamps::Device>,
    /// Functions for labels and names, if a layer or a capture tool provides them.
    pub debug: Option<ext::debug_utils::Device>,
    /// Reads compiled kernels; present if the device was opened with [`OpenOptions::statistics`] and can.
    pub statistics: Option<Reader>,
    /// All objects on the device.
    pub arena: RefCell<Arena>,
    memory: ManuallyDrop<RefCell<Allocator>>,
    physical: vk::PhysicalDevice,
    queues: Vec<queue::Handle>,
    /// Time-out of a submit.
    pub timeout: Duration,
    /// Whether the device has events; portability devices may not.
    pub has_events: bool,
    /// Whether the first queue draws.
    pub has_graphics: bool,
    /// Whether vertex and fragment shaders may store.
    pub draws_may_store: bool,
    /// Whether sets and waits can have different dependencies (VK_KHR_maintenance9).
    pub has_asymmetric_events: bool,
    /// Limits of the device.
    pub limits: Limits,
    /// Whether a submit may still be running, or has lost the device.
    pending: Cell<bool>,
    /// Number of submits so far. Captures of single submits are numbered by it.
    submits: Cell<u64>,
    /// Active layers and capture tools that may change times: the validation layer under `--check`, or layers that
    /// the environment enables.
    pub tools: Vec<String>,
    /// Device features for traces of waves.
    pub waves: WaveClock,
    instance: ManuallyDrop<Instance>,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("name", &self.facts.name).finish_non_exhaustive()
    }
}

impl Gpu {
    /// `pipelineCacheUUID` as hexadecimal digits: differs between drivers that compile differently.
    #[must_use]
    pub fn pipeline_cache_uuid(&self) -> String {
        let facts = unsafe { self.instance.raw.get_physical_device_properties(self.physical) };
        crate::spirv::hex(&facts.pipeline_cache_uuid)
    }

    /// Opens a device.
    ///
    /// # Errors
    /// [`Halt::Skip`](record::error::Halt::Skip) if there is no loader, driver or usable device; otherwise an error of the driver.
    pub fn open(options: &OpenOptions) -> Result<Self> {
        let instance = Instance::new(options.validate)?;
        let mut found = candidates(&instance, options.queue)?;
        let mut chosen = found.swap_remove(choose::position(&found, options.device.as_deref())?);
        if !options.all_queues {
            chosen.queues.truncate(2);
        }
        let reports = options.statistics && Reader::is_possible(&chosen);
        let has_readable_clock = clocks::are_readable(&chosen.physical)?;
        let device::Created { device, has_events, has_asymmetric_events, waves } =
            device::create(&chosen, reports, has_readable_clock)?;
        let debug = instance.debug.as_ref().map(|_| ext::debug_utils::Device::new(&instance.raw, &device));
        let memory = Allocator::new(&AllocatorCreateDesc {
            instance: instance.raw.clone(),
            device: device.clone(),
            physical_device: chosen.physical.raw,
            debug_settings: gpu_allocator::AllocatorDebugSettings::default(),
            buffer_device_address: false,
            allocation_sizes: gpu_allocator::AllocationSizes::default(),
        })
        .inspect_err(|_| unsafe { device.destroy_device(None) })?;
        let default_timeout = Duration::from_secs(if chosen.facts.kind == Kind::Cpu { 60 } else { 10 });
        let reader = || Reader::new(&instance.raw, &device, chosen.facts.vendor_id);
        let statistics = reports.then(reader);
        let gpu = Self {
            statistics,
            push: khr::push_descriptor::Device::new(&instance.raw, &device),
            readable_clock: has_readable_clock
                .then(|| ext::calibrated_timestamps::Device::new(&instance.raw, &device)),
            debug,
            arena: RefCell::default(),
            memory: ManuallyDrop::new(RefCell::new(memory)),
            queues: chosen.queues.iter().map(|&at| queue::Handle::get(&device, at)).collect(),
            physical: chosen.physical.raw,
            timeout: options.timeout.unwrap_or(default_timeout),
            has_events,
            has_asymmetric_events,
            has_graphics: chosen.queues.first().is_some_and(|queue| queue.has_graphics),
            draws_may_store: chosen.draws_may_store,
            limits: chosen.limits,
            pending: Cell::new(false),
            submits: Cell::new(0),
            tools: chosen.physical.tools(),
            waves,
            facts: DeviceFacts { device_clock: waves.clock, ..chosen.facts },
            device,
            instance: ManuallyDrop::new(instance),
        };
        for (at, handle) in gpu.queues.iter().enumerate() {
            gpu.name(handle.raw, &format!("queue {at}"));
        }
        gpu.name(gpu.device.handle(), &gpu.facts.name);
        Ok(gpu)
    }

    /// Messages of the validation layer since the last call; empty without validation.
    #[must_use]
    pub fn take_messages(&self) -> Vec<crate::validation::Message> {
        self.messages().map_or_else(Vec::new, Messages::take)
    }

    /// The messages of the validation layer; `None` without validation.
    pub fn messages(&self) -> Option<&Messages> {
        self.instance.messages.as_deref()
    }

    /// The format features of images and buffers on this device.
    pub(crate) fn format(&self, format: vk::Format) -> vk::FormatProperties {
        unsafe { self.instance.raw.get_physical_device_format_properties(self.physical, format) }
    }

    /// Whether kernels can store to optimally tiled images of this format.
    pub fn stores(&self, format: vk::Format) -> bool {
        self.format(format).optimal_tiling_features.contains(vk::FormatFeatureFlags::STORAGE_IMAGE)
    }

    /// Whether optimally tiled images of this format can be attachments.
    pub fn draws_to(&self, format: vk::Format) -> bool {
        let needed = match aspect(format) {
            vk::ImageAspectFlags::DEPTH => vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT,
            _ => vk::FormatFeatureFlags::COLOR_ATTACHMENT,
        };
        self.format(format).optimal_tiling_features.contains(needed)
    }

    /// The objects on the device, for reading.
    pub fn arena(&self) -> Ref<'_, Arena> {
        self.arena.borrow()
    }

    pub(crate) fn allocator(&self) -> &RefCell<Allocator> {
        &self.memory
    }

    /// The current lengths of the object tables.
    pub fn mark(&self) -> ArenaMark {
        self.arena().mark()
    }

    /// Frees all objects that were made after the mark. Their handles must not be used again. Must not be called
    /// while a submit is running.
    pub fn release(&self, since: &ArenaMark) {
        let newer = self.arena.borrow_mut().split_off(since);
        self.free_all(newer);
    }

    /// Removes all objects, so that others can be made in their place. Their handles must not be used before
    /// [`Gpu::put_back`].
    pub fn set_aside(&self) -> Arena {
        std::mem::take(&mut *self.arena.borrow_mut())
    }

    /// Frees all objects and replaces them by others, either objects that were set aside or none. Must not be
    /// called while a submit is running.
    pub fn put_back(&self, aside: Arena) {
        let replaced = self.arena.replace(aside);
        self.free_all(replaced);
    }

    /// Frees objects that were set aside. Must not be called while a submit is running.
    pub fn free_all(&self, aside: Arena) {
        // SAFETY: the queues are idle, and the caller gives the handles up.
        unsafe { aside.destroy(&self.device, &mut self.memory.borrow_mut()) };
    }

    /// Frees everything. Returns the remaining messages of the validation layer, including those about objects that
    /// were not freed.
    pub fn close(self) -> Vec<crate::validation::Message> {
        let messages = self.instance.messages.clone();
        drop(self);
        messages.map_or_else(Vec::new, |messages| messages.take())
    }

    /// Whether a submit may still be running. If so, nothing may be recorded or freed any more.
    pub fn is_busy(&self) -> bool {
        self.pending.get()
    }

    /// Names an object for validation messages and capture tools.
    pub fn name<H: vk::Handle>(&self, handle: H, name: &str) {
        let (Some(debug), Ok(name)) = (&self.debug, CString::new(name)) else { return };
        let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(handle).object_name(&name);
        // An object without a name still works, so the error is ignored.
        let _ = fault::call("naming an object", || unsafe { debug.set_debug_utils_object_name(&info) });
    }

    /// Makes the objects for [`Gpu::run_once`] and the queries for the timestamps of variants, unless they exist.
    pub fn prepare_once(&self) -> Result<()> {
        if self.arena().once.is_none() {
            let pool = self.command_pool(Queue::FIRST)?;
            let made = (pool, self.command_buffer(pool)?, self.fence()?);
            let stamps = self.timestamps(MOST_STAMPS)?;
            let mut arena = self.arena.borrow_mut();
            (arena.once, arena.stamps) = (Some(made), Some(stamps));
        }
        Ok(())
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // Objects that a hung queue still uses must not be freed. A driver that has lost its device may crash when
        // it frees objects. In both cases the process ends anyway.
        if self.is_busy() {
            return;
        }
        let arena = std::mem::take(&mut *self.arena.borrow_mut());
        unsafe {
            arena.destroy(&self.device, &mut self.memory.borrow_mut());
            // The allocator frees its memory through the device, so it must be dropped first.
            ManuallyDrop::drop(&mut self.memory);
            self.device.destroy_device(None);
            ManuallyDrop::drop(&mut self.instance);
        }
    }
}
