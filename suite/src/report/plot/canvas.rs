//! Where a picture is drawn: plotters' SVG, with the few shapes and letters that the plots use.

use anyhow::{Context, Result};
use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor, ShapeStyle, TextStyle};

use super::Svg;
use super::text::readable;

/// Width of every picture.
pub const WIDTH: i32 = 440;
/// Room at its left and right.
pub const MARGIN: i32 = 10;
/// Size of all letters: at 390 pixels of page width they are laid out at 10.
pub const LETTERS: f64 = 12.0;
/// From one line of text to the next.
pub const LINE: i32 = 16;

pub const INK: RGBColor = RGBColor(0x1a, 0x1a, 0x1a);
pub const FAINT: RGBColor = RGBColor(0x55, 0x55, 0x55);
pub const GRID: RGBColor = RGBColor(0xe6, 0xe6, 0xe6);
pub const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);

const FAMILY: &str = "Noto Sans, Helvetica, Arial, sans-serif";
/// plotters' SVG divides sizes by it.
const ITS_FACTOR: f64 = 1.24;

/// At which side of its text a position lies.
#[derive(Clone, Copy, Debug)]
pub enum Side {
    Left,
    Middle,
    Right,
}

/// A picture that is being drawn.
pub struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

/// The picture that `draw` makes in this height.
///
/// # Errors
/// What `draw` returns.
pub fn drawn(height: i32, draw: impl FnOnce(&Canvas<'_>) -> Result<()>) -> Result<Svg> {
    let mut text = String::new();
    {
        let size = [WIDTH, height.max(1)].map(i32::unsigned_abs);
        let canvas =
            Canvas { area: SVGBackend::with_string(&mut text, (size[0], size[1])).into_drawing_area() };
        canvas.area.fill(&PAPER).context("drawing a plot")?;
        draw(&canvas)?;
        canvas.area.present().context("drawing a plot")?;
    }
    Ok(Svg(terse(&text)))
}

impl Canvas<'_> {
    pub fn text(&self, [x, y]: [i32; 2], side: Side, colour: RGBColor, text: &str) -> Result<()> {
        self.letters([x, y], side, colour, FontStyle::Normal, text)
    }

    pub fn bold(&self, [x, y]: [i32; 2], text: &str) -> Result<()> {
        self.letters([x, y], Side::Left, INK, FontStyle::Bold, text)
    }

    /// `y` is the middle of the line.
    fn letters(
        &self,
        [x, y]: [i32; 2],
        side: Side,
        colour: RGBColor,
        style: FontStyle,
        text: &str,
    ) -> Result<()> {
        let across = match side {
            Side::Left => HPos::Left,
            Side::Middle => HPos::Center,
            Side::Right => HPos::Right,
        };
        let font = FontDesc::new(FontFamily::Name(FAMILY), LETTERS * ITS_FACTOR, style);
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(across, VPos::Center));
        self.area.draw(&Text::new(readable(text), (x, y), style)).context("drawing a plot")
    }

    pub fn line(&self, points: &[[i32; 2]], colour: RGBColor, width: u32) -> Result<()> {
        let points: Vec<(i32, i32)> = points.iter().map(|&[x, y]| (x, y)).collect();
        self.area.draw(&PathElement::new(points, colour.stroke_width(width))).context("drawing a plot")
    }

    /// Filled, or an outline.
    pub fn rectangle(&self, from: [i32; 2], to: [i32; 2], colour: RGBColor, filled: bool) -> Result<()> {
        let corners = [(from[0], from[1]), (to[0], to[1])];
        self.area.draw(&Rectangle::new(corners, shape(colour, filled))).context("drawing a plot")
    }

    pub fn circle(&self, [x, y]: [i32; 2], radius: i32, colour: RGBColor, filled: bool) -> Result<()> {
        self.area.draw(&Circle::new((x, y), radius, shape(colour, filled))).context("drawing a plot")
    }

    /// Filled, or an outline on white.
    pub fn polygon(&self, corners: &[[i32; 2]], colour: RGBColor, filled: bool) -> Result<()> {
        let points: Vec<(i32, i32)> = corners.iter().map(|&[x, y]| (x, y)).collect();
        let inside = if filled { colour } else { PAPER };
        self.area.draw(&Polygon::new(points, inside.filled())).context("drawing a plot")?;
        if filled {
            return Ok(());
        }
        let around: Vec<[i32; 2]> = corners.iter().chain(corners.first()).copied().collect();
        self.line(&around, colour, 1)
    }
}

fn shape(colour: RGBColor, filled: bool) -> ShapeStyle {
    ShapeStyle { color: colour.to_rgba(), filled, stroke_width: 1 }
}

/// plotters writes out what is SVG's own default, the family at every text, and a line an element: a
/// third of the whole. Tags alone are changed; a text holds no `<` or `>`, because plotters escapes both.
fn terse(svg: &str) -> String {
    let family = format!(" font-family=\"{FAMILY}\"");
    let size = format!(" font-size=\"{LETTERS}\"");
    let defaults = [
        " opacity=\"1\"",
        " stroke-width=\"1\"",
        " stroke=\"none\"",
        " text-anchor=\"start\"",
        &family,
        &size,
    ];
    let mut short = String::with_capacity(svg.len());
    for (at, part) in svg.split('<').enumerate() {
        let Some((tag, text)) = part.split_once('>') else {
            short.push_str(part.trim());
            continue;
        };
        let mut tag = tag.replace(" \"", "\"");
        for default in defaults {
            tag = tag.replace(default, "");
        }
        short.push('<');
        short.push_str(tag.trim_end_matches([' ', '/']));
        if at == 1 {
            // What the texts no longer say.
            short += &format!("{family}{size}");
        }
        short.push_str(if tag.ends_with('/') { "/>" } else { ">" });
        short.push_str(text.trim());
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_escaped_and_stays_what_it_is() {
        let name = "<script>alert(1)</script> opacity=\"1\" &amp;\u{1}";
        let Svg(svg) = drawn(20, |canvas| canvas.text([0, 10], Side::Left, INK, name)).unwrap();
        assert!(!svg.contains("<script"), "{svg}");
        assert!(
            svg.contains("&lt;script&gt;alert(1)&lt;/script&gt; opacity=") && svg.contains("&amp;amp;"),
            "{svg}"
        );
        assert!(!svg.contains('\u{1}'), "XML cannot hold it");
    }

    #[test]
    fn what_is_the_default_is_not_written() {
        let Svg(svg) = drawn(20, |canvas| {
            canvas.text([0, 10], Side::Left, INK, "a")?;
            canvas.circle([5, 5], 3, FAINT, false)
        })
        .unwrap();
        assert_eq!(svg.matches("font-family").count(), 1, "{svg}");
        assert!(!svg.contains(" opacity") && !svg.contains('\n'), "{svg}");
    }
}
