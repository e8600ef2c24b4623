//! The picture of a result, as the sample paints it.

use anyhow::{Context, Result, ensure};
use embedded_graphics::pixelcolor::Rgb888;

use super::picture::canvas::{Canvas, text_width};
use crate::record::Record;

/// What a sample painted from a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Painting {
    /// The variant whose result it is.
    pub variant: String,
    /// What it shows, in words.
    pub caption: String,
    /// Columns and rows.
    pub size: [u32; 2],
    /// Red, green and blue, row by row.
    pub pixels: Vec<[u8; 3]>,
}

/// Wider ones are made smaller: screens and pages show no more.
const WIDEST: u32 = 1600;
/// Small ones are made larger, up to this.
const NARROWEST: u32 = 480;
const MARGIN: u32 = 16;
const LINE: u32 = 18;

const PAPER: Rgb888 = Rgb888::new(255, 255, 255);
const INK: Rgb888 = Rgb888::new(20, 20, 24);
const FAINT: Rgb888 = Rgb888::new(110, 112, 120);

/// The painting below three lines that say what it is, as PNG.
///
/// # Errors
/// A painting whose pixels are not as many as its size says; a picture that PNG cannot hold.
pub fn painted(record: &Record, painting: &Painting) -> Result<Vec<u8>> {
    let [width, height] = painting.size;
    let pixels = painting.pixels.len() as u64;
    ensure!(
        pixels == u64::from(width) * u64::from(height) && pixels > 0,
        "{pixels} pixels of {width}x{height}"
    );
    let shrink = width.div_ceil(WIDEST).max(height.div_ceil(WIDEST));
    let grow = (NARROWEST / width.max(height)).max(1);
    let [columns, rows] = [width, height].map(|side| side.div_ceil(shrink));
    let scale = match (shrink, grow) {
        (1, 1) => String::new(),
        (1, grow) => format!(", each pixel {grow}x{grow}"),
        (shrink, _) => format!(", {shrink}x{shrink} averaged to a pixel"),
    };
    let device = &record.device;
    let lines = [
        format!("{}: {}", record.sample, painting.caption),
        format!("computed by {}, {width}x{height}{scale}", painting.variant),
        format!("{}, {} {}", device.name, device.driver_name, device.driver_info),
    ];
    let text = lines.iter().map(|line| text_width(line)).max().unwrap_or(0);
    let top = 2 * MARGIN + 3 * LINE;
    let mut canvas = Canvas::new([2 * MARGIN + text.max(columns * grow), top + rows * grow + MARGIN], PAPER);
    for (y, (line, ink)) in (0..).zip(lines.iter().zip([INK, FAINT, FAINT])) {
        canvas.text([MARGIN, MARGIN + y * LINE], line, ink);
    }
    for row in 0..rows {
        for column in 0..columns {
            let colour = average(painting, [column * shrink, row * shrink], shrink);
            canvas.rectangle([MARGIN + column * grow, top + row * grow], [grow, grow], colour);
        }
    }
    canvas.png().context("the picture has no form as PNG")
}

/// The mean colour of a square.
fn average(painting: &Painting, corner: [u32; 2], side: u32) -> Rgb888 {
    let [width, height] = painting.size;
    let ends = [(corner[0] + side).min(width), (corner[1] + side).min(height)];
    let mut sums = [0_u64; 3];
    for y in corner[1]..ends[1] {
        for x in corner[0]..ends[0] {
            let pixel = painting.pixels[y as usize * width as usize + x as usize];
            sums.iter_mut().zip(pixel).for_each(|(sum, part)| *sum += u64::from(part));
        }
    }
    let count = u64::from(ends[0] - corner[0]) * u64::from(ends[1] - corner[1]);
    let [red, green, blue] = sums.map(|sum| u8::try_from(sum / count).unwrap_or(u8::MAX));
    Rgb888::new(red, green, blue)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    fn size_of(size: [u32; 2]) -> [u32; 2] {
        let pixels = vec![[10, 20, 30]; size[0] as usize * size[1] as usize];
        let painting = Painting { variant: "v".into(), caption: "c".into(), size, pixels };
        let png = painted(&fixture::record(), &painting).unwrap();
        let reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        [reader.info().width, reader.info().height]
    }

    #[test]
    fn large_results_shrink_and_small_ones_grow() {
        assert_eq!(size_of([3440, 1440]), [1147 + 32, 480 + 102]);
        assert_eq!(size_of([960, 960]), [960 + 32, 960 + 102]);
        assert_eq!(size_of([100, 240])[1], 480 + 102);
    }

    #[test]
    fn colours_are_averaged() {
        let pixels = vec![[0, 0, 0], [100, 50, 20], [200, 100, 40], [100, 50, 20]];
        let painting = Painting { variant: String::new(), caption: String::new(), size: [2, 2], pixels };
        assert_eq!(average(&painting, [0, 0], 2), Rgb888::new(100, 50, 20));
        assert_eq!(average(&painting, [1, 0], 2), Rgb888::new(100, 50, 20));
    }
}
