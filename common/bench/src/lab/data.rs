//! What variants write: in which form, what it holds before, and what must come out.

use ash::vk;
use vulkan::gpu::Gpu;
use vulkan::handles::{Buffer, Buffers, Images, Set};
use vulkan::memory::{Sharing, texel_bytes};
use vulkan::values::Shape;

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

/// What an output holds.
pub enum Contents {
    /// Images of a format.
    Texels(Images, Shape, vk::Format),
    /// Buffers, and how many words are in each of a repetition.
    Words(Buffers, Vec<u32>),
}

impl Contents {
    /// What they are named by.
    pub fn set(&self) -> Set {
        match self {
            Self::Texels(images, ..) => (*images).into(),
            Self::Words(buffers, _) => (*buffers).into(),
        }
    }

    /// Words of one output, the last filled up.
    pub fn words(&self, index: u32) -> u64 {
        self.bytes(index).div_ceil(4)
    }

    /// Bytes of one output.
    pub fn bytes(&self, index: u32) -> u64 {
        match self {
            Self::Texels(_, shape, format) => shape.texels() * texel_bytes(*format).unwrap_or(16),
            Self::Words(_, words) => 4 * u64::from(words[index as usize]),
        }
    }
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
        (images, Contents::Texels(images, self.shape, self.format), self.unwritten, self.sharing)
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
        (buffers, Contents::Words(buffers, self.words), [self.unwritten; 4], Sharing::FirstQueue)
    }
}
