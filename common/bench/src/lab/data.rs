//! What variants read and write: inputs, outputs, what they hold before, and what must come out. All of it is only
//! declared; [`Lab::make`] makes what the variants name that run.

use anyhow::Result;
use ash::vk;
use vulkan::gpu::Gpu;
use vulkan::handles::{Binding, Buffer, Buffers, Events, Image, Images, Set};
use vulkan::memory::{EventState, Sharing};
use vulkan::values::Shape;

use super::Lab;
use super::recipe::{Contents, Expected, Outputs, Recipe, Setting};
use crate::element::Element;

/// Images or buffers that the variants write, and what they hold before each sample.
pub struct Output {
    pub(crate) set: Set,
    /// A value that no pass writes.
    pub fill: [u32; 4],
    /// Contents of some of them at the start of each repetition.
    pub seeds: Vec<(u32, Buffer)>,
}

/// What an image or a buffer must hold after a run.
pub struct Check {
    /// The set that holds the result.
    pub set: Set,
    /// Which of the set.
    pub index: u32,
    /// The CPU reference's result.
    pub expected: Buffer,
    /// How many elements are compared.
    pub elements: u32,
    /// How two elements are compared.
    pub element: Element,
    /// Of an image.
    pub shape: Option<Shape>,
    /// What the CPU reference computed, for the counter's own check.
    pub reference: Vec<u32>,
    /// What must not happen, where the words count that.
    pub counts: Option<String>,
}

/// Where each of a buffer's slices begins, in words, and behind the last where the whole ends.
///
/// No device asks for slices at more than 256 bytes (`minStorageBufferOffsetAlignment`).
#[must_use]
pub fn sliced(words: &[u32]) -> Vec<u64> {
    const ALIGNMENT: u64 = 256 / 4;
    let mut starts = vec![0];
    for &words in words {
        let start = starts.last().copied().unwrap_or(0);
        starts.push((start + u64::from(words)).next_multiple_of(ALIGNMENT));
    }
    starts
}

/// What one output is made of: [`ImageSet`] or [`BufferSet`].
pub trait Layout {
    /// Names what is made.
    type Handles: Into<Set> + Copy;

    /// Handles for so many repetitions, what is in each of them, and what that holds before.
    fn plan(self, gpu: &Gpu, repetitions: u32) -> (Self::Handles, Contents, [u32; 4], Sharing);
}

/// Storage images.
#[derive(Clone, Copy, Debug)]
pub struct ImageSet {
    each: u32,
    shape: Shape,
    format: vk::Format,
    unwritten: [u32; 4],
    layers: bool,
    sharing: Sharing,
}

impl ImageSet {
    /// `each` images for every repetition, filled before each sample with `unwritten`, a value that no pass writes:
    /// words as `VkClearColorValue` takes them, so for formats that read as floats the bits of a float.
    #[must_use]
    pub fn new(each: u32, shape: impl Into<Shape>, format: vk::Format, unwritten: [u32; 4]) -> Self {
        let shape = shape.into();
        Self { each, shape, format, unwritten, layers: false, sharing: Sharing::FirstQueue }
    }

    /// A repetition's images are the layers of one array, which a kernel can also bind as a whole
    /// ([`Many::whole`](vulkan::handles::Many::whole)).
    #[must_use]
    pub fn layers(self) -> Self {
        Self { layers: true, ..self }
    }

    /// Both queues use them at once, for variants on two queues: of two families, sharing may cost time, so the other
    /// variants shall not have it.
    #[must_use]
    pub fn for_both_queues(self) -> Self {
        Self { sharing: Sharing::BothQueues, ..self }
    }
}

impl Layout for ImageSet {
    type Handles = Images;

    fn plan(self, gpu: &Gpu, repetitions: u32) -> (Images, Contents, [u32; 4], Sharing) {
        let wholes = self.layers.then(|| gpu.plan_images(repetitions));
        let first = gpu.plan_images(self.each * repetitions);
        let images = Images { first, each: self.each, repetitions, wholes };
        (images, Contents::Texels(self.shape, self.format), self.unwritten, self.sharing)
    }
}

/// Storage buffers.
#[derive(Clone, Debug)]
pub struct BufferSet {
    words: Vec<u32>,
    unwritten: u32,
    slices: bool,
}

impl BufferSet {
    /// `each` buffers of so many words for every repetition, filled before each sample with `unwritten`, a value that
    /// no pass writes.
    #[must_use]
    pub fn new(each: u32, words: u32, unwritten: u32) -> Self {
        Self { words: vec![words; each as usize], unwritten, slices: false }
    }

    /// One buffer of each of these lengths for every repetition: slices of one that a kernel can also bind as a whole
    /// ([`Many::whole`](vulkan::handles::Many::whole)), each where [`sliced`] says.
    #[must_use]
    pub fn slices(words: &[u32], unwritten: u32) -> Self {
        Self { words: words.to_vec(), unwritten, slices: true }
    }
}

impl Layout for BufferSet {
    type Handles = Buffers;

    fn plan(self, gpu: &Gpu, repetitions: u32) -> (Buffers, Contents, [u32; 4], Sharing) {
        let each = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        let wholes = self.slices.then(|| gpu.plan_buffers(repetitions));
        let first = gpu.plan_buffers(each * repetitions);
        let buffers = Buffers { first, each, repetitions, wholes };
        (buffers, Contents::Words(self.words), [self.unwritten; 4], Sharing::FirstQueue)
    }
}

impl Lab {
    /// What the variants write.
    ///
    /// # Errors
    /// More than the device or its memory allows, even with one repetition.
    pub fn output<L: Layout>(&mut self, name: &str, layout: L) -> Result<L::Handles> {
        let (handles, contents, fill, sharing) = layout.plan(&self.gpu, self.wanted());
        let (name, set) = (name.to_owned(), handles.into());
        let (seeds, expected) = (Vec::new(), Vec::new());
        let outputs = Outputs { name, set, contents, fill, sharing, seeds, expected };
        outputs.ensure_possible(&self.gpu)?;
        self.ensure_room(&outputs.what(), outputs.bytes(1), "use a smaller size or fewer of them")?;
        outputs.ensure_checkable(&self.gpu)?;
        self.recipes.push(Some(Recipe::Outputs(outputs)));
        Ok(handles)
    }

    /// An image that kernels only read, one for all repetitions. `texels` are its bytes, row by row,
    /// as little-endian words, the last of them filled up with zeros.
    pub fn input_image(
        &mut self,
        name: &str,
        shape: impl Into<Shape>,
        format: vk::Format,
        texels: impl FnOnce() -> Vec<u32> + 'static,
    ) -> Image {
        let (image, name, shape) = (self.gpu.plan_images(1), name.to_owned(), shape.into());
        self.recipes.push(Some(Recipe::Image { image, name, shape, format, texels: Box::new(texels) }));
        image
    }

    /// A buffer that kernels only read, one for all repetitions.
    pub fn input_buffer(&mut self, name: &str, words: impl FnOnce() -> Vec<u32> + 'static) -> Buffer {
        let (buffer, name) = (self.gpu.plan_buffers(1), name.to_owned());
        self.recipes.push(Some(Recipe::Buffer { buffer, name, words: Box::new(words) }));
        buffer
    }

    /// A buffer as texels of a format, which kernels read as `textureBuffer`.
    pub fn texel_buffer(&mut self, buffer: Buffer, format: vk::Format) -> Binding {
        let texels = self.gpu.plan_texels();
        self.recipes.push(Some(Recipe::Texels { texels, buffer, format }));
        texels.into()
    }

    /// `each` events for every repetition. The runner resets them outside the timed window; those that `set` sets, once
    /// and long before any sample, it never resets: to wait for one is to wait for nothing.
    pub fn events(&mut self, each: u32, state: EventState, set: Option<Setting>) -> Events {
        let repetitions = self.wanted();
        let first = self.gpu.plan_events(each * repetitions);
        let events = Events { first, each, repetitions, wholes: None };
        self.recipes.push(Some(Recipe::Events { events, state, set }));
        events
    }

    /// Gives one of the outputs its contents at the start of every repetition, word for word.
    pub fn seed(&mut self, set: impl Into<Set>, index: u32, words: impl FnOnce() -> Vec<u32> + 'static) {
        self.output_of(set.into()).seeds.push((index, Box::new(words)));
    }

    /// What the image or buffer `index` of every repetition must hold, bit for bit: the CPU reference,
    /// written from the formula and never from another variant. Its words are those of
    /// [`Lab::input_image`]; texels are counted, of buffers words.
    pub fn expect(
        &mut self,
        set: impl Into<Set>,
        index: u32,
        words: impl FnOnce() -> Vec<u32> + 'static,
    ) -> &mut Expected {
        let expected = &mut self.output_of(set.into()).expected;
        let at = expected.len();
        expected.push(Expected { index, words: Box::new(words), tolerance: None, counts: None });
        &mut expected[at]
    }

    /// # Panics
    /// For what is no output of this lab: a mistake in the sample, not in its input.
    fn output_of(&mut self, set: Set) -> &mut Outputs {
        let mut outputs = self.recipes.iter_mut().flatten().filter_map(|recipe| match recipe {
            Recipe::Outputs(outputs) => Some(outputs),
            _ => None,
        });
        outputs
            .find(|outputs| outputs.set == set)
            .unwrap_or_else(|| panic!("{set:?} is no output of this lab"))
    }
}
