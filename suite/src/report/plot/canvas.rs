//! Sizes, colours and drawing functions that all plots share.

use report::scene::{Anchor, Area, Fill, Rgb, Scene, Stroke, Words, broken, text_width};

use super::Svg;

/// Width of every picture.
pub const WIDTH: f64 = 440.0;
/// Margin on the left and on the right.
pub const MARGIN: f64 = 10.0;
/// Font size: on a page that is 390 pixels wide, it is scaled to 10.
const LETTERS: f64 = 12.0;
/// Line height.
pub const LINE: f64 = 16.0;

pub const INK: Rgb = [0x1a, 0x1a, 0x1a];
pub const FAINT: Rgb = [0x55, 0x55, 0x55];
pub const GRID: Rgb = [0xe6, 0xe6, 0xe6];
pub const PAPER: Rgb = [0xff, 0xff, 0xff];

const FAMILY: &str = " font-family=\"Noto Sans, Helvetica, Arial, sans-serif\"";

/// A picture of the given height with the content that `draw` adds.
pub fn drawn(height: f64, draw: impl FnOnce(&mut Scene)) -> Svg {
    let mut scene = Scene::default();
    scene.area(area([0.0, 0.0], [WIDTH, height]), Fill(PAPER));
    draw(&mut scene);
    Svg(scene.svg([WIDTH, height], FAMILY, ""))
}

/// A text that is vertically centred at `y`.
pub fn text([x, y]: [f64; 2], colour: Rgb, text: &str) -> Words {
    Words::new([x, y + 0.35 * LETTERS], LETTERS, Fill(colour), text)
}

pub fn area([left, top]: [f64; 2], [right, bottom]: [f64; 2]) -> Area {
    Area { left, top, width: right - left, height: bottom - top }
}

/// A thin line.
pub fn line(scene: &mut Scene, points: &[[f64; 2]], colour: Rgb) {
    scene.line(points, Stroke(colour, 1.0));
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
