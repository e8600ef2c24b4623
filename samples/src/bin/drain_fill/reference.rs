//! CPU reference of `shaders/drain_fill/*.comp`, written from the formulas. An item is a word, and a step is `(x ^
//! x >> 15) * m` with an odd `m`.

use rayon::prelude::*;

/// Multiplier of a step and of the initial values; odd, so that both are bijections.
pub const MULTIPLIER: u32 = 0x9E37_79B1;
/// Initial word of a buffer; no item starts with this value.
pub const UNWRITTEN: u32 = 0;

/// Initial value of an item.
pub fn first(item: u32) -> u32 {
    item.wrapping_add(1).wrapping_mul(MULTIPLIER)
}

/// One step.
pub fn stepped(value: u32, multiplier: u32) -> u32 {
    (value ^ value >> 15).wrapping_mul(multiplier)
}

/// Initial values of all items.
pub fn begun(items: u32) -> Vec<u32> {
    every(items, first)
}

/// All items after these passes with `steps` steps each. With `clears`, each pass follows a clear and reads its
/// result.
pub fn passed(items: u32, passes: std::ops::Range<u32>, steps: u32, clears: bool) -> Vec<u32> {
    every(items, |item| {
        passes.clone().fold(first(item), |value, pass| {
            let cleared = if clears { first(pass) } else { 0 };
            let begins = value.wrapping_add(pass.wrapping_mul(MULTIPLIER)).wrapping_add(cleared);
            repeated(begins, steps)
        })
    })
}

/// All items after one step with each of these multipliers.
pub fn multiplied(items: u32, multipliers: &[u32]) -> Vec<u32> {
    every(items, |item| multipliers.iter().fold(first(item), |value, &m| stepped(value, m)))
}

/// All items, each after its own number of steps.
pub fn counted(counts: &[u32]) -> Vec<u32> {
    let items = u32::try_from(counts.len()).unwrap_or(u32::MAX);
    counts.par_iter().zip(0..items).map(|(&steps, item)| repeated(first(item), steps)).collect()
}

/// `steps` odd multipliers, one per step.
pub fn multipliers(steps: u32) -> Vec<u32> {
    (1..=steps).map(|n| n.wrapping_mul(MULTIPLIER) | 1).collect()
}

fn repeated(value: u32, steps: u32) -> u32 {
    (0..steps).fold(value, |value, _| stepped(value, MULTIPLIER))
}

fn every(items: u32, of: impl Fn(u32) -> u32 + Sync + Send) -> Vec<u32> {
    (0..items).into_par_iter().map(of).collect()
}
