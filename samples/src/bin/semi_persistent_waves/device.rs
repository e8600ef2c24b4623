//! The images of the blur, and the settings that all kernels share.

use std::cell::LazyCell;
use std::rc::Rc;

use anyhow::Result;
use clap::ValueEnum;
use common::{Binding, Extent, Image, ImageSet, Images, KernelBuilder, Lab};

use samples::name_of;
use samples::residency::padded;

use crate::picture::painted;
use crate::reference::{Texels, data, taps};
use crate::tiles::{Family, Form};

/// Initial texel; no pass writes it, because means are above 0.
const UNWRITTEN: [u32; 4] = [0; 4];
const HALF_ROUNDING: &str = "a store to 16-bit floats may round to either neighbour";

/// The path that loads take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Loads {
    /// Through the texture unit.
    Sampled,
    /// From a storage image.
    Storage,
}

/// The images, and the settings that the kernels of all forms share.
#[derive(Clone, Copy, Debug)]
pub struct Blur {
    /// Size of all images.
    pub size: Extent,
    /// Radius of the filter.
    pub radius: u32,
    texels: Texels,
    loads: Loads,
    /// Input of the blur along each axis; both give the same result.
    sharp: [Image; 2],
    blurred: Images,
}

impl Blur {
    /// Uploads the inputs and declares the expected result.
    ///
    /// # Errors
    /// The device's memory is too small.
    pub fn new(lab: &mut Lab, size: Extent, radius: u32, texels: Texels, loads: Loads) -> Result<Self> {
        lab.report.setting("radius", radius);
        lab.report.setting("format", name_of(&texels));
        lab.report.setting("loads", name_of(&loads));
        let blurred = lab.output("blurred", ImageSet::new(1, size, texels.format(), UNWRITTEN))?;
        let data = Rc::new(LazyCell::new(move || data(size, texels, radius)));
        let sharp = [(0, "sharp along rows"), (1, "sharp along columns")].map(|(axis, name)| {
            let data = Rc::clone(&data);
            lab.input_image(name, size, texels.format(), move || data.0[axis].clone())
        });
        let expected = lab.expect(blurred, 0, move || data.1.clone());
        if let Texels::Rgba16f = texels {
            expected.within(1, HALF_ROUNDING);
        }
        lab.limits(size, texels.format())?;
        lab.report.show(blurred, 0, size.sides(), "the blurred noise, its contrast raised", move |words| {
            painted(texels, words, size.width as usize * size.height as usize)
        });
        Ok(Self { size, radius, texels, loads, sharp, blurred })
    }

    /// Whether this is the talk's blur: all of its figures are of 9 taps and of waves of 64 lanes.
    pub fn is_the_talks(&self, tile_lanes: u32) -> bool {
        (self.radius, tile_lanes) == (4, 64)
    }

    /// The kernel of a form, with `padding` bytes of unused shared memory per workgroup.
    pub fn kernel<'l>(&self, lab: &'l Lab, form: Form, padding: u32) -> KernelBuilder<'l> {
        let one_channel = (self.texels.channels() == 1).then_some("ONE_CHANNEL");
        let from_storage = (self.loads == Loads::Storage).then_some("STORAGE_LOADS");
        let packed = (form.family == Family::Shuffle && self.texels == Texels::Rgba8).then_some("PACKED");
        // Packed sums are of integers, and not of fractions.
        let scale = if packed.is_some() { 1.0 / taps(self.radius) } else { self.texels.scale(self.radius) };
        let kernel = form
            .kernel(lab, self.radius)
            .define_as("FORMAT", name_of(&self.texels))
            .constant("UNORM", self.texels.is_fraction().into())
            .constant("SCALE", scale.to_bits());
        let defines = [one_channel, from_storage, packed].into_iter().flatten();
        padded(defines.fold(kernel, KernelBuilder::define), padding)
    }

    /// The bindings for a form: input and output.
    pub fn images(&self, form: Form, repetition: u32) -> [Binding; 2] {
        let sharp = self.sharp[form.axis.index()];
        let sharp = if self.loads == Loads::Storage { sharp.into() } else { sharp.sampled() };
        [sharp, self.blurred.get(repetition, 0).into()]
    }

    /// Push constants: the last texel, and a zero that keeps the compiler from removing the padding.
    pub fn push(&self) -> [u32; 3] {
        [self.size.width - 1, self.size.height - 1, 0]
    }

    /// Least memory traffic in bytes: each texel is read and written once.
    pub fn bytes(&self) -> u64 {
        2 * u64::from(self.size.width) * u64::from(self.size.height) * self.texels.bytes()
    }
}
