//! The placement of an island in the world.

/// A rotation by quarter turns and a translation. Neither rounds while coordinates are small multiples of a power
/// of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// One row each for the world's x, y and z: factors for the island's axes, then the translation.
    rows: [[f32; 4]; 3],
}

impl Frame {
    /// The placement of an island, by its number: one of 24 rotations, and a translation of up to 8 along each
    /// axis.
    pub fn of(island: u32) -> Self {
        let word = hash([island, 0, 7]);
        let axes = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]][(word % 6) as usize];
        let odd = word % 6 > 2;
        let sign = |bit: u32| if word >> bit & 1 == 1 { -1.0 } else { 1.0 };
        let (first, second) = (sign(8), sign(9));
        // Makes the determinant 1, so that nothing is mirrored.
        let third = first * second * if odd { -1.0 } else { 1.0 };
        let signs = [first, second, third];
        let mut rows = [[0.0; 4]; 3];
        for (k, row) in (0..).zip(&mut rows) {
            row[axes[k as usize]] = signs[k as usize];
            row[3] = (hash([island, k, 8]) % 256) as f32 / 16.0 - 8.0;
        }
        Self { rows }
    }

    /// The 4x4 matrix, row by row, as kernels read it.
    pub fn words(&self) -> [u32; 16] {
        let mut words = [0; 16];
        for (word, value) in words.iter_mut().zip(self.rows.as_flattened().iter().chain(&[0., 0., 0., 1.])) {
            *word = value.to_bits();
        }
        words
    }

    /// Converts island coordinates to world coordinates.
    pub fn to_world(self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let along = |r: &[f32; 4]| ((r[0] * x + r[1] * y) + r[2] * z) + r[3];
        let [a, b, c] = &self.rows;
        [along(a), along(b), along(c)]
    }

    /// Converts world coordinates to island coordinates. A rotation's inverse is its transpose.
    pub fn to_local(self, world: [f32; 3]) -> [f32; 3] {
        let [a, b, c] = &self.rows;
        let (x, y, z) = (world[0] - a[3], world[1] - b[3], world[2] - c[3]);
        let along = |k: usize| (a[k] * x + b[k] * y) + c[k] * z;
        [along(0), along(1), along(2)]
    }
}

/// A hash that is the same on every machine, used for pseudo-random integers.
pub fn hash(words: [u32; 3]) -> u32 {
    words.into_iter().fold(0x9E37_79B9, |hash, word| {
        let mixed = (hash ^ word).wrapping_mul(0x85EB_CA6B);
        (mixed ^ mixed >> 15).wrapping_mul(0xC2B2_AE35) ^ mixed >> 13
    })
}
