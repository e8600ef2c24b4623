//! A bloom on the CPU, written from its formulas: the reference of `shaders/bloom/formulas.glsl`.

use common::Extent;
use rayon::prelude::*;

use crate::pyramid::{Kind, Pass, Source};

/// What is darker than this, of 65,535, does not bloom.
pub const THRESHOLD: u16 = 1024;

/// The most that a channel holds, one less than it could.
pub const BRIGHTEST: u16 = u16::MAX - 1;

/// Weights of a blur that reaches so far, from the middle on: the binomial coefficients of `2 * radius`, which come
/// close to a Gaussian's of the variance `radius / 2`. They add up to `4^radius`, so that a shift divides exactly.
pub fn weights(radius: u32) -> Vec<u32> {
    // Each from the one before; the products stay below 2^32 up to the largest radius.
    let row = (0..2 * radius).scan(1_u64, |weight, k| {
        *weight = *weight * u64::from(2 * radius - k) / u64::from(k + 1);
        Some(*weight)
    });
    let row: Vec<u64> = std::iter::once(1).chain(row).collect();
    row[radius as usize..].iter().map(|&weight| u32::try_from(weight).unwrap_or(u32::MAX)).collect()
}

/// Farthest reach of a blur: with one texel more, sums of 16-bit channels leave 32 bits.
pub const MOST_RADIUS: u32 = 8;

/// Four channels.
type Texel = [u16; 4];

/// An image that blooms: noise, half of it too dark to bloom, and lamps.
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

/// Texels as a buffer holds them: two channels a word, the first in the lower half.
fn words(texels: &[Texel]) -> Vec<u32> {
    let pair = |low: u16, high: u16| u32::from(low) | u32::from(high) << 16;
    texels.iter().flat_map(|&[r, g, b, a]| [pair(r, g), pair(b, a)]).collect()
}

/// The image that blooms, two words a texel.
pub fn scene(size: Extent) -> Vec<u32> {
    words(&texels_of_scene(size))
}

/// What each pass stores, two words a texel.
pub fn planes(size: Extent, passes: &[Pass], radius: u32) -> Vec<Vec<u32>> {
    let scene = texels_of_scene(size);
    let weights = weights(radius);
    let mut planes: Vec<Vec<Texel>> = Vec::new();
    for pass in passes {
        let plane = |source: Source| source.pass().map_or(&scene, |read| &planes[read]);
        let from = Plane { texels: plane(pass.from), size: pass.from_size };
        let beside = pass.beside.map(plane);
        let width = pass.size.width as usize;
        let texel = |at: usize| {
            let beside = || beside.map_or([0; 4], |plane| plane[at]);
            computed(pass.kind, &from, [at % width, at / width], &weights, beside)
        };
        let count = width * pass.size.height as usize;
        let stored = (0..count).into_par_iter().with_min_len(1024).map(texel).collect();
        planes.push(stored);
    }
    planes.iter().map(|plane| words(plane)).collect()
}

/// What a pass reads around its texels.
struct Plane<'p> {
    texels: &'p [Texel],
    size: Extent,
}

impl Plane<'_> {
    /// The texel there or, outside, the nearest.
    fn at(&self, x: i64, y: i64) -> [u32; 4] {
        let clamped = |at: i64, side: u32| usize::try_from(at.clamp(0, i64::from(side) - 1)).unwrap_or(0);
        let (x, y) = (clamped(x, self.size.width), clamped(y, self.size.height));
        self.texels[y * self.size.width as usize + x].map(u32::from)
    }
}

fn computed(
    kind: Kind,
    from: &Plane<'_>,
    at: [usize; 2],
    weights: &[u32],
    beside: impl Fn() -> Texel,
) -> Texel {
    let [x, y] = at.map(|at| i64::try_from(at).unwrap_or(i64::MAX));
    let channels: [u32; 4] = match kind {
        Kind::Bright => from.at(x, y).map(|channel| channel.saturating_sub(THRESHOLD.into())),
        Kind::Halve => {
            let four = [(0, 0), (1, 0), (0, 1), (1, 1)];
            mean(four.into_iter().map(|(dx, dy)| (1, from.at(2 * x + dx, 2 * y + dy))))
        }
        Kind::BlurX => mean(spread(weights, |d| from.at(x + d, y))),
        Kind::BlurY => mean(spread(weights, |d| from.at(x, y + d))),
        Kind::Mix => {
            let own = beside().map(u32::from);
            mean([(1, grown(from, x, y)), (1, own)])
        }
        Kind::Add => {
            let (scene, light) = (beside().map(u32::from), grown(from, x, y));
            std::array::from_fn(|c| (scene[c] + light[c]).min(BRIGHTEST.into()))
        }
    };
    channels.map(|channel| u16::try_from(channel).unwrap_or(u16::MAX))
}

/// Bilinear: a texel of the full level lies in a quarter of one of the halved level.
fn grown(from: &Plane<'_>, x: i64, y: i64) -> [u32; 4] {
    let near = |at: i64| (at / 2, if at % 2 == 0 { at / 2 - 1 } else { at / 2 + 1 });
    let ((x, other_x), (y, other_y)) = (near(x), near(y));
    mean([
        (9, from.at(x, y)),
        (3, from.at(other_x, y)),
        (3, from.at(x, other_y)),
        (1, from.at(other_x, other_y)),
    ])
}

/// Weights on both sides of the middle, with what lies there.
fn spread(weights: &[u32], at: impl Fn(i64) -> [u32; 4]) -> impl Iterator<Item = (u32, [u32; 4])> {
    let behind = (0..).zip(weights);
    let before = (1..).zip(&weights[1..]).map(|(d, weight)| (-d, weight));
    behind.chain(before).map(move |(d, &weight)| (weight, at(d)))
}

/// The weighted mean of texels, rounded to the nearest, halves up.
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
    use crate::pyramid::passes;

    #[test]
    fn half_of_the_scene_blooms_and_some_of_it_brightly() {
        let texels = texels_of_scene(Extent { width: 192, height: 108 });
        let above = |least: u16| texels.iter().filter(|texel| texel[0] > least).count() * 100 / texels.len();
        assert!((40..60).contains(&above(THRESHOLD)) && (0..3).contains(&above(8 * THRESHOLD)));
        assert!(texels.iter().any(|texel| texel[0] > 30 * THRESHOLD));
    }

    /// A pyramid of one brightness keeps it: weights add up, and nothing comes in at the edges.
    #[test]
    fn an_even_plane_stays_even() {
        let size = Extent { width: 5, height: 3 };
        let texels = [[7, 600, 40_000, u16::MAX]; 15];
        let from = Plane { texels: &texels, size };
        for kind in [Kind::Halve, Kind::BlurX, Kind::BlurY, Kind::Mix] {
            for at in [[0, 0], [4, 2], [2, 1]] {
                assert_eq!(computed(kind, &from, at, &weights(8), || texels[0]), texels[0], "{kind:?}");
            }
        }
    }

    /// So unwritten words are told from what passes store.
    #[test]
    fn no_channel_is_all_ones() {
        let (size, texels) = (Extent::square(1), [[BRIGHTEST; 4]]);
        let from = Plane { texels: &texels, size };
        assert_eq!(computed(Kind::Add, &from, [0, 0], &weights(1), || texels[0]), texels[0]);
        assert!(words(&texels).iter().all(|&word| word != u32::MAX));
        assert!(texels_of_scene(Extent::square(100)).iter().flatten().all(|&channel| channel <= BRIGHTEST));
    }

    #[test]
    fn a_lamp_lights_its_surroundings() {
        let size = Extent { width: 96, height: 96 };
        let all = passes(size);
        let last = planes(size, &all, 4).pop().unwrap();
        let scene = scene(size);
        let brighter = last.iter().zip(&scene).filter(|(after, before)| after > before).count();
        assert!(brighter > scene.len() / 2, "{brighter} of {}", scene.len());
    }

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
