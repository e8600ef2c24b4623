//! The triangles on the CPU.

use samples::noted::UNWRITTEN;

/// Side of a triangle's cell in pixels.
pub const SIDE: u32 = 3;
/// From one address of a vertex's loads to the next, in words.
pub const STEP: u32 = 64;

/// How many triangles a target of this width holds.
pub const fn capacity(width: u32) -> u32 {
    (width / SIDE).pow(2)
}

/// The pixels, row by row: the numbers of their triangles. One covers the pixels of its cell from the corner to the diagonal.
pub fn drawn(width: u32, triangles: u32) -> Vec<u32> {
    let columns = width / SIDE;
    let pixel = |x: u32, y: u32| {
        let (column, triangle) = (x / SIDE, y / SIDE * columns + x / SIDE);
        let is_covered = x % SIDE + y % SIDE < SIDE && column < columns && triangle < triangles;
        if is_covered { triangle } else { UNWRITTEN }
    };
    (0..width).flat_map(|y| (0..width).map(move |x| pixel(x, y))).collect()
}

/// A chain of so many loads: each word is the index of the next.
pub fn links(loads: u32) -> Vec<u32> {
    (0..=loads * STEP).map(|at| at + STEP).collect()
}

/// A colour for each triangle.
pub fn painted(words: &[u32]) -> Vec<[u8; 3]> {
    let colour = |word: &u32| match *word {
        UNWRITTEN => [0; 3],
        triangle => {
            let [r, g, b, _] = triangle.wrapping_mul(0x9E37_79B1).to_le_bytes();
            [r | 64, g | 64, b | 64]
        }
    };
    words.iter().map(colour).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_covers_six_pixels() {
        let pixels = drawn(8, 3);
        let row = |y: usize| pixels[8 * y..8 * y + 8].to_vec();
        let none = UNWRITTEN;
        assert_eq!(row(0), [0, 0, 0, 1, 1, 1, none, none]);
        assert_eq!(row(1), [0, 0, none, 1, 1, none, none, none]);
        assert_eq!(row(2), [0, none, none, 1, none, none, none, none]);
        assert_eq!(row(3), [2, 2, 2, none, none, none, none, none]);
        assert_eq!(capacity(8), 4);
        assert!(capacity(1024) >= 100_000);
    }
}
