//! A picture that no window shows.

use std::rc::Rc;

use anyhow::Result;
use ash::vk;
use gpu_allocator::MemoryLocation;

use super::device::Device;
use super::memory::{Buffer, Image, RGBA8};
use super::painter::Onto;
use super::textures::LAYER;

/// An off-screen image, and where the CPU reads it.
pub(super) struct Canvas {
    device: Rc<Device>,
    image: Image,
    copy: Option<Buffer>,
}

impl Canvas {
    pub fn new(device: &Rc<Device>, size: [u32; 2]) -> Result<Self> {
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
        let image = Image::new(device, "canvas", size, usage)?;
        Ok(Self { device: Rc::clone(device), image, copy: None })
    }

    pub fn size(&self) -> [u32; 2] {
        self.image.size
    }

    pub fn onto(&self) -> Onto {
        let [width, height] = self.image.size;
        Onto {
            image: self.image.raw,
            view: self.image.view,
            extent: vk::Extent2D { width, height },
            format: RGBA8,
            becomes: vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        }
    }

    /// The CPU can read it.
    pub fn make_readable(&mut self) -> Result<()> {
        if self.copy.is_none() {
            let usage = vk::BufferUsageFlags::TRANSFER_DST;
            let at = MemoryLocation::GpuToCpu;
            self.copy = Some(Buffer::new(&self.device, "canvas (copy)", bytes(self.image.size)?, usage, at)?);
        }
        Ok(())
    }

    /// Copies the picture, once it is drawn, to where it can be read.
    pub fn record_copy(&self, commands: vk::CommandBuffer) {
        let Some(copy) = &self.copy else { return };
        let [width, height] = self.image.size;
        let region = vk::BufferImageCopy::default().image_subresource(LAYER).image_extent(vk::Extent3D {
            width,
            height,
            depth: 1,
        });
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        let barriers = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::COPY)
            .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::HOST)
            .dst_access_mask(vk::AccessFlags2::HOST_READ)];
        let read = vk::DependencyInfo::default().memory_barriers(&barriers);
        let device = &self.device.raw;
        unsafe {
            device.cmd_copy_image_to_buffer(commands, self.image.raw, layout, copy.raw, &[region]);
            device.cmd_pipeline_barrier2(commands, &read);
        }
    }

    /// What was copied last.
    pub fn pixels(&self) -> Result<Vec<u8>> {
        self.copy.as_ref().map_or_else(|| Ok(Vec::new()), |copy| copy.read().map(<[u8]>::to_vec))
    }
}

fn bytes(size: [u32; 2]) -> Result<usize> {
    Ok(usize::try_from(u64::from(size[0]) * u64::from(size[1]) * 4)?)
}
