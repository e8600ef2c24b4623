//! Sizes, colours and drawing functions that all plots share.

use std::fmt::{Display, Formatter};

use report::scene::{Anchor, Area, Scene, Words, broken, text_width};

use super::Svg;

/// Width of every picture.
pub const WIDTH: f64 = 440.0;
/// Margin on the left and on the right.
pub const MARGIN: f64 = 10.0;
/// Font size: on a page that is 390 pixels wide, it is scaled to 10.
const LETTERS: f64 = 12.0;
/// Line height.
pub const LINE: f64 = 16.0;

/// The colour of a shape, as its classes in the style sheet, which has a light and a dark form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink(pub &'static str);

pub const INK: Ink = Ink("ink");
pub const FAINT: Ink = Ink("faint");
pub const GRID: Ink = Ink("grid");
pub const PAPER: Ink = Ink("paper");

impl Display for Ink {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, " class=\"{}\"", self.0)
    }
}

/// The outline of a shape.
pub fn outline(ink: Ink) -> String {
    format!(" class=\"s {}\"", ink.0)
}

/// A shape through which the paper is seen: `cover` is 0 for nothing else and 1 for the ink alone.
pub fn tint(ink: Ink, cover: f64) -> String {
    format!("{ink} fill-opacity=\"{cover:.2}\"")
}

const FAMILY: &str = " font-family=\"Noto Sans, Helvetica, Arial, sans-serif\"";

/// A picture of the given height with the content that `draw` adds.
pub fn drawn(height: f64, draw: impl FnOnce(&mut Scene)) -> Svg {
    let mut scene = Scene::default();
    scene.area(area([0.0, 0.0], [WIDTH, height]), PAPER);
    draw(&mut scene);
    Svg(scene.svg([WIDTH, height], FAMILY, ""))
}

/// A text that is vertically centred at `y`.
pub fn text([x, y]: [f64; 2], colour: Ink, text: &str) -> Words {
    Words::new([x, y + 0.35 * LETTERS], LETTERS, colour, text)
}

pub fn area([left, top]: [f64; 2], [right, bottom]: [f64; 2]) -> Area {
    Area { left, top, width: right - left, height: bottom - top }
}

/// A thin line.
pub fn line(scene: &mut Scene, points: &[[f64; 2]], colour: Ink) {
    scene.line(points, outline(colour));
}

/// A vertical grid line for each tick, with its label below if the previous label leaves room.
pub fn ticks(scene: &mut Scene, ticks: impl Iterator<Item = (f64, String)>, [top, bottom]: [f64; 2]) {
    let mut free = f64::NEG_INFINITY;
    for (at, name) in ticks {
        line(scene, &[[at, top], [at, bottom]], GRID);
        let half = (width(&name, false) / 2.0).ceil();
        let middle = at.max(half).min(WIDTH - half);
        if middle - half > free {
            let name = text([middle, bottom + LINE / 2.0 + 2.0], FAINT, &name);
            scene.words(&name.anchored(Anchor::Middle));
            free = middle + half + 4.0;
        }
    }
}

/// Width of a text in pixels.
pub fn width(text: &str, bold: bool) -> f64 {
    text_width(text, LETTERS, bold)
}

/// `text` in lines of at most `room` pixels.
pub fn lines(text: &str, bold: bool, room: f64) -> Vec<String> {
    broken(text, LETTERS, bold, room)
}
