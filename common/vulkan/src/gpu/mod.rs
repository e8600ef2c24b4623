//! The device that a run works on, and everything that was made on it.

mod arena;
mod choose;
mod device;
mod instance;
mod physical;
mod queue;
mod reader;

pub use arena::{Arena, BufferSlot, ImageSlot, KernelSlot, Mark as ArenaMark, Recipe};
use choose::candidates;
pub use choose::{Limits, QueueKind, find_device, list_devices, usable_devices};
pub use device::WaveClock;
pub use instance::Instance;
pub use physical::Physical;
pub use queue::Mark;
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

use crate::fault;
use crate::handles::Queue;
use crate::validation::Messages;

/// How to open a device.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Index, part of the name, or UUID; `None` takes the best.
    pub device: Option<String>,
    /// Core and synchronization validation on.
    pub validate: bool,
    /// How long a submit may take; `None` takes 10 s on a GPU and 60 s on a CPU device.
    pub timeout: Option<Duration>,
    /// The kind of queue to work on; `None` takes graphics where there is one.
    pub queue: Option<QueueKind>,
    /// Pipelines are made so that the driver tells what became of their kernels.
    pub statistics: bool,
}

/// A device with its queues, and the arena of all objects made on it.
///
/// This type and [`Cmd`](crate::Cmd) hold all the `unsafe` of a run, under this contract: handles
/// ([`Buffer`], [`Image`], [`Event`], [`Kernel`](crate::Kernel)) are indices into the arena of the
/// `Gpu` that made them and are used with no other, and with no other arena than the one in which
/// they were made: the engine of `--live`, which alone puts another in its place or builds a kernel
/// anew, uses a lab only while its arena is there. Objects live until the `Gpu` is dropped or their
/// arena is freed; nothing is freed while a queue works (every submit is waited for, and what a hung
/// queue may still use is leaked); one thread uses it.
pub struct Gpu {
    /// What the device says of itself.
    pub facts: DeviceFacts,
    /// The logical device.
    pub device: ash::Device,
    pub(crate) push: khr::push_descriptor::Device,
    /// Labels and names, where a layer or a capture tool takes them.
    pub debug: Option<ext::debug_utils::Device>,
    /// Where the device was opened with [`OpenOptions::statistics`].
    pub statistics: Option<Reader>,
    /// All that was made on it.
    pub arena: RefCell<Arena>,
    memory: ManuallyDrop<RefCell<Allocator>>,
    physical: vk::PhysicalDevice,
    queues: [Option<queue::Handle>; 2],
    /// How long a submit may take.
    pub timeout: Duration,
    /// It has events (portability devices may not).
    pub has_events: bool,
    /// What it has at most.
    pub limits: Limits,
    /// A submit has not been seen to end, or lost the device.
    pending: Cell<bool>,
    /// Submits so far, which is how a capture of each is numbered.
    submits: Cell<u64>,
    /// Layers and capture tools that are active around the device and may change its times: ours under `--check`, or
    /// whatever the environment brought in.
    pub tools: Vec<String>,
    /// What traces of waves need of it.
    pub waves: WaveClock,
    instance: ManuallyDrop<Instance>,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("name", &self.facts.name).finish_non_exhaustive()
    }
}

impl Gpu {
    /// Opens a device.
    ///
    /// # Errors
    /// [`Halt::Skip`] where there is no loader, no driver or no usable device; else what the driver
    /// refused.
    pub fn open(options: &OpenOptions) -> Result<Self> {
        let instance = Instance::new(options.validate)?;
        let mut found = candidates(&instance, options.queue)?;
        let chosen = found.swap_remove(choose::position(&found, options.device.as_deref())?);
        if options.statistics {
            Reader::ensure_possible(&chosen)?;
        }
        let (device, has_events, waves) = device::create(&chosen, options.statistics)?;
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
        let statistics = options.statistics.then(reader);
        let gpu = Self {
            statistics,
            push: khr::push_descriptor::Device::new(&instance.raw, &device),
            debug,
            arena: RefCell::default(),
            memory: ManuallyDrop::new(RefCell::new(memory)),
            queues: chosen.queues.map(|at| at.map(|at| queue::Handle::get(&device, at))),
            physical: chosen.physical.raw,
            timeout: options.timeout.unwrap_or(default_timeout),
            has_events,
            limits: chosen.limits,
            pending: Cell::new(false),
            submits: Cell::new(0),
            tools: chosen.physical.tools(),
            waves,
            facts: DeviceFacts { device_clock: waves.clock, ..chosen.facts },
            device,
            instance: ManuallyDrop::new(instance),
        };
        for (handle, name) in gpu.queues.iter().flatten().zip(["first queue", "second queue"]) {
            gpu.name(handle.raw, name);
        }
        gpu.name(gpu.device.handle(), &gpu.facts.name);
        Ok(gpu)
    }

    /// Messages of the validation layer since the last call; empty when validation is off.
    #[must_use]
    pub fn take_messages(&self) -> Vec<crate::validation::Message> {
        self.messages().map_or_else(Vec::new, Messages::take)
    }

    /// What the validation layer says; `None` when validation is off.
    pub fn messages(&self) -> Option<&Messages> {
        self.instance.messages.as_deref()
    }

    /// What the device can do with images and buffers of a format.
    pub(crate) fn format(&self, format: vk::Format) -> vk::FormatProperties {
        unsafe { self.instance.raw.get_physical_device_format_properties(self.physical, format) }
    }

    /// Kernels can store to optimally tiled images of this format.
    pub fn stores(&self, format: vk::Format) -> bool {
        self.format(format).optimal_tiling_features.contains(vk::FormatFeatureFlags::STORAGE_IMAGE)
    }

    /// All that was made on it, to be read.
    pub fn arena(&self) -> Ref<'_, Arena> {
        self.arena.borrow()
    }

    pub(crate) fn allocator(&self) -> &RefCell<Allocator> {
        &self.memory
    }

    /// Where the tables of objects end now.
    pub fn mark(&self) -> ArenaMark {
        self.arena().mark()
    }

    /// Frees all objects that were made since: no handle of theirs may be used again. Must not be called
    /// while a submit is at work.
    pub fn release(&self, since: &ArenaMark) {
        let newer = self.arena.borrow_mut().split_off(since);
        self.free_all(newer);
    }

    /// Takes all objects away, so that others can be made in their place: handles of theirs may not be used
    /// before [`Gpu::put_back`].
    pub fn set_aside(&self) -> Arena {
        std::mem::take(&mut *self.arena.borrow_mut())
    }

    /// Frees all objects and puts others in their place, those that were set aside or none. Must not be called
    /// while a submit is at work.
    pub fn put_back(&self, aside: Arena) {
        let replaced = self.arena.replace(aside);
        self.free_all(replaced);
    }

    /// Frees objects that were set aside. Must not be called while a submit is at work.
    pub fn free_all(&self, aside: Arena) {
        // SAFETY: the queues are idle, and the caller gives the handles up.
        unsafe { aside.destroy(&self.device, &mut self.memory.borrow_mut()) };
    }

    /// Frees everything. Returns what the validation layer has not been heard of yet: of objects that were left,
    /// too.
    pub fn close(self) -> Vec<crate::validation::Message> {
        let messages = self.instance.messages.clone();
        drop(self);
        messages.map_or_else(Vec::new, |messages| messages.take())
    }

    /// A submit may still be at work: nothing may be recorded or freed any more.
    pub fn is_busy(&self) -> bool {
        self.pending.get()
    }

    /// Names an object for validation messages and capture tools.
    pub fn name<H: vk::Handle>(&self, handle: H, name: &str) {
        let (Some(debug), Ok(name)) = (&self.debug, CString::new(name)) else { return };
        let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(handle).object_name(&name);
        // A name that could not be set costs nothing but the name.
        let _ = fault::call("naming an object", || unsafe { debug.set_debug_utils_object_name(&info) });
    }

    /// Makes what [`Gpu::run_once`] needs, where it is not there yet.
    pub fn prepare_once(&self) -> Result<()> {
        if self.arena().once.is_none() {
            let pool = self.command_pool(Queue::First)?;
            let made = (pool, self.command_buffer(pool)?, self.fence()?);
            self.arena.borrow_mut().once = Some(made);
        }
        Ok(())
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // What a hung queue still uses must not be freed, whatever error brought us here, and a driver
        // that has lost its device is not trusted to free anything: the process ends anyway.
        if self.is_busy() {
            return;
        }
        let arena = std::mem::take(&mut *self.arena.borrow_mut());
        unsafe {
            arena.destroy(&self.device, &mut self.memory.borrow_mut());
            // The allocator frees its blocks through the device, so it goes first.
            ManuallyDrop::drop(&mut self.memory);
            self.device.destroy_device(None);
            ManuallyDrop::drop(&mut self.instance);
        }
    }
}
