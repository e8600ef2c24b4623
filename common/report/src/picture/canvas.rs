//! What the picture is drawn on.

use std::convert::Infallible;

use embedded_graphics::mono_font::MonoTextStyle;
use embedded_graphics::mono_font::iso_8859_1::FONT_7X14;
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::{PrimitiveStyle, Rectangle};
use embedded_graphics::text::{Baseline, Text};

/// Pixels, row by row.
pub(crate) struct Canvas {
    size: [u32; 2],
    bytes: Vec<u8>,
}

/// Columns of pixels that a line of text takes.
pub(crate) fn text_width(text: &str) -> u32 {
    FONT_7X14.character_size.width * u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

impl Canvas {
    pub fn new(size: [u32; 2], paper: Rgb888) -> Self {
        let pixels = size[0] as usize * size[1] as usize;
        Self { size, bytes: [paper.r(), paper.g(), paper.b()].repeat(pixels) }
    }

    /// A line of text whose upper left corner is `at`.
    pub fn text(&mut self, at: [u32; 2], text: &str, ink: Rgb888) {
        let style = MonoTextStyle::new(&FONT_7X14, ink);
        let Ok(_) = Text::with_baseline(text, point(at), style, Baseline::Top).draw(self);
    }

    pub fn rectangle(&mut self, at: [u32; 2], size: [u32; 2], colour: Rgb888) {
        let shape = Rectangle::new(point(at), Size::new(size[0], size[1]));
        let Ok(()) = shape.into_styled(PrimitiveStyle::with_fill(colour)).draw(self);
    }

    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.bytes)?;
        writer.finish()?;
        Ok(file)
    }
}

fn point([x, y]: [u32; 2]) -> Point {
    let signed = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
    Point::new(signed(x), signed(y))
}

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        Size::new(self.size[0], self.size[1])
    }
}

impl DrawTarget for Canvas {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        for Pixel(at, colour) in pixels {
            let inside = |n: i32, end: u32| usize::try_from(n).ok().filter(|n| *n < end as usize);
            let Some((x, y)) = inside(at.x, self.size[0]).zip(inside(at.y, self.size[1])) else { continue };
            let byte = 3 * (y * self.size[0] as usize + x);
            self.bytes[byte..byte + 3].copy_from_slice(&[colour.r(), colour.g(), colour.b()]);
        }
        Ok(())
    }
}
