//! Outputs of variants: their layout, their contents before each sample, and the expected result.

use ash::vk;
use vulkan::ImageUsage;
use vulkan::gpu::Gpu;
use vulkan::handles::{Buffer, Buffers, Images, Set};
use vulkan::memory::{ImageUse, Sharing, texel_bytes};
use vulkan::values::Shape;

use crate::element::Element;

/// Images or buffers that the variants write, and what they hold before each sample.
pub struct Output {
    /// Name of the set; objects have their index and repetition behind it.
    pub(crate) name: String,
    pub(crate) set: Set,
    /// A value that no pass writes; every output is filled with it before each sample.
    pub fill: [u32; 4],
    /// Initial contents of some outputs, by index in the set, copied at the start of each repetition.
    pub seeds: Vec<(u32, Buffer)>,
}

/// The expected contents of an image or a buffer after a run.
pub struct Check {
    /// The set that holds the result.
    pub set: Set,
    /// Index of the result in the set.
    pub index: u32,
    /// The CPU reference's result.
    pub expected: Buffer,
    /// Number of elements that are compared.
    pub elements: u32,
    /// How two elements are compared.
    pub element: Element,
    /// Shape of the result if it is an image.
    pub shape: Option<Shape>,
    /// The CPU reference's result, for checking the counts of the comparison kernel.
    pub reference: Vec<u32>,
    /// What the words of the result count, if each must be zero; used in messages.
    pub counts: Option<String>,
}

/// Offsets of a buffer's slices in words, followed by the total length.
///
/// Slices are aligned to 256 bytes, the largest `minStorageBufferOffsetAlignment` that Vulkan allows.
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

/// The resources of an output.
pub enum Contents {
    /// Images, their shape and their format.
    Texels(Images, Shape, vk::Format),
    /// Buffers, and the length in words of each buffer of a repetition.
    Words(Buffers, Vec<u32>),
}

impl Contents {
    /// The handle set of these resources.
    pub fn set(&self) -> Set {
        match self {
            Self::Texels(images, ..) => (*images).into(),
            Self::Words(buffers, _) => (*buffers).into(),
        }
    }

    /// Size of one output in words, rounded up.
    pub fn words(&self, index: u32) -> u64 {
        self.bytes(index).div_ceil(4)
    }

    /// Size of one output in bytes.
    pub fn bytes(&self, index: u32) -> u64 {
        match self {
            Self::Texels(_, shape, format) => shape.texels() * texel_bytes(*format).unwrap_or(16),
            Self::Words(_, words) => 4 * u64::from(words[index as usize]),
        }
    }
}

/// The layout of an output: [`ImageSet`] or [`BufferSet`].
pub trait Layout {
    /// Handles of the planned resources.
    type Handles: Into<Set> + Copy;

    /// Plans the resources of this many repetitions: returns their handles, their contents, their fill value and
    /// how they are used.
    fn plan(self, gpu: &Gpu, repetitions: u32) -> (Self::Handles, Contents, [u32; 4], ImageUse);
}

/// A set of images, storage images if nothing else is said.
#[derive(Clone, Copy, Debug)]
pub struct ImageSet {
    each: u32,
    shape: Shape,
    format: vk::Format,
    unwritten: [u32; 4],
    used: ImageUse,
}

impl ImageSet {
    /// `each` images per repetition, filled before each sample with `unwritten`, a value that no pass writes. The
    /// words are those of `VkClearColorValue`: for float formats, pass the bits of a float.
    #[must_use]
    pub fn new(each: u32, shape: impl Into<Shape>, format: vk::Format, unwritten: [u32; 4]) -> Self {
        let shape = shape.into();
        Self { each, shape, format, unwritten, used: ImageUse::default() }
    }

    /// Lets all queues use the images concurrently, for variants on several queues. Sharing between queue families may
    /// cost time, so variants on one queue should not ask for it.
    #[must_use]
    pub fn for_all_queues(self) -> Self {
        Self { used: ImageUse { sharing: Sharing::AllQueues, ..self.used }, ..self }
    }

    /// What the images are used for, besides copies.
    #[must_use]
    pub fn used_for(self, usage: ImageUsage) -> Self {
        Self { used: ImageUse { usage, ..self.used }, ..self }
    }
}

impl Layout for ImageSet {
    type Handles = Images;

    fn plan(self, gpu: &Gpu, repetitions: u32) -> (Images, Contents, [u32; 4], ImageUse) {
        let first = gpu.plan_images(self.each * repetitions);
        let images = Images { first, each: self.each, repetitions, wholes: None };
        (images, Contents::Texels(images, self.shape, self.format), self.unwritten, self.used)
    }
}

/// A set of storage buffers.
#[derive(Clone, Debug)]
pub struct BufferSet {
    words: Vec<u32>,
    unwritten: u32,
    slices: bool,
    sharing: Sharing,
}

impl BufferSet {
    /// `each` buffers of `words` words per repetition, filled before each sample with `unwritten`, a value that no
    /// pass writes.
    #[must_use]
    pub fn new(each: u32, words: u32, unwritten: u32) -> Self {
        Self { words: vec![words; each as usize], unwritten, slices: false, sharing: Sharing::FirstQueue }
    }

    /// One buffer of each of these lengths per repetition. They are slices of one buffer, at the offsets of
    /// [`sliced`], and a kernel can also bind that buffer as a whole
    /// ([`Many::whole`](vulkan::handles::Many::whole)).
    #[must_use]
    pub fn slices(words: &[u32], unwritten: u32) -> Self {
        Self { words: words.to_vec(), unwritten, slices: true, sharing: Sharing::FirstQueue }
    }

    /// As [`ImageSet::for_all_queues`].
    #[must_use]
    pub fn for_all_queues(self) -> Self {
        Self { sharing: Sharing::AllQueues, ..self }
    }
}

impl Layout for BufferSet {
    type Handles = Buffers;

    fn plan(self, gpu: &Gpu, repetitions: u32) -> (Buffers, Contents, [u32; 4], ImageUse) {
        let each = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        let wholes = self.slices.then(|| gpu.plan_buffers(repetitions));
        let first = gpu.plan_buffers(each * repetitions);
        let buffers = Buffers { first, each, repetitions, wholes };
        let used = ImageUse { sharing: self.sharing, ..ImageUse::default() };
        (buffers, Contents::Words(buffers, self.words), [self.unwritten; 4], used)
    }
}
