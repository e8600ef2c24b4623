//! Marks that differ in shape, fill and colour, so that they can be distinguished in grey and with colour blindness.

use std::fmt::Display;

use report::scene::Scene;

use super::canvas::{Ink, PAPER, area, outline};

/// Classes of the palette of Okabe and Ito, which can be distinguished with colour blindness.
const COLOURS: [Ink; 8] =
    [Ink("m0"), Ink("m1"), Ink("m2"), Ink("m3"), Ink("m4"), Ink("m5"), Ink("m6"), Ink("m7")];

/// The mark of a series, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(pub usize);

impl Mark {
    /// Number of different marks.
    pub const MOST: usize = COLOURS.len();

    pub(super) fn colour(self) -> Ink {
        COLOURS[self.0 % COLOURS.len()]
    }

    /// Draws a circle, square, triangle or diamond, filled or not.
    pub(super) fn draw(self, scene: &mut Scene, [x, y]: [f64; 2]) {
        let filled = (self.0 / 4).is_multiple_of(2);
        let inside = if filled { self.colour() } else { PAPER };
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
            shape(&outline(self.colour()));
        }
    }
}

/// What makes the result of a bar's variant correct. The three differ in form too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// The specification of its API: solid.
    Spec,
    /// The behaviour of this GPU: cut into dashes.
    Gpu,
    /// It is wrong: hollow.
    Wrong,
}

impl Shade {
    /// All of them, in the order of a legend.
    pub const ALL: [Self; 3] = [Self::Spec, Self::Gpu, Self::Wrong];

    /// The class of its colour and form, its words in a legend, and its mark on an axis without a zero, where the
    /// length of a bar says nothing.
    pub fn parts(self) -> (&'static str, &'static str, Mark) {
        match self {
            Self::Spec => ("law", "correct by the spec", Mark(0)),
            Self::Gpu => ("gpu", "correct on this GPU only", Mark(1)),
            Self::Wrong => ("off", "wrong on purpose, or wrong here", Mark(6)),
        }
    }

    pub(super) fn draw(self, scene: &mut Scene, [left, right]: [f64; 2], y: f64) {
        let colour = Ink(self.parts().0);
        match self {
            Self::Spec => scene.area(area([left, y - 4.0], [right, y + 4.0]), colour),
            Self::Gpu => scene.line(&[[left, y], [right, y]], outline(Ink("dash gpu"))),
            Self::Wrong => scene.area(area([left, y - 3.5], [right, y + 3.5]), outline(colour)),
        }
    }
}
