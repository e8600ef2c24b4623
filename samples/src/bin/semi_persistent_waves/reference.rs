//! CPU reference of `shaders/semi_persistent_waves`: a box blur, written from its formula.
//!
//! A texel of the result is the mean of the `2 r + 1` texels around it along one axis. Reads outside the image
//! give the nearest texel inside. In every format texels are small integers, as they are or divided by 255. So no
//! sum is rounded, and the order of additions does not matter.

use clap::ValueEnum;
use common::{Extent, Format};
use rayon::prelude::*;
use samples::half;

/// Direction of the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Along a row.
    Horizontal,
    /// Along a column.
    Vertical,
}

impl Axis {
    /// 0 for x, 1 for y.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Texel formats of the images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Texels {
    /// One fraction of 8 bits.
    R8,
    /// Four fractions of 8 bits.
    Rgba8,
    /// Four floats of 16 bits.
    Rgba16f,
    /// One float of 32 bits.
    R32f,
}

/// The integer that a normalized 8-bit value of 1.0 stands for.
const LARGEST_FRACTION: u16 = 255;
/// Largest input texel: the next one would be white, a value that a broken kernel may well write.
const LARGEST: u16 = 254;

impl Texels {
    /// Vulkan format, channels per texel, and bits per channel.
    fn layout(self) -> (Format, usize, usize) {
        match self {
            Self::R8 => (Format::R8_UNORM, 1, 8),
            Self::Rgba8 => (Format::R8G8B8A8_UNORM, 4, 8),
            Self::Rgba16f => (Format::R16G16B16A16_SFLOAT, 4, 16),
            Self::R32f => (Format::R32_SFLOAT, 1, 32),
        }
    }

    /// Vulkan format.
    pub fn format(self) -> Format {
        self.layout().0
    }

    /// Channels per texel.
    pub fn channels(self) -> usize {
        self.layout().1
    }

    /// Bytes per texel.
    pub fn bytes(self) -> u64 {
        let (_, channels, bits) = self.layout();
        (channels * bits / 8) as u64
    }

    /// Whether integers are stored as fractions of 255.
    pub fn is_fraction(self) -> bool {
        matches!(self, Self::R8 | Self::Rgba8)
    }

    /// Factor that the kernel multiplies a sum by, before it rounds the result if the format stores fractions.
    pub fn scale(self, radius: u32) -> f32 {
        if self.is_fraction() { f32::from(LARGEST_FRACTION) / taps(radius) } else { 1.0 / taps(radius) }
    }

    /// Packs the values of an image into words; `of` converts each value.
    pub fn packed(self, values: &[u16], of: impl Fn(u16) -> f32 + Sync) -> Vec<u32> {
        let word = |values: &[u16]| match self {
            Self::R32f => of(values[0]).to_bits(),
            Self::Rgba16f => joined(values, 16, |value| half::nearest(of(value))),
            Self::R8 | Self::Rgba8 => joined(values, 8, |value| value.into()),
        };
        values.par_chunks(32 / self.layout().2).map(word).collect()
    }
}

/// Packs little-endian: the first value in the lowest bits.
fn joined(values: &[u16], bits: u32, of: impl Fn(u16) -> u32) -> u32 {
    values.iter().rev().fold(0, |word, &value| word << bits | of(value))
}

/// Number of texels under the filter.
#[allow(clippy::cast_precision_loss, reason = "a few taps")]
pub fn taps(radius: u32) -> f32 {
    (2 * radius + 1) as f32
}

/// An image of integers.
#[derive(Clone, Debug)]
pub struct Plane {
    size: Extent,
    channels: usize,
    values: Vec<u16>,
}

impl Plane {
    /// Noise without zeros whose sums of `2 r + 1` values stay below 255.
    pub fn noise(size: Extent, channels: usize, radius: u32) -> Self {
        let most = u32::from(LARGEST) / (2 * radius + 1);
        let count = size.width as usize * size.height as usize * channels;
        let value = |at: usize| {
            // The finalizer of MurmurHash3, so that neighbours are not correlated.
            let mut mixed = u32::try_from(at & 0xffff_ffff).unwrap_or_default() + 1;
            for multiplier in [0x85eb_ca6b_u32, 0xc2b2_ae35] {
                mixed = (mixed ^ mixed >> 15).wrapping_mul(multiplier);
            }
            u16::try_from((mixed >> 16) % most + 1).unwrap_or(1)
        };
        Self { size, channels, values: (0..count).into_par_iter().map(value).collect() }
    }

    /// For each texel the sum of the texels up to `radius` before and after it.
    pub fn sums(&self, axis: Axis, radius: u32) -> Self {
        let Self { size, channels, ref values } = *self;
        let sides = size.sides().map(|side| side as usize);
        let (along, reach) = (axis.index(), radius as usize);
        let sum = |at: usize| -> u16 {
            let mut texel = [at / channels % sides[0], at / channels / sides[0]];
            let first = texel[along];
            let value = |tap: usize| {
                texel[along] = (first + tap).saturating_sub(reach).min(sides[along] - 1);
                values[(texel[1] * sides[0] + texel[0]) * channels + at % channels]
            };
            (0..=2 * reach).map(value).sum()
        };
        Self { size, channels, values: (0..values.len()).into_par_iter().map(sum).collect() }
    }

    /// The words of an image in this format.
    pub fn texels(&self, texels: Texels) -> Vec<u32> {
        texels.packed(&self.values, f32::from)
    }

    /// Turns sums into means, rounded as the format rounds: to the nearest fraction or float.
    pub fn means(mut self, texels: Texels, radius: u32) -> Vec<u32> {
        if texels.is_fraction() {
            let taps = u16::try_from(2 * radius + 1).unwrap_or(u16::MAX);
            self.values.par_iter_mut().for_each(|sum| *sum = (2 * *sum + taps) / (2 * taps));
        }
        let scale = texels.scale(radius);
        texels.packed(&self.values, |sum| f32::from(sum) * scale)
    }
}

/// Two input images with the same result, and that result. Sums along both axes commute: the horizontal blur reads
/// noise summed along columns, the vertical blur reads the same noise summed along rows. So one reference checks
/// both, and both fit into one table. A kernel that filters along the wrong axis gives a wrong result, which a
/// symmetric image would hide.
pub fn data(size: Extent, texels: Texels, radius: u32) -> ([Vec<u32>; 2], Vec<u32>) {
    let noise = Plane::noise(size, texels.channels(), radius);
    let sharp = [Axis::Vertical, Axis::Horizontal].map(|axis| noise.sums(axis, radius));
    let blurred = sharp[0].sums(Axis::Horizontal, radius).means(texels, radius);
    (sharp.map(|plane| plane.texels(texels)), blurred)
}
