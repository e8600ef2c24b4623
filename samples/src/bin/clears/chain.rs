//! The images and kernels of a chain of passes that overwrite their targets.

use anyhow::Result;
use common::{
    Attachment, Binding, Declared, Extent, Image, ImageLayout, ImageUsage, Kernel, KernelBuilder, Lab,
    LoadOp, Pass, RenderPass, Rep,
};
use samples::full_screen::{Targets, Texels, UNWRITTEN};
use samples::name_of;

use super::reference::result;

/// Sides of a workgroup.
const WORKGROUP: [u32; 2] = [8, 8];
/// The variant whose result is the picture.
const SHOWN: &str = "pixels_load_op_0";

/// What all variants share.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    pub size: Extent,
    pub texels: Texels,
    pub passes: u32,
}

impl Work {
    /// What the passes read and write, without the clears.
    pub fn declared(self) -> Declared {
        let [width, height] = self.size.sides().map(u64::from);
        Declared::default().bytes(u64::from(self.passes) * 2 * width * height * self.texels.bytes())
    }

    /// A kernel that stores to an image.
    pub fn dispatched<'l>(self, lab: &'l Lab, path: &str) -> KernelBuilder<'l> {
        let [width, height] = WORKGROUP;
        lab.kernel(path).define_as("FORMAT", name_of(&self.texels)).workgroup([width, height, 1])
    }

    /// Workgroups over the whole image.
    pub fn groups(self) -> [u32; 3] {
        let [width, height] = self.size.sides();
        [width.div_ceil(WORKGROUP[0]), height.div_ceil(WORKGROUP[1]), 1]
    }
}

/// What a target is cleared to, in each component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    Zero,
    One,
    /// Any value that no hardware treats alone.
    Quarter,
}

impl Colour {
    pub const ALL: [Self; 3] = [Self::Zero, Self::One, Self::Quarter];

    pub fn name(self) -> &'static str {
        match self {
            Self::Zero => "0",
            Self::One => "1",
            Self::Quarter => "quarter",
        }
    }

    fn value(self) -> f32 {
        match self {
            Self::Zero => 0.0,
            Self::One => 1.0,
            Self::Quarter => 0.25,
        }
    }

    pub fn words(self) -> [u32; 4] {
        [self.value().to_bits(); 4]
    }
}

/// What the last row of the result holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastRow {
    /// What the passes write, as in all other rows.
    Overwritten,
    /// What was there before.
    Kept,
    /// The colour that it was cleared to.
    Cleared(Colour),
}

/// A chain of passes.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    pub kernel: Kernel,
    /// Columns and rows that a pass writes.
    pub written: [u32; 2],
    pub targets: Targets,
    /// The layout that a target is read in.
    read_in: ImageLayout,
}

impl Chain {
    /// Passes of a pixel shader, whose targets are used for more than that.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn of_pixels(
        lab: &mut Lab,
        work: Work,
        name: &str,
        last_row: LastRow,
        also: ImageUsage,
    ) -> Result<Self> {
        let kernel = lab.kernel("clears/pass.frag").raster("lab/full_screen.vert", &[work.texels.format()]);
        let kernel = kernel.constant("SCALE", work.texels.scale().to_bits()).build();
        let usage = ImageUsage::COLOR_ATTACHMENT | also;
        Self::new(lab, work, name, last_row, kernel, usage, ImageLayout::SHADER_READ_ONLY_OPTIMAL)
    }

    /// Passes of a compute shader.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn of_compute(lab: &mut Lab, work: Work, name: &str, last_row: LastRow) -> Result<Self> {
        let kernel = work.dispatched(lab, "clears/pass.comp");
        let kernel = kernel.constant("SCALE", work.texels.scale().to_bits()).build();
        Self::new(lab, work, name, last_row, kernel, ImageUsage::STORAGE, ImageLayout::GENERAL)
    }

    fn new(
        lab: &mut Lab,
        work: Work,
        name: &str,
        last_row: LastRow,
        kernel: Kernel,
        usage: ImageUsage,
        read_in: ImageLayout,
    ) -> Result<Self> {
        let Work { size, texels, passes } = work;
        let targets = Targets::new(lab, name, texels, [size; 2], passes, usage)?;
        let found = match last_row {
            LastRow::Overwritten => None,
            LastRow::Kept => Some(UNWRITTEN),
            LastRow::Cleared(colour) => Some(colour.value()),
        };
        let expected = move || texels.words(&result(texels, size, passes, found));
        lab.expect(targets.images, passes - 1, expected);
        if name == SHOWN {
            let caption = "the last target, with the clear in its last row";
            let painted = move |words: &[u32]| texels.painted(words);
            lab.report.show(targets.images, passes - 1, size.sides(), caption, painted);
        }
        let [width, height] = size.sides();
        let written = [width, height - u32::from(last_row != LastRow::Overwritten)];
        Ok(Self { kernel, written, targets, read_in })
    }

    /// What a pass reads: the target of the pass before, or the seed.
    pub fn source(&self, pass: Pass) -> Binding {
        let before = self.targets.before(pass);
        before.map_or(self.targets.seeded(), |before| before.sampled_in(self.read_in))
    }

    /// The targets whose clear comes before this pass.
    pub fn cleared_before(&self, pass: Pass, all_first: bool) -> Vec<Image> {
        match (all_first, pass.index) {
            (false, _) => vec![self.targets.of(pass)],
            (true, 0) => self.targets.all(pass.rep).collect(),
            (true, _) => Vec::new(),
        }
    }

    /// The layouts that change before a render pass: what it reads, and its target, which is in `old`.
    pub fn read_and_attached(&self, pass: Pass, old: ImageLayout) -> Vec<(Image, [ImageLayout; 2])> {
        let attached = ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        let read = self.targets.before(pass).map(|before| (before, [attached, self.read_in]));
        read.into_iter().chain([(self.targets.of(pass), [old, attached])]).collect()
    }

    /// The target as an attachment.
    pub fn attachment(&self, pass: Pass, load: LoadOp) -> Attachment {
        Attachment { image: self.targets.of(pass), layout: ImageLayout::COLOR_ATTACHMENT_OPTIMAL, load }
    }

    /// A full-screen triangle over what the pass writes.
    pub fn draw(&self, render: &RenderPass, pass: Pass) {
        render.draw(self.kernel, &[self.source(pass)], &(), self.written, 3);
    }

    /// The layout that the last target changes to, where its contents are checked.
    pub fn drawn_result(&self, rep: Rep) -> (Image, [ImageLayout; 2]) {
        (self.targets.last(rep), [ImageLayout::COLOR_ATTACHMENT_OPTIMAL, ImageLayout::GENERAL])
    }
}
