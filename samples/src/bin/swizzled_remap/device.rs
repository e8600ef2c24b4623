//! The images of the pass, and the settings that all kernels share.

use std::cell::LazyCell;
use std::rc::Rc;

use anyhow::{Result, bail};
use common::{Binding, Extent, Format, Image, ImageSet, Images, Kernel, KernelBuilder, Lab};

use crate::reference::{Occlusion, Taps};
use crate::remap::{Form, Lanes};
use crate::test_scene;

/// Initial value, -1.0; no pixel has it, because openness is from 0 to 1.
const UNWRITTEN: [u32; 4] = [0xbf80_0000; 4];

/// The images of the pass, and the settings that the kernels of all forms share.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Size of all images.
    pub size: Extent,
    depths: Image,
    normals: Image,
    /// Directions of pixels and of taps, which the kernel looks up.
    directions: Binding,
    openness: Images,
    occlusion: Rc<Occlusion>,
}

impl Pass {
    /// Uploads the scene and declares the expected results: of the pass, and of the same pass with all taps of a pixel
    /// on that pixel.
    ///
    /// # Errors
    /// The device's memory is too small.
    pub fn both(lab: &mut Lab, size: Extent, count: u32, radius: u32, reach: u32) -> Result<[Self; 2]> {
        for (name, value) in [("taps", count), ("radius", radius), ("reach", reach)] {
            lab.report.setting(name, value);
        }
        let scene = Rc::new(LazyCell::new(move || test_scene::seen(size)));
        let seen = Rc::clone(&scene);
        let depths = lab.input_image("depths", size, Format::R32_SFLOAT, move || seen.depth_words());
        let seen = Rc::clone(&scene);
        let normals = lab.input_image("normals", size, Format::R32_UINT, move || seen.normal_words());
        let mut pass = |taps, name| -> Result<Self> {
            let openness = lab.output(name, ImageSet::new(1, size, Format::R32_SFLOAT, UNWRITTEN))?;
            let occlusion = Rc::new(Occlusion::new(size, taps, count, radius, reach));
            let (of, seen) = (Rc::clone(&occlusion), Rc::clone(&scene));
            lab.expect(openness, 0, move || of.reference(&seen));
            let of = Rc::clone(&occlusion);
            let directions = lab.input_buffer(name, move || of.directions()).uniform();
            Ok(Self { size, depths, normals, directions, openness, occlusion })
        };
        let both = [pass(Taps::Spread, "openness")?, pass(Taps::OnePixel, "openness, taps on one pixel")?];
        let what = "how open each pixel is, from black to white";
        lab.report.show(both[0].openness, 0, size.sides(), what, |words| {
            words.iter().map(|&word| grey(word)).collect()
        });
        Ok(both)
    }

    /// The kernel of a form for a grid.
    pub fn kernel(&self, lab: &Lab, form: Form, grid: [u32; 2]) -> Kernel {
        placed(lab, "swizzled_remap/ssao.comp", form, grid).constants(self.occlusion.constants()).build()
    }

    /// What the kernel binds.
    pub fn bindings(&self, repetition: u32) -> [Binding; 4] {
        let openness = self.openness.get(repetition, 0).into();
        [self.depths.sampled(), self.normals.sampled(), openness, self.directions]
    }

    /// Least memory traffic in bytes: depth and normal of each pixel are read once and the openness is written
    /// once, four bytes each.
    pub fn bytes(&self) -> u64 {
        12 * u64::from(self.size.width) * u64::from(self.size.height)
    }
}

/// The grey level of an openness.
fn grey(bits: u32) -> [u8; 3] {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
    let level = (255.0 * f32::from_bits(bits)).clamp(0.0, 255.0) as u8;
    [level; 3]
}

/// A kernel that includes `shaders/swizzled_remap/place.glsl`, with a form's mapping for a grid.
fn placed<'l>(lab: &'l Lab, path: &str, form: Form, grid: [u32; 2]) -> KernelBuilder<'l> {
    let kernel = lab.kernel(path).workgroup(form.workgroup());
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
    let kernel = placed(lab, "swizzled_remap/places.comp", form, grid).build();
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
