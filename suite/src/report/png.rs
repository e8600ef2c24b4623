//! The same pictures as PNG.

use std::sync::Arc;

use anyhow::{Context, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use super::plot::Svg;

/// Pixels of the PNG for one of the SVG: letters stay clear on a fine screen.
const SCALE: f32 = 2.0;

/// Draws SVG in the font that the suite brings.
pub struct Painter {
    options: Options<'static>,
}

impl Painter {
    /// Reads the font.
    pub fn new() -> Self {
        let mut fonts = Database::new();
        for font in [notosans::REGULAR_TTF, notosans::BOLD_TTF] {
            fonts.load_font_data(font.to_vec());
        }
        fonts.set_sans_serif_family(FAMILY);
        let options = Options { fontdb: Arc::new(fonts), font_family: FAMILY.into(), ..Options::default() };
        Self { options }
    }

    /// The picture.
    ///
    /// # Errors
    /// An SVG that is none, or too large.
    pub fn png(&self, Svg(svg): &Svg) -> Result<Vec<u8>> {
        let tree = Tree::from_str(svg, &self.options).context("reading a plot")?;
        let size = tree.size().to_int_size().scale_by(SCALE).context("the plot is too large for a PNG")?;
        let mut pixels =
            Pixmap::new(size.width(), size.height()).context("the plot is too large for a PNG")?;
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
        pixels.encode_png().context("the plot has no form as PNG")
    }
}

const FAMILY: &str = "Noto Sans";

#[cfg(test)]
mod tests {
    use super::super::plot::{Body, Kind, PlotRow, RowPlot};
    use super::*;

    fn of(name: &str) -> Vec<u8> {
        let row =
            PlotRow { name: name.into(), strong: false, figure: String::new(), body: Body::Tracks(vec![]) };
        let plot = RowPlot {
            title: "t".into(),
            subtitle: String::new(),
            legend: vec![],
            axis: "µs".into(),
            kind: Kind::Linear,
            guides: vec![],
            rows: vec![row],
        };
        Painter::new().png(&plot.draw().unwrap()[0]).unwrap()
    }

    #[test]
    fn letters_are_drawn_and_any_name_is_a_picture() {
        let plain = of("aaa");
        assert!(plain.starts_with(b"\x89PNG"));
        assert_ne!(plain, of("bbb"), "without a font both would be the same");
        for name in ["<script>alert(1)</script>", "\u{0}\u{1}\u{b}", "&lt;", "]]>", "日本", "\"'"] {
            assert!(of(name).starts_with(b"\x89PNG"), "{name:?}");
        }
    }
}
