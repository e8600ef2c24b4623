//! The images and the kernel of a variant.

use anyhow::Result;
use common::{
    Attachment, Binding, Declared, Extent, ImageLayout, ImageUsage, Kernel, KernelBuilder, Lab, LoadOp, Pass,
    RenderPass,
};
use samples::full_screen::{Targets, Texels};
use samples::name_of;

use super::filter::{Filter, result};

/// The variant whose result is the picture.
const SHOWN: &str = "blur_4_pixels";

/// A pass, repeated.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Area that a pass writes.
    pub size: Extent,
    pub texels: Texels,
    pub passes: u32,
    pub filter: Filter,
}

impl Work {
    /// Name of a variant.
    pub fn name(self, way: &str) -> String {
        format!("{}_{way}", self.filter.name())
    }

    /// What the passes read and write, each texel counted once.
    pub fn declared(self) -> Declared {
        let texels = |size: Extent| u64::from(size.width) * u64::from(size.height);
        let per_pass = texels(self.size) + texels(self.filter.reads(self.size));
        Declared::default().bytes(u64::from(self.passes) * per_pass * self.texels.bytes())
    }

    /// Workgroups over the area.
    pub fn groups(self, [x, y]: [u32; 2]) -> [u32; 3] {
        let [width, height] = self.size.sides();
        [width.div_ceil(x), height.div_ceil(y), 1]
    }
}

/// What a pass reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// The first image, whatever came before.
    Seed,
    /// The target of the pass before in this layout, or the first image.
    TargetBefore(ImageLayout),
}

/// Passes of one kernel.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    pub kernel: Kernel,
    pub targets: Targets,
    pub size: Extent,
    pub reads: Reads,
}

impl Chain {
    /// Passes of a pixel shader, whose targets are used for more than that.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn of_pixels(lab: &mut Lab, work: Work, way: &str, reads: Reads, also: ImageUsage) -> Result<Self> {
        let kernel = lab.kernel("raster_or_compute/pass.frag");
        let kernel = kernel.raster("lab/full_screen.vert", &[work.texels.format()]);
        let kernel = filtering(kernel, work);
        Self::new(lab, work, way, reads, kernel, ImageUsage::COLOR_ATTACHMENT | also)
    }

    /// Passes of a compute shader.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn of_compute(lab: &mut Lab, work: Work, way: &str, reads: Reads, [x, y]: [u32; 2]) -> Result<Self> {
        let kernel = lab.kernel("raster_or_compute/pass.comp").workgroup([x, y, 1]);
        let kernel = filtering(kernel.define_as("FORMAT", name_of(&work.texels)), work);
        Self::new(lab, work, way, reads, kernel, ImageUsage::STORAGE)
    }

    fn new(
        lab: &mut Lab,
        work: Work,
        way: &str,
        reads: Reads,
        kernel: Kernel,
        usage: ImageUsage,
    ) -> Result<Self> {
        let Work { size, texels, passes, filter } = work;
        let name = work.name(way);
        let targets = Targets::new(lab, &name, texels, [filter.reads(size), size], passes, usage)?;
        let (checked, in_a_row) = match reads {
            Reads::Seed => (0..passes, 1),
            Reads::TargetBefore(_) => (passes - 1..passes, passes),
        };
        for pass in checked {
            lab.expect(targets.images, pass, move || texels.words(&result(filter, size, texels, in_a_row)));
        }
        if name == SHOWN {
            let painted = move |words: &[u32]| texels.painted(words);
            lab.report.show(targets.images, passes - 1, size.sides(), "the last target", painted);
        }
        Ok(Self { kernel, targets, size, reads })
    }

    /// What a pass reads.
    pub fn source(&self, pass: Pass) -> Binding {
        match (self.reads, self.targets.before(pass)) {
            (Reads::TargetBefore(layout), Some(before)) => before.sampled_in(layout),
            _ => self.targets.seeded(),
        }
    }

    /// The target as an attachment, whose old contents are given up.
    pub fn attachment(&self, pass: Pass, layout: ImageLayout) -> Attachment {
        Attachment { image: self.targets.of(pass), layout, load: LoadOp::DontCare }
    }

    /// A full-screen triangle.
    pub fn draw(&self, render: &RenderPass, pass: Pass) {
        render.draw(self.kernel, &[self.source(pass)], &(), self.size.sides(), 3);
    }
}

fn filtering(kernel: KernelBuilder<'_>, work: Work) -> Kernel {
    let kernel = kernel.constant("SCALE", work.texels.scale().to_bits());
    kernel.constants(work.filter.constants()).build()
}
