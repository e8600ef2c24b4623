//! CPU reference of `chain/step.comp` and `data_race/race.comp`: a chain of passes, written from the formula.
//!
//! A texel holds its generation in the upper 8 bits, and below it a value mixed from all texels that were read for
//! it. A pass reads a cross of texels of the previous generation. The new generation is the smallest one in the
//! cross plus one. The values are mixed in the order centre, then left, right, up and down at growing distance.
//! Reads outside the image give the nearest texel inside.

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
    let (width, height) = (size.width as usize, size.height as usize);
    for _ in 0..passes {
        let read = |x: usize, y: usize| texels[y.min(height - 1) * width + x.min(width - 1)];
        let next = |(at, texel): (usize, &mut u32)| {
            let (x, y) = (at % width, at / width);
            let (mut generation, mut mixed) = (read(x, y) >> MIX_BITS, read(x, y));
            for d in 1..=radius as usize {
                let (left, up) = (x.saturating_sub(d), y.saturating_sub(d));
                for near in [read(left, y), read(x + d, y), read(x, up), read(x, y + d)] {
                    generation = generation.min(near >> MIX_BITS);
                    mixed = mixed.wrapping_mul(MULTIPLIER).wrapping_add(near);
                }
            }
            *texel = (generation + 1) << MIX_BITS | mixed & ((1 << MIX_BITS) - 1);
        };
        let mut written = vec![0; texels.len()];
        written.par_iter_mut().enumerate().with_min_len(width).for_each(next);
        texels = written;
    }
    texels
}
