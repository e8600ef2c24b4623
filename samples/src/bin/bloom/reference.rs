//! CPU reference of `shaders/bloom/formulas.glsl`: a bloom, written from its formulas.

use common::Extent;
use rayon::prelude::*;

use crate::pyramid::{Input, Kind, Pass};

/// Threshold of the bloom; channels have values up to [`BRIGHTEST`].
pub const THRESHOLD: u16 = 1024;

/// Largest value of a channel, one less than fits, so that no pass stores the initial word.
pub const BRIGHTEST: u16 = u16::MAX - 1;

/// Weights of a blur with this radius, from the centre outwards. They are the binomial coefficients of `2 *
/// radius`, which approximate a Gaussian of variance `radius / 2`. All weights add up to `4^radius`, so that a
/// shift divides exactly.
pub fn weights(radius: u32) -> Vec<u32> {
    // Each coefficient follows from the one before; the products stay below 2^32 up to the largest radius.
    let row = (0..2 * radius).scan(1_u64, |weight, k| {
        *weight = *weight * u64::from(2 * radius - k) / u64::from(k + 1);
        Some(*weight)
    });
    let row: Vec<u64> = std::iter::once(1).chain(row).collect();
    row[radius as usize..].iter().map(|&weight| u32::try_from(weight).unwrap_or(u32::MAX)).collect()
}

/// Largest radius of a blur; with a larger one, sums of 16-bit channels overflow 32 bits.
pub const MOST_RADIUS: u32 = 8;

/// A texel with four channels.
type Texel = [u16; 4];

/// A test image: noise, half of it below the threshold, and lamps.
fn texels_of_scene(size: Extent) -> Vec<Texel> {
    let texel = |at: u32| {
        let (x, y) = (at % size.width, at / size.width);
        let mixed = at.wrapping_mul(0x9E37_79B1);
        let hashed = (mixed ^ mixed >> 15).wrapping_mul(0x2C1B_3C6D);
        let lamp = (x / 48 * 7 + y / 48 * 13) % 5 == 0 && x % 48 < 3 && y % 48 < 3;
        let brightest = if lamp { BRIGHTEST } else { 2 * THRESHOLD };
        [0, 8, 16, 5].map(|shift| {
            let share = u64::from(hashed.rotate_left(shift) >> 16);
            u16::try_from((share * u64::from(brightest)) >> 16).unwrap_or(u16::MAX)
        })
    };
    (0..size.width * size.height).into_par_iter().map(texel).collect()
}

/// Packs texels into words: two channels per word, the first in the lower half.
fn words(texels: &[Texel]) -> Vec<u32> {
    let pair = |low: u16, high: u16| u32::from(low) | u32::from(high) << 16;
    texels.iter().flat_map(|&[r, g, b, a]| [pair(r, g), pair(b, a)]).collect()
}

/// The test image, two words per texel.
pub fn scene(size: Extent) -> Vec<u32> {
    words(&texels_of_scene(size))
}

/// What each pass stores, two words per texel.
pub fn planes(size: Extent, passes: &[Pass], radius: u32) -> Vec<Vec<u32>> {
    let scene = texels_of_scene(size);
    let mut planes: Vec<Vec<Texel>> = Vec::new();
    for pass in passes {
        let plane = |input: Input| input.pass().map_or(&scene, |read| &planes[read as usize]);
        let (input, second_input) = (plane(pass.input), pass.second_input.map(plane));
        let (width, input_width) = (pass.size.width as usize, pass.input_size.width);
        let [columns, rows] = [0, 1].map(|axis| {
            (0..pass.size.sides()[axis]).map(|at| taps(pass, axis, radius, at)).collect::<Vec<_>>()
        });
        let texel = |at: usize| {
            let weighted = rows[at / width].iter().flat_map(|&(down, y)| {
                let columns = columns[at % width].iter();
                columns.map(move |&(across, x)| {
                    (down * across, input[(y * input_width + x) as usize].map(u32::from))
                })
            });
            let second = second_input.map_or([0; 4], |plane| plane[at].map(u32::from));
            stored(pass.kind, mean(weighted), second)
        };
        let count = width * pass.size.height as usize;
        planes.push((0..count).into_par_iter().with_min_len(1024).map(texel).collect());
    }
    planes.iter().map(|plane| words(plane)).collect()
}

/// The texels that a pass reads along an axis (0 or 1) for its texel at `at`, with their weights. Reads outside
/// give the nearest texel inside. The weight of a texel in two dimensions is the product of both axes.
pub fn taps(pass: &Pass, axis: usize, radius: u32, at: u32) -> Vec<(u32, u32)> {
    let at = i64::from(at);
    let taps: Vec<(u32, i64)> = match (pass.kind, axis) {
        (Kind::DownSample, _) => vec![(1, 2 * at), (1, 2 * at + 1)],
        (Kind::BlurX, 0) | (Kind::BlurY, 1) => {
            let weights = weights(radius);
            let after = (0..).zip(&weights);
            let before = (1..).zip(&weights[1..]).map(|(d, weight)| (-d, weight));
            after.chain(before).map(|(d, &weight)| (weight, at + d)).collect()
        }
        // Bilinear: the texel's centre lies a quarter of a texel away from that of the halved level.
        (Kind::UpSample | Kind::Composite, _) => vec![(3, at / 2), (1, at / 2 - 1 + 2 * (at % 2))],
        _ => vec![(1, at)],
    };
    let last = i64::from(pass.input_size.sides()[axis]) - 1;
    let inside = |at: i64| u32::try_from(at.clamp(0, last)).unwrap_or(0);
    taps.into_iter().map(|(weight, at)| (weight, inside(at))).collect()
}

/// The value that a pass stores, from the weighted mean of its first input's texels and from the texel of its second.
fn stored(kind: Kind, mean_of_first: [u32; 4], second: [u32; 4]) -> Texel {
    let channels: [u32; 4] = match kind {
        Kind::BrightPass => mean_of_first.map(|channel| channel.saturating_sub(THRESHOLD.into())),
        Kind::DownSample | Kind::BlurX | Kind::BlurY => mean_of_first,
        Kind::UpSample => mean([(1, mean_of_first), (1, second)]),
        Kind::Composite => std::array::from_fn(|c| (mean_of_first[c] + second[c]).min(BRIGHTEST.into())),
    };
    channels.map(|channel| u16::try_from(channel).unwrap_or(u16::MAX))
}

/// The weighted mean of texels, rounded to the nearest integer, halves up.
fn mean(weighted: impl IntoIterator<Item = (u32, [u32; 4])>) -> [u32; 4] {
    let (mut whole, mut sums) = (0, [0; 4]);
    for (weight, texel) in weighted {
        whole += u64::from(weight);
        for (sum, channel) in sums.iter_mut().zip(texel) {
            *sum += u64::from(weight) * u64::from(channel);
        }
    }
    sums.map(|sum| u32::try_from((sum + whole / 2) / whole).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_binomial_and_sums_fit() {
        assert_eq!(weights(4), [70, 56, 28, 8, 1]);
        for radius in 1..=MOST_RADIUS {
            let weights = weights(radius);
            let sum = weights[0] + 2 * weights[1..].iter().sum::<u32>();
            assert_eq!((weights.len(), sum), (radius as usize + 1, 1 << (2 * radius)));
            assert!(u64::from(u16::MAX) * u64::from(sum) + u64::from(sum) / 2 <= u64::from(u32::MAX));
        }
    }
}
