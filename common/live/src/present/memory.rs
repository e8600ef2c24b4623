//! Buffers and images of the device that draws. Each frees itself.

use std::rc::Rc;

use anyhow::{Context, Result};
use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::Allocation;
use vulkan::fault::attempt;
use vulkan::gpu::WHOLE;

use super::device::Device;

/// A buffer that the CPU sees.
pub(super) struct Buffer {
    device: Rc<Device>,
    pub raw: vk::Buffer,
    bytes: usize,
    allocation: Option<Allocation>,
}

impl Buffer {
    pub fn new(
        device: &Rc<Device>,
        name: &str,
        bytes: usize,
        usage: vk::BufferUsageFlags,
        location: MemoryLocation,
    ) -> Result<Self> {
        let info = vk::BufferCreateInfo::default().size(bytes as u64).usage(usage);
        let raw = attempt(format_args!("creating buffer {name}"), || unsafe {
            device.raw.create_buffer(&info, None)
        })?;
        let mut buffer = Self { device: Rc::clone(device), raw, bytes, allocation: None };
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        let allocation = device.allocate(name, requirements, location, true)?;
        let (memory, offset) = (unsafe { allocation.memory() }, allocation.offset());
        buffer.allocation = Some(allocation);
        attempt(format_args!("binding memory to buffer {name}"), || unsafe {
            device.raw.bind_buffer_memory(raw, memory, offset)
        })?;
        Ok(buffer)
    }

    /// Makes `buffer` hold at least `bytes`. What it held is lost.
    pub fn grow(
        buffer: &mut Option<Self>,
        device: &Rc<Device>,
        name: &str,
        bytes: usize,
        usage: vk::BufferUsageFlags,
    ) -> Result<()> {
        if buffer.as_ref().is_none_or(|buffer| buffer.bytes < bytes) {
            // First the old one goes: both need not fit.
            *buffer = None;
            let bytes = bytes.next_power_of_two().max(1 << 16);
            *buffer = Some(Self::new(device, name, bytes, usage, MemoryLocation::CpuToGpu)?);
        }
        Ok(())
    }

    pub fn write(&mut self, at: usize, data: &[u8]) -> Result<()> {
        let mapped = self.allocation.as_mut().and_then(Allocation::mapped_slice_mut);
        let target = mapped.and_then(|m| m.get_mut(at..at.checked_add(data.len())?));
        target
            .context("a buffer of the window is too small, or not visible to the CPU")?
            .copy_from_slice(data);
        Ok(())
    }

    pub fn read(&self) -> Result<&[u8]> {
        let mapped = self.allocation.as_ref().and_then(Allocation::mapped_slice);
        mapped.and_then(|m| m.get(..self.bytes)).context("a buffer of the window is not visible to the CPU")
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let Some(device) = idle(&self.device) else { return };
        unsafe { device.raw.destroy_buffer(self.raw, None) };
        if let Some(allocation) = self.allocation.take() {
            device.free(allocation);
        }
    }
}

/// A colour image in the device's memory.
pub(super) struct Image {
    device: Rc<Device>,
    pub raw: vk::Image,
    pub view: vk::ImageView,
    pub size: [u32; 2],
    allocation: Option<Allocation>,
}

impl Image {
    pub fn new(device: &Rc<Device>, name: &str, size: [u32; 2], usage: vk::ImageUsageFlags) -> Result<Self> {
        let most = device.seat.facts.max_image_2d;
        anyhow::ensure!(
            size.iter().all(|side| (1..=most).contains(side)),
            "an image of {}x{} is not possible on {}: a side has 1 to {most} texels",
            size[0],
            size[1],
            device.seat.facts.name
        );
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(RGBA8)
            .extent(vk::Extent3D { width: size[0], height: size[1], depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage);
        let raw = attempt(format_args!("creating image {name}"), || unsafe {
            device.raw.create_image(&info, None)
        })?;
        let view = vk::ImageView::null();
        let mut image = Self { device: Rc::clone(device), raw, view, size, allocation: None };
        image.bind(name)?;
        Ok(image)
    }

    fn bind(&mut self, name: &str) -> Result<()> {
        let device = &self.device.raw;
        let requirements = unsafe { device.get_image_memory_requirements(self.raw) };
        let allocation = self.device.allocate(name, requirements, MemoryLocation::GpuOnly, false)?;
        let (memory, offset) = (unsafe { allocation.memory() }, allocation.offset());
        self.allocation = Some(allocation);
        attempt(format_args!("binding memory to image {name}"), || unsafe {
            device.bind_image_memory(self.raw, memory, offset)
        })?;
        let info = vk::ImageViewCreateInfo::default()
            .image(self.raw)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(RGBA8)
            .subresource_range(WHOLE);
        self.view = attempt(format_args!("creating a view of image {name}"), || unsafe {
            device.create_image_view(&info, None)
        })?;
        Ok(())
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        let Some(device) = idle(&self.device) else { return };
        unsafe {
            device.raw.destroy_image_view(self.view, None);
            device.raw.destroy_image(self.raw, None);
        }
        if let Some(allocation) = self.allocation.take() {
            device.free(allocation);
        }
    }
}

/// Format of all images of ours: bytes as egui and PNG have them.
pub(super) const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// The device, unless something may still be at work.
fn idle(device: &Device) -> Option<&Device> {
    (!device.is_busy()).then_some(device)
}

/// A layout of an image, and the work that has it so.
#[derive(Clone, Copy)]
pub(super) struct At(pub vk::ImageLayout, pub vk::PipelineStageFlags2, pub vk::AccessFlags2);

/// Moves an image from one layout to another.
pub(super) fn transition(device: &Device, commands: vk::CommandBuffer, image: vk::Image, from: At, to: At) {
    let barriers = [vk::ImageMemoryBarrier2::default()
        .image(image)
        .old_layout(from.0)
        .src_stage_mask(from.1)
        .src_access_mask(from.2)
        .new_layout(to.0)
        .dst_stage_mask(to.1)
        .dst_access_mask(to.2)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .subresource_range(WHOLE)];
    let dependency = vk::DependencyInfo::default().image_memory_barriers(&barriers);
    unsafe { device.raw.cmd_pipeline_barrier2(commands, &dependency) };
}
