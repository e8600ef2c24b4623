//! Work for the graphics pipeline that leaves room: passes that each wait for the one before, and draws with the shortest pixel shader.

use std::ops::RangeInclusive;

use anyhow::Result;
use common::{
    Access, Attachment, Cmd, Extent, Format, Image, ImageLayout, ImageSet, ImageUsage, Images, Kernel, Lab,
    LoadOp, Rep, Scope, Stage,
};
use samples::noted::UNWRITTEN;
use samples::{DRAWN, READ_BY_PIXELS, both};

const COLOUR: ImageLayout = ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
const READ: ImageLayout = ImageLayout::SHADER_READ_ONLY_OPTIMAL;
const DEPTH: ImageLayout = ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
/// Depths that a render pass loads, tests and writes.
const TESTED: Scope = both(
    (Stage::EARLY_FRAGMENT_TESTS, Access::DEPTH_STENCIL_ATTACHMENT_READ),
    (Stage::LATE_FRAGMENT_TESTS, Access::DEPTH_STENCIL_ATTACHMENT_WRITE),
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
    /// The first draw, and the barrier that the second needs.
    pub fn first(&self, cmd: &Cmd, rep: Rep) {
        match self {
            Self::Passes(passes) => passes.first(cmd, rep),
            Self::Layers(layers) => layers.first(cmd, rep),
        }
    }

    /// All other draws.
    pub fn rest(&self, cmd: &Cmd, rep: Rep) {
        match self {
            Self::Passes(passes) => passes.rest(cmd, rep),
            Self::Layers(layers) => layers.rest(cmd, rep),
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
    /// # Errors
    /// Not enough memory.
    pub fn new(lab: &mut Lab, name: &str, size: Extent, count: u32) -> Result<Self> {
        let format = Format::R32_UINT;
        let seed = lab.texture("seed", size.sides(), format, move || seed(size));
        let set = ImageSet::new(count, size.sides(), format, [UNWRITTEN; 4]);
        let usage = ImageUsage::COLOR_ATTACHMENT | ImageUsage::SAMPLED;
        let targets = lab.output(name, set.used_for(usage))?;
        lab.expect(targets, count - 1, move || passed(size, count));
        let kernel = lab.kernel("async_compute/step.frag").raster("lab/full_screen.vert", &[format]).build();
        Ok(Self { kernel, seed, targets, size, count })
    }

    fn first(&self, cmd: &Cmd, rep: Rep) {
        let drawn_to = [(self.targets.get(rep.index, 0), [ImageLayout::UNDEFINED, COLOUR])];
        cmd.pipeline_barrier2_layouts(&drawn_to, DRAWN, DRAWN);
        self.pass(cmd, rep, 0);
    }

    fn rest(&self, cmd: &Cmd, rep: Rep) {
        (1..self.count).for_each(|index| self.pass(cmd, rep, index));
    }

    /// A draw, and the barrier for the next.
    fn pass(&self, cmd: &Cmd, rep: Rep, index: u32) {
        let target = |index| self.targets.get(rep.index, index);
        let source = index.checked_sub(1).map_or(self.seed, target).sampled_in(READ);
        cmd.rendering(
            &[Attachment { image: target(index), layout: COLOUR, load: LoadOp::DontCare }],
            |render| {
                render.draw(self.kernel, &[source], &(), self.size.sides(), 3);
            },
        );
        let next = index + 1;
        if next < self.count {
            let moved = [(target(index), [COLOUR, READ]), (target(next), [ImageLayout::UNDEFINED, COLOUR])];
            cmd.pipeline_barrier2_layouts(&moved, DRAWN, both(READ_BY_PIXELS, DRAWN));
        } else {
            cmd.pipeline_barrier2_layouts(&[(target(index), [COLOUR, ImageLayout::GENERAL])], DRAWN, DRAWN);
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
    /// # Errors
    /// Not enough memory.
    pub fn new(lab: &mut Lab, name: &str, size: Extent, count: u32) -> Result<Self> {
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

    fn first(&self, cmd: &Cmd, rep: Rep) {
        let farthest = LoadOp::Clear([1.0_f32.to_bits(), 0, 0, 0]);
        self.barrier(cmd, rep, [ImageLayout::UNDEFINED; 2], [COLOUR, DEPTH]);
        self.draw(cmd, rep, farthest, 1..=1);
        self.barrier(cmd, rep, [COLOUR, DEPTH], [COLOUR, DEPTH]);
    }

    fn rest(&self, cmd: &Cmd, rep: Rep) {
        self.draw(cmd, rep, LoadOp::Load, 2..=self.count);
        self.barrier(cmd, rep, [COLOUR, DEPTH], [ImageLayout::GENERAL; 2]);
    }

    fn draw(&self, cmd: &Cmd, rep: Rep, load: LoadOp, layers: RangeInclusive<u32>) {
        let [image, depth] = self.images(rep);
        let colours = [Attachment { image, layout: COLOUR, load: LoadOp::DontCare }];
        let depths = Attachment { image: depth, layout: DEPTH, load };
        cmd.rendering_with_depth(&colours, depths, |render| {
            for layer in layers {
                render.draw(self.kernel, &[] as &[Image], &layer, self.size.sides(), 3);
            }
        });
    }

    fn barrier(&self, cmd: &Cmd, rep: Rep, old: [ImageLayout; 2], new: [ImageLayout; 2]) {
        let [colour, depth] = self.images(rep);
        let scope = both(DRAWN, TESTED);
        let moved = [(colour, [old[0], new[0]]), (depth, [old[1], new[1]])];
        cmd.pipeline_barrier2_layouts(&moved, scope, scope);
    }

    fn images(&self, rep: Rep) -> [Image; 2] {
        [self.targets, self.depths].map(|images| images.get(rep.index, 0))
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
