//! Which texels the invocations of a wave load together, with the formulas of the shader, and what each invocation finds.

use std::num::Wrapping;

/// Places that are loaded from.
pub const PLACES: u32 = 512;
/// Places of a tile.
pub const TILE: u32 = 64;

/// Which texels belong to neighbouring invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Four invocations load 2x2 texels, 64 per tile of 8x8.
    Quads,
    /// 4x1 texels of a tile of 8x8.
    Blocks,
    /// 4x1 texels of 64x1.
    Rows,
    /// 1x4 texels of 1x64.
    Columns,
}

impl Shape {
    /// All of them, by their names.
    pub const ALL: [(&str, Self); 4] =
        [("2x2", Self::Quads), ("4x1", Self::Blocks), ("row", Self::Rows), ("column", Self::Columns)];

    /// The texel of a place.
    pub const fn texel(self, number: u32) -> [u32; 2] {
        let (tile, within) = (number / TILE, number % TILE);
        match self {
            Self::Rows => [within, tile],
            Self::Columns => [tile, within],
            Self::Blocks => [tile * 8 + within % 8, within / 8],
            Self::Quads => [tile * 8 + every_second_bit(within), every_second_bit(within >> 1)],
        }
    }
}

/// Bits 0, 2 and 4.
const fn every_second_bit(bits: u32) -> u32 {
    (bits & 1) | (bits >> 1 & 2) | (bits >> 2 & 4)
}

/// By what the places of a turn are shifted.
const fn shift(turn: u32) -> u32 {
    (turn.wrapping_mul(0x9E37_79B1) >> 31) * TILE / 2
}

/// The sum of what each invocation loads, where each place holds the word that `held` says. An invocation writes the sum of the
/// next one.
pub fn sums(held: impl Fn(u32) -> u32, turns: u32, invocations: u32) -> Vec<u32> {
    let held: Vec<Wrapping<u32>> = (0..PLACES).map(|place| Wrapping(held(place))).collect();
    let step =
        |from: u32, by: u32| held.iter().skip(from as usize).step_by(by as usize).sum::<Wrapping<u32>>();
    let of_turns = |own: u32| (0..turns).map(|turn| step(own ^ shift(turn), TILE)).sum::<Wrapping<u32>>();
    let timed: Vec<_> = (0..TILE.min(invocations)).map(of_turns).collect();
    let sum = |own: u32| (step(own, invocations) + timed[(own % TILE) as usize]).0;
    (0..invocations).map(|own| sum((own + 1) % invocations)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_texels_of_a_shifted_place_are_shifted_texels() {
        for (name, shape) in Shape::ALL {
            for (a, b) in [(3, 5), (77, 300), (511, 64)] {
                let [x, y] = shape.texel(a);
                let [shift_x, shift_y] = shape.texel(b);
                assert_eq!(shape.texel(a ^ b), [x ^ shift_x, y ^ shift_y], "{name}");
            }
            let all: HashSet<_> = (0..PLACES).map(|number| shape.texel(number)).collect();
            assert_eq!(all.len(), PLACES as usize, "{name}");
        }
    }

    #[test]
    fn four_invocations_load_what_the_name_says() {
        let four = |shape: Shape| [0, 1, 2, 3].map(|number| shape.texel(number));
        assert_eq!(four(Shape::Quads), [[0, 0], [1, 0], [0, 1], [1, 1]]);
        for shape in [Shape::Blocks, Shape::Rows] {
            assert_eq!(four(shape), [[0, 0], [1, 0], [2, 0], [3, 0]]);
        }
        assert_eq!(four(Shape::Columns), [[0, 0], [0, 1], [0, 2], [0, 3]]);
    }

    /// Load by load, as the shader does it.
    #[test]
    fn sums_are_those_of_all_loads() {
        let held = |place: u32| place * place + 7;
        let (turns, invocations) = (11, 32);
        let sums = sums(held, turns, invocations);
        for own in [0, 1, 31] {
            let mut sum = 0;
            for place in (own..PLACES).step_by(32) {
                sum += held(place);
            }
            for turn in 0..turns {
                for tile in 0..8 {
                    sum += held((own ^ shift(turn)) + tile * TILE);
                }
            }
            assert_eq!(sums[(own as usize + 31) % 32], sum);
        }
    }
}
