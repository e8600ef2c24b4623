//! The device that a run works on, and everything that was made on it.

mod arena;
mod calibrated;
mod choose;
mod device;
mod instance;
mod optional;
mod queue;
mod reader;
mod wave_clock;

pub use arena::{Arena, BufferSlot, ImageSlot, KernelSlot, Mark as ArenaMark, Recipe, WHOLE};
pub use calibrated::{Calibrated, clock_name};
pub use choose::QueueKind;
pub use choose::candidates;
pub use instance::Instance;
pub use queue::Mark;
pub use reader::Reader;
pub use wave_clock::WaveClock;

use std::cell::{Cell, Ref, RefCell};
use std::ffi::{CStr, CString};
use std::fmt;
use std::mem::ManuallyDrop;
use std::time::{Duration, Instant};

use anyhow::Result;
use ash::{amd, ext, khr, vk};
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use record::error::Halt;
use record::{DeviceFacts, Kind};

use crate::fault;
use crate::handles::Queue;
use crate::validation::Messages;

/// PCI vendor id.
const AMD: u32 = 0x1002;

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

/// How long the driver took, for `--verbose`.
#[derive(Clone, Copy, Debug)]
pub struct Startup {
    /// Loading the loader, creating the instance and listing devices.
    pub instance: Duration,
    /// Creating the device.
    pub device: Duration,
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
    /// How long the driver took to start.
    pub startup: Startup,
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
    timeout: Duration,
    events_supported: bool,
    max_push_descriptors: u32,
    limits: choose::Limits,
    /// A submit has not been seen to end, or lost the device.
    pending: Cell<bool>,
    /// Submits so far, which is how a capture of each is numbered.
    submits: Cell<u64>,
    tools: Vec<String>,
    /// Its clock beside that of the CPU.
    pub clock: Calibrated,
    /// What traces of waves need of it.
    pub waves: WaveClock,
    instance: ManuallyDrop<Instance>,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("name", &self.facts.name).finish_non_exhaustive()
    }
}

/// The text of `--list-devices`.
///
/// # Errors
/// No loader, no driver.
pub fn list_devices() -> Result<String> {
    let instance = Instance::new(false)?;
    Ok(choose::list(&candidates(&instance, None)?))
}

/// The devices that can be used, best first.
///
/// # Errors
/// No loader, no driver, no device that can be used.
pub fn usable_devices() -> Result<Vec<record::Usable>> {
    let instance = Instance::new(false)?;
    choose::usable(&candidates(&instance, None)?)
}

/// The device that `--device` takes for `wish`; without one, the best.
///
/// # Errors
/// As [`usable_devices`]; a wish that names none or several.
pub fn find_device(wish: Option<&str>) -> Result<record::Usable> {
    let instance = Instance::new(false)?;
    choose::one(&candidates(&instance, None)?, wish)
}

/// The extension that tells what became of kernels.
fn statistics(instance: &ash::Instance, chosen: &choose::Candidate) -> Result<&'static CStr> {
    let extensions = optional::Extensions::of(instance, chosen.physical)?;
    let extension = optional::statistics(instance, chosen.physical, &extensions);
    extension.ok_or_else(|| {
        let (name, driver) = (&chosen.facts.name, &chosen.facts.driver_name);
        Halt::Skip(format!(
            "{driver} does not tell what it makes of kernels on {name}: it has neither \
             VK_KHR_pipeline_executable_properties nor VK_AMD_shader_info (--code amd:polaris10,navi21 compiles for \
             chips that are not here)"
        ))
        .into()
    })
}

fn reader(extension: &CStr, instance: &ash::Instance, device: &ash::Device, facts: &DeviceFacts) -> Reader {
    if extension == amd::shader_info::NAME {
        return Reader::ShaderInfo(amd::shader_info::Device::new(instance, device));
    }
    let device = khr::pipeline_executable_properties::Device::new(instance, device);
    // Only the text of AMD's code is read.
    Reader::Executables { device, assembly: facts.vendor_id == AMD }
}

impl Gpu {
    /// Opens a device.
    ///
    /// # Errors
    /// [`Halt::Skip`] where there is no loader, no driver or no usable device; else what the driver
    /// refused.
    pub fn open(options: &OpenOptions) -> Result<Self> {
        let began = Instant::now();
        let instance = Instance::new(options.validate)?;
        let chosen = choose::choose(candidates(&instance, options.queue)?, options.device.as_deref())?;
        let instance_time = began.elapsed();
        let began = Instant::now();
        let statistics = if options.statistics { Some(statistics(&instance.raw, &chosen)?) } else { None };
        let (device, features) = device::create(&instance.raw, &chosen, statistics)?;
        let startup = Startup { instance: instance_time, device: began.elapsed() };
        let debug = instance.debug.as_ref().map(|_| ext::debug_utils::Device::new(&instance.raw, &device));
        let memory = Allocator::new(&AllocatorCreateDesc {
            instance: instance.raw.clone(),
            device: device.clone(),
            physical_device: chosen.physical,
            debug_settings: gpu_allocator::AllocatorDebugSettings::default(),
            buffer_device_address: false,
            allocation_sizes: gpu_allocator::AllocationSizes::default(),
        })
        .inspect_err(|_| unsafe { device.destroy_device(None) })?;
        let default_timeout = Duration::from_secs(if chosen.facts.kind == Kind::Cpu { 60 } else { 10 });
        let statistics = statistics.map(|extension| reader(extension, &instance.raw, &device, &chosen.facts));
        let gpu = Self {
            startup,
            statistics,
            push: khr::push_descriptor::Device::new(&instance.raw, &device),
            debug,
            arena: RefCell::default(),
            memory: ManuallyDrop::new(RefCell::new(memory)),
            queues: chosen.queues.map(|at| at.map(|at| queue::Handle::get(&device, at))),
            physical: chosen.physical,
            timeout: options.timeout.unwrap_or(default_timeout),
            events_supported: features.events,
            max_push_descriptors: features.max_push_descriptors,
            limits: chosen.limits,
            pending: Cell::new(false),
            submits: Cell::new(0),
            tools: device::tools(&instance.raw, chosen.physical),
            clock: features.clock,
            waves: features.waves,
            facts: DeviceFacts { device_clock: features.waves.clock, ..chosen.facts },
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

    /// Layers and capture tools that are active around the device and may change its times: ours
    /// under `--check`, or whatever the environment brought in.
    #[must_use]
    pub fn tools(&self) -> &[String] {
        &self.tools
    }

    /// Bytes of the largest buffer that a kernel can bind.
    pub fn max_storage_buffer(&self) -> u64 {
        self.limits.storage_buffer
    }

    /// Workgroups of the largest dispatch, x, y, z.
    pub fn max_groups(&self) -> [u32; 3] {
        self.limits.groups
    }

    /// Why a buffer of so many texels of a format cannot be read as such, where it cannot.
    pub fn why_no_texels(&self, texels: u64, format: vk::Format) -> Option<String> {
        let (name, most) = (&self.facts.name, self.limits.texels);
        if !self.views_texels(format) {
            return Some(format!("{name} has no texel buffers of format {format:?}"));
        }
        let is_too_long = texels > most.into();
        is_too_long.then(|| format!("{name} has texel buffers of {most} texels at most, not of {texels}"))
    }

    /// Layers that an image can have.
    pub fn most_layers(&self) -> u32 {
        let properties = unsafe { self.instance.raw.get_physical_device_properties(self.physical) };
        properties.limits.max_image_array_layers
    }

    /// The device has events (portability devices may not).
    #[must_use]
    pub fn has_events(&self) -> bool {
        self.events_supported
    }

    pub(crate) fn max_push_descriptors(&self) -> u32 {
        self.max_push_descriptors
    }

    /// Storage buffers that a kernel can bind.
    pub fn most_storage_buffers(&self) -> usize {
        self.limits.storage_buffers as usize
    }

    /// Kernels can store to optimally tiled images of this format.
    pub fn stores(&self, format: vk::Format) -> bool {
        let of_format =
            unsafe { self.instance.raw.get_physical_device_format_properties(self.physical, format) };
        of_format.optimal_tiling_features.contains(vk::FormatFeatureFlags::STORAGE_IMAGE)
    }

    /// Kernels can read buffers as texels of this format.
    pub fn views_texels(&self, format: vk::Format) -> bool {
        let of_format =
            unsafe { self.instance.raw.get_physical_device_format_properties(self.physical, format) };
        of_format.buffer_features.contains(vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER)
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
        // SAFETY: the queues are idle, and the caller gives the handles up.
        unsafe { newer.destroy(&self.device, &mut self.memory.borrow_mut()) };
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
