//! The images of the pass, and what its kernels have in common.

use std::cell::LazyCell;
use std::rc::Rc;

use anyhow::Result;
use common::{Binding, Extent, Format, Image, Images, KernelBuilder, Lab};

use super::Occlusion;
use crate::hall;
use crate::remap::{Form, device::placed};

/// No pixel is as open as that: 255 is the most.
const UNWRITTEN: [u32; 4] = [u32::MAX; 4];

/// The images, and what the kernels of all forms have in common.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Of all images.
    pub size: Extent,
    /// Of the scene.
    pub depths: Image,
    /// Of its surfaces.
    pub normals: Image,
    /// What the kernel looks up: directions of pixels and of taps.
    pub directions: Binding,
    /// What comes out.
    pub openness: Images,
    occlusion: Rc<Occlusion>,
}

impl Pass {
    /// Uploads the scene, and says what must come out.
    ///
    /// # Errors
    /// More than the device's memory.
    pub fn new(lab: &mut Lab, size: Extent, taps: u32, radius: u32) -> Result<Self> {
        lab.setting("taps", taps);
        lab.setting("radius", radius);
        let openness = lab.output_images("openness", 1, size, Format::R32_UINT, UNWRITTEN)?;
        let scene = Rc::new(LazyCell::new(move || hall::seen(size)));
        let occlusion = Rc::new(Occlusion::new(size, taps, radius));
        let seen = Rc::clone(&scene);
        let depths = lab.input_image("depths", size, Format::R32_UINT, move || seen.depths.clone());
        let seen = Rc::clone(&scene);
        let normals = lab.input_image("normals", size, Format::R32_UINT, move || seen.normals.clone());
        let of = Rc::clone(&occlusion);
        lab.expect(openness, 0, move || of.twin(&scene));
        lab.show(openness, 0, size.sides(), "how open each pixel is, from black to white", |words| {
            words.iter().map(|&open| [u8::try_from(open).unwrap_or(u8::MAX); 3]).collect()
        });
        let of = Rc::clone(&occlusion);
        let directions = lab.input_buffer("directions", move || of.directions()).uniform();
        Ok(Self { size, depths, normals, directions, openness, occlusion })
    }

    /// The kernel of a form on a grid.
    pub fn kernel<'l>(&self, lab: &'l Lab, form: Form, grid: [u32; 2]) -> KernelBuilder<'l> {
        placed(lab, form, grid).constants(self.occlusion.constants())
    }

    /// Depth and normal of each pixel read once, its openness written once, four bytes each.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        12 * u64::from(self.size.width) * u64::from(self.size.height)
    }
}
