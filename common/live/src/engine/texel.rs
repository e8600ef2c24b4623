//! Converts the words of a texel to text and to grey levels.

/// How the words of a texel become a colour; the values match `lab/view.comp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Numbers = 0,
    Floats = 1,
    Colours = 2,
    Bytes = 3,
    Halves = 4,
}

/// At most this many words of a reference are examined for its range.
const LOOKED_AT: usize = 1 << 16;

/// The values drawn as black and as white for results like this reference.
#[expect(clippy::cast_precision_loss, reason = "a shade of grey")]
pub(super) fn range(kind: Kind, reference: &[u32]) -> [f32; 2] {
    let step = reference.len().div_ceil(LOOKED_AT).max(1);
    let words = reference.iter().step_by(step);
    let values: Vec<f32> = match kind {
        Kind::Colours | Kind::Bytes => return [0.0, 1.0],
        Kind::Halves => words.flat_map(|&word| [half(word & 0xffff), half(word >> 16)]).collect(),
        Kind::Floats => words.map(|&word| f32::from_bits(word)).collect(),
        Kind::Numbers => words.map(|&word| word as f32).collect(),
    };
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(f32::INFINITY, f32::min), finite().fold(f32::NEG_INFINITY, f32::max));
    if low < high { [low, high] } else { [low.min(0.0), low.min(0.0) + 1.0] }
}

/// The value of a texel as text.
pub(super) fn in_words(kind: Kind, bytes: u32, index: u32, words: &[u32]) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match kind {
        Kind::Bytes => (words[0] >> (8 * (index % 4)) & 0xff).to_string(),
        Kind::Colours => joined(words[0].to_le_bytes().map(|byte| byte.to_string()).into()),
        Kind::Floats => {
            let floats = words.iter().take((bytes / 4).max(1) as usize);
            joined(floats.map(|&word| format!("{}", f32::from_bits(word))).collect())
        }
        Kind::Halves => {
            let halves = words.iter().take(2).flat_map(|&word| [half(word & 0xffff), half(word >> 16)]);
            joined(halves.map(|value| format!("{value}")).collect())
        }
        Kind::Numbers => {
            let numbers = words.iter().take((bytes / 4).max(1) as usize);
            joined(numbers.map(|word| word.to_string()).collect())
        }
    }
}

/// Decodes a 16-bit float.
#[expect(clippy::cast_precision_loss, reason = "eleven bits")]
fn half(bits: u32) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15 & 1, bits >> 10 & 31, bits & 1023);
    let magnitude = match exponent {
        0 => fraction as f32 * 2.0_f32.powi(-24),
        31 if fraction == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => f32::from_bits((exponent + 112) << 23 | fraction << 13),
    };
    if sign == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_what_they_are() {
        let of = |bits| half(bits);
        assert_eq!([of(0x3c00), of(0xc000), of(0x0001), of(0x7bff)], [1.0, -2.0, 2.0_f32.powi(-24), 65504.0]);
        assert!(of(0x7c00).is_infinite() && of(0x7e00).is_nan() && of(0x3555) > 0.333);
    }

    #[test]
    fn texels_read_as_their_format_has_them() {
        assert_eq!(in_words(Kind::Colours, 4, 0, &[0xff40_2010, 0, 0, 0]), "16, 32, 64, 255");
        assert_eq!(in_words(Kind::Bytes, 1, 6, &[0x0403_0201, 0, 0, 0]), "3");
        assert_eq!(in_words(Kind::Floats, 4, 0, &[0.5_f32.to_bits(), 7, 0, 0]), "0.5");
        assert_eq!(in_words(Kind::Halves, 8, 0, &[0x3c00_c000, 0, 0, 0]), "-2, 1, 0, 0");
        assert_eq!(in_words(Kind::Numbers, 8, 0, &[5, 6, 7, 8]), "5, 6");
    }

    #[test]
    fn a_range_is_that_of_the_reference() {
        assert_eq!(range(Kind::Numbers, &[5, 9, 7]), [5.0, 9.0]);
        assert_eq!(range(Kind::Numbers, &[4, 4]), [0.0, 1.0]);
        assert_eq!(
            range(Kind::Floats, &[f32::NAN.to_bits(), 1, 2.0_f32.to_bits()]),
            [f32::from_bits(1), 2.0]
        );
        assert_eq!(range(Kind::Colours, &[]), [0.0, 1.0]);
    }
}
