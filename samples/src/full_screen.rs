//! Passes over a whole image, each with a target of its own, as pixel or compute shaders.

use anyhow::Result;
use clap::ValueEnum;
use common::{
    Binding, Extent, Format, Image, ImageLayout, ImageSet, ImageUsage, Images, Lab, Pass, Rep, Scope,
};

use crate::{DRAWN, READ_BY_COMPUTE, READ_BY_PIXELS, STORES, both, half};

/// A pixel shader that reads and draws.
pub const PIXELS: Scope = both(READ_BY_PIXELS, DRAWN);
/// A compute shader that reads and stores.
pub const COMPUTE: Scope = both(READ_BY_COMPUTE, STORES);
/// What targets hold before each sample.
pub const UNWRITTEN: f32 = 0.75;

/// The formats of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Texels {
    /// One fraction of 8 bits.
    R8,
    /// Four fractions of 8 bits.
    Rgba8,
    /// Four floats of 16 bits.
    Rgba16f,
}

/// The components of a texel, from 0 to 1.
pub type Texel = [f32; 4];

impl Texels {
    /// The image format.
    pub fn format(self) -> Format {
        match self {
            Self::R8 => Format::R8_UNORM,
            Self::Rgba8 => Format::R8G8B8A8_UNORM,
            Self::Rgba16f => Format::R16G16B16A16_SFLOAT,
        }
    }

    /// Bytes of a texel.
    pub fn bytes(self) -> u64 {
        match self {
            Self::R8 => 1,
            Self::Rgba8 => 4,
            Self::Rgba16f => 8,
        }
    }

    /// The number that 1.0 stands for, so that whole numbers below 256 are exact.
    pub fn scale(self) -> f32 {
        match self {
            Self::R8 | Self::Rgba8 => 255.0,
            Self::Rgba16f => 256.0,
        }
    }

    /// Four whole numbers as a texel.
    pub fn texel(self, numbers: [u8; 4]) -> Texel {
        numbers.map(|number| f32::from(number) / self.scale())
    }

    /// The words of an image.
    pub fn words(self, texels: &[Texel]) -> Vec<u32> {
        let rounded = |texel: &Texel| texel.map(|part| byte(part * self.scale()));
        match self {
            Self::R8 => {
                let word = |four: &[Texel]| {
                    four.iter().rev().fold(0, |word, t| word << 8 | u32::from(rounded(t)[0]))
                };
                texels.chunks(4).map(word).collect()
            }
            Self::Rgba8 => texels.iter().map(|texel| u32::from_le_bytes(rounded(texel))).collect(),
            Self::Rgba16f => {
                let halves = texels.iter().map(|texel| texel.map(half::nearest));
                halves.flat_map(|[r, g, b, a]| [r | g << 16, b | a << 16]).collect()
            }
        }
    }

    /// The first three components as a colour; one component as grey.
    pub fn painted(self, words: &[u32]) -> Vec<[u8; 3]> {
        let bytes = words.iter().map(|word| word.to_le_bytes());
        let shade = |bits: u32| match bits & 0xFFFF {
            0 => 0,
            bits => byte(half::value(bits) * self.scale()),
        };
        match self {
            Self::R8 => bytes.flatten().map(|grey| [grey; 3]).collect(),
            Self::Rgba8 => bytes.map(|[r, g, b, _]| [r, g, b]).collect(),
            Self::Rgba16f => {
                words.chunks_exact(2).map(|pair| [pair[0], pair[0] >> 16, pair[1]].map(shade)).collect()
            }
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a conversion of floats saturates"
)]
fn byte(number: f32) -> u8 {
    number.round() as u8
}

/// What the first pass reads: four whole numbers per texel.
pub fn seed(size: Extent) -> Vec<[u8; 4]> {
    let texel = |x: u32, y: u32| [x ^ y, x, y, x + 3 * y].map(|number| number.to_le_bytes()[0]);
    (0..size.height).flat_map(|y| (0..size.width).map(move |x| texel(x, y))).collect()
}

/// The images of passes in a row.
#[derive(Clone, Copy, Debug)]
pub struct Targets {
    /// What the first pass reads.
    pub seed: Image,
    /// Those that passes write.
    pub images: Images,
    /// How many of them a repetition has.
    pub passes: u32,
}

impl Targets {
    /// Images of `size`, and a first one of `seeded`.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn new(
        lab: &mut Lab,
        name: &str,
        texels: Texels,
        [seeded, size]: [Extent; 2],
        passes: u32,
        usage: ImageUsage,
    ) -> Result<Self> {
        let format = texels.format();
        let numbers =
            move || seed(seeded).into_iter().map(|numbers| texels.texel(numbers)).collect::<Vec<_>>();
        let seed = lab.texture("seed", seeded.sides(), format, move || texels.words(&numbers()));
        let set = ImageSet::new(passes, size.sides(), format, [UNWRITTEN.to_bits(); 4]);
        let images = lab.output(name, set.used_for(usage | ImageUsage::SAMPLED))?;
        Ok(Self { seed, images, passes })
    }

    /// The image that a pass writes.
    pub fn of(&self, pass: Pass) -> Image {
        self.images.get(pass.rep.index, pass.index)
    }

    /// The target of the pass before in the same repetition.
    pub fn before(&self, pass: Pass) -> Option<Image> {
        Some(self.images.get(pass.rep.index, pass.index.checked_sub(1)?))
    }

    /// All targets of a repetition.
    pub fn all(&self, rep: Rep) -> impl Iterator<Item = Image> {
        let images = self.images;
        (0..self.passes).map(move |index| images.get(rep.index, index))
    }

    /// The last target of a repetition.
    pub fn last(&self, rep: Rep) -> Image {
        self.images.get(rep.index, self.passes - 1)
    }

    /// The first image, as a pass reads it.
    pub fn seeded(&self) -> Binding {
        self.seed.sampled_in(ImageLayout::SHADER_READ_ONLY_OPTIMAL)
    }
}
