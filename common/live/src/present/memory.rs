//! Memory of the device that draws: a buffer that the CPU sees, and images. Each frees itself.

use std::rc::Rc;
use std::slice;

use anyhow::{Context, Result, ensure};
use ash::vk;
use vulkan::fault::{self, attempt, failure};
use vulkan::gpu::WHOLE;

use super::device::Device;

use vk::MemoryPropertyFlags as Memory;

/// What the CPU hands over and gets back: all of it at the same place, because every submit is waited for.
pub(super) struct Buffer {
    device: Rc<Device>,
    pub raw: vk::Buffer,
    memory: vk::DeviceMemory,
    mapped: *mut u8,
    bytes: usize,
}

impl Buffer {
    /// A buffer without room.
    pub fn empty(device: &Rc<Device>) -> Self {
        let (raw, memory) = (vk::Buffer::null(), vk::DeviceMemory::null());
        Self { device: Rc::clone(device), raw, memory, mapped: std::ptr::null_mut(), bytes: 0 }
    }

    /// Makes room for `bytes` at the least. What it held is lost where there was less.
    pub fn grow(&mut self, bytes: usize) -> Result<()> {
        if self.bytes >= bytes.max(1) {
            return Ok(());
        }
        // First the old one goes: both need not fit.
        *self = Self::empty(&self.device);
        let device = Rc::clone(&self.device);
        let bytes = bytes.next_power_of_two().max(1 << 16);
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default().size(bytes as u64).usage(usage);
        self.raw =
            attempt("creating the window's buffer", || unsafe { device.raw.create_buffer(&info, None) })?;
        let needed = unsafe { device.raw.get_buffer_memory_requirements(self.raw) };
        let seen = Memory::HOST_VISIBLE | Memory::HOST_COHERENT;
        self.memory = allocate(&device, "the window's buffer", needed, [seen | Memory::HOST_CACHED, seen])?;
        attempt("binding memory to the window's buffer", || unsafe {
            device.raw.bind_buffer_memory(self.raw, self.memory, 0)
        })?;
        let mapped = attempt("mapping the window's buffer", || unsafe {
            device.raw.map_memory(self.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
        })?;
        (self.mapped, self.bytes) = (mapped.cast(), bytes);
        Ok(())
    }

    pub fn write(&mut self, at: usize, data: &[u8]) -> Result<()> {
        let room = at.checked_add(data.len()).and_then(|end| self.seen().get_mut(at..end));
        room.context("the window's buffer is too small")?.copy_from_slice(data);
        Ok(())
    }

    pub fn read(&mut self, bytes: usize) -> Result<&[u8]> {
        self.seen().get(..bytes).context("the window's buffer is too small")
    }

    fn seen(&mut self) -> &mut [u8] {
        if self.mapped.is_null() {
            return &mut [];
        }
        // SAFETY: mapped as long as this is, and the device is idle between two submits.
        unsafe { slice::from_raw_parts_mut(self.mapped, self.bytes) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if !self.device.is_busy() {
            unsafe {
                self.device.raw.destroy_buffer(self.raw, None);
                self.device.raw.free_memory(self.memory, None);
            }
        }
    }
}

/// A colour image in the device's memory.
pub(super) struct Image {
    device: Rc<Device>,
    pub raw: vk::Image,
    pub view: vk::ImageView,
    pub size: [u32; 2],
    memory: vk::DeviceMemory,
}

impl Image {
    pub fn new(
        device: &Rc<Device>,
        name: &str,
        size: [u32; 2],
        format: vk::Format,
        usage: vk::ImageUsageFlags,
    ) -> Result<Self> {
        let (most, [width, height]) = (device.seat.facts.max_image_2d, size);
        ensure!(
            size.iter().all(|side| (1..=most).contains(side)),
            "an image of {width}x{height} is not possible on {}: a side has 1 to {most} texels",
            device.seat.facts.name
        );
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
        let raw = attempt(format_args!("creating image {name}"), || unsafe {
            device.raw.create_image(&info, None)
        })?;
        let (view, memory) = (vk::ImageView::null(), vk::DeviceMemory::null());
        let mut image = Self { device: Rc::clone(device), raw, view, size, memory };
        let needed = unsafe { device.raw.get_image_memory_requirements(raw) };
        image.memory = allocate(device, name, needed, [Memory::DEVICE_LOCAL, Memory::empty()])?;
        attempt(format_args!("binding memory to image {name}"), || unsafe {
            device.raw.bind_image_memory(raw, image.memory, 0)
        })?;
        let info = vk::ImageViewCreateInfo::default()
            .image(raw)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(WHOLE);
        image.view = attempt(format_args!("creating a view of image {name}"), || unsafe {
            device.raw.create_image_view(&info, None)
        })?;
        Ok(image)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        if !self.device.is_busy() {
            unsafe {
                self.device.raw.destroy_image_view(self.view, None);
                self.device.raw.destroy_image(self.raw, None);
                self.device.raw.free_memory(self.memory, None);
            }
        }
    }
}

/// Memory of the first of these kinds that the device has for it.
fn allocate(
    device: &Device,
    name: &str,
    needed: vk::MemoryRequirements,
    kinds: [Memory; 2],
) -> Result<vk::DeviceMemory> {
    let Device { instance, seat, .. } = device;
    let known = unsafe { instance.raw.get_physical_device_memory_properties(seat.physical) };
    let find = |kind: Memory| {
        let fits = |&(at, of): &(u32, &vk::MemoryType)| {
            needed.memory_type_bits & (1 << at) != 0 && of.property_flags.contains(kind)
        };
        (0..).zip(known.memory_types_as_slice()).find(fits).map(|(at, _)| at)
    };
    let kind = kinds.into_iter().find_map(find);
    let kind = kind.with_context(|| format!("{} has no memory for {name}", seat.facts.name))?;
    let info = vk::MemoryAllocateInfo::default().allocation_size(needed.size).memory_type_index(kind);
    let what = format_args!("allocating {name}");
    let made = fault::allocation(what).and_then(|()| unsafe { device.raw.allocate_memory(&info, None) });
    made.map_err(|result| failure(result, what))
}
