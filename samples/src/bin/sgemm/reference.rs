//! The matrices, and their product computed on the CPU.

use ndarray::{Array2, ArrayView2, Axis, aview2};
use rayon::prelude::*;

use crate::device::Size;

/// The elements of A (0), B (1), or C as it was before (2): uniform in [-1, 1), with all bits of a float in use, because the
/// power that a GPU draws, and with it the clock, depends on them.
pub fn values(Size { m, n, k }: Size, matrix: u32) -> Vec<f32> {
    let [rows, columns] = [[m, k], [k, n], [m, n]][matrix as usize].map(|side| side as usize);
    (0..rows * columns).into_par_iter().map(|at| element(at, matrix + 1)).collect()
}

/// One output of the generator PCG-RXS-M-XS (O'Neill 2014).
#[expect(clippy::cast_possible_truncation, reason = "a word of the index is enough")]
fn element(at: usize, seed: u32) -> f32 {
    let state = (at as u32).wrapping_mul(747_796_405).wrapping_add(seed);
    let word = (state >> ((state >> 28) + 4) ^ state).wrapping_mul(277_803_737);
    let bits = (word >> 22 ^ word) >> 9 | 0x4000_0000;
    f32::from_bits(bits) - 3.0
}

/// alpha A B + beta C in 64-bit floats, rounded once. A product of matrices by a library: the formula as it stands takes a
/// minute at 4096.
pub fn product(size: Size, [alpha, beta]: [f32; 2], [a, b, c]: [&[f32]; 3]) -> Vec<u32> {
    let Size { n, k, .. } = size;
    let wide = |row: &[f32]| row.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
    let b = wide(b);
    let b: ArrayView2<'_, f64> =
        ArrayView2::from_shape((k as usize, n as usize), &b).unwrap_or(aview2(&[[]]));
    // A thread's rows of A and of C.
    const ROWS: usize = 64;
    let blocks = a.par_chunks(ROWS * k as usize).zip(c.par_chunks(ROWS * n as usize));
    let rows = blocks.flat_map_iter(|(a, c)| {
        let a = Array2::from_shape_vec((a.len() / k as usize, k as usize), wide(a)).unwrap_or_default();
        let product = if a.len_of(Axis(0)) > 0 { a.dot(&b) } else { Array2::default((0, 0)) };
        let old = c.to_vec();
        product.into_iter().zip(old).map(move |(sum, old)| rounded(alpha, beta, sum, old))
    });
    rows.collect()
}

#[expect(clippy::cast_possible_truncation, reason = "rounding is meant")]
fn rounded(alpha: f32, beta: f32, sum: f64, old: f32) -> u32 {
    // As in BLAS, C is not read where beta is 0: it may hold anything.
    let kept = if beta == 0.0 { 0.0 } else { f64::from(beta) * f64::from(old) };
    ((f64::from(alpha) * sum + kept) as f32).to_bits()
}

/// How far a sum in 32-bit floats may be from the exact one. Each of K rounding errors is at most 2⁻²⁴ of a partial sum, and
/// they partly cancel: √K of them, in any order of the sum (Higham and Mary, 2019). Elements are at most 1, on average ½.
pub fn bound(size: Size, [alpha, beta]: [f32; 2]) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "K is far below 2^24")]
    let k = size.k as f32;
    (k.sqrt() + 2.0) * (alpha.abs() * k / 2.0 + beta.abs()) / 16_777_216.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_computes_the_formula() {
        let size = Size { m: 67, n: 45, k: 33 };
        let [a, b, c] = [0, 1, 2].map(|matrix| values(size, matrix));
        let factors = [1.5, -0.25];
        let products = product(size, factors, [&a, &b, &c]);
        for i in 0..67 {
            for j in 0..45 {
                let sum: f64 = (0..33).map(|k| f64::from(a[i * 33 + k]) * f64::from(b[k * 45 + j])).sum();
                let expected = 1.5 * sum - 0.25 * f64::from(c[i * 45 + j]);
                let actual = f64::from(f32::from_bits(products[i * 45 + j]));
                assert!((expected - actual).abs() < 1e-6, "{i} {j}: {expected} {actual}");
            }
        }
    }

    /// Far above the errors of a right kernel, far below what a product too few changes.
    #[test]
    fn the_bound_separates_rounding_from_mistakes() {
        for k in [1, 8, 256, 4096] {
            let size = Size { m: 64, n: 64, k };
            let [a, b] = [0, 1].map(|matrix| values(size, matrix));
            let exact = product(size, [1.0, 0.0], [&a, &b, &[0.0; 64 * 64]]);
            let (mut worst, mut one_less) = (0.0_f32, 0);
            for i in 0..64 {
                for j in 0..64 {
                    let term = |k: usize| a[i * size.k as usize + k] * b[k * 64 + j];
                    let sum = (0..k as usize).fold(0.0, |sum, k| sum + term(k));
                    let expected = f32::from_bits(exact[i * 64 + j]);
                    worst = worst.max((sum - expected).abs());
                    one_less += usize::from((sum - term(0) - expected).abs() > bound(size, [1.0, 0.0]));
                }
            }
            assert!(worst < bound(size, [1.0, 0.0]), "{k}: {worst}");
            assert!(one_less > 64 * 64 * 9 / 10, "{k}: {one_less}");
        }
    }

    #[test]
    fn elements_are_spread_over_the_interval() {
        let all = values(Size { m: 100, n: 1, k: 100 }, 0);
        assert!(all.iter().all(|x| (-1.0..1.0).contains(x)));
        let mean = all.iter().sum::<f32>() / 10_000.0;
        assert!(mean.abs() < 0.03, "{mean}");
    }
}
