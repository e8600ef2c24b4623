//! CPU reference of `shaders/swizzled_remap/ssao.comp`: screen-space ambient occlusion, written from its formula.
//!
//! A pixel reads taps on a spiral around it. The spiral reaches as far in the image as the radius spans at the
//! pixel's depth. A tap whose depth is within the radius of the pixel's counts by its height above the pixel's
//! surface, up to a quarter of the radius. The openness is what the mean of the taps leaves. The pixels of each
//! 4x4 block turn the spiral in 16 directions, so that neighbours read different places; this makes the pass
//! depend on caches. All values are integers.

use std::f64::consts::TAU;

use common::Extent;
use rayon::prelude::*;

use crate::test_scene::{NORMAL_LENGTH, Scene, focal};

/// Fraction bits of the spiral and of the turns.
const BITS: u32 = 6;
/// Fraction bits of a turned tap, in texels.
pub const FRACTION_BITS: u32 = 2 * BITS;
/// Largest distance of a tap in texels; renderers use such a limit for the sake of the caches.
pub const MOST_PIXELS: u32 = 64;
/// Side of the block of pixels that have different turns.
const TURNS_SIDE: usize = 4;
/// Turn of each pixel in the block, as an ordered dither, so that neighbours differ much.
const TURN_OF: [u8; TURNS_SIDE * TURNS_SIDE] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];
/// The golden angle, so that no two taps have the same direction.
const SPIRAL_STEP: f64 = TAU * 0.381_966;
/// Value of a fully occluded pixel.
const WHOLE: u32 = 255;

/// The ambient occlusion of an image: its size, radius and directions.
#[derive(Clone, Debug)]
pub struct Occlusion {
    size: Extent,
    /// Radius of the neighbourhood in units of depth.
    radius: u32,
    spiral: Vec<[i32; 2]>,
    turns: Vec<[i32; 2]>,
}

/// A point on a circle of radius `length`, with [`BITS`] fraction bits.
fn direction(angle: f64, length: f64) -> [i32; 2] {
    let scale = length * f64::from(1 << BITS);
    #[expect(clippy::cast_possible_truncation, reason = "at most 64")]
    let rounded = |side: f64| (side * scale).round() as i32;
    [rounded(angle.cos()), rounded(angle.sin())]
}

impl Occlusion {
    /// Ambient occlusion with `taps` taps within `radius` of each pixel.
    pub fn new(size: Extent, taps: u32, radius: u32) -> Self {
        let tap = |i| {
            let i = f64::from(i);
            direction(SPIRAL_STEP * i, (i + 0.5) / f64::from(taps))
        };
        let turn = |turn: u8| direction(TAU * f64::from(turn) / 16.0, 1.0);
        Self { size, radius, spiral: (0..taps).map(tap).collect(), turns: TURN_OF.map(turn).to_vec() }
    }

    /// The integer for a height of one unit of depth.
    fn unit(&self) -> u32 {
        focal(self.size) * NORMAL_LENGTH.cast_unsigned()
    }

    /// Height above the surface from which a tap counts. It hides errors from rounded depths and normals.
    pub fn bias(&self) -> u32 {
        self.unit() * (self.radius / 16).max(2)
    }

    /// Bits to shift a height right, so that a quarter of the radius is at least one whole tap.
    pub fn height_shift(&self) -> u32 {
        (self.unit() * self.radius / 4 / WHOLE).max(1).ilog2()
    }

    /// The directions for the kernel, four words each: first the turns of pixels, then the taps.
    pub fn directions(&self) -> Vec<u32> {
        let all = self.turns.iter().chain(&self.spiral);
        all.flat_map(|&[x, y]| [x.cast_unsigned(), y.cast_unsigned(), 0, 0]).collect()
    }

    /// Specialization constants of the kernel.
    pub fn constants(&self) -> [(&'static str, u32); 7] {
        [
            ("TAPS", u32::try_from(self.spiral.len()).unwrap_or(u32::MAX)),
            ("FOCAL", focal(self.size)),
            ("RADIUS", self.radius),
            ("MOST_PIXELS", MOST_PIXELS),
            ("BIAS", self.bias()),
            ("HEIGHT_SHIFT", self.height_shift()),
            ("FRACTION_BITS", FRACTION_BITS),
        ]
    }

    /// Openness of each pixel, from 0 to 255.
    pub fn reference(&self, scene: &Scene) -> Vec<u32> {
        let width = self.size.width as usize;
        let mut open = vec![0; scene.depths.len()];
        open.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, texel) in row.iter_mut().enumerate() {
                *texel = self.open(scene, [x, y]);
            }
        });
        open
    }

    fn open(&self, scene: &Scene, at: [usize; 2]) -> u32 {
        let here = self.point(scene, at);
        let normal = scene.normals[self.index(at)].to_le_bytes().map(|byte| i64::from(byte.cast_signed()));
        let reach = (i64::from(self.radius * focal(self.size)) / here[2]).clamp(2, MOST_PIXELS.into());
        let turn = self.turns[at[1] % TURNS_SIDE * TURNS_SIDE + at[0] % TURNS_SIDE];
        let from = self.scaled(here);
        let occluded = self.spiral.iter().map(|&tap| {
            let there = self.point(scene, self.tap(at, tap, turn, reach));
            // Both points are at (pixel - middle, focal) * depth / focal.
            let above = |i: usize| normal[i] * (self.scaled(there)[i] - from[i]);
            let height = above(0) + above(1) + above(2) - i64::from(self.bias());
            let in_range = (there[2] - here[2]).abs() < i64::from(self.radius);
            if in_range { (height >> self.height_shift()).clamp(0, WHOLE.into()) } else { 0 }
        });
        let taps = i64::try_from(self.spiral.len()).unwrap_or(i64::MAX);
        WHOLE - u32::try_from(occluded.sum::<i64>() / taps).unwrap_or(WHOLE)
    }

    /// Position of a pixel relative to the image's centre, and its depth.
    fn point(&self, scene: &Scene, at: [usize; 2]) -> [i64; 3] {
        let from_middle = |at: usize, side: u32| i64::try_from(at).unwrap_or(i64::MAX) - i64::from(side / 2);
        [
            from_middle(at[0], self.size.width),
            from_middle(at[1], self.size.height),
            scene.depths[self.index(at)].into(),
        ]
    }

    /// Position of a point in space, times the focal length.
    fn scaled(&self, [x, y, depth]: [i64; 3]) -> [i64; 3] {
        [x * depth, y * depth, i64::from(focal(self.size)) * depth]
    }

    fn index(&self, [x, y]: [usize; 2]) -> usize {
        y * self.size.width as usize + x
    }

    /// The texel of a tap, turned and scaled to `reach` texels; outside the image, the nearest texel inside.
    fn tap(&self, at: [usize; 2], tap: [i32; 2], turn: [i32; 2], reach: i64) -> [usize; 2] {
        let ([x, y], [cos, sin]) = (tap.map(i64::from), turn.map(i64::from));
        let turned = [x * cos - y * sin, x * sin + y * cos];
        [0, 1].map(|i| {
            let half = 1 << (FRACTION_BITS - 1);
            let offset = (turned[i] * reach + half) >> FRACTION_BITS;
            let last = self.size.sides()[i] as usize - 1;
            let moved = i64::try_from(at[i]).unwrap_or(i64::MAX) + offset;
            usize::try_from(moved.max(0)).map_or(last, |moved| moved.min(last))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The height of any tap in range fits into the kernel's 32 bits, even if intermediate products wrap around.
    #[test]
    fn heights_fit_in_the_largest_images() {
        let (size, radius, farthest) = (Extent::square(32768), 400_u32, 4_000);
        let occlusion = Occlusion::new(size, 16, radius);
        let ray = f64::from(focal(size)).hypot(f64::from(size.width / 2)).hypot(f64::from(size.height / 2));
        // The radius along the ray, and the largest tap distance in pixels across it.
        let height =
            f64::from(NORMAL_LENGTH + 1) * (f64::from(radius) * ray + f64::from(MOST_PIXELS * farthest));
        assert!(height + f64::from(occlusion.bias()) < f64::from(i32::MAX), "{height}");
        assert!(occlusion.height_shift() < 31 && (size.width << FRACTION_BITS) < i32::MAX.cast_unsigned());
    }
}
