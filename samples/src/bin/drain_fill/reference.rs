//! CPU reference of `shaders/drain_fill/pass.comp`.

use samples::steps::{MULTIPLIER, every, first, repeated};

/// All items after so many passes with `steps` steps each. With `cleared`, each pass reads the word `first(pass)`,
/// which a clear before it wrote.
pub fn passed(items: u32, passes: u32, steps: u32, cleared: bool) -> Vec<u32> {
    every(items, |item| {
        (0..passes).fold(first(item), |value, pass| {
            let word = if cleared { first(pass) } else { 0 };
            repeated(value.wrapping_add(pass.wrapping_mul(MULTIPLIER)).wrapping_add(word), steps)
        })
    })
}
