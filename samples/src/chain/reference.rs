//! CPU reference of `chain/step.comp` and `data_race/race.comp`: a chain of passes, written from the formula.
//!
//! A texel holds its generation in the upper 8 bits, and below it a value mixed from all texels that were read for
//! it. A pass reads a cross of texels of the previous generation. The new generation is the smallest one in the
//! cross plus one. The values are mixed in the order centre, then left, right, up and down at growing distance.
//! Reads outside the image give the nearest texel inside.

use std::mem::swap;

use common::Extent;
use rayon::prelude::*;

/// Factor for the previously mixed value; odd, so that no information is lost.
pub const MULTIPLIER: u32 = 0x0100_0193;
/// Bits of the mixed value; the generation is in the bits above.
pub const MIX_BITS: u32 = 24;
/// Initial texel. Passes write generations from 1 on, so none of them writes this value.
pub const UNWRITTEN: [u32; 4] = [0; 4];

/// Generation 0, with different values in different texels.
pub fn seed(size: Extent) -> Vec<u32> {
    (0..size.width * size.height).map(|i| i.wrapping_mul(0x9E37_79B1) >> (32 - MIX_BITS)).collect()
}

/// The last generation after `passes` passes with arms of `radius` texels.
pub fn reference(size: Extent, radius: u32, passes: u32) -> Vec<u32> {
    let mut texels = seed(size);
    let mut written = texels.clone();
    for _ in 0..passes {
        let rows = written.par_chunks_mut(size.width as usize).enumerate();
        rows.for_each(|(y, row)| next_row(&texels, y, row, radius as usize));
        swap(&mut texels, &mut written);
    }
    texels
}

/// Row `y` of the next generation. Each step is taken for the whole row, so that it compiles to vector instructions.
fn next_row(texels: &[u32], y: usize, next: &mut [u32], radius: usize) {
    let width = next.len();
    let row = |y: usize| &texels[y.min(texels.len() / width - 1) * width..][..width];
    let here = row(y);
    let beside = [vec![here[0]; radius], here.to_vec(), vec![here[width - 1]; radius]].concat();
    // The smallest texel is of the smallest generation.
    let mut smallest = here.to_vec();
    next.copy_from_slice(here);
    for d in 1..=radius {
        for near in [&beside[radius - d..], &beside[radius + d..], row(y.saturating_sub(d)), row(y + d)] {
            for ((mixed, smallest), near) in next.iter_mut().zip(&mut smallest).zip(near) {
                *mixed = mixed.wrapping_mul(MULTIPLIER).wrapping_add(*near);
                *smallest = (*smallest).min(*near);
            }
        }
    }
    for (texel, smallest) in next.iter_mut().zip(smallest) {
        *texel = ((smallest >> MIX_BITS) + 1) << MIX_BITS | *texel & ((1 << MIX_BITS) - 1);
    }
}
