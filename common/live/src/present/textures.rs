//! egui's textures. Changes are copied into one staging buffer that is kept, and reach their images
//! with the commands of the next submit.

use std::collections::HashMap;
use std::rc::Rc;

use anyhow::{Context, Result};
use ash::vk;
use egui::epaint::ImageDelta;
use egui::{ImageData, TextureFilter, TextureId, TextureOptions, TextureWrapMode};
use vulkan::fault::attempt;

use super::device::Device;
use super::memory::{At, Buffer, Image, transition};
use super::pipeline::Pipelines;

/// Textures at the same time; egui has one for its text, the stage one a picture.
const MOST: u32 = 256;

/// All textures.
pub(super) struct Textures {
    device: Rc<Device>,
    sets: vk::DescriptorPool,
    samplers: Vec<(TextureOptions, vk::Sampler)>,
    known: HashMap<TextureId, Texture>,
    staging: Option<Buffer>,
    /// Staged and not yet on their way.
    uploads: Vec<Upload>,
}

struct Texture {
    image: Image,
    set: vk::DescriptorSet,
    options: TextureOptions,
}

/// Bytes of the staging buffer that go into a part of an image.
struct Upload {
    id: TextureId,
    offset: usize,
    at: [i32; 2],
    size: [u32; 2],
    is_whole: bool,
}

const NOTHING: At =
    At(vk::ImageLayout::UNDEFINED, vk::PipelineStageFlags2::FRAGMENT_SHADER, vk::AccessFlags2::NONE);
const FILLED: At = At(
    vk::ImageLayout::TRANSFER_DST_OPTIMAL,
    vk::PipelineStageFlags2::COPY,
    vk::AccessFlags2::TRANSFER_WRITE,
);
const SAMPLED: At = At(
    vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
    vk::PipelineStageFlags2::FRAGMENT_SHADER,
    vk::AccessFlags2::SHADER_SAMPLED_READ,
);

impl Textures {
    pub fn new(device: &Rc<Device>) -> Result<Self> {
        let sizes = [vk::DescriptorPoolSize {
            ty: vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            descriptor_count: MOST,
        }];
        let info = vk::DescriptorPoolCreateInfo::default()
            .pool_sizes(&sizes)
            .max_sets(MOST)
            .flags(vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET);
        let sets = attempt("creating the textures' descriptor pool", || unsafe {
            device.raw.create_descriptor_pool(&info, None)
        })?;
        Ok(Self {
            device: Rc::clone(device),
            sets,
            samplers: Vec::new(),
            known: HashMap::new(),
            staging: None,
            uploads: Vec::new(),
        })
    }

    pub fn set(&self, id: TextureId) -> Option<vk::DescriptorSet> {
        self.known.get(&id).map(|texture| texture.set)
    }

    pub fn has_uploads(&self) -> bool {
        !self.uploads.is_empty()
    }

    /// Makes the images that changes need and stages their bytes. Nothing may be staged already.
    pub fn stage(&mut self, delta: &egui::TexturesDelta, pipelines: &Pipelines) -> Result<()> {
        let changes = || delta.set.iter().flat_map(|(id, deltas)| deltas.iter().map(move |d| (*id, d)));
        let bytes = changes().map(|(_, change)| bytes_of(change).len()).sum();
        if bytes == 0 {
            return Ok(());
        }
        let usage = vk::BufferUsageFlags::TRANSFER_SRC;
        Buffer::grow(&mut self.staging, &self.device, "textures (staging)", bytes, usage)?;
        let mut offset = 0;
        for (id, change) in changes() {
            let data = bytes_of(change);
            let upload = self.prepare(id, change, offset, pipelines)?;
            if let Some(staging) = &mut self.staging {
                staging.write(offset, data)?;
            }
            offset += data.len();
            if upload.is_whole {
                // What the texture was to become before does not matter any more, nor fit.
                self.uploads.retain(|other| other.id != id);
            }
            self.uploads.push(upload);
        }
        Ok(())
    }

    fn prepare(
        &mut self,
        id: TextureId,
        change: &ImageDelta,
        offset: usize,
        pipelines: &Pipelines,
    ) -> Result<Upload> {
        let [width, height] = change.image.size();
        let size = [u32::try_from(width)?, u32::try_from(height)?];
        let at = match change.pos {
            Some([x, y]) => [i32::try_from(x)?, i32::try_from(y)?],
            None => [0, 0],
        };
        match self.known.get(&id) {
            Some(texture) if change.pos.is_some() => ensure_inside(texture.image.size, at, size)?,
            Some(texture) if texture.image.size == size && texture.options == change.options => {}
            _ => {
                anyhow::ensure!(
                    change.pos.is_none(),
                    "a part of texture {id:?} changed before there was one"
                );
                self.make(id, size, change.options, pipelines)?;
            }
        }
        Ok(Upload { id, offset, at, size, is_whole: change.pos.is_none() })
    }

    fn make(
        &mut self,
        id: TextureId,
        size: [u32; 2],
        options: TextureOptions,
        pipelines: &Pipelines,
    ) -> Result<()> {
        self.free(id)?;
        let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
        let image = Image::new(&self.device, "texture", size, usage)?;
        let sampler = self.sampler(options)?;
        let layouts = [pipelines.textures];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.sets).set_layouts(&layouts);
        let sets = attempt("allocating a texture's descriptors", || unsafe {
            self.device.raw.allocate_descriptor_sets(&info)
        })?;
        let images = [vk::DescriptorImageInfo { sampler, image_view: image.view, image_layout: SAMPLED.0 }];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(sets[0])
            .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
            .image_info(&images);
        unsafe { self.device.raw.update_descriptor_sets(&[write], &[]) };
        self.known.insert(id, Texture { image, set: sets[0], options });
        Ok(())
    }

    fn sampler(&mut self, options: TextureOptions) -> Result<vk::Sampler> {
        if let Some((_, sampler)) = self.samplers.iter().find(|(known, _)| *known == options) {
            return Ok(*sampler);
        }
        let filter = |filter| match filter {
            TextureFilter::Nearest => vk::Filter::NEAREST,
            TextureFilter::Linear => vk::Filter::LINEAR,
        };
        let wrap = match options.wrap_mode {
            TextureWrapMode::ClampToEdge => vk::SamplerAddressMode::CLAMP_TO_EDGE,
            TextureWrapMode::Repeat => vk::SamplerAddressMode::REPEAT,
            TextureWrapMode::MirroredRepeat => vk::SamplerAddressMode::MIRRORED_REPEAT,
        };
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(filter(options.magnification))
            .min_filter(filter(options.minification))
            .address_mode_u(wrap)
            .address_mode_v(wrap)
            .address_mode_w(wrap);
        let sampler = attempt("creating a texture's sampler", || unsafe {
            self.device.raw.create_sampler(&info, None)
        })?;
        self.samplers.push((options, sampler));
        Ok(sampler)
    }

    /// Records the copies that are staged, which are then forgotten.
    pub fn record(&mut self, commands: vk::CommandBuffer) {
        let uploads = std::mem::take(&mut self.uploads);
        let Some(staging) = &self.staging else { return };
        for upload in &uploads {
            let Some(texture) = self.known.get(&upload.id) else { continue };
            let image = texture.image.raw;
            // What lies around a part must be kept.
            let before = if upload.is_whole { NOTHING } else { At(SAMPLED.0, NOTHING.1, NOTHING.2) };
            transition(&self.device, commands, image, before, FILLED);
            let [x, y] = upload.at;
            let [width, height] = upload.size;
            let region = vk::BufferImageCopy::default()
                .buffer_offset(upload.offset as u64)
                .image_subresource(LAYER)
                .image_offset(vk::Offset3D { x, y, z: 0 })
                .image_extent(vk::Extent3D { width, height, depth: 1 });
            unsafe {
                self.device.raw.cmd_copy_buffer_to_image(commands, staging.raw, image, FILLED.0, &[region]);
            }
            transition(&self.device, commands, image, FILLED, SAMPLED);
        }
    }

    /// Frees a texture that nothing draws any more.
    pub fn free(&mut self, id: TextureId) -> Result<()> {
        let Some(texture) = self.known.remove(&id) else { return Ok(()) };
        self.uploads.retain(|upload| upload.id != id);
        let freed = attempt("freeing a texture's descriptors", || unsafe {
            self.device.raw.free_descriptor_sets(self.sets, &[texture.set])
        });
        freed.context("freeing a texture")
    }
}

impl Drop for Textures {
    fn drop(&mut self) {
        if self.device.is_busy() {
            return;
        }
        unsafe {
            self.device.raw.destroy_descriptor_pool(self.sets, None);
            for (_, sampler) in &self.samplers {
                self.device.raw.destroy_sampler(*sampler, None);
            }
        }
    }
}

/// The one layer of an image.
pub(super) const LAYER: vk::ImageSubresourceLayers = vk::ImageSubresourceLayers {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    mip_level: 0,
    base_array_layer: 0,
    layer_count: 1,
};

fn bytes_of(change: &ImageDelta) -> &[u8] {
    match &change.image {
        ImageData::Color(image) => image.as_raw(),
    }
}

fn ensure_inside(whole: [u32; 2], at: [i32; 2], size: [u32; 2]) -> Result<()> {
    let fits = |i: usize| i64::from(at[i]) + i64::from(size[i]) <= i64::from(whole[i]);
    anyhow::ensure!(fits(0) && fits(1), "a part of a texture lies outside of it");
    Ok(())
}
