//! All objects of a [`Gpu`](super::Gpu), in tables. A handle is an index, so it is `Copy` and a
//! sample's closures can own it; nothing is freed before the `Gpu`, or before the whole arena.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use ash::vk;
use gpu_allocator::vulkan::{Allocation, Allocator};
use record::KernelFacts;

use crate::cmd::Binding;
use crate::kernel::Recipe;
use crate::memory::WHOLE;
use crate::reflect::Interface;
use crate::values::Shape;

/// A buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Buffer(pub(crate) u32);

impl Buffer {
    /// The buffer as a kernel's uniform block. Every device takes 16 KiB.
    #[must_use]
    pub fn uniform(self) -> Binding {
        Binding::Uniform(self)
    }
}

/// A buffer seen as texels of one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Texels(pub(crate) u32);

/// An image of two or three dimensions with one level, always in the layout `GENERAL`: one layer of its own, an
/// array of layers, or one layer of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Image(pub(crate) u32);

impl Image {
    /// The image as a kernel's `texture2D` or `texture3D`, read through the texture path.
    #[must_use]
    pub fn sampled(self) -> Binding {
        Binding::Sampled(self)
    }
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event(pub(crate) u32);

/// The same images for every repetition of a variant: `each` of them, `repetitions` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Images {
    pub(crate) first: u32,
    pub(crate) each: u32,
    pub(crate) repetitions: u32,
    /// The first of the arrays, one a repetition, that they are the layers of.
    pub(crate) arrays: Option<u32>,
}

impl Images {
    /// The image of one repetition.
    ///
    /// # Panics
    /// Where there is no such image: a mistake in the sample, not in its input.
    #[must_use]
    pub fn get(&self, repetition: u32, index: u32) -> Image {
        assert!(
            index < self.each && repetition < self.repetitions,
            "image {index} of repetition {repetition}"
        );
        Image(self.first + repetition * self.each + index)
    }

    /// All images of one repetition at once: the array that they are the layers of.
    ///
    /// # Panics
    /// Where they are no layers, or there is no such repetition: a mistake in the sample, not in its input.
    #[must_use]
    pub fn array(&self, repetition: u32) -> Image {
        assert!(repetition < self.repetitions, "the array of repetition {repetition}");
        let first = self.arrays.unwrap_or_else(|| panic!("images that are no layers"));
        Image(first + repetition)
    }
}

/// The same buffers for every repetition of a variant: `each` of them, `repetitions` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffers {
    pub(crate) first: u32,
    pub(crate) each: u32,
    pub(crate) repetitions: u32,
    /// The first of the buffers, one a repetition, that they are the slices of.
    pub(crate) wholes: Option<u32>,
}

impl Buffers {
    /// The buffer of one repetition.
    ///
    /// # Panics
    /// Where there is no such buffer: a mistake in the sample, not in its input.
    #[must_use]
    pub fn get(&self, repetition: u32, index: u32) -> Buffer {
        assert!(
            index < self.each && repetition < self.repetitions,
            "buffer {index} of repetition {repetition}"
        );
        Buffer(self.first + repetition * self.each + index)
    }

    /// How many repetitions have them.
    #[must_use]
    pub fn repetitions(&self) -> u32 {
        self.repetitions
    }

    /// All buffers of one repetition at once: the one that they are the slices of.
    ///
    /// # Panics
    /// Where they are no slices, or there is no such repetition: a mistake in the sample, not in its input.
    #[must_use]
    pub fn whole(&self, repetition: u32) -> Buffer {
        assert!(repetition < self.repetitions, "the whole of repetition {repetition}");
        let first = self.wholes.unwrap_or_else(|| panic!("buffers that are no slices"));
        Buffer(first + repetition)
    }
}

/// What variants write, and what is checked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// Images.
    Images(Images),
    /// Buffers.
    Buffers(Buffers),
}

impl Set {
    /// How many a repetition has.
    pub(crate) fn each(self) -> u32 {
        match self {
            Self::Images(images) => images.each,
            Self::Buffers(buffers) => buffers.each,
        }
    }

    /// One of a repetition.
    pub(crate) fn get(self, repetition: u32, index: u32) -> Binding {
        match self {
            Self::Images(images) => images.get(repetition, index).into(),
            Self::Buffers(buffers) => buffers.get(repetition, index).into(),
        }
    }

    /// The binding is of one of these.
    pub(crate) fn holds(self, binding: Binding) -> bool {
        let within = |first: u32, count: u32, at: u32| (first..first + count).contains(&at);
        match (self, binding) {
            (Self::Images(set), Binding::Image(Image(at)) | Binding::Sampled(Image(at))) => {
                let of_array = |first| within(first, set.repetitions, at);
                within(set.first, set.each * set.repetitions, at) || set.arrays.is_some_and(of_array)
            }
            (Self::Buffers(set), Binding::Buffer(Buffer(at))) => {
                let of_whole = |first| within(first, set.repetitions, at);
                within(set.first, set.each * set.repetitions, at) || set.wholes.is_some_and(of_whole)
            }
            _ => false,
        }
    }
}

impl From<Images> for Set {
    fn from(images: Images) -> Self {
        Self::Images(images)
    }
}

impl From<Buffers> for Set {
    fn from(buffers: Buffers) -> Self {
        Self::Buffers(buffers)
    }
}

/// The same events for every repetition of a variant: `each` of them, `repetitions` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Events {
    pub(crate) first: u32,
    pub(crate) each: u32,
    pub(crate) repetitions: u32,
}

impl Events {
    /// The event of one repetition.
    ///
    /// # Panics
    /// Where there is no such event: a mistake in the sample, not in its input.
    #[must_use]
    pub fn get(&self, repetition: u32, index: u32) -> Event {
        assert!(
            index < self.each && repetition < self.repetitions,
            "event {index} of repetition {repetition}"
        );
        Event(self.first + repetition * self.each + index)
    }
}

pub(crate) struct BufferSlot {
    pub raw: vk::Buffer,
    /// Where in `raw` it begins, in bytes.
    pub offset: u64,
    pub bytes: u64,
    /// None of a slice, whose whole has it.
    pub allocation: Option<Allocation>,
}

impl BufferSlot {
    /// What a descriptor names.
    pub fn info(&self) -> vk::DescriptorBufferInfo {
        vk::DescriptorBufferInfo { buffer: self.raw, offset: self.offset, range: self.bytes }
    }
}

pub(crate) struct ImageSlot {
    pub raw: vk::Image,
    pub view: vk::ImageView,
    pub shape: Shape,
    pub format: vk::Format,
    /// Which of the layers of `raw` it is, and how many.
    pub layers: [u32; 2],
    /// None of a layer, whose array has it.
    pub allocation: Option<Allocation>,
}

impl ImageSlot {
    /// All of its layers.
    pub fn range(&self) -> vk::ImageSubresourceRange {
        let [base_array_layer, layer_count] = self.layers;
        vk::ImageSubresourceRange { base_array_layer, layer_count, ..WHOLE }
    }
}

pub(crate) struct KernelSlot {
    /// None until something is to run that dispatches it.
    pub pipeline: Cell<vk::Pipeline>,
    pub layout: vk::PipelineLayout,
    pub set_layout: vk::DescriptorSetLayout,
    pub interface: Interface,
    pub facts: KernelFacts,
    /// What it was made from, for compilers of other devices: code, and constants by id.
    pub spirv: Rc<[u32]>,
    pub constants: BTreeMap<u32, u32>,
    /// What its shader includes, by path below `shaders/`.
    pub sources: Vec<String>,
    pub recipe: Recipe,
    /// The kernel with the wrapper around it that notes its waves.
    pub traced: Option<crate::Kernel>,
    /// It is such a one.
    pub is_traced: bool,
}

/// The tables.
#[derive(Default)]
pub(crate) struct Arena {
    pub buffers: Vec<BufferSlot>,
    pub images: Vec<ImageSlot>,
    pub texels: Vec<vk::BufferView>,
    pub events: Vec<vk::Event>,
    pub kernels: Vec<KernelSlot>,
    pub queries: Vec<vk::QueryPool>,
    pub pools: Vec<vk::CommandPool>,
    pub fences: Vec<vk::Fence>,
    pub semaphores: Vec<vk::Semaphore>,
    /// What work outside any measurement is run with, once it is there.
    pub once: Option<(vk::CommandPool, vk::CommandBuffer, vk::Fence)>,
}

/// How long each table was.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mark([usize; 9]);

impl Arena {
    pub fn buffer(&self, handle: Buffer) -> &BufferSlot {
        &self.buffers[handle.0 as usize]
    }

    pub fn image(&self, handle: Image) -> &ImageSlot {
        &self.images[handle.0 as usize]
    }

    pub fn texels(&self, handle: Texels) -> vk::BufferView {
        self.texels[handle.0 as usize]
    }

    pub fn event(&self, handle: Event) -> vk::Event {
        self.events[handle.0 as usize]
    }

    pub fn kernel(&self, handle: crate::Kernel) -> &KernelSlot {
        &self.kernels[handle.0 as usize]
    }

    /// Where the tables end.
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

    /// Takes what was made behind a mark.
    pub fn split_off(&mut self, Mark(at): &Mark) -> Self {
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
            once: None,
        }
    }

    /// Frees everything.
    ///
    /// # Safety
    /// The queue is idle and no handle is used again.
    pub unsafe fn destroy(self, device: &ash::Device, memory: &mut Allocator) {
        // A failure to free has nobody left to tell.
        let mut free = |allocation: Option<Allocation>| {
            let _ = allocation.map(|a| memory.free(a));
        };
        unsafe {
            for pool in self.pools {
                device.destroy_command_pool(pool, None);
            }
            for fence in self.fences {
                device.destroy_fence(fence, None);
            }
            for semaphore in self.semaphores {
                device.destroy_semaphore(semaphore, None);
            }
            for queries in self.queries {
                device.destroy_query_pool(queries, None);
            }
            for event in self.events {
                device.destroy_event(event, None);
            }
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
            for view in self.texels {
                device.destroy_buffer_view(view, None);
            }
            for buffer in self.buffers.into_iter().filter(|buffer| buffer.allocation.is_some()) {
                device.destroy_buffer(buffer.raw, None);
                free(buffer.allocation);
            }
        }
    }
}
