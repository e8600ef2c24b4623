//! The picture of a result, with the colours that the sample chose, as PNG.

use anyhow::{Result, ensure};
use record::{Painting, Record};

use super::scene::{Area, Fill, Pixels, Rgb, Scene, Stroke, Words, png, text_width};

/// Largest width and height in pixels; larger results are scaled down, since screens and pages show no more.
const WIDEST: u32 = 1600;
/// Small results are enlarged up to this width or height in pixels.
const ENLARGED: u32 = 640;
const MARGIN: f64 = 16.0;
const LINE: f64 = 18.0;
const SIZE: f64 = 13.0;
/// Height of the text above the picture.
const TOP: f64 = 2.0 * MARGIN + 3.0 * LINE;

const PAPER: Fill = Fill([255, 255, 255]);
const INK: Fill = Fill([20, 20, 24]);
const FAINT: Fill = Fill([110, 112, 120]);
/// The frame around the picture: without it, white edges would be invisible on the white background.
const FRAME: Stroke = Stroke([200, 202, 208], 1.0);

/// The picture below three lines that describe it, as PNG.
///
/// # Errors
/// If the number of pixels does not match the size, or the picture cannot be encoded as PNG.
pub fn painted(record: &Record, painting: &Painting) -> Result<Vec<u8>> {
    let [width, height] = painting.size;
    let pixels = painting.pixels.len() as u64;
    ensure!(
        pixels == u64::from(width) * u64::from(height) && pixels > 0,
        "{pixels} pixels of {width}x{height}"
    );
    let shrink = width.div_ceil(WIDEST).max(height.div_ceil(WIDEST));
    let grow = (ENLARGED / width.max(height)).max(1);
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
        format!("{}, {}", device.name, device.driver()),
    ];
    let text = lines.iter().map(|line| text_width(line, SIZE, false)).fold(0.0, f64::max);
    let [width, height] = [columns * grow, rows * grow].map(f64::from);
    let size = [2.0 * MARGIN + text.max(width).ceil(), TOP + height + MARGIN];
    let mut scene = Scene::default();
    scene.area(Area { left: 0.0, top: 0.0, width: size[0], height: size[1] }, PAPER);
    let mut y = MARGIN + SIZE;
    for (line, ink) in lines.into_iter().zip([INK, FAINT, FAINT]) {
        scene.words(&Words::new([MARGIN, y], SIZE, ink, line));
        y += LINE;
    }
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| [column * shrink, row * shrink]));
    let colours: Vec<Rgb> = places.map(|corner| average(painting, corner, shrink)).collect();
    let area = Area { left: MARGIN, top: TOP, width, height };
    scene.image(area, &Pixels::of([columns, rows], &colours))?;
    let (left, top) = (MARGIN - 0.5, TOP - 0.5);
    scene.area(Area { left, top, width: width + 1.0, height: height + 1.0 }, FRAME);
    png(&scene.svg(size, "", ""), 1.0)
}

/// The mean colour of a square.
fn average(painting: &Painting, corner: [u32; 2], side: u32) -> Rgb {
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
    sums.map(|sum| u8::try_from(sum / count).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;
    use crate::scene::tests::decoded;

    /// Upper left pixel of the result in the picture.
    const CORNER: [u32; 2] = [16, 86];

    /// Width, height and the pixels of the picture, row by row.
    fn drawn(painting: &Painting) -> (u32, u32, Vec<[u8; 3]>) {
        let (width, pixels) = decoded(&painted(&fixture::record(), painting).unwrap());
        let height = u32::try_from(pixels.len() / width).unwrap();
        (u32::try_from(width).unwrap(), height, pixels)
    }

    fn painting(size: [u32; 2], pixels: Vec<[u8; 3]>) -> Painting {
        Painting { variant: "shared_8x8".into(), caption: "what it shows".into(), size, pixels }
    }

    fn size_of(size: [u32; 2]) -> [u32; 2] {
        let (width, height, _) = drawn(&painting(size, vec![[10, 20, 30]; (size[0] * size[1]) as usize]));
        [width, height]
    }

    #[test]
    fn large_results_shrink_and_small_ones_grow() {
        assert_eq!(size_of([3440, 1440]), [1147 + 32, 480 + 102]);
        assert_eq!(size_of([960, 960]), [960 + 32, 960 + 102]);
        assert_eq!(size_of([100, 240])[1], 480 + 102);
        assert_eq!(size_of([256, 256])[1], 512 + 102);
        assert_eq!(size_of([1, 3200])[1], 1600 + 102);
    }

    #[test]
    fn each_pixel_stands_in_its_place_in_a_frame() {
        let colours: Vec<[u8; 3]> = (0..6).map(|at| [10 * at, 100, 200]).collect();
        let (width, _, pixels) = drawn(&painting([3, 2], colours.clone()));
        let at = |x: u32, y: u32| pixels[(y * width + x) as usize];
        let (grow, [margin, top]) = (ENLARGED / 3, CORNER);
        for (pixel, colour) in (0..).zip(colours) {
            let [left, top] = [margin + pixel % 3 * grow, top + pixel / 3 * grow];
            assert_eq!([at(left, top), at(left + grow - 1, top + grow - 1)], [colour; 2], "pixel {pixel}");
        }
        assert_eq!([at(margin - 1, top), at(margin + 3 * grow, top)], [[200, 202, 208]; 2]);
    }

    #[test]
    fn three_lines_say_what_it_is_however_long() {
        let mut long = painting([64, 64], vec![[0; 3]; 64 * 64]);
        long.caption = "a caption that is much longer than the picture is wide, and then some ".repeat(2);
        let (width, _, pixels) = drawn(&long);
        assert!(f64::from(width) >= text_width(&long.caption, SIZE, false));
        let ink = |line: u32| {
            let [from, to] = [line, line + 1].map(|line| (CORNER[0] + line * 18) * width);
            pixels[from as usize..to as usize].iter().filter(|pixel| pixel[0] < 160).count()
        };
        assert!(ink(0) > 500 && ink(1) > 100 && ink(2) > 100);
    }

    #[test]
    fn a_painting_of_another_size_is_refused() {
        let error = painted(&fixture::record(), &painting([3, 2], vec![[0; 3]; 5])).unwrap_err();
        assert_eq!(error.to_string(), "5 pixels of 3x2");
        assert!(painted(&fixture::record(), &painting([0, 2], Vec::new())).is_err());
    }

    #[test]
    fn colours_are_averaged() {
        let pixels = vec![[0, 0, 0], [100, 50, 20], [200, 100, 40], [100, 50, 20]];
        let painting = painting([2, 2], pixels);
        assert_eq!(average(&painting, [0, 0], 2), [100, 50, 20]);
        assert_eq!(average(&painting, [1, 0], 2), [100, 50, 20]);
    }
}
