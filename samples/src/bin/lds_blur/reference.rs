//! Filters of neighbourhoods on the CPU, written from their formulas: the reference of `shaders/lds_blur`.
//!
//! Texels are whole numbers from 0 to 255, weights whole numbers too, so that every sum is exact in
//! 32-bit floats, in any order: it stays below 2^24. What lies outside reads as the nearest texel
//! inside.

use clap::ValueEnum;
use common::Extent;
use rayon::prelude::*;

/// What is computed from a neighbourhood.
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
    /// The texel and half of what a Gaussian takes away from it: a reconstruction filter
    Unsharp,
}

/// Weights of the Gaussian along one axis sum up to this.
const GAUSS_SUM: u32 = 256;

impl Filter {
    /// Its number in `shaders/lds_blur/filter.glsl`.
    pub fn form(self) -> u32 {
        match self {
            Self::Box | Self::Gauss => 0,
            Self::Dilate => 1,
            Self::Clamp => 2,
            Self::Unsharp => 3,
        }
    }

    /// Weights along one axis, from the left tap to the right.
    pub fn weights(self, radius: u32) -> Vec<u32> {
        match self {
            Self::Box | Self::Dilate | Self::Clamp => vec![1; 2 * radius as usize + 1],
            Self::Gauss | Self::Unsharp => gauss(radius),
        }
    }

    /// What a sum over the whole neighbourhood is multiplied by.
    pub fn scale(self, radius: u32) -> f32 {
        let sum: u32 = self.weights(radius).iter().sum();
        1.0 / float(sum * sum)
    }

    /// The result for a texel, from what its neighbourhood came to.
    fn finish(self, taken: Taken, scale: f32, centre: u8, old: u8) -> f32 {
        match self {
            Self::Box | Self::Gauss => float(taken.sum) * scale,
            Self::Dilate => float(taken.most),
            Self::Clamp => float(u32::from(old).clamp(taken.least, taken.most)),
            Self::Unsharp => {
                let centre = float(centre.into());
                centre + 0.5 * (centre - float(taken.sum) * scale)
            }
        }
    }
}

/// A Gaussian whose reach is two of its standard deviations, rounded down to whole numbers; what is
/// missing to [`GAUSS_SUM`] goes to both sides in pairs from the middle out, and the odd one into it.
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

/// A row or a square of taps: weighted sum, least and most.
#[derive(Clone, Copy)]
struct Taken {
    sum: u32,
    least: u32,
    most: u32,
}

impl Taken {
    const NOTHING: Self = Self { sum: 0, least: u32::MAX, most: 0 };

    fn with(self, weight: u32, other: Self) -> Self {
        Self {
            sum: self.sum + weight * other.sum,
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    fn texel(texel: u8) -> Self {
        let texel = texel.into();
        Self { sum: texel, least: texel, most: texel }
    }
}

/// A filtered plane, as the bits of 32-bit floats. `before` is what [`Filter::Clamp`] clamps.
pub fn plane(size: Extent, texels: &[u8], before: &[u8], filter: Filter, radius: u32) -> Vec<u32> {
    let (width, height, reach) = (size.width as usize, size.height as usize, radius as usize);
    let (weights, scale) = (filter.weights(radius), filter.scale(radius));
    let row = |y: usize| -> Vec<Taken> {
        let line = &texels[y * width..][..width];
        let tap = |x: usize, i: usize| Taken::texel(line[(x + i).saturating_sub(reach).min(width - 1)]);
        let taken = |x| (0..).zip(&weights).fold(Taken::NOTHING, |all, (i, &w)| all.with(w, tap(x, i)));
        (0..width).map(taken).collect()
    };
    let mut results = vec![0; texels.len()];
    // Rows that several lines need are computed once for all lines of a band.
    let band = 64;
    results.par_chunks_mut(band * width).enumerate().for_each(|(number, band_results)| {
        let first = number * band;
        let lines = band_results.len() / width;
        let clamped = |y: usize| y.saturating_sub(reach).min(height - 1);
        let rows: Vec<Vec<Taken>> = (first..first + lines + 2 * reach).map(|y| row(clamped(y))).collect();
        for (y, line) in band_results.chunks_mut(width).enumerate() {
            for (x, result) in line.iter_mut().enumerate() {
                let column = rows[y..].iter().zip(&weights);
                let taken = column.fold(Taken::NOTHING, |all, (row, &w)| all.with(w, row[x]));
                let at = (first + y) * width + x;
                let old = before.get(at).copied().unwrap_or(0);
                *result = filter.finish(taken, scale, texels[at], old).to_bits();
            }
        }
    });
    results
}

/// The mean of the 27 texels around each texel of a volume, as the bits of 32-bit floats.
pub fn volume(sides: [u32; 3], texels: &[u8]) -> Vec<u32> {
    let [width, height, depth] = sides.map(|side| side as usize);
    let mean = |at: usize| {
        let near =
            |centre: usize, side: usize| [centre.saturating_sub(1), centre, (centre + 1).min(side - 1)];
        let (x, y, z) = (at % width, at / width % height, at / (width * height));
        let line = |z: usize, y: usize| -> u32 {
            near(x, width).map(|x| u32::from(texels[(z * height + y) * width + x])).iter().sum()
        };
        let slice = |z: usize| -> u32 { near(y, height).map(|y| line(z, y)).iter().sum() };
        let sum: u32 = near(z, depth).map(slice).iter().sum();
        (float(sum) * volume_scale()).to_bits()
    };
    (0..texels.len()).into_par_iter().map(mean).collect()
}

/// What the sum of 27 texels is multiplied by.
pub fn volume_scale() -> f32 {
    1.0 / 27.0
}

/// Texels that a workgroup loads for a tile and all around it within reach.
pub fn loads(tile: &[u32], radius: u32) -> u32 {
    tile.iter().map(|side| side + 2 * radius).product()
}

/// What the border costs: extra loads over the texels of the tile, and over all loads. The source
/// gives the first for planes and the second for volumes.
pub fn overheads(tile: &[u32], radius: u32) -> [f64; 2] {
    let (all, payload) = (f64::from(loads(tile, radius)), f64::from(tile.iter().product::<u32>()));
    [(all - payload) / payload, (all - payload) / all]
}

/// A picture with something to blur: discs of different brightness on a gradient, and noise.
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
        // Noise of a sixteenth of the range.
        u8::try_from((bright + mixed(at.wrapping_mul(2_654_435_761) >> 3) % 16).clamp(1, 255))
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

    fn filtered(filter: Filter, radius: u32, texels: &[u8], before: &[u8], width: u32) -> Vec<f32> {
        let size = Extent { width, height: u32::try_from(texels.len()).unwrap() / width };
        plane(size, texels, before, filter, radius).into_iter().map(f32::from_bits).collect()
    }

    #[test]
    fn the_articles_overheads() {
        let percent = |tile: &[u32], all: usize| (100.0 * overheads(tile, 1)[all]).round();
        assert_eq!([8, 16, 32].map(|side| percent(&[side, side], 0)), [56.0, 27.0, 13.0]);
        assert_eq!([4, 8].map(|side| percent(&[side; 3], 1)), [70.0, 49.0]);
        // The article says 48: it cuts 48.8 off.
        assert_eq!((100.0 * overheads(&[8; 3], 1)[1]).floor(), 48.0);
    }

    #[test]
    fn a_box_by_hand() {
        // 1 2 / 3 4, clamped: the upper left texel sees 1 1 2, 1 1 2, 3 3 4.
        let mean = |sum: f32| sum * (1.0 / 9.0);
        assert_eq!(filtered(Filter::Box, 1, &[1, 2, 3, 4], &[], 2), [18.0, 21.0, 24.0, 27.0].map(mean));
    }

    #[test]
    fn the_other_filters_by_hand() {
        assert_eq!(filtered(Filter::Dilate, 1, &[9, 1, 1, 1, 5], &[], 5), [9.0, 9.0, 1.0, 5.0, 5.0]);
        let before = [0, 7, 200, 3, 5];
        assert_eq!(filtered(Filter::Clamp, 1, &[9, 4, 4, 1, 5], &before, 5), [4.0, 7.0, 4.0, 3.0, 5.0]);
        // A plane of one value stays what it is.
        for filter in [Filter::Gauss, Filter::Unsharp] {
            assert_eq!(filtered(filter, 3, &[77; 12], &[], 4), [77.0; 12]);
        }
        // A single bright texel: the middle weight of both axes is what stays in its place.
        let middle = f32::from(u16::try_from(gauss(1)[1]).unwrap());
        let lone = filtered(Filter::Gauss, 1, &[0, 0, 0, 0, 255, 0, 0, 0, 0], &[], 3)[4];
        assert_eq!(lone, 255.0 * middle * middle / 65536.0);
    }

    #[test]
    fn a_volume_by_hand() {
        let eight = volume([2, 2, 2], &[1, 2, 3, 4, 5, 6, 7, 8]);
        // Two of three taps along each axis clamp to the corner.
        let by_hand: u32 =
            [1, 2, 3, 4, 5, 6, 7, 8].iter().zip([8, 4, 4, 2, 4, 2, 2, 1]).map(|(a, b)| a * b).sum();
        assert_eq!(f32::from_bits(eight[0]), float(by_hand) * (1.0 / 27.0));
    }

    #[test]
    fn weights_are_symmetrical_and_sum_up() {
        for radius in 1..=8 {
            let weights = gauss(radius);
            assert_eq!(weights.iter().sum::<u32>(), GAUSS_SUM);
            assert_eq!(weights.len(), 2 * radius as usize + 1);
            assert!(weights.iter().eq(weights.iter().rev()));
            assert!(weights[..=radius as usize].is_sorted(), "{weights:?}");
            // What is summed stays exact in 32-bit floats.
            const { assert!(255 * GAUSS_SUM * GAUSS_SUM < 1 << 24) };
        }
    }

    #[test]
    fn lines_of_all_bands_are_alike() {
        // Taller than a band, and each line the same: so are the results.
        let texels: Vec<u8> = (0..150).flat_map(|_| [3, 9, 27]).collect();
        let lines = filtered(Filter::Box, 2, &texels, &[], 3);
        assert!(lines.chunks(3).all(|line| line == &lines[..3]));
    }
}
