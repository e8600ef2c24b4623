//! The chain on the CPU.

use common::Extent;
use samples::half;

use super::Texels;

/// Four whole numbers below 256 per texel, or a value that no pass wrote.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Texel {
    Numbers([u8; 4]),
    Value(f32),
}

/// What the first pass reads.
pub fn seed(size: Extent) -> Vec<Texel> {
    let [width, height] = size.sides();
    let texel = |x: u32, y: u32| [x ^ y, x, y, x + 3 * y].map(|number| number.to_le_bytes()[0]);
    (0..height).flat_map(|y| (0..width).map(move |x| Texel::Numbers(texel(x, y)))).collect()
}

/// What the last pass writes; `last_row` is the value in the row that it leaves alone, if it does.
pub fn result(size: Extent, passes: u32, last_row: Option<f32>) -> Vec<Texel> {
    let mut texels = seed(size);
    for texel in &mut texels {
        if let Texel::Numbers(numbers) = texel {
            (0..passes).for_each(|_| *numbers = numbers.map(next));
        }
    }
    if let Some(value) = last_row {
        let first = texels.len() - size.width as usize;
        texels[first..].fill(Texel::Value(value));
    }
    texels
}

fn next(number: u8) -> u8 {
    number.wrapping_mul(5).wrapping_add(37)
}

/// The words of an image in this format.
pub fn packed(format: Texels, texels: &[Texel]) -> Vec<u32> {
    texels.iter().flat_map(|texel| words(format, *texel)).collect()
}

fn words(format: Texels, texel: Texel) -> Vec<u32> {
    match format {
        Texels::Rgba8 => {
            let bytes = match texel {
                Texel::Numbers(numbers) => numbers,
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "colours are from 0 to 1"
                )]
                Texel::Value(value) => [(value * format.scale()).round() as u8; 4],
            };
            vec![u32::from_le_bytes(bytes)]
        }
        Texels::Rgba16f => {
            let [r, g, b, a] = match texel {
                Texel::Numbers(numbers) => numbers.map(|number| f32::from(number) / format.scale()),
                Texel::Value(value) => [value; 4],
            }
            .map(half::nearest);
            vec![r | g << 16, b | a << 16]
        }
    }
}

/// The first three components as a colour.
pub fn painted(format: Texels, words: &[u32]) -> Vec<[u8; 3]> {
    match format {
        Texels::Rgba8 => words.iter().map(|word| word.to_le_bytes()).map(|[r, g, b, _]| [r, g, b]).collect(),
        Texels::Rgba16f => {
            words.chunks_exact(2).map(|pair| [pair[0], pair[0] >> 16, pair[1]].map(shade)).collect()
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a conversion of floats saturates"
)]
fn shade(half: u32) -> u8 {
    let bits = half & 0xFFFF;
    if bits == 0 { 0 } else { (half::value(bits) * 256.0) as u8 }
}
