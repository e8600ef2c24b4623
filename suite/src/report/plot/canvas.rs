//! Where a picture is drawn, and the sizes and colours that all plots share. Places are whole pixels.

use report::scene::{Anchor, Area, Fill, Rgb, Scene, Stroke, Words, broken, text_width};

use super::Svg;

/// Width of every picture.
pub const WIDTH: i32 = 440;
/// Room at its left and right.
pub const MARGIN: i32 = 10;
/// Size of all letters: at 390 pixels of page width they are laid out at 10.
const LETTERS: f64 = 12.0;
/// From one line of text to the next.
pub const LINE: i32 = 16;

pub const INK: Rgb = [0x1a, 0x1a, 0x1a];
pub const FAINT: Rgb = [0x55, 0x55, 0x55];
pub const GRID: Rgb = [0xe6, 0xe6, 0xe6];
pub const PAPER: Rgb = [0xff, 0xff, 0xff];

const FAMILY: &str = " font-family=\"Noto Sans, Helvetica, Arial, sans-serif\"";

/// A picture that is being drawn.
#[derive(Default)]
pub struct Canvas(Scene);

/// The picture that `draw` makes in this height.
pub fn drawn(height: i32, draw: impl FnOnce(&mut Canvas)) -> Svg {
    let mut canvas = Canvas::default();
    canvas.rectangle([0, 0], [WIDTH, height.max(1)], PAPER, true);
    draw(&mut canvas);
    Svg(canvas.0.svg([WIDTH, height.max(1)].map(f64::from), FAMILY, ""))
}

impl Canvas {
    /// `y` is the middle of the line.
    pub fn text(&mut self, at: [i32; 2], anchor: Anchor, colour: Rgb, text: &str) {
        self.0.words(&words(at, colour, text).anchored(anchor));
    }

    pub fn bold(&mut self, at: [i32; 2], text: &str) {
        self.0.words(&words(at, INK, text).bold());
    }

    pub fn line(&mut self, points: &[[i32; 2]], colour: Rgb, width: f64) {
        self.0.line(&real(points), Stroke(colour, width));
    }

    /// A line up from each place of an axis, and below it its name, where the one before leaves room.
    pub fn ticks(&mut self, ticks: impl Iterator<Item = (i32, String)>, [top, bottom]: [i32; 2]) {
        let mut free = i32::MIN;
        for (at, name) in ticks {
            self.line(&[[at, top], [at, bottom]], GRID, 1.0);
            let half = half_of(&name);
            let middle = at.max(half).min(WIDTH - half);
            if middle - half > free {
                self.text([middle, bottom + LINE / 2 + 2], Anchor::Middle, FAINT, &name);
                free = middle + half + 4;
            }
        }
    }

    /// Filled, or an outline.
    pub fn rectangle(&mut self, from: [i32; 2], to: [i32; 2], colour: Rgb, filled: bool) {
        let ([left, top], [right, bottom]) = (from.map(f64::from), to.map(f64::from));
        let area = Area { left, top, width: right - left, height: bottom - top };
        if filled { self.0.area(area, Fill(colour)) } else { self.0.area(area, Stroke(colour, 1.0)) }
    }

    /// Filled, or an outline.
    pub fn circle(&mut self, centre: [i32; 2], radius: f64, colour: Rgb, filled: bool) {
        let centre = centre.map(f64::from);
        if filled {
            self.0.circle(centre, radius, Fill(colour));
        } else {
            self.0.circle(centre, radius, Stroke(colour, 1.0));
        }
    }

    /// Filled, or an outline on white.
    pub fn polygon(&mut self, corners: &[[i32; 2]], colour: Rgb, filled: bool) {
        let corners = real(corners);
        self.0.polygon(&corners, Fill(if filled { colour } else { PAPER }));
        if !filled {
            self.0.polygon(&corners, Stroke(colour, 1.0));
        }
    }
}

fn real(points: &[[i32; 2]]) -> Vec<[f64; 2]> {
    points.iter().map(|point| point.map(f64::from)).collect()
}

fn words([x, y]: [i32; 2], colour: Rgb, text: &str) -> Words {
    Words::new([f64::from(x), f64::from(y) + 0.35 * LETTERS], LETTERS, Fill(colour), text)
}

/// Pixels that a text takes.
pub fn width(text: &str, bold: bool) -> f64 {
    text_width(text, LETTERS, bold)
}

/// Half of them.
#[expect(clippy::cast_possible_truncation, reason = "the width of a few characters in pixels")]
fn half_of(text: &str) -> i32 {
    (width(text, false).min(1e4) / 2.0).ceil() as i32
}

/// `text` in lines of at most `room` pixels.
pub fn lines(text: &str, bold: bool, room: f64) -> Vec<String> {
    broken(text, LETTERS, bold, room)
}
