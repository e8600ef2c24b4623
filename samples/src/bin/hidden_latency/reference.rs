//! What each invocation finds, without walking.

use std::num::Wrapping;

use samples::lines::{Chain, WORDS};

/// Sides of the image: 8x8 tiles of 8x8 texels.
pub const SIDES: [u32; 2] = [64, 64];

/// Whether a texel is 1. The others are 0, so that they add up without rounding.
const fn is_one([x, y]: [u32; 2]) -> bool {
    let number = (y * SIDES[0] + x).wrapping_mul(0x9E37_79B1) ^ 0x7F4A_7C15;
    (number ^ number >> 15).wrapping_mul(0x85EB_CA6B) >> 31 == 1
}

/// The image, four texels in a word.
pub fn texels() -> Vec<u32> {
    let bytes: Vec<u8> =
        (0..SIDES[0] * SIDES[1]).map(|at| 255 * u8::from(is_one([at % SIDES[0], at / SIDES[0]]))).collect();
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// What the waves of a workgroup do.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    pub chain: Chain,
    /// Lines that are read before.
    pub warmed: u32,
    pub waves: u32,
    /// Invocations of a wave.
    pub wave: u32,
    pub turns: u32,
    /// Hits in a turn.
    pub hits: u32,
}

impl Turns {
    /// Two words for each invocation: what its neighbour ends with, and the sum of its own texels. An invocation ends with its last
    /// line, plus the sum of its texels, plus the words of the lines that it has read before.
    pub fn ends(&self) -> Vec<u32> {
        let invocations = self.waves * self.wave;
        let texels: Vec<u32> = (0..invocations).map(|own| self.texels(own)).collect();
        let end = |own: u32| {
            let last = self.word(self.first(own) + self.turns);
            let before =
                (self.chain.lines - self.warmed + own..self.chain.lines).step_by(invocations as usize);
            let before = before.map(|i| Wrapping(self.word(i + 1))).sum::<Wrapping<u32>>();
            (before + Wrapping(last) + Wrapping(texels[own as usize])).0
        };
        (0..invocations).flat_map(|own| [end((own + 1) % invocations), texels[own as usize]]).collect()
    }

    fn word(&self, i: u32) -> u32 {
        self.chain.line(i) * WORDS
    }

    /// The turn of the round at which an invocation begins.
    const fn first(&self, own: u32) -> u32 {
        own / self.wave * (self.chain.lines / self.waves)
    }

    /// The sum of the texels of an invocation: those that it brings into the L1, and those of its turns.
    fn texels(&self, own: u32) -> u32 {
        let [width, height] = SIDES;
        let before = (own..width * height).step_by((self.waves * self.wave) as usize);
        let before = count(before.map(|at| [at % width, at / width]));
        let of_turn = |within: u32| {
            count((0..self.hits).map(|tile| [8 * (tile % 8) + within % 8, 8 * (tile / 8) + within / 8]))
        };
        let [even, odd] = [own, own + 32].map(|within| of_turn(within % 64));
        let odd_lines = (0..self.turns).map(|turn| self.chain.line(self.first(own) + turn) % 2).sum::<u32>();
        before + (self.turns - odd_lines) * even + odd_lines * odd
    }
}

/// How many of these texels are 1.
fn count(texels: impl Iterator<Item = [u32; 2]>) -> u32 {
    texels.map(|texel| u32::from(is_one(texel))).sum()
}
