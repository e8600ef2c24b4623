//! The images of a filter, and the settings that its kernels share.

use std::cell::LazyCell;
use std::rc::Rc;

use anyhow::{Result, ensure};
use common::{Binding, Declared, Extent, Format, Image, ImageSet, Images, Kernel, KernelBuilder, Lab, Shape};

use crate::reference::{Filter, float, floats, loads, overheads, plane, scene};
use crate::tile::Tile;

/// Initial value; no filter gives -1.0.
pub const UNWRITTEN: [u32; 4] = [0xbf80_0000; 4];
/// Name of the predicted and counted share of loads that the border takes.
pub const BORDER: &str = "border %";

/// The images of a plane, and its filter.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    /// Size of all images.
    pub size: Extent,
    /// Radius of the filter.
    pub radius: u32,
    filter: Filter,
    from: Image,
    /// The previous frame, for the filter that needs one; else the same image.
    before: Image,
    to: Images,
}

impl Plane {
    /// Uploads the scene and declares the expected result.
    ///
    /// # Errors
    /// The filter does not support the radius.
    pub fn new(lab: &mut Lab, size: Extent, filter: Filter, radius: u32) -> Result<Self> {
        let small = matches!(filter, Filter::Dilate | Filter::Clamp);
        ensure!(!small || radius == 1, "dilate and clamp are 3x3 filters: leave --radius out");
        lab.report.setting("filter", samples::name_of(&filter));
        lab.report.setting("radius", radius);
        let to = lab.output("filtered", ImageSet::new(1, size, Format::R32_SFLOAT, UNWRITTEN))?;
        let texels = Rc::new(LazyCell::new(move || scene(size)));
        // The previous frame: the scene upside down.
        let upside_down = |texels: &[u8]| texels.iter().rev().copied().collect::<Vec<_>>();
        let now = Rc::clone(&texels);
        let from = lab.input_image("image", size, Format::R32_SFLOAT, move || floats(&now));
        let now = Rc::clone(&texels);
        let old =
            lab.input_image("frame before", size, Format::R32_SFLOAT, move || floats(&upside_down(&now)));
        let before = if filter == Filter::Clamp { old } else { from };
        lab.expect(to, 0, move || plane(size, &texels, &upside_down(&texels), filter, radius));
        lab.report.show(to, 0, size.sides(), "the filtered image", |words| {
            words.iter().map(|&word| grey(word)).collect()
        });
        Ok(Self { size, radius, filter, from, before, to })
    }

    /// Whether the filter is the plain 3x3 box.
    pub fn is_box3x3(&self) -> bool {
        (self.filter, self.radius) == (Filter::Box, 1)
    }

    /// A kernel with this plane's filter.
    pub fn kernel<'l>(&self, lab: &'l Lab, path: &str) -> KernelBuilder<'l> {
        let weights = self.filter.weights(self.radius);
        let from_the_middle = weights.iter().skip(self.radius as usize).map(|&weight| float(weight));
        let kernel = lab
            .kernel(path)
            .constant("FILTER", self.filter.form())
            .constant("RADIUS", self.radius)
            .constant("SCALE", self.filter.scale(self.radius).to_bits());
        from_the_middle
            .enumerate()
            .fold(kernel, |kernel, (at, weight)| kernel.constant(&format!("WEIGHT_{at}"), weight.to_bits()))
    }

    /// A kernel of the 3x3 box with a tile in shared memory.
    pub fn box3x3<'l>(&self, lab: &'l Lab, path: &str, tile: Tile) -> KernelBuilder<'l> {
        let kernel = lab.kernel(path).workgroup(tile.workgroup());
        kernel.constant("PITCH", tile.pitch).shared_bytes(tile.bytes(self.radius))
    }

    /// A kernel with this plane's filter, and a tile and `extra_bytes` in shared memory.
    pub fn tiled<'l>(&self, lab: &'l Lab, path: &str, tile: Tile, extra_bytes: u64) -> KernelBuilder<'l> {
        let kernel = self
            .kernel(lab, path)
            .workgroup(tile.workgroup())
            .constant("ROWS_PER_INVOCATION", tile.each[1])
            .constant("PITCH", tile.pitch)
            .shared_bytes(tile.bytes(self.radius) + extra_bytes);
        if self.radius > 2 { kernel.define("LARGE") } else { kernel }
    }

    /// Bytes in shared memory of what the rows of a tile contribute.
    pub fn bytes_across(&self, tile: Tile) -> u64 {
        let [width, height] = tile.sides.map(u64::from);
        let arrays = if self.filter == Filter::Clamp { 2 } else { 1 };
        4 * width * (arrays * (height + 2 * u64::from(self.radius)) + 2 - arrays)
    }

    /// What a kernel binds. It reads the image as a texture or as a storage image. Kernels of the 3x3 box have no third
    /// binding.
    pub fn bindings(&self, repetition: u32, from_storage: bool) -> [Binding; 3] {
        let from = if from_storage { self.from.into() } else { self.from.sampled() };
        [from, self.to.get(repetition, 0).into(), self.before.sampled()]
    }

    /// Number of workgroups that cover the plane with tiles of this size.
    pub fn groups(&self, tile: [u32; 2]) -> [u32; 3] {
        [self.size.width.div_ceil(tile[0]), self.size.height.div_ceil(tile[1]), 1]
    }

    /// The work of one repetition, at least: each input is read once and the output written once.
    pub fn declared(&self) -> Declared {
        let images = if self.filter == Filter::Clamp { 3 } else { 2 };
        Declared::default().bytes(4 * Shape::from(self.size).texels() * images)
    }

    /// The same, and the border of a tile as the article counts it: in % of the tile's texels.
    pub fn declared_with_border(&self, tile: Tile) -> Declared {
        let [extra, _] = overheads(&tile.sides, self.radius);
        self.declared().predicts(BORDER, extra)
    }
}

/// Checks on the device that a workgroup of a counting kernel loads as many texels as the formula says.
///
/// # Errors
/// The count differs, or a submit fails.
pub fn count(lab: &mut Lab, counting: Kernel, bindings: &[Binding], tile: &[u32], radius: u32) -> Result<()> {
    let counted = lab.tally("loads", 1, |cmd, counters| {
        cmd.dispatch(counting, &[bindings, &[counters.into()]].concat(), &(), [1; 3]);
    })?;
    let formula = loads(tile, radius);
    ensure!(
        counted[0] == formula,
        "a workgroup of tile {tile:?} loads {} texels where the formula says {formula}",
        counted[0]
    );
    Ok(())
}

/// The grey level of a result.
fn grey(bits: u32) -> [u8; 3] {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
    let level = f32::from_bits(bits).round().clamp(0.0, 255.0) as u8;
    [level; 3]
}
