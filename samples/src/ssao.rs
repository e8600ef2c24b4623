//! Ambient occlusion in whole numbers, and a scene for it: the twin of
//! `shaders/swizzled_remap/ssao.comp`, written from the same formula.

use common::Extent;
use rayon::prelude::*;

/// Units of depth in a unit of length.
const UNIT: f64 = 256.0;
/// Most pixels that a neighbourhood reaches, so that a texel right in front of the eye does not sample
/// the whole screen.
pub const REACH: i32 = 96;
/// How far in front of the tangent plane an occluder lies at the least, in normals of length 127.
const BIAS: i32 = 4 * 127;

/// What the eye sees: depths and normals, row by row.
#[derive(Clone, Debug)]
pub struct Scene {
    size: Extent,
    /// Along the view, in 256ths of a unit of length; at least 1.
    pub depths: Vec<u32>,
    /// x, y and z of the normals, each 128 more than 127 times its value, in a byte each.
    pub normals: Vec<u32>,
}

/// How a scene is sampled.
#[derive(Clone, Debug)]
pub struct Sampling {
    /// Offsets in 64ths of the radius.
    pub taps: Vec<[i32; 2]>,
    /// Radius of the neighbourhood, in units of depth.
    pub radius: i32,
}

impl Sampling {
    /// Taps on a spiral, so that all distances and directions come up.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "within ±64")]
    pub fn spiral(taps: u32, radius: i32) -> Self {
        let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
        let at = |i: u32| {
            let distance = 64.0 * ((f64::from(i) + 0.5) / f64::from(taps)).sqrt();
            let (y, x) = (f64::from(i) * golden).sin_cos();
            [(distance * x).round() as i32, (distance * y).round() as i32]
        };
        Self { taps: (0..taps).map(at).collect(), radius }
    }

    /// The taps as the kernel reads them.
    #[must_use]
    pub fn words(&self) -> Vec<u32> {
        let half = |n: i32| n.cast_unsigned() & 0xffff;
        self.taps.iter().map(|&[x, y]| half(y) << 16 | half(x)).collect()
    }
}

impl Scene {
    /// Floor, wall, columns and balls in between: surfaces with edges between near and far.
    #[must_use]
    pub fn new(size: Extent) -> Self {
        let texels = (0..size.width * size.height).into_par_iter();
        let seen = texels.map(|at| seen(size, at % size.width, at / size.width));
        let (depths, normals) = seen.unzip();
        Self { size, depths, normals }
    }

    /// Pixels that a unit of length takes at depth 1.
    #[must_use]
    pub fn focal(&self) -> i32 {
        focal(self.size)
    }

    /// The occlusion of each texel: 255 where nothing is in front of it.
    #[must_use]
    pub fn occlusion(&self, sampling: &Sampling) -> Vec<u32> {
        let width = self.size.width;
        (0..self.size.width * self.size.height)
            .into_par_iter()
            .map(|at| self.texel([(at % width).cast_signed(), (at / width).cast_signed()], sampling))
            .collect()
    }

    fn texel(&self, at: [i32; 2], sampling: &Sampling) -> u32 {
        let here = self.depth(at);
        let normal = self.normals[self.index(at)];
        let facing = [0, 8, 16].map(|shift| (normal >> shift & 255).cast_signed() - 128);
        let pixels = (sampling.radius * self.focal() / here).clamp(1, REACH);
        let mut occluded = 0;
        for &tap in &sampling.taps {
            let away = turned(tap, at).map(|n| (n * pixels) >> 6);
            let there = self.inside([at[0] + away[0], at[1] + away[1]]);
            let (ours, theirs) = (self.place(at), self.place(there));
            let step = [0, 1, 2].map(|i| theirs[i] - ours[i]);
            let behind = step[2];
            if (0..3).map(|i| facing[i] * step[i]).sum::<i32>() > BIAS {
                let near = (2 * sampling.radius - behind.abs()).max(0) * 128 / sampling.radius;
                occluded += near.min(255);
            }
        }
        (255 - occluded / i32::try_from(sampling.taps.len()).unwrap_or(i32::MAX)).cast_unsigned()
    }

    /// Where in space a texel lies, in units of depth.
    fn place(&self, at: [i32; 2]) -> [i32; 3] {
        let depth = self.depth(at);
        let centre = self.size.sides().map(|side| side.cast_signed() / 2);
        let [x, y] = [0, 1].map(|i| (at[i] - centre[i]) * depth / self.focal());
        [x, y, depth]
    }

    fn inside(&self, [x, y]: [i32; 2]) -> [i32; 2] {
        let last = self.size.sides().map(|side| side.cast_signed() - 1);
        [x.clamp(0, last[0]), y.clamp(0, last[1])]
    }

    fn index(&self, [x, y]: [i32; 2]) -> usize {
        (y.cast_unsigned() * self.size.width + x.cast_unsigned()) as usize
    }

    fn depth(&self, at: [i32; 2]) -> i32 {
        self.depths[self.index(at)].cast_signed()
    }
}

/// A quarter turn in odd columns, half a turn in every second pair of columns, mirrored in odd rows.
fn turned([x, y]: [i32; 2], at: [i32; 2]) -> [i32; 2] {
    let [x, y] = if at[0] % 2 == 1 { [-y, x] } else { [x, y] };
    let [x, y] = if at[0] / 2 % 2 == 1 { [-x, -y] } else { [x, y] };
    [if at[1] % 2 == 1 { -x } else { x }, y]
}

/// A field of view of about 80 degrees.
fn focal(size: Extent) -> i32 {
    (size.width * 3 / 5).cast_signed().max(1)
}

type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Depth and normal where the ray through a pixel meets the scene.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "depths of 1 to 2^16, bytes")]
fn seen(size: Extent, x: u32, y: u32) -> (u32, u32) {
    let focal = f64::from(focal(size));
    let centred = |at: u32, side: u32| (f64::from(at) + 0.5 - f64::from(side) / 2.0) / focal;
    let ray = [centred(x, size.width), centred(y, size.height), 1.0];
    // The wall, then whatever is in front of it. Rays have depth 1, so distances along them are depths.
    let mut nearest = (24.0, [0.0, 0.0, -1.0]);
    let mut meet = |depth: f64, normal: Vector| {
        if depth > 0.5 && depth < nearest.0 {
            nearest = (depth, normal);
        }
    };
    meet(1.4 / ray[1], [0.0, -1.0, 0.0]);
    for i in 0..12 {
        let (column, row) = (f64::from(i % 4) - 1.5, f64::from(i / 4));
        let foot = [column * 3.2 + 0.7 * row, 7.0 + 5.0 * row];
        if let Some((depth, normal)) = column_hit(ray, foot, 0.55) {
            meet(depth, normal);
        }
        let centre = [column * 2.1 - 0.4 * row, 0.75, 4.5 + 4.2 * row];
        if let Some((depth, normal)) = ball_hit(ray, centre, 0.65) {
            meet(depth, normal);
        }
    }
    let (depth, normal) = nearest;
    let byte = |n: f64| (n * 127.0).round() as i32 + 128;
    let [x, y, z] = normal.map(byte);
    ((depth * UNIT) as u32, (z << 16 | y << 8 | x).cast_unsigned())
}

fn ball_hit(ray: Vector, centre: Vector, radius: f64) -> Option<(f64, Vector)> {
    let (a, b) = (dot(ray, ray), dot(ray, centre));
    let root = (b * b - a * (dot(centre, centre) - radius * radius)).sqrt();
    let depth = (b - root) / a;
    let normal = [0, 1, 2].map(|i| (ray[i] * depth - centre[i]) / radius);
    depth.is_finite().then_some((depth, normal))
}

/// A column that stands on `foot`, x and z.
fn column_hit(ray: Vector, foot: [f64; 2], radius: f64) -> Option<(f64, Vector)> {
    let flat = |v: Vector| [v[0], 0.0, v[2]];
    ball_hit(flat(ray), [foot[0], 0.0, foot[1]], radius)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plane that faces the eye, but for what `depth` says.
    fn wall(size: Extent, depth: impl Fn(u32, u32) -> u32) -> Scene {
        let at = |i: u32| depth(i % size.width, i / size.width);
        let depths = (0..size.width * size.height).map(at).collect();
        let normal = (128 - 127) << 16 | 128 << 8 | 128;
        Scene { size, depths, normals: vec![normal; (size.width * size.height) as usize] }
    }

    #[test]
    fn a_wall_is_not_occluded_and_a_pit_is() {
        let size = Extent { width: 256, height: 48 };
        let sampling = Sampling::spiral(16, 64);
        assert!(wall(size, |_, _| 1024).occlusion(&sampling).iter().all(|&level| level == 255));
        let pit = wall(size, |x, y| if (28..36).contains(&x) && (20..28).contains(&y) { 1070 } else { 1024 });
        let levels = pit.occlusion(&sampling);
        assert!(levels[24 * 256 + 32] < 224, "{}", levels[24 * 256 + 32]);
        assert_eq!(levels[0], 255);
        // What is far in front occludes nothing: it is another object.
        let far = wall(size, |x, _| if x < 32 { 256 } else { 4096 });
        assert_eq!(far.occlusion(&sampling)[24 * 256 + 33], 255);
    }

    #[test]
    fn the_scene_has_edges_and_fits_its_numbers() {
        let scene = Scene::new(Extent { width: 320, height: 200 });
        assert!(scene.depths.iter().all(|depth| (128..=24 * 256).contains(depth)));
        let edges = scene.depths.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) > 256).count();
        assert!((200..20_000).contains(&edges), "{edges}");
        let levels = scene.occlusion(&Sampling::spiral(16, 64));
        let dark = levels.iter().filter(|level| **level < 224).count();
        assert!(dark > levels.len() / 100 && dark < levels.len() / 2, "{dark} of {}", levels.len());
    }

    #[test]
    fn taps_survive_their_packing() {
        let sampling = Sampling::spiral(64, 1);
        let half = |word: u32| i32::from((word & 0xffff) as u16 as i16);
        for (tap, word) in sampling.taps.iter().zip(sampling.words()) {
            assert_eq!(*tap, [half(word), half(word >> 16)]);
            assert!(tap.iter().all(|n| n.abs() <= 64));
        }
    }
}
