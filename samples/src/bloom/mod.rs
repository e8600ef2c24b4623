//! A bloom as engines run it: threshold, a pyramid of halved images, a Gaussian blur of each level, and the levels
//! grown and added up again.

pub mod device;
mod order;
mod pyramid;
mod shape;
pub mod tiles;
mod twin;
mod verdict;

pub use order::Order;
pub use pyramid::Pass;
pub use shape::{tile_for, workgroup_for};
pub use verdict::verdict;

/// What is darker than this, of 65,535, does not bloom.
const THRESHOLD: u16 = 1024;

/// The most that a channel holds, one less than it could.
const BRIGHTEST: u16 = u16::MAX - 1;

/// Weights of a blur that reaches so far, from the middle on: the binomial coefficients of `2 * radius`, which come
/// close to a Gaussian's of the variance `radius / 2`. They add up to `4^radius`, so that a shift divides exactly.
#[must_use]
fn weights(radius: u32) -> Vec<u32> {
    // Each from the one before; the products stay below 2^32 up to the largest radius.
    let row = (0..2 * radius).scan(1_u64, |weight, k| {
        *weight = *weight * u64::from(2 * radius - k) / u64::from(k + 1);
        Some(*weight)
    });
    let row: Vec<u64> = std::iter::once(1).chain(row).collect();
    row[radius as usize..].iter().map(|&weight| u32::try_from(weight).unwrap_or(u32::MAX)).collect()
}

/// Farthest reach of a blur: with one texel more, sums of 16-bit channels leave 32 bits.
pub const MOST_RADIUS: u32 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_binomial_and_sums_fit() {
        assert_eq!(weights(4), [70, 56, 28, 8, 1]);
        for radius in 1..=MOST_RADIUS {
            let weights = weights(radius);
            let sum = weights[0] + 2 * weights[1..].iter().sum::<u32>();
            assert_eq!((weights.len(), sum), (radius as usize + 1, 1 << (2 * radius)));
            assert!(u64::from(u16::MAX) * u64::from(sum) + u64::from(sum) / 2 <= u64::from(u32::MAX));
        }
    }
}
