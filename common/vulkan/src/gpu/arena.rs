//! All objects of a [`Gpu`](super::Gpu), in tables. Objects are freed with the `Gpu` or with the whole arena.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use ash::vk;
use gpu_allocator::vulkan::{Allocation, Allocator};
use record::KernelFacts;
use record::trace::Parts;

use crate::handles::{Buffer, Event, Image, Kernel, Texels};
use crate::reflect::Interface;
use crate::spirv::Defines;
use crate::values::Shape;

/// What texels of a format are: depths or colours.
pub(crate) fn aspect(format: vk::Format) -> vk::ImageAspectFlags {
    match format {
        vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
        _ => vk::ImageAspectFlags::COLOR,
    }
}

/// A buffer, or a slice of one; the default is a planned buffer that is not made yet.
#[derive(Default)]
pub struct BufferSlot {
    pub(crate) raw: vk::Buffer,
    /// Begin of the slice in `raw`, in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// `None` for a slice: the buffer that it is a part of has the allocation.
    pub allocation: Option<Allocation>,
}

impl BufferSlot {
    /// The descriptor of the buffer.
    pub fn info(&self) -> vk::DescriptorBufferInfo {
        vk::DescriptorBufferInfo { buffer: self.raw, offset: self.offset, range: self.bytes }
    }
}

/// An image; the default is a planned image that is not made yet.
#[derive(Default)]
pub struct ImageSlot {
    pub(crate) raw: vk::Image,
    pub(crate) view: vk::ImageView,
    /// Size in texels.
    pub shape: Shape,
    /// Format of the texels.
    pub format: vk::Format,
    /// What it may be used for.
    pub usage: vk::ImageUsageFlags,
    /// `None` before the image is made.
    pub allocation: Option<Allocation>,
}

impl ImageSlot {
    /// All of the image: one level, one layer.
    pub(crate) fn whole(&self) -> vk::ImageSubresourceRange {
        let range = vk::ImageSubresourceRange::default().level_count(1).layer_count(1);
        range.aspect_mask(aspect(self.format))
    }

    /// The value of a clear: of a colour, or of a depth by its bits.
    pub(crate) fn clear_value(&self, words: [u32; 4]) -> vk::ClearValue {
        if aspect(self.format) == vk::ImageAspectFlags::DEPTH {
            let depth_stencil = vk::ClearDepthStencilValue { depth: f32::from_bits(words[0]), stencil: 0 };
            return vk::ClearValue { depth_stencil };
        }
        vk::ClearValue { color: vk::ClearColorValue { uint32: words } }
    }

    /// The layout between samples.
    pub fn at_rest(&self) -> vk::ImageLayout {
        match self.usage {
            vk::ImageUsageFlags::SAMPLED => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            _ => vk::ImageLayout::GENERAL,
        }
    }
}

/// Everything that determines a kernel, except the text of its shader.
#[derive(Clone, Debug, Default)]
pub struct Recipe {
    pub(crate) path: String,
    /// The text of a generated shader.
    pub(crate) text: Option<Arc<str>>,
    pub(crate) defines: Defines,
    pub(crate) constants: BTreeMap<String, u32>,
    pub(crate) workgroup: Option<[u32; 3]>,
    pub(crate) shared_bytes: u64,
    pub(crate) whole_subgroups: bool,
    /// What makes the kernel a fragment shader of a graphics pipeline.
    pub raster: Option<Raster>,
    /// The parts of the kernel that a trace shows.
    pub parts: Option<Parts>,
    /// Whether the kernel is wrapped, so that it records its waves.
    pub traced: bool,
}

/// The other parts of a fragment shader's pipeline, which draws lists of triangles without culling and blending.
#[derive(Clone, Debug)]
pub struct Raster {
    /// Path of the vertex shader. Its bindings, push constants and specialisation constants are those of the fragment shader, or
    /// the first ones of them.
    pub vertex: String,
    /// Format of each attachment: of the colours, and then of the depth.
    pub targets: Vec<vk::Format>,
}

/// A kernel, its layouts and its recipe; the default is a planned kernel that is not drafted yet.
#[derive(Default)]
pub struct KernelSlot {
    /// Null until a selected variant dispatches the kernel.
    pub pipeline: Cell<vk::Pipeline>,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) set_layout: vk::DescriptorSetLayout,
    /// Bindings, push constants and specialisation constants.
    pub interface: Interface,
    /// The facts for the record.
    pub facts: KernelFacts,
    /// The SPIR-V code.
    pub spirv: Rc<[u32]>,
    /// The SPIR-V code of the vertex shader of a graphics pipeline.
    pub vertex_spirv: Rc<[u32]>,
    /// Specialisation constants by id.
    pub constants: BTreeMap<u32, u32>,
    /// Files that the shader includes, and those of the vertex shader, by path under `shaders/`.
    pub sources: Vec<String>,
    /// The recipe that the kernel is made from.
    pub recipe: Recipe,
    /// The traced copy of this kernel, if it was made.
    pub traced: Option<Kernel>,
    /// Whether this kernel is a traced copy.
    pub is_traced: bool,
}

/// The tables of objects.
#[derive(Default)]
pub struct Arena {
    pub(crate) buffers: Vec<BufferSlot>,
    pub(crate) images: Vec<ImageSlot>,
    pub(crate) texels: Vec<vk::BufferView>,
    pub(crate) events: Vec<vk::Event>,
    pub(crate) kernels: Vec<KernelSlot>,
    pub(crate) queries: Vec<vk::QueryPool>,
    pub(crate) pools: Vec<vk::CommandPool>,
    pub(crate) fences: Vec<vk::Fence>,
    pub(crate) semaphores: Vec<vk::Semaphore>,
    /// The timestamps of variants, one of `queries`.
    pub(crate) stamps: Option<vk::QueryPool>,
    /// Pool, command buffer and fence for work outside any measurement, made when first needed.
    pub once: Option<(vk::CommandPool, vk::CommandBuffer, vk::Fence)>,
}

/// The length of each table at some moment.
#[derive(Debug, PartialEq, Eq)]
pub struct Mark([usize; 9]);

impl Arena {
    /// The buffer of a handle.
    pub fn buffer(&self, handle: Buffer) -> &BufferSlot {
        &self.buffers[handle.0 as usize]
    }

    /// The image of a handle.
    pub fn image(&self, handle: Image) -> &ImageSlot {
        &self.images[handle.0 as usize]
    }

    pub(crate) fn texels(&self, handle: Texels) -> vk::BufferView {
        self.texels[handle.0 as usize]
    }

    pub(crate) fn event(&self, handle: Event) -> vk::Event {
        self.events[handle.0 as usize]
    }

    /// The kernel of a handle.
    pub fn kernel(&self, handle: Kernel) -> &KernelSlot {
        &self.kernels[handle.0 as usize]
    }

    /// The current lengths of the tables.
    pub fn mark(&self) -> Mark {
        Mark([
            self.buffers.len(),
            self.images.len(),
            self.texels.len(),
            self.events.len(),
            self.kernels.len(),
            self.queries.len(),
            self.pools.len(),
            self.fences.len(),
            self.semaphores.len(),
        ])
    }

    /// Removes and returns the objects that were made after a mark.
    pub fn split_off(&mut self, Mark(at): &Mark) -> Self {
        // The traced copy of an older kernel may have been made after the mark.
        for kernel in &mut self.kernels {
            kernel.traced.take_if(|traced| traced.0 as usize >= at[4]);
        }
        Self {
            buffers: self.buffers.split_off(at[0]),
            images: self.images.split_off(at[1]),
            texels: self.texels.split_off(at[2]),
            events: self.events.split_off(at[3]),
            kernels: self.kernels.split_off(at[4]),
            queries: self.queries.split_off(at[5]),
            pools: self.pools.split_off(at[6]),
            fences: self.fences.split_off(at[7]),
            semaphores: self.semaphores.split_off(at[8]),
            stamps: None,
            once: None,
        }
    }

    /// Frees all objects.
    ///
    /// # Safety
    /// The queue is idle and no handle is used again.
    pub unsafe fn destroy(self, device: &ash::Device, memory: &mut Allocator) {
        // An error while freeing memory cannot be reported to anyone.
        let mut free = |allocation: Option<Allocation>| {
            let _ = allocation.map(|a| memory.free(a));
        };
        unsafe {
            self.pools.into_iter().for_each(|pool| device.destroy_command_pool(pool, None));
            self.fences.into_iter().for_each(|fence| device.destroy_fence(fence, None));
            self.semaphores.into_iter().for_each(|semaphore| device.destroy_semaphore(semaphore, None));
            self.queries.into_iter().for_each(|queries| device.destroy_query_pool(queries, None));
            self.events.into_iter().for_each(|event| device.destroy_event(event, None));
            for kernel in self.kernels {
                device.destroy_pipeline(kernel.pipeline.get(), None);
                device.destroy_pipeline_layout(kernel.layout, None);
                device.destroy_descriptor_set_layout(kernel.set_layout, None);
            }
            for image in &self.images {
                device.destroy_image_view(image.view, None);
            }
            for image in self.images.into_iter().filter(|image| image.allocation.is_some()) {
                device.destroy_image(image.raw, None);
                free(image.allocation);
            }
            self.texels.into_iter().for_each(|view| device.destroy_buffer_view(view, None));
            for buffer in self.buffers.into_iter().filter(|buffer| buffer.allocation.is_some()) {
                device.destroy_buffer(buffer.raw, None);
                free(buffer.allocation);
            }
        }
    }
}
