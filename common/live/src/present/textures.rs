//! egui's textures.

use std::collections::HashMap;
use std::rc::Rc;

use anyhow::{Result, bail, ensure};
use ash::vk;
use egui::epaint::ImageDelta;
use egui::{ImageData, TextureFilter, TextureId, TexturesDelta};
use vulkan::fault::attempt;

use super::device::{Device, FILLED, NOTHING, SAMPLED};
use super::memory::{Buffer, Image};

/// Textures at the same time; egui has one for its text, the stage one a picture.
const MOST: u32 = 256;

/// Bytes as egui and PNG have them.
pub(super) const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// All textures.
pub(super) struct Textures {
    device: Rc<Device>,
    /// Layout of a texture's descriptors.
    pub layout: vk::DescriptorSetLayout,
    sets: vk::DescriptorPool,
    /// What shows the nearest texel, and what shows a mean of some.
    samplers: [vk::Sampler; 2],
    known: HashMap<TextureId, Texture>,
}

struct Texture {
    image: Image,
    set: vk::DescriptorSet,
    filter: TextureFilter,
}

impl Textures {
    pub fn new(device: &Rc<Device>) -> Result<Self> {
        let kind = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(kind)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let layout = device.keep(
            "creating the textures' layout",
            || unsafe { device.raw.create_descriptor_set_layout(&info, None) },
            ash::Device::destroy_descriptor_set_layout,
        )?;
        let sizes = [vk::DescriptorPoolSize { ty: kind, descriptor_count: MOST }];
        let info = vk::DescriptorPoolCreateInfo::default()
            .pool_sizes(&sizes)
            .max_sets(MOST)
            .flags(vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET);
        let sets = device.keep(
            "creating the textures' descriptor pool",
            || unsafe { device.raw.create_descriptor_pool(&info, None) },
            ash::Device::destroy_descriptor_pool,
        )?;
        let samplers = [sampler(device, vk::Filter::NEAREST)?, sampler(device, vk::Filter::LINEAR)?];
        Ok(Self { device: Rc::clone(device), layout, sets, samplers, known: HashMap::new() })
    }

    pub fn set(&self, id: TextureId) -> Option<vk::DescriptorSet> {
        self.known.get(&id).map(|texture| texture.set)
    }

    /// Makes changes, through a buffer.
    pub fn change(&mut self, delta: &TexturesDelta, through: &mut Buffer) -> Result<()> {
        let changes = || delta.set.iter().flat_map(|(id, deltas)| deltas.iter().map(move |d| (*id, d)));
        if changes().next().is_none() {
            return Ok(());
        }
        through.grow(changes().map(|(_, change)| bytes_of(change).len()).sum())?;
        let mut offset = 0;
        for (id, change) in changes() {
            self.ensure_room(id, change)?;
            through.write(offset, bytes_of(change))?;
            offset += bytes_of(change).len();
        }
        self.device.run("changes of textures", None, |commands| {
            let mut offset = 0;
            for (id, change) in changes() {
                self.fill(commands, id, change, (through.raw, offset));
                offset += bytes_of(change).len() as u64;
            }
        })
    }

    /// There is a texture that has room for what is changed.
    fn ensure_room(&mut self, id: TextureId, change: &ImageDelta) -> Result<()> {
        let size = sides(change.image.size());
        let filter = change.options.magnification;
        match (self.known.get(&id), change.pos.map(sides)) {
            (Some(texture), Some(at)) => {
                let fits =
                    |i: usize| at[i].checked_add(size[i]).is_some_and(|end| end <= texture.image.size[i]);
                ensure!(fits(0) && fits(1), "a part of a texture lies outside of it");
                Ok(())
            }
            (None, Some(_)) => bail!("a part of texture {id:?} changed before there was one"),
            (Some(texture), None) if texture.image.size == size && texture.filter == filter => Ok(()),
            (_, None) => self.make(id, size, filter),
        }
    }

    fn make(&mut self, id: TextureId, size: [u32; 2], filter: TextureFilter) -> Result<()> {
        self.free(id)?;
        let device = &self.device;
        let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
        let image = Image::new(device, "texture", size, RGBA8, usage)?;
        let layouts = [self.layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.sets).set_layouts(&layouts);
        let set = attempt("allocating a texture's descriptors", || unsafe {
            device.raw.allocate_descriptor_sets(&info)
        })?[0];
        let images = [vk::DescriptorImageInfo {
            sampler: self.samplers[usize::from(filter == TextureFilter::Linear)],
            image_view: image.view,
            image_layout: SAMPLED,
        }];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
            .image_info(&images);
        unsafe { device.raw.update_descriptor_sets(&[write], &[]) };
        self.known.insert(id, Texture { image, set, filter });
        Ok(())
    }

    /// Records the copy of a change that is in a buffer from an offset on.
    fn fill(
        &self,
        commands: vk::CommandBuffer,
        id: TextureId,
        change: &ImageDelta,
        (buffer, offset): (vk::Buffer, u64),
    ) {
        let Some(texture) = self.known.get(&id) else { return };
        let image = texture.image.raw;
        // What lies around a part must be kept.
        let before = if change.is_whole() { NOTHING } else { SAMPLED };
        let [x, y] = change.pos.unwrap_or_default().map(|at| i32::try_from(at).unwrap_or(i32::MAX));
        let [width, height] = sides(change.image.size());
        let region = vk::BufferImageCopy::default()
            .buffer_offset(offset)
            .image_subresource(LAYER)
            .image_offset(vk::Offset3D { x, y, z: 0 })
            .image_extent(vk::Extent3D { width, height, depth: 1 });
        self.device.transition(commands, image, [before, FILLED]);
        unsafe { self.device.raw.cmd_copy_buffer_to_image(commands, buffer, image, FILLED, &[region]) };
        self.device.transition(commands, image, [FILLED, SAMPLED]);
    }

    /// Frees a texture that nothing draws any more.
    pub fn free(&mut self, id: TextureId) -> Result<()> {
        let Some(texture) = self.known.remove(&id) else { return Ok(()) };
        attempt("freeing a texture's descriptors", || unsafe {
            self.device.raw.free_descriptor_sets(self.sets, &[texture.set])
        })
    }
}

fn sampler(device: &Device, filter: vk::Filter) -> Result<vk::Sampler> {
    let edge = vk::SamplerAddressMode::CLAMP_TO_EDGE;
    let info = vk::SamplerCreateInfo::default()
        .mag_filter(filter)
        .min_filter(filter)
        .address_mode_u(edge)
        .address_mode_v(edge);
    let make = || unsafe { device.raw.create_sampler(&info, None) };
    device.keep("creating the textures' sampler", make, ash::Device::destroy_sampler)
}

/// The one layer of an image.
pub(super) const LAYER: vk::ImageSubresourceLayers = vk::ImageSubresourceLayers {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    mip_level: 0,
    base_array_layer: 0,
    layer_count: 1,
};

/// Sides that are too long for a number are too long for a device.
fn sides(sides: [usize; 2]) -> [u32; 2] {
    sides.map(|side| u32::try_from(side).unwrap_or(u32::MAX))
}

fn bytes_of(change: &ImageDelta) -> &[u8] {
    match &change.image {
        ImageData::Color(image) => image.as_raw(),
    }
}
