//! Names of what is made on a device. A handle is an index into the tables of its [`Gpu`](crate::gpu::Gpu), so it is
//! `Copy` and a sample's closures can own it.

/// A buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Buffer(pub u32);

impl Buffer {
    /// The buffer as a kernel's uniform block. Every device takes 16 KiB.
    #[must_use]
    pub fn uniform(self) -> Binding {
        Binding::Uniform(self)
    }
}

/// A buffer seen as texels of one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Texels(pub u32);

/// An image of two or three dimensions with one level, always in the layout `GENERAL`: one layer of its own, an
/// array of layers, or one layer of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Image(pub u32);

impl Image {
    /// The image as a kernel's `texture2D` or `texture3D`, read through the texture path.
    #[must_use]
    pub fn sampled(self) -> Binding {
        Binding::Sampled(self)
    }
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event(pub u32);

/// The same images for every repetition of a variant: `each` of them, `repetitions` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Images {
    /// Index of the first.
    pub first: u32,
    /// How many a repetition has.
    pub each: u32,
    /// How many repetitions have them.
    pub repetitions: u32,
    /// The first of the arrays, one a repetition, that they are the layers of.
    pub arrays: Option<u32>,
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
    /// Index of the first.
    pub first: u32,
    /// How many a repetition has.
    pub each: u32,
    /// How many repetitions have them.
    pub repetitions: u32,
    /// The first of the buffers, one a repetition, that they are the slices of.
    pub wholes: Option<u32>,
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
    pub fn each(self) -> u32 {
        match self {
            Self::Images(images) => images.each,
            Self::Buffers(buffers) => buffers.each,
        }
    }

    /// One of a repetition.
    pub fn get(self, repetition: u32, index: u32) -> Binding {
        match self {
            Self::Images(images) => images.get(repetition, index).into(),
            Self::Buffers(buffers) => buffers.get(repetition, index).into(),
        }
    }

    /// The binding is of one of these.
    pub fn holds(self, binding: Binding) -> bool {
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
    /// Index of the first.
    pub first: u32,
    /// How many a repetition has.
    pub each: u32,
    /// How many repetitions have them.
    pub repetitions: u32,
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

/// A compute pipeline with its layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kernel(pub u32);

/// What a kernel's binding takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Binding {
    /// A storage image.
    Image(Image),
    /// A whole storage buffer.
    Buffer(Buffer),
    /// A whole uniform buffer: what a device keeps in caches for constants, where it has such.
    Uniform(Buffer),
    /// An image read through the texture path, without a sampler.
    Sampled(Image),
    /// A buffer read as texels.
    Texels(Texels),
    /// A part of a storage buffer: its first byte, and how many.
    Part(Buffer, u64, u64),
}

impl From<Image> for Binding {
    fn from(image: Image) -> Self {
        Self::Image(image)
    }
}

impl From<Texels> for Binding {
    fn from(texels: Texels) -> Self {
        Self::Texels(texels)
    }
}

impl From<Buffer> for Binding {
    fn from(buffer: Buffer) -> Self {
        Self::Buffer(buffer)
    }
}

/// One of the device's two queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Queue {
    /// The queue that everything else runs on.
    First,
    /// Another one.
    Second,
}
