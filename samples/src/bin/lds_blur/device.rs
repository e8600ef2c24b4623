//! The images of a filter, and the settings that its kernels share.

use std::cell::LazyCell;
use std::fmt;
use std::rc::Rc;

use anyhow::{Result, ensure};
use common::{Binding, Extent, Format, Image, ImageSet, Images, Kernel, KernelBuilder, Lab, Shape};

use crate::reference::{Filter, float, floats, loads, plane, scene};

/// Initial value; no filter gives -1.0.
pub const UNWRITTEN: [u32; 4] = [0xbf80_0000; 4];

/// Size of a workgroup's tile, and rows per invocation.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Rows per invocation.
    pub run: u32,
}

/// How a tile is stored in shared memory and filtered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// 32 bits per texel.
    Floats,
    /// Two texels per 32-bit word.
    Halves,
    /// First the means of all rows, then those of columns.
    Separable,
}

impl Form {
    /// The macro of `shaders/lds_blur/shared.comp` that selects this form.
    fn switch(self) -> Option<&'static str> {
        match self {
            Self::Floats => None,
            Self::Halves => Some("HALF"),
            Self::Separable => Some("SEPARABLE"),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Floats => "32-bit floats",
            Self::Halves => "packed halves",
            Self::Separable => "rows, then columns",
        })
    }
}

impl Tile {
    /// A square tile with one texel per invocation.
    pub fn square(side: u32) -> Self {
        Self { width: side, height: side, run: 1 }
    }

    /// Width and height.
    pub fn sides(self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// Bytes of shared memory, as `shaders/lds_blur/shared.comp` declares it.
    fn shared_bytes(self, radius: u32, form: Form) -> u64 {
        let [width, height] = self.sides().map(|side| u64::from(side + 2 * radius));
        let row = if form == Form::Halves { width.div_ceil(2) } else { width };
        let means = if form == Form::Separable { 2 * u64::from(self.width) } else { 0 };
        4 * height * (row + means)
    }
}

/// The images of a plane, and its filter.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    /// Size of all images.
    pub size: Extent,
    /// Radius of the filter.
    pub radius: u32,
    filter: Filter,
    from: Image,
    /// The previous frame, for the filter that needs one.
    before: Option<Image>,
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
        let before = (filter == Filter::Clamp).then_some(old);
        lab.expect(to, 0, move || plane(size, &texels, &upside_down(&texels), filter, radius));
        lab.report.show(to, 0, size.sides(), "the filtered image", |words| {
            words.iter().map(|&word| grey(word)).collect()
        });
        Ok(Self { size, radius, filter, from, before, to })
    }

    /// A kernel with this plane's filter.
    pub fn kernel<'l>(&self, lab: &'l Lab, path: &str) -> KernelBuilder<'l> {
        let weights = self.filter.weights(self.radius);
        let from_the_middle = weights.iter().skip(self.radius as usize).map(|&weight| float(weight));
        let kernel = lab
            .kernel(path)
            .define_as("FILTER", self.filter.form())
            .constant("RADIUS", self.radius)
            .constant("SCALE", self.filter.scale(self.radius).to_bits());
        from_the_middle
            .enumerate()
            .fold(kernel, |kernel, (at, weight)| kernel.constant(&format!("WEIGHT_{at}"), weight.to_bits()))
    }

    /// The kernel with a tile in shared memory.
    pub fn tiled<'l>(&self, lab: &'l Lab, tile: Tile, form: Form) -> KernelBuilder<'l> {
        let kernel = self
            .kernel(lab, "lds_blur/shared.comp")
            .workgroup([tile.width, tile.height / tile.run, 1])
            .constant("RUN", tile.run)
            .shared_bytes(tile.shared_bytes(self.radius, form));
        let large = (self.radius > 2).then_some("LARGE");
        form.switch().into_iter().chain(large).fold(kernel, KernelBuilder::define)
    }

    /// The bindings of a kernel. It reads its image as a texture or as a storage image.
    pub fn bindings(&self, repetition: u32, from_storage: bool) -> Vec<Binding> {
        let from = if from_storage { self.from.into() } else { self.from.sampled() };
        let images = [from, self.to.get(repetition, 0).into()];
        images.into_iter().chain(self.before.map(Image::sampled)).collect()
    }

    /// Number of workgroups that cover the plane with tiles of this size.
    pub fn groups(&self, tile: [u32; 2]) -> [u32; 3] {
        [self.size.width.div_ceil(tile[0]), self.size.height.div_ceil(tile[1]), 1]
    }

    /// Least memory traffic in bytes: each input is read once and the output written once.
    pub fn bytes(&self) -> u64 {
        4 * Shape::from(self.size).texels() * if self.before.is_some() { 3 } else { 2 }
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
