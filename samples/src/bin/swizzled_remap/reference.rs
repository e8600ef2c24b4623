//! CPU reference of `shaders/swizzled_remap/ssao.comp`: screen-space ambient occlusion, written from its formula.
//!
//! A pixel reads taps on a spiral around it. The spiral reaches as far in the image as the radius spans at the pixel's
//! depth. A tap whose depth is within the radius of the pixel's occludes by its height above the pixel's surface,
//! wholly from a quarter of the radius on: openness = 1 - mean occlusion. The pixels of each 4x4 block turn the spiral
//! in 16 directions, so that neighbours read different places; this makes the pass depend on caches.
//!
//! All values are 32-bit floats, and every operation rounds once. So the order of operations is part of the formula.

use std::f64::consts::TAU;

use common::Extent;
use rayon::prelude::*;

use crate::test_scene::{NORMAL_LENGTH, Scene, focal};

/// Directions are multiples of one over this, so that their products with a reach of at most [`MOST_REACH`] are exact.
const STEPS: f64 = 64.0;
/// Largest reach in pixels that leaves the positions of taps exact.
pub const MOST_REACH: i64 = 256;
/// Side of the block of pixels that have different turns.
const TURNS_SIDE: usize = 4;
/// Turn of each pixel in the block, as an ordered dither, so that neighbours differ much.
const TURN_OF: [u8; TURNS_SIDE * TURNS_SIDE] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];
/// The golden angle, so that no two taps have the same direction.
const SPIRAL_STEP: f64 = TAU * 0.381_966;

/// What a tap reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taps {
    /// The spiral around the pixel.
    Spread,
    /// The pixel itself, with the same arithmetic: the time that is left when locality is perfect.
    OnePixel,
}

/// The ambient occlusion of an image: its size, neighbourhood and directions.
#[derive(Clone, Debug)]
pub struct Occlusion {
    size: Extent,
    /// Radius of the neighbourhood in units of depth.
    radius: u32,
    /// Largest distance of a tap in pixels; renderers use such a limit for the sake of the caches.
    reach: u32,
    spiral: Vec<[f32; 2]>,
    turns: Vec<[f32; 2]>,
}

/// A point on a circle of radius `length`, rounded to a multiple of 1 / [`STEPS`].
fn direction(angle: f64, length: f64) -> [f32; 2] {
    [angle.cos(), angle.sin()].map(|side| float((side * length * STEPS).round() / STEPS))
}

#[expect(clippy::cast_possible_truncation, reason = "rounds to the nearest float")]
fn float(value: f64) -> f32 {
    value as f32
}

#[expect(clippy::cast_precision_loss, reason = "below 2^24")]
fn whole(value: usize) -> f32 {
    value as f32
}

impl Occlusion {
    /// Ambient occlusion with `count` taps within `radius` of each pixel and at most `reach` pixels away.
    pub fn new(size: Extent, taps: Taps, count: u32, radius: u32, reach: u32) -> Self {
        let tap = |i| {
            let i = f64::from(i);
            match taps {
                Taps::Spread => direction(SPIRAL_STEP * i, (i + 0.5) / f64::from(count)),
                Taps::OnePixel => [0.0; 2],
            }
        };
        let turn = |turn: u8| direction(TAU * f64::from(turn) / 16.0, 1.0);
        let turns = TURN_OF.map(turn).to_vec();
        Self { size, radius, reach, spiral: (0..count).map(tap).collect(), turns }
    }

    /// Occlusion per length of a stored normal and unit of depth: a quarter of the radius occludes a tap wholly.
    fn slope(&self) -> f32 {
        let whole = 0.25 * f64::from(self.radius);
        float(1.0 / (whole * f64::from(NORMAL_LENGTH) * f64::from(focal(self.size))))
    }

    /// Occlusion of the height from which a tap counts. It hides errors from rounded depths and normals.
    fn bias(&self) -> f32 {
        float(f64::from((self.radius / 16).max(2)) / (0.25 * f64::from(self.radius)))
    }

    fn tap_weight(&self) -> f32 {
        whole(self.spiral.len()).recip()
    }

    /// The directions for the kernel, four words each: first the turns of pixels, then the taps.
    pub fn directions(&self) -> Vec<u32> {
        let all = self.turns.iter().chain(&self.spiral);
        all.flat_map(|&[x, y]| [x.to_bits(), y.to_bits(), 0, 0]).collect()
    }

    /// Specialization constants of the kernel.
    pub fn constants(&self) -> [(&'static str, u32); 7] {
        [
            ("TAPS", u32::try_from(self.spiral.len()).unwrap_or(u32::MAX)),
            ("TAP_WEIGHT", self.tap_weight().to_bits()),
            ("FOCAL", focal(self.size)),
            ("RADIUS", self.radius),
            ("REACH", self.reach),
            ("SLOPE", self.slope().to_bits()),
            ("BIAS", self.bias().to_bits()),
        ]
    }

    /// Openness of each pixel, from 0 to 1, as the bits of 32-bit floats.
    pub fn reference(&self, scene: &Scene) -> Vec<u32> {
        let width = self.size.width as usize;
        let mut open = vec![0; scene.depths.len()];
        open.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, texel) in row.iter_mut().enumerate() {
                *texel = self.open(scene, [x, y]).to_bits();
            }
        });
        open
    }

    fn open(&self, scene: &Scene, at: [usize; 2]) -> f32 {
        let normal = scene.normals[self.index(at)].map(|side| self.slope() * f32::from(side));
        let [middle_x, middle_y] = self.size.sides().map(|side| whole(side as usize / 2));
        let axis = normal[2] * whole(focal(self.size) as usize) - normal[0] * middle_x - normal[1] * middle_y;
        // The length along the normal of the point that a pixel shows.
        let along = |at: [usize; 2]| {
            let depth = f32::from(scene.depths[self.index(at)]);
            depth * (normal[0] * whole(at[0]) + normal[1] * whole(at[1]) + axis)
        };
        let surface = along(at) + self.bias();
        let depth = scene.depths[self.index(at)];
        let reach = self.reach_at(depth);
        let turn = self.turns[at[1] % TURNS_SIDE * TURNS_SIDE + at[0] % TURNS_SIDE];
        let occluded = self.spiral.iter().fold(0.0, |occluded: f32, &tap| {
            let tap = self.tap(at, tap, turn, reach);
            let is_near = u32::from(scene.depths[self.index(tap)].abs_diff(depth)) < self.radius;
            occluded + if is_near { (along(tap) - surface).clamp(0.0, 1.0) } else { 0.0 }
        });
        1.0 - occluded * self.tap_weight()
    }

    /// The pixels that the radius spans at a depth.
    fn reach_at(&self, depth: u16) -> f64 {
        (self.radius * focal(self.size) / u32::from(depth)).clamp(2, self.reach).into()
    }

    fn index(&self, [x, y]: [usize; 2]) -> usize {
        y * self.size.width as usize + x
    }

    /// The texel nearest to a tap, which is turned and scaled to `reach` texels; outside the image, the nearest texel
    /// inside. A tap half-way between two texels reads the even one.
    fn tap(&self, at: [usize; 2], tap: [f32; 2], turn: [f32; 2], reach: f64) -> [usize; 2] {
        let ([x, y], [cos, sin]) = (tap.map(f64::from), turn.map(f64::from));
        let turned = [x * cos - y * sin, x * sin + y * cos];
        [0, 1].map(|i| {
            let last = f64::from(self.size.sides()[i] - 1);
            let moved = f64::from(whole(at[i])) + reach * turned[i];
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the image")]
            let texel = moved.round_ties_even().clamp(0.0, last) as usize;
            texel
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel computes the offsets of taps in 32-bit floats, and nothing of them may be rounded.
    #[test]
    fn offsets_of_taps_are_exact() {
        let occlusion = Occlusion::new(Extent::square(64), Taps::Spread, 64, 40, 256);
        for (&[cos, sin], &[x, y]) in
            occlusion.turns.iter().flat_map(|turn| occlusion.spiral.iter().map(move |tap| (turn, tap)))
        {
            for reach in 2..=MOST_REACH {
                let reach = f64::from(i32::try_from(reach).unwrap());
                let exact = reach * (f64::from(x) * f64::from(cos) - f64::from(y) * f64::from(sin));
                assert_eq!(f64::from(float(exact)), exact, "{reach} pixels");
            }
        }
    }
}
