//! The passes on the CPU, and their formats.

use clap::ValueEnum;
use common::{Extent, Format};
use samples::half;

/// What a pass computes of the image that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// A sum over a square of this many texels to each side.
    Blur(u32),
    /// A curve.
    Tone,
    /// A sum over four texels, into an image of half the size.
    Down,
}

impl Filter {
    pub const ALL: [Self; 4] = [Self::Tone, Self::Blur(1), Self::Blur(4), Self::Down];

    pub fn name(self) -> String {
        match self {
            Self::Blur(radius) => format!("blur_{radius}"),
            Self::Tone => "tone".into(),
            Self::Down => "down".into(),
        }
    }

    /// Whether a pass can read what another one wrote.
    pub fn can_chain(self) -> bool {
        self != Self::Down
    }

    /// Size of the image that a pass reads to write this size.
    pub fn reads(self, written: Extent) -> Extent {
        let factor = if self == Self::Down { 2 } else { 1 };
        Extent { width: factor * written.width, height: factor * written.height }
    }

    /// The shaders' constants.
    pub fn constants(self) -> [(&'static str, u32); 2] {
        let (filter, radius) = match self {
            Self::Blur(radius) => (0, radius),
            Self::Tone => (1, 0),
            Self::Down => (2, 0),
        };
        [("FILTER", filter), ("RADIUS", radius)]
    }
}

/// The formats of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Texels {
    /// One fraction of 8 bits.
    R8,
    /// Four fractions of 8 bits.
    Rgba8,
    /// Four floats of 16 bits.
    Rgba16f,
}

impl Texels {
    pub fn format(self) -> Format {
        match self {
            Self::R8 => Format::R8_UNORM,
            Self::Rgba8 => Format::R8G8B8A8_UNORM,
            Self::Rgba16f => Format::R16G16B16A16_SFLOAT,
        }
    }

    /// Bytes of a texel.
    pub fn bytes(self) -> u64 {
        match self {
            Self::R8 => 1,
            Self::Rgba8 => 4,
            Self::Rgba16f => 8,
        }
    }

    /// The number that 1.0 stands for, so that whole numbers below 256 are exact.
    pub fn scale(self) -> f32 {
        match self {
            Self::R8 | Self::Rgba8 => 255.0,
            Self::Rgba16f => 256.0,
        }
    }
}

/// Four whole numbers below 256.
pub type Texel = [u8; 4];

/// What the first pass reads.
pub fn seed(size: Extent) -> Vec<Texel> {
    let texel = |x: u32, y: u32| [x ^ y, x, y, x + 3 * y].map(|number| number.to_le_bytes()[0]);
    (0..size.height).flat_map(|y| (0..size.width).map(move |x| texel(x, y))).collect()
}

/// What this many passes in a row write.
pub fn result(filter: Filter, size: Extent, passes: u32) -> Vec<Texel> {
    let first = seed(filter.reads(size));
    (0..passes).fold(first, |read, _| filtered(filter, size, &read))
}

fn filtered(filter: Filter, size: Extent, read: &[Texel]) -> Vec<Texel> {
    let sums: Vec<[u32; 4]> = match filter {
        Filter::Tone => {
            read.iter().map(|texel| texel.map(|n| 510 * u32::from(n) / (u32::from(n) + 255))).collect()
        }
        Filter::Blur(radius) => squares(size, radius, read),
        Filter::Down => fours(size, read),
    };
    sums.iter().map(|sum| sum.map(|number| (number * 5 + 37).to_le_bytes()[0])).collect()
}

/// Sums over squares: along rows, then along columns. What is outside is the nearest texel.
fn squares(size: Extent, radius: u32, read: &[Texel]) -> Vec<[u32; 4]> {
    let wide: Vec<[u32; 4]> = read.iter().map(|texel| texel.map(u32::from)).collect();
    let along = |from: &[[u32; 4]], [dx, dy]: [i64; 2]| {
        let at = |x: i64, y: i64| {
            let [x, y] = [x.clamp(0, i64::from(size.width) - 1), y.clamp(0, i64::from(size.height) - 1)];
            from[usize::try_from(y * i64::from(size.width) + x).unwrap_or_default()]
        };
        let sum = |x: i64, y: i64| {
            let radius = i64::from(radius);
            (-radius..=radius).fold([0; 4], |sum, d| added(sum, at(x + d * dx, y + d * dy)))
        };
        let rows = 0..i64::from(size.height);
        rows.flat_map(|y| (0..i64::from(size.width)).map(move |x| (x, y)))
            .map(|(x, y)| sum(x, y))
            .collect::<Vec<_>>()
    };
    along(&along(&wide, [1, 0]), [0, 1])
}

/// Sums over the four texels of an image of twice the size.
fn fours(size: Extent, read: &[Texel]) -> Vec<[u32; 4]> {
    let width = 2 * size.width;
    let at = |x: u32, y: u32| read[(y * width + x) as usize].map(u32::from);
    let sum = |x: u32, y: u32| {
        let four = [[0, 0], [1, 0], [0, 1], [1, 1]];
        four.into_iter().fold([0; 4], |sum, [dx, dy]| added(sum, at(2 * x + dx, 2 * y + dy)))
    };
    (0..size.height).flat_map(|y| (0..size.width).map(move |x| (x, y))).map(|(x, y)| sum(x, y)).collect()
}

fn added(a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
    std::array::from_fn(|channel| a[channel] + b[channel])
}

/// The words of an image.
pub fn packed(format: Texels, texels: &[Texel]) -> Vec<u32> {
    match format {
        Texels::R8 => {
            let reds: Vec<u8> = texels.iter().map(|texel| texel[0]).collect();
            let word = |four: &[u8]| four.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
            reds.chunks(4).map(word).collect()
        }
        Texels::Rgba8 => texels.iter().map(|texel| u32::from_le_bytes(*texel)).collect(),
        Texels::Rgba16f => {
            let halves =
                |texel: &Texel| texel.map(|number| half::nearest(f32::from(number) / format.scale()));
            texels.iter().map(halves).flat_map(|[r, g, b, a]| [r | g << 16, b | a << 16]).collect()
        }
    }
}

/// The first three components as a colour; one component as grey.
pub fn painted(format: Texels, words: &[u32]) -> Vec<[u8; 3]> {
    match format {
        Texels::R8 => words.iter().flat_map(|word| word.to_le_bytes()).map(|grey| [grey; 3]).collect(),
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
