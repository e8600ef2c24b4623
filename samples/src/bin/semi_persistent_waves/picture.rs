//! The picture of a result.

use samples::half;

use crate::reference::Texels;

/// Paints the words of an image. Its value range is stretched to full contrast, so that the small differences of a
/// blur show; one channel is grey.
pub fn painted(of: Texels, words: &[u32], texels: usize) -> Vec<[u8; 3]> {
    let fractions = |word: &u32| word.to_le_bytes().map(f32::from);
    let halves = |word: &u32| [word & 0xffff, word >> 16].map(half::value);
    let values: Vec<f32> = match of {
        Texels::R8 | Texels::Rgba8 => words.iter().flat_map(fractions).collect(),
        Texels::Rgba16f => words.iter().flat_map(halves).collect(),
        Texels::R32f => words.iter().map(|&word| f32::from_bits(word)).collect(),
    };
    let values = &values[..texels * of.channels()];
    let (least, most) = values.iter().fold((f32::MAX, f32::MIN), |(a, b), &v| (a.min(v), b.max(v)));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255, saturating")]
    let shade = |value: f32| ((value - least) / (most - least).max(1.0) * 255.0) as u8;
    let colour = |texel: &[f32]| match *texel {
        [red, green, blue, _] => [red, green, blue].map(shade),
        _ => [shade(texel[0]); 3],
    };
    values.chunks(of.channels()).map(colour).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_all_shades() {
        let values = [10, 20, 30, 40];
        let grey = [0, 85, 170, 255].map(|shade| [shade; 3]);
        for texels in [Texels::R8, Texels::R32f] {
            assert_eq!(painted(texels, &texels.packed(&values, f32::from), 4), grey);
        }
        for texels in [Texels::Rgba8, Texels::Rgba16f] {
            assert_eq!(painted(texels, &texels.packed(&values, f32::from), 1), [[0, 85, 170]]);
        }
        // Three of the four texels in a word.
        assert_eq!(painted(Texels::R8, &[0xff02_0100], 3).len(), 3);
    }
}
