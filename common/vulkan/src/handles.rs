//! Handles of the objects on a device. A handle is an index into a table of its [`Gpu`](crate::gpu::Gpu), so it is
//! `Copy` and a sample's closures can own it.

use std::ops::Range;

use ash::vk::ImageLayout;

/// A handle of an object that each repetition has several of.
pub trait Handle: Copy + PartialOrd {
    /// The handle `count` places after this one.
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
    /// A view of a buffer as texels of one format.
    Texels
    /// A 2D or 3D image with one level, in the layout `GENERAL` where nothing else is said.
    Image
    /// An event.
    Event
    /// A compute or graphics pipeline with its layouts.
    Kernel
}

impl Buffer {
    /// The buffer, of which a dispatch touches these rows; see [`BindingRows`].
    #[must_use]
    pub fn rows(self, rows: Range<u32>) -> BindingRows {
        BindingRows { binding: self.into(), rows: [rows.start, rows.end] }
    }

    /// The buffer as a kernel's uniform block. Every device supports at least 16 KiB.
    #[must_use]
    pub fn uniform(self) -> Binding {
        Binding::Uniform(self)
    }
}

impl Image {
    /// The image, of which a dispatch touches these rows; see [`BindingRows`].
    #[must_use]
    pub fn rows(self, rows: Range<u32>) -> BindingRows {
        BindingRows { binding: self.into(), rows: [rows.start, rows.end] }
    }

    /// The image as a kernel's `texture2D` or `texture3D`, read through the texture units.
    #[must_use]
    pub fn sampled(self) -> Binding {
        self.sampled_in(ImageLayout::GENERAL)
    }

    /// The image as a kernel's `texture2D`, in this layout.
    #[must_use]
    pub fn sampled_in(self, layout: ImageLayout) -> Binding {
        Binding::Sampled(self, layout)
    }
}

/// A table of objects for the repetitions of a variant: `each` objects per repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Many<H> {
    /// The first object.
    pub first: H,
    /// Number of objects per repetition.
    pub each: u32,
    /// Number of repetitions.
    pub repetitions: u32,
    /// The first of the wholes, one per repetition: buffers whose slices the objects are.
    pub wholes: Option<H>,
}

/// The images of all repetitions.
pub type Images = Many<Image>;
/// The buffers of all repetitions.
pub type Buffers = Many<Buffer>;
/// The events of all repetitions.
pub type Events = Many<Event>;

impl<H: Handle> Many<H> {
    /// Object `index` of one repetition.
    ///
    /// # Panics
    /// There is no such object: a mistake in the sample's code.
    #[must_use]
    pub fn get(&self, repetition: u32, index: u32) -> H {
        assert!(
            index < self.each && repetition < self.repetitions,
            "object {index} of repetition {repetition}"
        );
        self.first.plus(repetition * self.each + index)
    }

    /// All objects of one repetition as a whole: the buffer of the slices.
    ///
    /// # Panics
    /// The objects are not parts of a whole, or there is no such repetition: a mistake in the sample's code.
    #[must_use]
    pub fn whole(&self, repetition: u32) -> H {
        assert!(repetition < self.repetitions, "the whole of repetition {repetition}");
        self.wholes.unwrap_or_else(|| panic!("objects that are no parts")).plus(repetition)
    }

    /// Number of repetitions.
    #[must_use]
    pub fn repetitions(&self) -> u32 {
        self.repetitions
    }

    /// Whether the handle is one of these objects or wholes.
    pub fn holds(&self, handle: H) -> bool {
        let within = |first: H, count| (first..first.plus(count)).contains(&handle);
        within(self.first, self.each * self.repetitions)
            || self.wholes.is_some_and(|first| within(first, self.repetitions))
    }
}

/// Outputs of variants, which checks refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// Images.
    Images(Images),
    /// Buffers.
    Buffers(Buffers),
}

impl Set {
    /// Number of objects per repetition.
    pub fn each(self) -> u32 {
        match self {
            Self::Images(images) => images.each,
            Self::Buffers(buffers) => buffers.each,
        }
    }

    /// Object `index` of one repetition.
    pub fn get(self, repetition: u32, index: u32) -> Binding {
        match self {
            Self::Images(images) => images.get(repetition, index).into(),
            Self::Buffers(buffers) => buffers.get(repetition, index).into(),
        }
    }

    /// Whether the binding is one of these objects.
    pub fn holds(self, binding: Binding) -> bool {
        match (self, binding) {
            (Self::Images(set), Binding::Image(image) | Binding::Sampled(image, _)) => set.holds(image),
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

/// A resource for a kernel's binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Binding {
    /// A storage image.
    Image(Image),
    /// A whole storage buffer.
    Buffer(Buffer),
    /// A whole uniform buffer. Some devices read it through a cache for constants.
    Uniform(Buffer),
    /// An image that is read through the texture units, without a sampler, in this layout.
    Sampled(Image, ImageLayout),
    /// A buffer that is read as texels.
    Texels(Texels),
    /// A part of a storage buffer: offset and size in bytes.
    Part(Buffer, u64, u64),
}

impl Binding {
    /// The image of the binding and its layout, if it has one.
    pub fn image(&self) -> Option<(Image, ImageLayout)> {
        match *self {
            Self::Image(image) => Some((image, ImageLayout::GENERAL)),
            Self::Sampled(image, layout) => Some((image, layout)),
            _ => None,
        }
    }
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

/// A binding, and the rows of it that a dispatch touches. Rows are not recorded; `--check` needs them, because the
/// validation layer takes two dispatches on different rows of one image for a hazard. In a buffer they may be of any
/// length, the same in each dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingRows {
    /// The binding.
    pub binding: Binding,
    /// First row, and the row after the last.
    pub rows: [u32; 2],
}

impl<B: Into<Binding>> From<B> for BindingRows {
    fn from(binding: B) -> Self {
        Self { binding: binding.into(), rows: [0, u32::MAX] }
    }
}

/// One of the device's queues, by its place in [`Gpu::queues`](crate::gpu::Gpu::queues).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Queue(pub usize);

impl Queue {
    /// The queue of all other work.
    pub const FIRST: Self = Self(0);
    /// The one beside it: of another family, if there is one.
    pub const SECOND: Self = Self(1);
}
