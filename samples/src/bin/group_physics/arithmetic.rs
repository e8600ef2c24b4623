//! The arithmetic of one constraint, bit-identical here and in `shaders/group_physics/constraint.glsl`.
//!
//! Vulkan requires correct rounding of additions, subtractions and multiplications (Vulkan 1.3, appendix A,
//! "Precision and Operation of SPIR-V Instructions"), but not of divisions and square roots. So the code uses
//! neither. One inverse square root, made of integer operations and those three, gives both the length and the
//! divisor.

use crate::island::Constraint;

/// Half of the largest difference between log2(1 + m) and m for m in 0..1 (0.0861), tuned to the second digit for
/// the smallest error after two steps.
const MEAN_GAP: f64 = 0.0450;

/// The magic constant of the fast inverse square root, which two Newton steps follow. The bits of a float, read as an
/// integer and scaled by 2^-23, are its exponent plus 127 plus its mantissa m. That is its logarithm plus 127, except
/// for the gap. So half of the negative logarithm has the bits of this constant minus half of the input's bits.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a constant of 31 bits")]
pub const SEED: u32 = (1.5 * (127.0 - MEAN_GAP) * 8_388_608.0) as u32;

/// Floating-point operations of one projection, including the inverse square root: 3 differences, 5 for their
/// square, 1 sum of inverse masses, 2 products, 9 for the root, 4 for the correction, 2 weights, 12 to move both
/// particles.
pub const FLOPS: u64 = 38;

/// 1 / sqrt(x) for x > 0 with an error below 5 millionths, more accurate than this kind of solver needs. Each
/// Newton step for y^-2 = x squares the error. For 0 it returns a large finite number.
pub fn inverse_root(x: f32) -> f32 {
    let half = 0.5 * x;
    let y = f32::from_bits(SEED - (x.to_bits() >> 1));
    let y = y * (1.5 - (half * y) * y);
    y * (1.5 - (half * y) * y)
}

/// a - b.
pub fn difference(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The squared length, summed from x to z.
pub fn squared(d: [f32; 3]) -> f32 {
    (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]
}

/// Difference between a length and the required one, positive if it is too long. A contact is never too long.
fn excess(length: f32, constraint: &Constraint) -> f32 {
    let excess = length - constraint.rest;
    if constraint.contact && excess > 0.0 { 0.0 } else { excess }
}

/// Factor for the difference of the two positions; multiplied by a particle's inverse mass it gives the particle's
/// movement. With W the sum of both inverse masses and s the squared length, 1 / sqrt(s W W) is 1 over length and
/// W at once, and s W times that is the length.
pub fn correction_of(squared: f32, inverse_masses: f32, constraint: &Constraint) -> f32 {
    let scaled = squared * inverse_masses;
    let inverse = inverse_root(scaled * inverse_masses);
    (excess(scaled * inverse, constraint) * inverse) * constraint.stiffness
}

/// The remaining error of a constraint, as a length.
pub fn residual(squared: f32, constraint: &Constraint) -> f32 {
    excess(squared * inverse_root(squared), constraint).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constraint(rest: f32, contact: bool) -> Constraint {
        Constraint { pair: [0, 1], rest, stiffness: 1.0, contact }
    }

    #[test]
    fn the_root_is_good_to_five_millionths() {
        // Two octaves cover every mantissa with both parities of the exponent.
        let worst = (0..1_000_000).map(|i| {
            let x = 1.0 + 3.0 * i as f32 / 1e6;
            (f64::from(inverse_root(x)) * f64::from(x).sqrt() - 1.0).abs()
        });
        let worst = worst.fold(0.0, f64::max);
        assert!((1e-6..5e-6).contains(&worst), "{worst:e}");
        // A zero length or mass must not give a NaN.
        assert!(correction_of(0.0, 0.0, &constraint(1.0, false)).is_finite());
    }

    #[test]
    fn a_correction_moves_both_to_the_length() {
        // Two particles 2 apart that should be 1 apart; the second has half the mass.
        let moved = correction_of(4.0, 1.0 + 2.0, &constraint(1.0, false));
        let (first, second) = (2.0 - 2.0 * moved * 1.0, 0.0 + 2.0 * moved * 2.0);
        assert!((first - second - 1.0).abs() < 1e-4 && (first - (2.0 - 1.0 / 3.0)).abs() < 1e-4, "{first}");
        // Contacts push but do not pull.
        assert_eq!(correction_of(4.0, 2.0, &constraint(1.0, true)).to_bits(), 0);
        assert!(correction_of(0.25, 2.0, &constraint(1.0, true)) < 0.0);
        assert!((residual(0.25, &constraint(1.0, true)) - 0.5).abs() < 1e-5);
    }
}
