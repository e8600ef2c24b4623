//! Work for the graphics pipeline that leaves room: passes that each wait for the one before, and draws with the shortest pixel shader.

use anyhow::Result;
use common::{
    Access, Attachment, Cmd, Extent, Format, Image, ImageLayout, ImageSet, ImageUsage, Images, Kernel, Lab,
    LoadOp, Rep, Scope, Stage,
};
use samples::noted::UNWRITTEN;
use samples::{DRAWN, READ_BY_PIXELS, both};

const COLOUR: ImageLayout = ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
const DEPTH: ImageLayout = ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
/// Depths that a render pass tests and writes.
const TESTED: Scope = (
    Stage::from_raw(Stage::EARLY_FRAGMENT_TESTS.as_raw() | Stage::LATE_FRAGMENT_TESTS.as_raw()),
    Access::DEPTH_STENCIL_ATTACHMENT_WRITE,
);

/// The kinds of raster work.
#[derive(Clone, Copy)]
pub enum Kind {
    Passes,
    Layers,
}

impl Kind {
    pub const ALL: [Self; 2] = [Self::Passes, Self::Layers];

    /// The begin of variants' names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passes => "passes",
            Self::Layers => "layers",
        }
    }
}

/// Raster work of one kind.
#[derive(Clone, Copy)]
pub enum Raster {
    Passes(Passes),
    Layers(Layers),
}

impl Raster {
    /// # Errors
    /// Not enough memory.
    pub fn passes(lab: &mut Lab, name: &str, size: Extent, count: u32) -> Result<Self> {
        Passes::new(lab, name, size, count).map(Self::Passes)
    }

    /// # Errors
    /// Not enough memory.
    pub fn layers(lab: &mut Lab, name: &str, size: Extent, count: u32) -> Result<Self> {
        Layers::new(lab, name, size, count).map(Self::Layers)
    }

    pub fn record(&self, cmd: &Cmd, rep: Rep) {
        match self {
            Self::Passes(passes) => passes.record(cmd, rep),
            Self::Layers(layers) => layers.record(cmd, rep),
        }
    }
}

/// Passes over a small target, each of which reads the target of the one before.
#[derive(Clone, Copy)]
pub struct Passes {
    kernel: Kernel,
    seed: Image,
    targets: Images,
    size: Extent,
    count: u32,
}

impl Passes {
    fn new(lab: &mut Lab, name: &str, size: Extent, count: u32) -> Result<Self> {
        let format = Format::R32_UINT;
        let seed = lab.texture("seed", size.sides(), format, move || seed(size));
        let set = ImageSet::new(count, size.sides(), format, [UNWRITTEN; 4]);
        let usage = ImageUsage::COLOR_ATTACHMENT | ImageUsage::SAMPLED;
        let targets = lab.output(name, set.used_for(usage))?;
        lab.expect(targets, count - 1, move || passed(size, count));
        let kernel = lab.kernel("async_compute/step.frag").raster("lab/full_screen.vert", &[format]).build();
        Ok(Self { kernel, seed, targets, size, count })
    }

    fn record(&self, cmd: &Cmd, rep: Rep) {
        let read_in = ImageLayout::SHADER_READ_ONLY_OPTIMAL;
        let mut before: Option<Image> = None;
        for index in 0..self.count {
            let image = self.targets.get(rep.index, index);
            let read = before.map(|before| (before, [COLOUR, read_in]));
            let moved = read.into_iter().chain([(image, [ImageLayout::UNDEFINED, COLOUR])]);
            cmd.pipeline_barrier2_layouts(&moved.collect::<Vec<_>>(), DRAWN, both(READ_BY_PIXELS, DRAWN));
            cmd.rendering(&[Attachment { image, layout: COLOUR, load: LoadOp::DontCare }], |render| {
                let source = before.unwrap_or(self.seed).sampled_in(read_in);
                render.draw(self.kernel, &[source], &(), self.size.sides(), 3);
            });
            before = Some(image);
        }
        if let Some(last) = before {
            cmd.pipeline_barrier2_layouts(&[(last, [COLOUR, ImageLayout::GENERAL])], DRAWN, DRAWN);
        }
    }
}

/// Draws that each cover the whole target, nearer than all before them.
#[derive(Clone, Copy)]
pub struct Layers {
    kernel: Kernel,
    targets: Images,
    depths: Images,
    size: Extent,
    count: u32,
}

/// Layers that have a depth of their own.
pub const MOST_LAYERS: u32 = 63;

impl Layers {
    fn new(lab: &mut Lab, name: &str, size: Extent, count: u32) -> Result<Self> {
        let formats = [Format::R32_UINT, Format::D32_SFLOAT];
        let [usage, depth] = [ImageUsage::COLOR_ATTACHMENT, ImageUsage::DEPTH_STENCIL_ATTACHMENT];
        let set = |format, unwritten| ImageSet::new(1, size.sides(), format, [unwritten; 4]);
        let targets = lab.output(name, set(formats[0], UNWRITTEN).used_for(usage))?;
        let unwritten = 0.3_f32.to_bits();
        let depths = lab.output(&format!("depths of {name}"), set(formats[1], unwritten).used_for(depth))?;
        let texels = (size.width * size.height) as usize;
        lab.expect(targets, 0, move || vec![count; texels]);
        lab.expect(depths, 0, move || vec![nearest(count).to_bits(); texels]);
        let kernel =
            lab.kernel("async_compute/layer.frag").raster("async_compute/layer.vert", &formats).build();
        Ok(Self { kernel, targets, depths, size, count })
    }

    fn record(&self, cmd: &Cmd, rep: Rep) {
        let [colour, depth] = [self.targets, self.depths].map(|images| images.get(rep.index, 0));
        let scope = both(DRAWN, TESTED);
        let begin = [(colour, [ImageLayout::UNDEFINED, COLOUR]), (depth, [ImageLayout::UNDEFINED, DEPTH])];
        cmd.pipeline_barrier2_layouts(&begin, scope, scope);
        let colours = [Attachment { image: colour, layout: COLOUR, load: LoadOp::DontCare }];
        let farthest = LoadOp::Clear([1.0_f32.to_bits(), 0, 0, 0]);
        let depths = Attachment { image: depth, layout: DEPTH, load: farthest };
        cmd.rendering_with_depth(&colours, depths, |render| {
            for layer in 1..=self.count {
                render.draw(self.kernel, &[] as &[Image], &layer, self.size.sides(), 3);
            }
        });
        let end = [(colour, [COLOUR, ImageLayout::GENERAL]), (depth, [DEPTH, ImageLayout::GENERAL])];
        cmd.pipeline_barrier2_layouts(&end, scope, scope);
    }
}

fn seed(size: Extent) -> Vec<u32> {
    (0..size.height).flat_map(|y| (0..size.width).map(move |x| x * 7 + y * 1000)).collect()
}

/// What the last of the passes leaves.
fn passed(size: Extent, passes: u32) -> Vec<u32> {
    let width = size.width as usize;
    (0..passes).fold(seed(size), |texels, _| {
        let rows = texels.chunks_exact(width);
        let next =
            |row: &[u32], x: usize| row[x].wrapping_mul(3).wrapping_add(row[(x + 1) % width]).wrapping_add(1);
        rows.flat_map(|row| (0..width).map(move |x| next(row, x))).collect()
    })
}

/// The depth of the last layer.
#[expect(clippy::cast_precision_loss, reason = "there are few layers")]
fn nearest(layers: u32) -> f32 {
    1.0 - layers as f32 / 64.0
}
