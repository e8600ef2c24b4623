//! Plots as SVG for a width of about 440 pixels: rows of bars, points and boxes, and lines over a value.

mod canvas;
mod heat;
mod marks;
mod rows;
mod scale;
mod xy;

pub use heat::heat_map;
pub use marks::{Mark, Shade};
pub use rows::{Body, Guide, Key, PlotRow, RowPlot, Spread, Track};
pub use scale::Kind;
pub use xy::{Line, Point, XyPlot};

/// The style sheet of all pictures, which a page holds once.
pub const STYLE: &str = include_str!("plot.css");

/// A picture: an SVG element as text without its style sheet, which can be embedded in a page.
#[derive(Clone, Debug)]
pub struct Svg(pub String);

impl Svg {
    /// The picture as a file of its own.
    pub fn file(&self) -> String {
        self.0.replacen(">\n", &format!(">\n<style>\n{STYLE}</style>\n"), 1)
    }
}
