//! A chain of passes over images: each reads what the one before wrote. Its arguments, images and kernels, and the dispatch
//! of a pass.

mod reference;

use std::ops::Range;

use anyhow::Result;
use clap::value_parser;
use common::{Cmd, Extent, Format, Image, ImageSet, Images, Kernel, Lab, Pass, Rep, Workgroup};

use crate::size;

pub use reference::{MIX_BITS, MULTIPLIER, UNWRITTEN, reference, seed};

/// The arguments of a chain and of its split into bands.
#[derive(clap::Args, Clone, Debug)]
pub struct ChainArgs {
    /// Image size [default: 1152x1152, on a CPU 384x384]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Passes of the chain
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = value_parser!(u32).range(2..=200))]
    passes: u32,
    /// Arms of the cross that a pass reads, in texels
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = value_parser!(u32).range(1..=64))]
    radius: u32,
    /// Workgroup, and rows per invocation
    #[arg(long, value_name = "WxH[xROWS]", default_value = "8x8", allow_hyphen_values = true)]
    workgroup: Workgroup,
    /// Use two images in turn instead of one per pass
    ///
    /// A cache line read two passes ago may then be stale.
    #[arg(long)]
    ping_pong: bool,
    /// Bands that a pass is split into
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = value_parser!(u32).range(2..=16))]
    pub bands: u32,
    /// Cut bands at multiples of this many rows
    ///
    /// The talk advises 64, because no API tells how far a cache line reaches.
    #[arg(long, value_name = "ROWS", default_value_t = 64, value_parser = value_parser!(u32).range(1..=4096))]
    pub align: u32,
}

/// The images and kernels of a chain.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    /// Size of each image.
    pub size: Extent,
    /// Number of passes.
    pub passes: u32,
    /// Length of the arms of the cross that a pass reads, in texels.
    pub radius: u32,
    /// The pass with stores that a dependency has to make visible.
    pub plain: Kernel,
    /// The pass with coherent stores.
    pub coherent: Kernel,
    workgroup: Workgroup,
    ping_pong: bool,
    /// Generation 0 and one per pass, or two in turn.
    images: Images,
}

impl Chain {
    /// Declares images and kernels, and puts the arguments into the record.
    ///
    /// # Errors
    /// The device cannot have such a workgroup or such images.
    pub fn new(lab: &mut Lab, args: &ChainArgs) -> Result<Self> {
        let &ChainArgs { passes, radius, workgroup, ping_pong, bands, align, .. } = args;
        let size = size(lab, args.size, [1152; 2], [384; 2]);
        lab.report.setting("workgroup", workgroup);
        lab.report.setting("images", if ping_pong { "two in turn" } else { "one per pass" });
        for (name, value) in [("passes", passes), ("radius", radius), ("bands", bands), ("align", align)] {
            lab.report.setting(name, value);
        }
        let kernel = || {
            let kernel = lab.kernel("chain/step.comp").workgroup([workgroup.width, workgroup.height, 1]);
            let kernel = kernel.constant("ROWS", workgroup.rows).constant("RADIUS", radius);
            kernel.constant("MULTIPLIER", MULTIPLIER)
        };
        // A workgroup that is asked for and impossible refuses the run.
        let (plain, coherent) = (kernel().draft()?, kernel().define("COHERENT_STORES").build());
        let images = lab.output("generation", Self::images(size, passes, ping_pong))?;
        Ok(Self { size, passes, radius, plain, coherent, workgroup, ping_pong, images })
    }

    /// The same chain on images of its own that two queues may use, which can make them slower for one.
    ///
    /// # Errors
    /// The device cannot have such images.
    pub fn for_all_queues(self, lab: &mut Lab) -> Result<Self> {
        let images = Self::images(self.size, self.passes, self.ping_pong).for_all_queues();
        Ok(Self { images: lab.output("shared generation", images)?, ..self })
    }

    fn images(size: Extent, passes: u32, ping_pong: bool) -> ImageSet {
        let count = if ping_pong { 2 } else { passes + 1 };
        ImageSet::new(count, size.sides(), Format::R32_UINT, UNWRITTEN)
    }

    /// All rows of a pass.
    #[must_use]
    pub fn all_rows(&self) -> Range<u32> {
        0..self.size.height
    }

    /// Dispatches these rows of a pass.
    pub fn dispatch(&self, cmd: &Cmd, kernel: Kernel, pass: Pass, rows: Range<u32>) {
        let read = rows.start.saturating_sub(self.radius)..rows.end + self.radius;
        let bindings = [self.read(pass).rows(read), self.written(pass).rows(rows.clone())];
        let [width, height] = self.workgroup.tile();
        let groups = [self.size.width.div_ceil(width), (rows.end - rows.start).div_ceil(height), 1];
        cmd.region(format_args!("pass {}, rows {} to {}", pass.index, rows.start, rows.end), || {
            cmd.dispatch(kernel, &bindings, &[rows.start, rows.end], groups);
        });
    }

    fn read(&self, pass: Pass) -> Image {
        self.image(pass.rep, pass.index)
    }

    /// The image that a pass writes.
    #[must_use]
    pub fn written(&self, pass: Pass) -> Image {
        self.image(pass.rep, pass.index + 1)
    }

    fn image(&self, rep: Rep, generation: u32) -> Image {
        self.images.get(rep.index, self.index(generation))
    }

    /// Index of the image that holds a generation.
    fn index(&self, generation: u32) -> u32 {
        if self.ping_pong { generation % 2 } else { generation }
    }

    /// Declares generation 0, and what the last pass must have written.
    pub fn expect(&self, lab: &mut Lab) {
        let Self { size, radius, passes, .. } = *self;
        lab.seed(self.images, 0, move || seed(size));
        lab.expect(self.images, self.index(passes), move || reference(size, radius, passes));
    }
}
