//! Names of what is made on a device. A handle is an index into the tables of its [`Gpu`](crate::gpu::Gpu), so it is
//! `Copy` and a sample's closures can own it.

/// What a repetition has several of.
pub trait Handle: Copy + PartialOrd {
    /// The handle that stands so many further on.
    #[must_use]
    fn plus(self, count: u32) -> Self;
}

macro_rules! handles {
    ($($(#[$what:meta])* $name:ident)+) => {$(
        $(#[$what])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl Handle for $name {
            fn plus(self, count: u32) -> Self {
                Self(self.0 + count)
            }
        }
    )+};
}

handles! {
    /// A buffer.
    Buffer
    /// A buffer seen as texels of one format.
    Texels
    /// An image of two or three dimensions with one level, always in the layout `GENERAL`: one layer of its own, an
    /// array of layers, or one layer of an array.
    Image
    /// An event.
    Event
    /// A compute pipeline with its layouts.
    Kernel
}

impl Buffer {
    /// The buffer as a kernel's uniform block. Every device takes 16 KiB.
    #[must_use]
    pub fn uniform(self) -> Binding {
        Binding::Uniform(self)
    }
}

impl Image {
    /// The image as a kernel's `texture2D` or `texture3D`, read through the texture path.
    #[must_use]
    pub fn sampled(self) -> Binding {
        Binding::Sampled(self)
    }
}

/// The same objects for every repetition of a variant: `each` of them, `repetitions` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Many<H> {
    /// The first.
    pub first: H,
    /// How many a repetition has.
    pub each: u32,
    /// How many repetitions have them.
    pub repetitions: u32,
    /// The first of the wholes, one a repetition, that they are the parts of: arrays of layers, buffers of slices.
    pub wholes: Option<H>,
}

/// Images of every repetition.
pub type Images = Many<Image>;
/// Buffers of every repetition.
pub type Buffers = Many<Buffer>;
/// Events of every repetition.
pub type Events = Many<Event>;

impl<H: Handle> Many<H> {
    /// The object of one repetition.
    ///
    /// # Panics
    /// Where there is no such object: a mistake in the sample, not in its input.
    #[must_use]
    pub fn get(&self, repetition: u32, index: u32) -> H {
        assert!(
            index < self.each && repetition < self.repetitions,
            "object {index} of repetition {repetition}"
        );
        self.first.plus(repetition * self.each + index)
    }

    /// All objects of one repetition at once: the array that they are the layers of, the buffer that they are the
    /// slices of.
    ///
    /// # Panics
    /// Where they are no parts, or there is no such repetition: a mistake in the sample, not in its input.
    #[must_use]
    pub fn whole(&self, repetition: u32) -> H {
        assert!(repetition < self.repetitions, "the whole of repetition {repetition}");
        self.wholes.unwrap_or_else(|| panic!("objects that are no parts")).plus(repetition)
    }

    /// How many repetitions have them.
    #[must_use]
    pub fn repetitions(&self) -> u32 {
        self.repetitions
    }

    /// It is one of these, or one of the wholes.
    pub fn holds(&self, handle: H) -> bool {
        let within = |first: H, count| (first..first.plus(count)).contains(&handle);
        within(self.first, self.each * self.repetitions)
            || self.wholes.is_some_and(|first| within(first, self.repetitions))
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
        match (self, binding) {
            (Self::Images(set), Binding::Image(image) | Binding::Sampled(image)) => set.holds(image),
            (Self::Buffers(set), Binding::Buffer(buffer)) => set.holds(buffer),
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
