//! What the kernels read, and its shape.

use samples::half::nearest;

/// Images, or parts of one.
pub const IMAGES: u32 = 16;
/// Lights that a mask chooses from, one per bit.
pub const LIGHTS: u32 = 32;
/// Numbers of which an invocation reads the signs.
pub const NUMBERS: u32 = 8;
/// Invocations that walk from row to row together.
pub const LANES: u32 = 64;

/// A volume, and the workgroups that begin at its first slice.
pub struct Cells {
    /// Workgroups in a row.
    pub across: u32,
    /// Cells along an axis.
    pub side: u32,
    /// Words of a cell.
    pub words: u32,
}

/// Mixes the bits of a number.
const fn mixed(i: u32) -> u32 {
    let x = (i ^ 0x5BD1_E995).wrapping_mul(0x9E37_79B1);
    (x ^ x >> 15).wrapping_mul(0x85EB_CA77).rotate_left(13)
}

/// Words without a meaning.
pub fn words(count: u32) -> Vec<u32> {
    (0..count).map(mixed).collect()
}

/// The lights, then masks in which a bit of eight is set.
pub fn masks(count: u32) -> Vec<u32> {
    let mask = |i| {
        let [a, b, c] = [mixed(i), mixed(mixed(i)), mixed(mixed(mixed(i)))];
        a & b & c
    };
    (0..LIGHTS).map(mixed).chain((LIGHTS..LIGHTS + count).map(mask)).collect()
}

/// Whole numbers of 1024 to 16,383, half of them with a minus. So none becomes 0, and 16 turns of sums are exact.
#[expect(clippy::cast_precision_loss, reason = "below 2^24")]
pub fn flagged(count: u32) -> Vec<u32> {
    let number = |i| {
        let bits = mixed(i);
        let size = (1024 + bits % 15_360) as f32;
        (if bits >> 31 == 1 { -size } else { size }).to_bits()
    };
    (0..count).map(number).collect()
}

/// Texels of four 16-bit floats, in rows of `width`: rings of colours, in which a channel of eight is too bright or too dark.
#[expect(clippy::cast_precision_loss, reason = "a picture")]
pub fn noisy(texels: u32, width: u32) -> Vec<u32> {
    let channel = |at: u32, channel: u32| {
        let from_corner = ((at % width) as f32).hypot((at / width) as f32);
        nearest(match mixed(4 * at + channel) % 16 {
            0 => 0.01,
            1 => 4.0,
            _ => 0.5 + 0.4 * (from_corner * (0.05 + 0.01 * channel as f32)).sin(),
        })
    };
    (0..texels).flat_map(|at| [0, 2].map(|first| channel(at, first) | channel(at, first + 1) << 16)).collect()
}

/// Rows of a word per lane. `count` is a power of two. The words of a row lead to the same next row: its number is in their
/// lower bits.
pub fn rows(count: u32) -> Vec<u32> {
    let word = |at: u32| mixed(at) / count * count + mixed(at / LANES) % count;
    (0..count * LANES).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_four_bits_at_any_size() {
        for count in [1 << 14, 1 << 20] {
            let set: u32 = masks(count)[LIGHTS as usize..].iter().map(|mask| mask.count_ones()).sum();
            assert!((3.95..4.05).contains(&(f64::from(set) / f64::from(count))), "{set} bits of {count}");
        }
    }
}
