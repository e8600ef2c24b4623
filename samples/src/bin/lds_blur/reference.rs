//! CPU reference of `shaders/lds_blur`: neighbourhood filters, written from their formulas.
//!
//! Texels are integers from 1 to [`LARGEST`], and weights are integers too. So every sum stays below 2^24 and is exact
//! in 32-bit floats, in any order, and a sum of 3x3 texels is exact in 16-bit floats. Reads outside give the nearest
//! texel inside.

use clap::ValueEnum;
use common::Extent;
use rayon::prelude::*;

/// Largest texel. 16-bit floats hold every integer up to 2048, the sum of nine texels among them.
const LARGEST: usize = 2048 / 9;

/// A filter over the neighbourhood of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Filter {
    /// Mean of the square
    Box,
    /// Weighted mean, with the whole-numbered weights of a Gaussian
    Gauss,
    /// Largest of the square
    Dilate,
    /// The texel of the frame before, clamped into the square's range: temporal antialiasing's step
    Clamp,
    /// The texel and half of what a Gaussian takes away from it, which sharpens
    Unsharp,
}

/// Sum of the Gaussian's weights along one axis.
const GAUSS_SUM: u32 = 256;

impl Filter {
    /// Number of the filter's kind in `shaders/lds_blur/filter.glsl`.
    pub fn form(self) -> u32 {
        match self {
            Self::Box | Self::Gauss => 0,
            Self::Dilate => 1,
            Self::Clamp => 2,
            Self::Unsharp => 3,
        }
    }

    /// Weights along one axis, from the left tap to the right one.
    pub fn weights(self, radius: u32) -> Vec<u32> {
        match self {
            Self::Box | Self::Dilate | Self::Clamp => vec![1; 2 * radius as usize + 1],
            Self::Gauss | Self::Unsharp => gauss(radius),
        }
    }

    /// Factor for a sum over the whole neighbourhood.
    pub fn scale(self, radius: u32) -> f32 {
        let sum: u32 = self.weights(radius).iter().sum();
        1.0 / float(sum * sum)
    }
}

/// A Gaussian with a radius of two standard deviations, rounded down to integers. The remainder up to
/// [`GAUSS_SUM`] is added in pairs on both sides, from the centre outwards; an odd one goes to the centre.
fn gauss(radius: u32) -> Vec<u32> {
    let deviation = f64::from(radius) / 2.0;
    let at = |d: u32| (-0.5 * (f64::from(d) / deviation).powi(2)).exp();
    let all: f64 = at(0) + 2.0 * (1..=radius).map(at).sum::<f64>();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 256")]
    let mut half: Vec<u32> = (0..=radius).map(|d| (f64::from(GAUSS_SUM) * at(d) / all) as u32).collect();
    let missing = GAUSS_SUM - (half[0] + 2 * half[1..].iter().sum::<u32>());
    (1..=missing / 2).for_each(|d| half[d as usize] += 1);
    half[0] += missing % 2;
    half[1..].iter().rev().chain(&half).copied().collect()
}

/// A filtered plane, as the bits of 32-bit floats. `before` is the previous frame, which [`Filter::Clamp`] clamps.
pub fn plane(size: Extent, texels: &[u8], before: &[u8], filter: Filter, radius: u32) -> Vec<u32> {
    let (weights, scale, [width, height]) = (filter.weights(radius), filter.scale(radius), size.sides());
    let result = |(at, &texel): (usize, &u8)| {
        let at_y = at / width as usize;
        let (mut sum, mut least, mut most) = (0, u32::MAX, 0);
        for (y, down) in taps(at_y, height, radius).zip(&weights) {
            let row = &texels[y * width as usize..][..width as usize];
            for (x, across) in taps(at % width as usize, width, radius).zip(&weights) {
                let tap = u32::from(row[x]);
                (sum, least, most) = (sum + down * across * tap, least.min(tap), most.max(tap));
            }
        }
        let (mean, centre) = (float(sum) * scale, float(texel.into()));
        match filter {
            Filter::Box | Filter::Gauss => mean,
            Filter::Dilate => float(most),
            Filter::Clamp => float(u32::from(before[at]).clamp(least, most)),
            Filter::Unsharp => centre + 0.5 * (centre - mean),
        }
    };
    let texels = texels.par_iter().enumerate().with_min_len(width as usize);
    texels.map(|texel| result(texel).to_bits()).collect()
}

/// The mean of the 27 texels around each texel of a volume, as the bits of 32-bit floats.
pub fn volume(sides: [u32; 3], texels: &[u8]) -> Vec<u32> {
    let [width, height, _] = sides.map(|side| side as usize);
    let mean = |at: usize| {
        let at = [at % width, at / width % height, at / (width * height)];
        let near = |axis: usize| taps(at[axis], sides[axis], 1);
        let rows = near(2).flat_map(|z| near(1).map(move |y| (z * height + y) * width));
        let sum: u32 = rows.flat_map(|row| near(0).map(move |x| u32::from(texels[row + x]))).sum();
        (float(sum) * volume_scale()).to_bits()
    };
    (0..texels.len()).into_par_iter().with_min_len(width).map(mean).collect()
}

/// The positions along an axis that a filter reads, first to last; outside the image, the nearest inside.
fn taps(at: usize, side: u32, radius: u32) -> impl Iterator<Item = usize> {
    (0..=2 * radius as usize)
        .map(move |tap| (at + tap).saturating_sub(radius as usize).min(side as usize - 1))
}

/// Factor for the sum of 27 texels.
pub fn volume_scale() -> f32 {
    1.0 / 27.0
}

/// Number of texels that a workgroup loads for a tile and its border.
pub fn loads(tile: &[u32], radius: u32) -> u32 {
    tile.iter().map(|side| side + 2 * radius).product()
}

/// The cost of the border: extra loads in % of the texels of the tile, and of all loads, rounded. The source gives the
/// first for planes and the second for volumes.
pub fn overheads(tile: &[u32], radius: u32) -> [f64; 2] {
    let (all, payload) = (f64::from(loads(tile, radius)), f64::from(tile.iter().product::<u32>()));
    [payload, all].map(|of| (100.0 * (all - payload) / of).round())
}

/// A picture to blur: discs of different brightness on a gradient, with noise.
pub fn scene(size: Extent) -> Vec<u8> {
    let (width, height) = (size.width as usize, size.height as usize);
    let texel = |at: usize| {
        let (x, y) = (at % width, at / width);
        let cell = 96;
        let (dx, dy) = (x % cell, y % cell);
        let mixed = |n: usize| (n.wrapping_mul(0x9e37_79b9) >> 7) & 0xff;
        let disc = dx.abs_diff(cell / 2).pow(2) + dy.abs_diff(cell / 2).pow(2);
        let radius = 12 + mixed(x / cell * 31 + y / cell * 17) % 30;
        let ground = 40 + 60 * x / width + 40 * y / height;
        let bright = if disc < radius * radius { 70 + mixed(x / cell + 7 * (y / cell)) % 90 } else { ground };
        // Noise with a sixteenth of the range.
        u8::try_from((bright + mixed(at.wrapping_mul(2_654_435_761) >> 3) % 16).clamp(1, LARGEST))
            .unwrap_or(u8::MAX)
    };
    (0..width * height).into_par_iter().map(texel).collect()
}

/// Texels as the bits of 32-bit floats.
pub fn floats(texels: &[u8]) -> Vec<u32> {
    texels.par_iter().map(|&texel| f32::from(texel).to_bits()).collect()
}

#[expect(clippy::cast_precision_loss, reason = "below 2^24")]
pub fn float(n: u32) -> f32 {
    n as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_articles_overheads() {
        assert_eq!([8, 16, 32].map(|side| overheads(&[side, side], 1)[0]), [56.0, 27.0, 13.0]);
        // The article has 48, which is 48.8 cut off.
        assert_eq!([4, 8].map(|side| overheads(&[side; 3], 1)[1]), [70.0, 49.0]);
    }

    #[test]
    fn weights_are_symmetrical_and_sum_up() {
        for radius in 1..=8 {
            let weights = gauss(radius);
            assert_eq!(weights.iter().sum::<u32>(), GAUSS_SUM);
            assert!(weights.iter().eq(weights.iter().rev()));
            assert!(weights[..=radius as usize].is_sorted(), "{weights:?}");
            // Sums stay exact in 32-bit floats.
            const { assert!(255 * GAUSS_SUM * GAUSS_SUM < 1 << 24) };
        }
    }
}
