//! Marks that differ by shape, by being filled or not, and by colour, so that they are told apart in grey
//! and by colour-blind readers too.

use report::scene::Rgb;

use super::canvas::{Canvas, INK, PAPER};

/// The colours of Okabe and Ito, which colour-blind readers can tell apart.
const COLOURS: [Rgb; 8] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0x1a, 0x1a, 0x1a],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    [0x77, 0x77, 0x77],
];

/// One of a few series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(pub usize);

impl Mark {
    /// So many can be told apart.
    pub const MOST: usize = COLOURS.len();

    pub(super) fn colour(self) -> Rgb {
        COLOURS[self.0 % COLOURS.len()]
    }

    /// Circle, square, triangle and diamond, filled and then not.
    pub(super) fn draw(self, canvas: &mut Canvas, [x, y]: [i32; 2]) {
        let (colour, filled) = (self.colour(), (self.0 / 4).is_multiple_of(2));
        match self.0 % 4 {
            0 => {
                if !filled {
                    canvas.circle([x, y], 4.0, PAPER, true);
                }
                canvas.circle([x, y], 4.0, colour, filled)
            }
            1 => canvas.polygon(
                &[[x - 4, y - 4], [x + 4, y - 4], [x + 4, y + 4], [x - 4, y + 4]],
                colour,
                filled,
            ),
            2 => canvas.polygon(&[[x, y - 5], [x + 5, y + 4], [x - 5, y + 4]], colour, filled),
            _ => canvas.polygon(&[[x, y - 5], [x + 5, y], [x, y + 5], [x - 5, y]], colour, filled),
        }
    }
}

/// What a bar stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// Any variant: light.
    Plain,
    /// The bound: white with an outline.
    Bound,
    /// The baseline: dark.
    Baseline,
}

impl Shade {
    pub(super) fn draw(self, canvas: &mut Canvas, from: [i32; 2], to: [i32; 2]) {
        match self {
            Self::Plain => canvas.rectangle(from, to, [0x8e, 0xc1, 0xe4], true),
            Self::Baseline => canvas.rectangle(from, to, [0x1f, 0x4e, 0x79], true),
            Self::Bound => {
                canvas.rectangle(from, to, PAPER, true);
                canvas.rectangle(from, to, INK, false)
            }
        }
    }
}
