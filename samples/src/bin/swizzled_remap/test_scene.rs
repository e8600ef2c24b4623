//! The input scene: a hall with columns, balls and steps, rendered as depth and normal per pixel. Depth is smooth
//! with edges everywhere.

use common::Extent;
use rayon::prelude::*;

use crate::shapes::{FAR, Ray, Thing, Vector};

/// Length of a normal in its signed bytes.
pub const NORMAL_LENGTH: i32 = 127;
/// Units of depth per metre.
const UNITS_A_METRE: f64 = 100.0;

/// The output of the geometry pass, row by row.
#[derive(Debug)]
pub struct Scene {
    /// Distance from the eye along the view, in hundredths of a metre.
    pub depths: Vec<u16>,
    /// Normals of length [`NORMAL_LENGTH`]: x (right), y (down), z (away).
    pub normals: Vec<[i8; 3]>,
}

impl Scene {
    /// Depths as the bits of 32-bit floats.
    pub fn depth_words(&self) -> Vec<u32> {
        self.depths.iter().map(|&depth| f32::from(depth).to_bits()).collect()
    }

    /// Normals as words, x in the lowest byte.
    pub fn normal_words(&self) -> Vec<u32> {
        let word = |[x, y, z]: [i8; 3]| u32::from_le_bytes([x, y, z, 0].map(i8::cast_unsigned));
        self.normals.iter().copied().map(word).collect()
    }
}

/// Distance from the eye to the image plane in pixels; gives a horizontal field of view of 77 degrees.
pub fn focal(size: Extent) -> u32 {
    (size.width * 5 / 8).max(1)
}

/// Renders the hall in an image of this size.
pub fn seen(size: Extent) -> Scene {
    let things = things();
    let pixels = size.width * size.height;
    let pixel = |i: u32| {
        let [x, y] = [i % size.width, i / size.width].map(f64::from);
        let [middle_x, middle_y] = [size.width / 2, size.height / 2].map(f64::from);
        let ray = ray([x - middle_x, y - middle_y, f64::from(focal(size))]);
        let hits = things.iter().filter_map(|thing| thing.hit(&ray));
        let hit = hits.min_by(|a, b| a.depth.total_cmp(&b.depth)).unwrap_or(FAR);
        (stored_depth(hit.depth), stored_normal(as_seen(hit.normal)))
    };
    let (depths, normals) = (0..pixels).into_par_iter().with_min_len(1024).map(pixel).unzip();
    Scene { depths, normals }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
fn stored_depth(metres: f64) -> u16 {
    (metres * UNITS_A_METRE).round().clamp(1.0, f64::from(u16::MAX)) as u16
}

#[expect(clippy::cast_possible_truncation, reason = "a unit vector, scaled to signed bytes")]
fn stored_normal(normal: Vector) -> [i8; 3] {
    normal.map(|side| (side * f64::from(NORMAL_LENGTH)).round() as i8)
}

/// The eye is in the middle of the hall and looks along it, slightly down. 13, 84 and 85 form a right triangle.
const EYE: Vector = [0.4, 2.6, 0.0];
const DOWN: f64 = 13.0 / 85.0;
const AHEAD: f64 = 84.0 / 85.0;

/// The ray of a pixel at these distances from the eye: right, down, ahead.
fn ray([right, down, ahead]: Vector) -> Ray {
    let [right, down] = [right / ahead, down / ahead];
    Ray::new(EYE, [right, -DOWN - AHEAD * down, AHEAD - DOWN * down])
}

/// Converts a direction in the hall (right, up, along it) into the eye's coordinates.
fn as_seen([right, up, ahead]: Vector) -> Vector {
    [right, -AHEAD * up - DOWN * ahead, AHEAD * ahead - DOWN * up]
}

fn things() -> Vec<Thing> {
    let mut things = vec![Thing::Walls([-8.0, 0.0, -2.0], [8.0, 7.5, 34.0])];
    for i in 0..6_u8 {
        let z = 4.0 + 5.0 * f64::from(i);
        for x in [-4.5, 4.5] {
            things.push(Thing::Column([x, z], 0.5));
            things.push(Thing::Block([x - 0.8, 0.0, z - 0.8], [x + 0.8, 0.4, z + 0.8]));
            things.push(Thing::Block([x - 0.7, 6.9, z - 0.7], [x + 0.7, 7.5, z + 0.7]));
        }
        // Beams across the ceiling, between the columns.
        things.push(Thing::Block([-8.0, 7.1, z - 0.3], [8.0, 7.5, z + 0.3]));
        let ball = 0.3 + 0.1 * f64::from(i);
        let side = if i % 2 == 0 { -1.8 } else { 2.1 };
        things.push(Thing::Ball([side, ball, z + 1.5], ball));
        things.push(Thing::Ball([side + ball + 0.2, 0.2, z + 1.1], 0.2));
        // Steps at the end of the hall.
        let step = 0.25 * f64::from(i + 1);
        things.push(Thing::Block([-3.0, 0.0, 29.0 + 2.0 * step], [3.0, step, 34.0]));
    }
    things.push(Thing::Block([0.2, 0.0, 4.6], [1.2, 0.9, 5.4]));
    things.push(Thing::Block([0.4, 0.9, 4.8], [0.9, 1.3, 5.3]));
    things
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_are_as_long_as_they_say_and_face_the_eye() {
        const SIZE: Extent = Extent { width: 160, height: 100 };
        let scene = seen(SIZE);
        assert!(scene.depths.iter().all(|depth| (1..4_000).contains(depth)));
        let [middle_x, middle_y] = [SIZE.width / 2, SIZE.height / 2].map(u32::cast_signed);
        for (i, normal) in (0..).zip(&scene.normals) {
            let [x, y, z] = normal.map(i32::from);
            let length = f64::from(x * x + y * y + z * z).sqrt();
            assert!((length - f64::from(NORMAL_LENGTH)).abs() < 1.0, "pixel {i}: {length}");
            let [ray_x, ray_y] =
                [i % SIZE.width.cast_signed() - middle_x, i / SIZE.width.cast_signed() - middle_y];
            let facing = x * ray_x + y * ray_y + z * focal(SIZE).cast_signed();
            // Rounding may turn a silhouette's normal slightly beyond edge-on.
            assert!(facing < 2 * NORMAL_LENGTH, "pixel {i}: {facing}");
        }
    }
}
