//! CPU reference of `shaders/include/step.glsl`, written from the formulas. An item is a word, and a step is
//! `(x ^ x >> 15) * m` with an odd `m`.

use rayon::prelude::*;

/// Multiplier of a step and of the initial values; odd, so that both are bijections.
pub const MULTIPLIER: u32 = 0x9E37_79B1;
/// Initial word of an output; no item starts with this value.
pub const UNWRITTEN: u32 = 0;
/// Invocations per workgroup where that is not under test: a wave of GCN, and the smallest workgroup with which an
/// NVIDIA multiprocessor can hold all its waves (64 waves of 32 lanes in 32 workgroups).
pub const LANES: u32 = 64;

/// Initial value of an item.
pub fn first(item: u32) -> u32 {
    item.wrapping_add(1).wrapping_mul(MULTIPLIER)
}

/// One step.
pub fn stepped(value: u32, multiplier: u32) -> u32 {
    (value ^ value >> 15).wrapping_mul(multiplier)
}

/// `steps` steps.
pub fn repeated(value: u32, steps: u32) -> u32 {
    (0..steps).fold(value, |value, _| stepped(value, MULTIPLIER))
}

/// Initial values of all items.
pub fn begun(items: u32) -> Vec<u32> {
    every(items, first)
}

/// All items after one step with each of these multipliers.
pub fn multiplied(items: u32, multipliers: &[u32]) -> Vec<u32> {
    every(items, |item| multipliers.iter().fold(first(item), |value, &m| stepped(value, m)))
}

/// `steps` odd multipliers, one per step.
pub fn multipliers(steps: u32) -> Vec<u32> {
    (1..=steps).map(|n| n.wrapping_mul(MULTIPLIER) | 1).collect()
}

/// The value of every item, computed in parallel.
pub fn every(items: u32, of: impl Fn(u32) -> u32 + Sync + Send) -> Vec<u32> {
    (0..items).into_par_iter().map(of).collect()
}

/// A picture of items: noise in grey where they are right, red where they are wrong.
pub fn painted(right: &[u32], words: &[u32]) -> Vec<[u8; 3]> {
    let colour =
        |(right, word): (&u32, &u32)| if word == right { [word.to_be_bytes()[0]; 3] } else { [255, 0, 0] };
    right.iter().zip(words).map(colour).collect()
}
