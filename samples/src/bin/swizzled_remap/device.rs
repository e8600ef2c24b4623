//! The images of the pass, and the settings that all kernels share.

use std::cell::LazyCell;
use std::rc::Rc;

use anyhow::{Result, bail};
use common::{Binding, Extent, Format, Image, ImageSet, Images, KernelBuilder, Lab};

use crate::reference::Occlusion;
use crate::remap::{Form, Lanes};
use crate::test_scene;

/// Initial value; no pixel has it, because 255 is the largest openness.
const UNWRITTEN: [u32; 4] = [u32::MAX; 4];

/// The images, and the settings that the kernels of all forms share.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Size of all images.
    pub size: Extent,
    /// Depths of the scene.
    pub depths: Image,
    /// Normals of the scene.
    pub normals: Image,
    /// Directions of pixels and of taps, which the kernel looks up.
    pub directions: Binding,
    /// The result.
    pub openness: Images,
    occlusion: Rc<Occlusion>,
}

impl Pass {
    /// Uploads the scene and declares the expected result.
    ///
    /// # Errors
    /// The device's memory is too small.
    pub fn new(lab: &mut Lab, size: Extent, taps: u32, radius: u32) -> Result<Self> {
        lab.report.setting("taps", taps);
        lab.report.setting("radius", radius);
        let openness = lab.output("openness", ImageSet::new(1, size, Format::R32_UINT, UNWRITTEN))?;
        let scene = Rc::new(LazyCell::new(move || test_scene::seen(size)));
        let occlusion = Rc::new(Occlusion::new(size, taps, radius));
        let seen = Rc::clone(&scene);
        let depths = lab.input_image("depths", size, Format::R32_UINT, move || seen.depths.clone());
        let seen = Rc::clone(&scene);
        let normals = lab.input_image("normals", size, Format::R32_UINT, move || seen.normals.clone());
        let of = Rc::clone(&occlusion);
        lab.expect(openness, 0, move || of.reference(&scene));
        lab.report.show(openness, 0, size.sides(), "how open each pixel is, from black to white", |words| {
            words.iter().map(|&open| [u8::try_from(open).unwrap_or(u8::MAX); 3]).collect()
        });
        let of = Rc::clone(&occlusion);
        let directions = lab.input_buffer("directions", move || of.directions()).uniform();
        Ok(Self { size, depths, normals, directions, openness, occlusion })
    }

    /// The kernel of a form for a grid.
    pub fn kernel<'l>(&self, lab: &'l Lab, form: Form, grid: [u32; 2]) -> KernelBuilder<'l> {
        placed(lab, form, grid).constants(self.occlusion.constants())
    }

    /// Least memory traffic in bytes: depth and normal of each pixel are read once and the openness is written
    /// once, four bytes each.
    pub fn bytes(&self) -> u64 {
        12 * u64::from(self.size.width) * u64::from(self.size.height)
    }
}

/// The kernel with a form's mapping for a grid; the constants of the occlusion are still missing.
pub fn placed<'l>(lab: &'l Lab, form: Form, grid: [u32; 2]) -> KernelBuilder<'l> {
    let kernel = lab.kernel("swizzled_remap/ssao.comp").workgroup(form.workgroup());
    let kernel = kernel.constant("AREA_X", form.area[0]).constant("AREA_Y", form.area[1]);
    let kernel = match form.lanes {
        Lanes::Quads => kernel.constant("REMAPPED", 1).constant("ROW_BITS", form.tiles_a_column().ilog2()),
        Lanes::Rows => kernel,
    };
    match form.columns {
        Some(width) => kernel
            .constant("IN_COLUMNS", 1)
            .constant("COLUMN_GROUPS", width)
            .constant("GRID_X", grid[0])
            .constant("GRID_Y", grid[1]),
        None => kernel,
    }
}

/// Checks on the device that the lanes of a few workgroups have the texels of the CPU reference. A wrong texel
/// does not show in the image as long as another lane computes that pixel.
///
/// # Errors
/// A lane has another texel, or a submit fails.
pub fn prove(lab: &mut Lab, form: Form) -> Result<()> {
    // Two columns of workgroups, and a narrower third one.
    let grid = [form.columns.map_or(3, |width| 2 * width + width.div_ceil(2)), 3];
    let kernel = placed(lab, form, grid).define("TELL_PLACES").build();
    let expected = form.places(grid);
    let words = u32::try_from(expected.len())?;
    let told = lab.tally("places", words, |cmd, places| {
        cmd.dispatch(kernel, &[Binding::from(places)], &(), [grid[0], grid[1], 1]);
    })?;
    if let Some(at) = (0..words).find(|&at| told[at as usize] != expected[at as usize]) {
        let [lane, group] = [at % form.invocations(), at / form.invocations()];
        bail!("{}: lane {lane} of workgroup {group} is not where the CPU reference has it", form.name());
    }
    Ok(())
}
