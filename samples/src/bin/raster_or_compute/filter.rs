//! The passes, and what they write on the CPU.

use common::Extent;
use samples::full_screen::{Texel, Texels, seed};

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

    /// Whether a barrier is a good part of its time.
    pub fn is_short(self) -> bool {
        self != Self::Blur(4)
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

/// Four whole numbers below 256.
type Numbers = [u8; 4];

/// What this many passes in a row write.
pub fn result(filter: Filter, size: Extent, texels: Texels, passes: u32) -> Vec<Texel> {
    let first = seed(filter.reads(size));
    let last = (0..passes).fold(first, |read, _| filtered(filter, size, &read));
    last.into_iter().map(|numbers| texels.texel(numbers)).collect()
}

fn filtered(filter: Filter, size: Extent, read: &[Numbers]) -> Vec<Numbers> {
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
fn squares(size: Extent, radius: u32, read: &[Numbers]) -> Vec<[u32; 4]> {
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
fn fours(size: Extent, read: &[Numbers]) -> Vec<[u32; 4]> {
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
