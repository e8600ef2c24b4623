//! Conversion between positive 16-bit and 32-bit floats.

/// Fraction bits of a 32-bit float that do not fit into a 16-bit one.
const CUT: u32 = 13;
/// Difference of the two exponent biases.
const REBIAS: u32 = 127 - 15;

/// Bits of the nearest 16-bit float, ties to even. Valid for 0, and from 2^-14, the smallest normal value, to
/// 65,504, the largest value.
pub fn nearest(value: f32) -> u32 {
    let bits = value.to_bits();
    let rounded = bits + (1 << (CUT - 1)) - 1 + (bits >> CUT & 1);
    (rounded >> CUT).saturating_sub(REBIAS << 10)
}

/// Value of a normal 16-bit float, given by its bits.
pub fn value(bits: u32) -> f32 {
    f32::from_bits((bits << CUT) + (REBIAS << 23))
}

/// Rounds to the nearest 16-bit float.
pub fn round(exact: f32) -> f32 {
    value(nearest(exact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_ones() {
        let known = [(1.0, 0x3C00), (1.5, 0x3E00), (0.25, 0x3400), (254.0, 0x5BF0), (65504.0, 0x7BFF)];
        for (exact, of) in known.into_iter().chain([(1.0 / 16384.0, 0x0400)]) {
            assert_eq!(nearest(exact), of, "{exact}");
            assert_eq!(value(of).to_bits(), exact.to_bits(), "{exact}");
        }
        // Ties between two values round to the even one.
        assert_eq!([0.0, 2049.0, 2051.0].map(nearest), [0, 0x6800, 0x6802]);
    }
}
