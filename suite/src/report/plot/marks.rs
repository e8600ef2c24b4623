//! Marks that differ in shape, fill and colour, so that they can be distinguished in grey and with colour blindness.

use std::fmt::Display;

use report::scene::{Fill, Rgb, Scene, Stroke};

use super::canvas::{INK, PAPER, area};

/// The palette of Okabe and Ito, which can be distinguished with colour blindness.
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

/// The mark of a series, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(pub usize);

impl Mark {
    /// Number of different marks.
    pub const MOST: usize = COLOURS.len();

    pub(super) fn colour(self) -> Rgb {
        COLOURS[self.0 % COLOURS.len()]
    }

    /// Draws a circle, square, triangle or diamond, filled or not.
    pub(super) fn draw(self, scene: &mut Scene, [x, y]: [f64; 2]) {
        let filled = (self.0 / 4).is_multiple_of(2);
        let inside = Fill(if filled { self.colour() } else { PAPER });
        let corners: &[[f64; 2]] = match self.0 % 4 {
            0 => &[],
            1 => &[[-4.0, -4.0], [4.0, -4.0], [4.0, 4.0], [-4.0, 4.0]],
            2 => &[[0.0, -5.0], [5.0, 4.0], [-5.0, 4.0]],
            _ => &[[0.0, -5.0], [5.0, 0.0], [0.0, 5.0], [-5.0, 0.0]],
        };
        let corners: Vec<[f64; 2]> = corners.iter().map(|[across, down]| [x + across, y + down]).collect();
        let mut shape = |ink: &dyn Display| match corners.is_empty() {
            true => scene.circle([x, y], 4.0, ink),
            false => scene.polygon(&corners, ink),
        };
        shape(&inside);
        if !filled {
            shape(&Stroke(self.colour(), 1.0));
        }
    }
}

/// The style of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// Any other variant: light.
    Plain,
    /// The fastest possible: white with an outline.
    Bound,
    /// The usual way: dark.
    Baseline,
}

impl Shade {
    pub(super) fn draw(self, scene: &mut Scene, from: [f64; 2], to: [f64; 2]) {
        let colour = match self {
            Self::Plain => [0x8e, 0xc1, 0xe4],
            Self::Baseline => [0x1f, 0x4e, 0x79],
            Self::Bound => PAPER,
        };
        scene.area(area(from, to), Fill(colour));
        if self == Self::Bound {
            scene.area(area(from, to), Stroke(INK, 1.0));
        }
    }
}
