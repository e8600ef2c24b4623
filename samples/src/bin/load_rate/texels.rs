//! Images and buffers whose contents add up exactly.

use common::{Buffer, Format, Image, Lab};
use samples::half;

use crate::shapes::PLACES;

/// Images are 64x64, so that a row and a column of 64 texels both fit.
const SIDE: u32 = 64;

/// What a texel is.
#[derive(Clone, Copy, Debug)]
pub struct Texels {
    /// As GLSL calls it.
    pub name: &'static str,
    format: Format,
    /// Components: one or four.
    pub components: u32,
    /// Bytes of a texel.
    pub bytes: u32,
}

/// Formats that are loaded, the narrowest first.
pub const FORMATS: [Texels; 5] = [
    Texels { name: "r8", format: Format::R8_UNORM, components: 1, bytes: 1 },
    Texels { name: "rgba8", format: Format::R8G8B8A8_UNORM, components: 4, bytes: 4 },
    Texels { name: "rgba16f", format: Format::R16G16B16A16_SFLOAT, components: 4, bytes: 8 },
    Texels { name: "r32f", format: Format::R32_SFLOAT, components: 1, bytes: 4 },
    Texels { name: "rgba32f", format: Format::R32G32B32A32_SFLOAT, components: 4, bytes: 16 },
];

/// Scrambles a number, so that each place holds another.
const fn scrambled(number: u32) -> u32 {
    let x = number.wrapping_mul(0x9E37_79B1) ^ 0x7F4A_7C15;
    (x ^ x >> 15).wrapping_mul(0x85EB_CA6B)
}

impl Texels {
    /// Bits of a component.
    const fn bits(&self) -> u32 {
        8 * self.bytes / self.components
    }

    /// The whole number that a component of a texel is. Fractions of 8 bits are 0 or 1, which add up without rounding.
    const fn number(&self, [x, y]: [u32; 2], component: u32) -> u32 {
        let scrambled = scrambled((y * SIDE + x) * 4 + component);
        scrambled >> if self.bits() == 8 { 31 } else { 28 }
    }

    /// The components as one number, as the shader adds them up.
    pub fn held(&self, texel: [u32; 2]) -> u32 {
        (0..self.components).map(|component| self.number(texel, component) << component).sum()
    }

    /// The image.
    pub fn image(self, lab: &mut Lab) -> Image {
        lab.input_image(&format!("texels of {}", self.name), [SIDE; 2], self.format, move || self.words())
    }

    fn words(self) -> Vec<u32> {
        let texels = (0..SIDE * SIDE).map(|at| [at % SIDE, at / SIDE]);
        let numbers: Vec<u32> = texels
            .flat_map(|texel| (0..self.components).map(move |component| self.number(texel, component)))
            .collect();
        #[expect(clippy::cast_precision_loss, reason = "at most 15")]
        let bits = |number: u32| match self.bits() {
            8 => number * 255,
            16 => half::nearest(number as f32),
            _ => (number as f32).to_bits(),
        };
        let per_word = (32 / self.bits()) as usize;
        let word = |numbers: &[u32]| {
            numbers.iter().rev().fold(0, |word: u64, number| word << self.bits() | u64::from(bits(*number)))
        };
        #[expect(clippy::cast_possible_truncation, reason = "32 bits were put in")]
        numbers.chunks(per_word).map(|numbers| word(numbers) as u32).collect()
    }
}

/// Elements of a storage buffer: vectors of 1, 2 or 4 words.
#[derive(Clone, Copy, Debug)]
pub struct Elements {
    /// Words of an element.
    pub words: u32,
    /// As the shader calls it.
    pub define: &'static str,
}

/// Elements that are loaded, the narrowest first.
pub const ELEMENTS: [Elements; 3] = [
    Elements { words: 1, define: "UINT" },
    Elements { words: 2, define: "UVEC2" },
    Elements { words: 4, define: "UVEC4" },
];

impl Elements {
    /// The words as one, as the shader adds them up.
    pub fn held(self, number: u32) -> u32 {
        (0..self.words).fold(0, |sum, word| sum.wrapping_add(scrambled(number * self.words + word) << word))
    }

    /// The buffer.
    pub fn buffer(self, lab: &mut Lab) -> Buffer {
        lab.input_buffer(&format!("elements of {} words", self.words), move || {
            (0..PLACES * self.words).map(scrambled).collect()
        })
    }
}
