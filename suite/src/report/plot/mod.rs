//! Plots as SVG for a width of about 440 pixels: rows of bars, points and boxes, and lines over a value.

mod canvas;
mod marks;
mod rows;
mod scale;
mod xy;

pub use marks::{Mark, Shade};
pub use rows::{Body, Guide, PlotRow, RowPlot, Spread, Track};
pub use scale::Kind;
pub use xy::{Line, Point, XyPlot};

/// A picture: an SVG element as text, which can be embedded in a page.
#[derive(Clone, Debug)]
pub struct Svg(pub String);
