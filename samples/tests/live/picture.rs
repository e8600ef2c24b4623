//! Pictures of windows: read, written small, and compared with what they should be.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// Keyword of the chunk with the places of figures and clocks, which no two runs have alike.
const FIGURES: &str = "Figures";
/// A channel may be off by so many of 255, and more in so many of a hundred pixels.
const NEAR: u8 = 8;
const FAR_PERCENT: usize = 1;
/// Of a hundred pixels so many must be left to compare.
const LEAST_PERCENT: usize = 30;

/// A picture.
#[derive(Clone)]
pub struct Png {
    /// Columns and rows.
    pub size: [u32; 2],
    /// Red, green and blue.
    pub pixels: Vec<[u8; 3]>,
    /// Left, top, right and bottom of each place with figures.
    pub figures: Vec<[u32; 4]>,
}

impl Png {
    /// Reads one that has three channels.
    pub fn read(path: &Path) -> Result<Self> {
        Self::decoded(path).with_context(|| format!("reading {}", path.display()))
    }

    fn decoded(path: &Path) -> Result<Self> {
        let mut reader = png::Decoder::new(BufReader::new(File::open(path)?)).read_info()?;
        let mut bytes = vec![0; reader.output_buffer_size().context("too large")?];
        let info = reader.next_frame(&mut bytes)?;
        ensure!(info.color_type == png::ColorType::Rgb && info.bit_depth == png::BitDepth::Eight, "{info:?}");
        reader.finish()?;
        let texts = &reader.info().uncompressed_latin1_text;
        let figures =
            texts.iter().find(|chunk| chunk.keyword == FIGURES).context("it does not tell its figures")?;
        let figures = figures.text.split_whitespace().map(place).collect::<Result<_>>()?;
        let pixels = bytes.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        Ok(Self { size: [info.width, info.height], pixels, figures })
    }

    /// Reads the last frame of a GIF, and the time of each in hundredths of a second.
    pub fn of_gif(path: &Path) -> Result<(Self, Vec<u16>)> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(BufReader::new(File::open(path)?))?;
        let [width, height] = [decoder.width(), decoder.height()].map(usize::from);
        let (mut pixels, mut times) = (vec![[0; 3]; width * height], Vec::new());
        while let Some(frame) = decoder.read_next_frame()? {
            let [left, top, columns] = [frame.left, frame.top, frame.width].map(usize::from);
            for (at, pixel) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
                pixels[(top + at / columns) * width + left + at % columns] = [pixel[0], pixel[1], pixel[2]];
            }
            times.push(frame.delay);
        }
        let size = [decoder.width(), decoder.height()].map(u32::from);
        Ok((Self { size, pixels, figures: Vec::new() }, times))
    }

    /// Writes it as small as it can be.
    pub fn write(&self, path: &Path) -> Result<()> {
        let file = File::create(path).with_context(|| format!("writing {}", path.display()))?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::High);
        let places =
            self.figures.iter().map(|[left, top, right, bottom]| format!("{left},{top},{right},{bottom}"));
        encoder.add_text_chunk(FIGURES.into(), places.collect::<Vec<_>>().join(" "))?;
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        Ok(())
    }

    /// The pixel is a part of what is compared.
    fn is_compared(&self, index: usize) -> bool {
        let width = self.size[0] as usize;
        let (x, y) = (index % width, index / width);
        let holds = |[left, top, right, bottom]: &[u32; 4]| {
            (*left as usize..*right as usize).contains(&x) && (*top as usize..*bottom as usize).contains(&y)
        };
        !self.figures.iter().any(holds)
    }

    /// Makes sure that it shows what the other does.
    pub fn ensure_like(&self, reference: &Self) -> Result<()> {
        ensure!(self.size == reference.size, "{:?} pixels instead of {:?}", self.size, reference.size);
        ensure!(
            self.figures == reference.figures,
            "figures at {:?} instead of {:?}",
            self.figures,
            reference.figures
        );
        let compared: Vec<usize> =
            (0..self.pixels.len()).filter(|&index| reference.is_compared(index)).collect();
        ensure!(100 * compared.len() >= LEAST_PERCENT * self.pixels.len(), "nearly all is masked");
        let is_far = |&&index: &&usize| {
            let mut pairs = self.pixels[index].into_iter().zip(reference.pixels[index]);
            pairs.any(|(one, other)| one.abs_diff(other) > NEAR)
        };
        let far = compared.iter().filter(is_far).count();
        ensure!(
            100 * far <= FAR_PERCENT * compared.len(),
            "{far} of {} pixels that are compared are off by more than {NEAR} of 255",
            compared.len()
        );
        Ok(())
    }
}

fn place(text: &str) -> Result<[u32; 4]> {
    let sides: Vec<u32> = text.split(',').map(str::parse).collect::<Result<_, _>>()?;
    sides.try_into().map_err(|sides| anyhow::anyhow!("no place: {sides:?}"))
}
