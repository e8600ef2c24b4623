//! CPU references: what each kernel makes of its input.

use rayon::prelude::*;
use samples::half::{nearest, value};

use crate::input::{Cells, IMAGES, LANES, LIGHTS, NUMBERS};
use crate::live::Sum;

/// A word of each invocation, from its number.
fn each(invocations: u32, word: impl Fn(u32) -> u32 + Sync + Send) -> Vec<u32> {
    (0..invocations).into_par_iter().map(word).collect()
}

/// Moves bit i to bit 3 i.
fn spread(x: u32) -> u32 {
    (0..10).map(|bit| (x >> bit & 1) << (3 * bit)).sum()
}

/// What the invocations of each workgroup mix of a cell per turn.
pub fn address(words: &[u32], cells: &Cells, [invocations, workgroup]: [u32; 2], turns: u32) -> Vec<u32> {
    let mixed = |group: u32| {
        let words = (0..turns).flat_map(|turn| {
            let start = [group % cells.across, group / cells.across, 0];
            let [x, y, z] = start.map(|axis| spread((axis + turn) % cells.side));
            let first = (cells.words * (x | y << 1 | z << 2)) as usize;
            &words[first..first + cells.words as usize]
        });
        let words: Vec<u32> = words.copied().collect();
        let mix = move |x: u32| words.iter().fold(x, |x, word| x.rotate_left(5).wrapping_add(*word));
        (workgroup * group..workgroup * (group + 1)).map(mix)
    };
    (0..invocations / workgroup).into_par_iter().flat_map_iter(mixed).collect()
}

/// Sums of a word of each image, which lie one behind the other in `words`, for `turns` texels.
pub fn descriptors(words: &[u32], invocations: u32, turns: u32) -> Vec<u32> {
    let texels = words.len() / IMAGES as usize;
    each(invocations, |invocation| {
        (invocation..invocation + turns).fold(0, |sum, texel| {
            let image_words = words.iter().skip(texel as usize % texels).step_by(texels);
            image_words.fold(sum, |sum: u32, word| sum.rotate_left(1).wrapping_add(*word))
        })
    })
}

/// Sums of the lights of each mask, which is rotated from turn to turn.
pub fn search(words: &[u32], turns: u32) -> Vec<u32> {
    let (lights, masks) = words.split_at(LIGHTS as usize);
    let sum = |mask: &u32| {
        let lit = (0..turns).flat_map(|turn| {
            lights.iter().enumerate().filter(move |(bit, _)| mask.rotate_left(turn) >> bit & 1 == 1)
        });
        lit.fold(0, |sum: u32, (_, light)| sum.wrapping_mul(3).wrapping_add(*light))
    };
    masks.par_iter().map(sum).collect()
}

/// Sums of [`NUMBERS`] numbers each, of which negative ones count three times and positive ones once. A turn replaces each
/// number by its weight less the number.
pub fn sign(words: &[u32], turns: u32) -> Vec<u32> {
    let sum_of = |words: &[u32]| {
        let mut numbers: Vec<f32> = words.iter().map(|word| f32::from_bits(*word)).collect();
        let mut sum = 0.0;
        for _ in 0..turns {
            for number in &mut numbers {
                let weight = if *number < 0.0 { 3.0 } else { 1.0 };
                sum += weight * number.abs();
                *number = weight - *number;
            }
        }
        f32::to_bits(sum)
    };
    words.par_chunks(NUMBERS as usize).map(sum_of).collect()
}

/// The first `count` medians of 3x3 texels of four 16-bit floats, in rows of `width` texels. The last two of a row look
/// into the next row.
pub fn median(words: &[u32], count: u32, width: u32) -> Vec<u32> {
    let channels: Vec<f32> = words.iter().flat_map(|word| [word & 0xFFFF, word >> 16]).map(value).collect();
    let median = |at: u32| {
        let mut nine = [0, 1, 2, width, width + 1, width + 2, 2 * width, 2 * width + 1, 2 * width + 2]
            .map(|texel| channels[(at + 4 * texel) as usize]);
        nine.sort_by(f32::total_cmp);
        nearest(nine[4])
    };
    each(2 * count, |word| median(2 * word) | median(2 * word + 1) << 16)
}

/// Prefix sums of segments of `lanes` words, `turns` times over.
pub fn barriers(words: &[u32], lanes: u32, turns: u32) -> Vec<u32> {
    let mut sums = words.to_vec();
    sums.par_chunks_mut(lanes as usize).for_each(|segment| {
        for _ in 0..turns {
            let mut sum = 0_u32;
            for word in &mut *segment {
                sum = sum.wrapping_add(*word);
                *word = sum;
            }
        }
    });
    sums
}

/// What each invocation's words sum to, after as many turns as are its own.
pub fn live(rows: &[u32], sum: &Sum, invocations: u32) -> Vec<u32> {
    let lanes = LANES as usize;
    let count = rows.len() / lanes;
    let [live, mixed, turns] = [sum.live / 4, sum.mixed / 4, sum.turns].map(|count| count as usize);
    each(invocations, |invocation| {
        let mut row = invocation as usize / lanes;
        let word = |row: usize| rows[row % count * lanes + invocation as usize % lanes];
        let four = |i: usize| [0, 1, 2, 3].map(|j| word(row + 4 * i + j));
        let mut fours: Vec<[u32; 4]> = (0..live).map(four).collect();
        let irregular = 1 + rows[row % count * lanes] as usize / count % (2 * turns);
        for _ in 0..if sum.irregular { irregular } else { turns } {
            let next = word(row);
            for i in 0..mixed {
                let following = fours[(i + 1) % mixed];
                for (word, j) in fours[i].iter_mut().zip([1, 2, 3, 0]) {
                    *word = word.rotate_left(5).wrapping_add(following[j]);
                }
            }
            fours[0][0] ^= next;
            row = next as usize;
        }
        fours.as_flattened().iter().fold(0, |sum: u32, word| sum.rotate_left(1).wrapping_add(*word))
    })
}
