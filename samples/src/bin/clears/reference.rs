//! The chain on the CPU.

use common::Extent;
use samples::full_screen::{Texel, Texels, seed};

/// What the last pass writes; `last_row` is the value in the row that it leaves alone, if it does.
pub fn result(texels: Texels, size: Extent, passes: u32, last_row: Option<f32>) -> Vec<Texel> {
    let passed = |number: u8| (0..passes).fold(number, |number, _| next(number));
    let mut written: Vec<Texel> = seed(size).iter().map(|texel| texels.texel(texel.map(passed))).collect();
    if let Some(value) = last_row {
        let first = written.len() - size.width as usize;
        written[first..].fill([value; 4]);
    }
    written
}

fn next(number: u8) -> u8 {
    number.wrapping_mul(5).wrapping_add(37)
}
