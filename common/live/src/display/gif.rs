//! Writes frames into an animated GIF: of each what has changed, with a palette of its own.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::time::Instant;

use anyhow::Result;
use color_quant::NeuQuant;
use gif::{Encoder, Frame, Repeat};

use super::raster::Canvas;

/// Least time that a frame is shown, in hundredths of a second: 12 in a second, so that writing keeps up with drawing.
const LEAST: u16 = 8;
/// Largest length of a recording, in hundredths of a second, so that the file does not grow without end.
const LONGEST: u16 = 60 * 100;
/// Largest width in pixels. A window of 1280 pixels at scale 2 is drawn with 2560.
const WIDEST: u32 = 1440;
/// In place of a pixel that has not changed: transparent.
const UNCHANGED: Pixel = [0; 4];
/// Number of the most frequent colours, those of large areas, that stay exact where a palette has no room for all.
const EXACT: usize = 127;

/// Red, green, blue and alpha.
type Pixel = [u8; 4];

/// Writes what comes, for a minute at most. Returns the number of frames in the file, and its size in bytes.
pub(super) fn write(path: &Path, frames: &Receiver<(Instant, Canvas)>) -> Result<(usize, u64)> {
    let Ok((began, first)) = frames.recv() else { return Ok((0, 0)) };
    let time = |at: Instant| {
        let hundredths = at.saturating_duration_since(began).as_millis() / 10;
        u16::try_from(hundredths).map_or(LONGEST, |at| at.min(LONGEST))
    };
    let mut gif = Gif::begin(File::create(path)?, first)?;
    for (at, frame) in frames.iter().map(|(at, frame)| (time(at), frame)) {
        if at == LONGEST {
            break;
        }
        gif.add(at, frame)?;
    }
    let count = gif.end(time(Instant::now()))?;
    Ok((count, fs::metadata(path)?.len()))
}

/// A GIF that is being written.
struct Gif {
    encoder: Encoder<BufWriter<File>>,
    /// Columns and rows: those of the first frame.
    size: [u16; 2],
    /// A pixel is the mean of this many pixels of the window in each direction.
    scale: usize,
    /// The pixels of the last frame that was written.
    shown: Vec<Pixel>,
    /// The newest frame. A frame is written when the next one tells how long it was shown.
    held: Canvas,
    /// When the time of the held frame begins.
    since: u16,
    /// Number of frames that were written.
    count: usize,
}

impl Gif {
    fn begin(file: File, first: Canvas) -> Result<Self> {
        let scale = first.size[0].div_ceil(WIDEST);
        let [columns, rows] = first.size.map(|side| u16::try_from(side.div_ceil(scale)));
        let size = [columns?, rows?];
        let mut encoder = Encoder::new(BufWriter::new(file), size[0], size[1], &[])?;
        encoder.set_repeat(Repeat::Infinite)?;
        let shown = vec![UNCHANGED; usize::from(size[0]) * usize::from(size[1])];
        Ok(Self { encoder, size, scale: usize::try_from(scale)?, shown, held: first, since: 0, count: 0 })
    }

    /// Adds a frame. It replaces one that is held for less than the least time, and prolongs one that is alike.
    fn add(&mut self, at: u16, frame: Canvas) -> Result<()> {
        if at.saturating_sub(self.since) >= LEAST && frame != self.held {
            self.write(at)?;
            self.since = at;
        }
        self.held = frame;
        Ok(())
    }

    /// Writes the held frame, which was shown until `at`.
    fn write(&mut self, at: u16) -> Result<()> {
        let now = shrunk(&self.held, self.scale, self.size.map(usize::from));
        let [[left, top], [right, bottom]] = changed(&self.shown, &now, self.size);
        let columns = usize::from(self.size[0]);
        let pixels: Vec<Pixel> = (top..=bottom)
            .flat_map(|y| (left..=right).map(move |x| usize::from(y) * columns + usize::from(x)))
            .map(|place| if now[place] == self.shown[place] { UNCHANGED } else { now[place] })
            .collect();
        let (palette, places) = palette(&pixels);
        let buffer: Vec<u8> = pixels.iter().map(|pixel| places.get(pixel).copied().unwrap_or(0)).collect();
        self.encoder.write_frame(&Frame {
            delay: at.saturating_sub(self.since).max(LEAST),
            transparent: Some(0),
            left,
            top,
            width: right - left + 1,
            height: bottom - top + 1,
            palette: Some(palette),
            buffer: buffer.into(),
            ..Frame::default()
        })?;
        self.shown = now;
        self.count += 1;
        Ok(())
    }

    /// Writes the last frame. Returns how many there are.
    fn end(mut self, at: u16) -> Result<usize> {
        self.write(at)?;
        self.encoder.into_inner()?.flush()?;
        Ok(self.count)
    }
}

/// The frame at the scale and in the size of the first one, cut off or filled up with black.
fn shrunk(frame: &Canvas, scale: usize, [columns, rows]: [usize; 2]) -> Vec<Pixel> {
    let lines: Vec<&[u32]> = frame.pixels.chunks(frame.size[0] as usize).collect();
    let mean = |x: usize, y: usize| {
        let (mut sum, mut count) = ([0; 3], 0);
        for line in lines.iter().skip(y * scale).take(scale) {
            for pixel in line.iter().skip(x * scale).take(scale) {
                let [_, red, green, blue] = pixel.to_be_bytes().map(u32::from);
                sum = [sum[0] + red, sum[1] + green, sum[2] + blue];
                count += 1;
            }
        }
        let [red, green, blue] = sum.map(|sum| u8::try_from(sum / count.max(1)).unwrap_or(u8::MAX));
        [red, green, blue, u8::MAX]
    };
    (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y))).map(|(x, y)| mean(x, y)).collect()
}

/// The first and the last column and row of what differs; one pixel if nothing does, because a time needs a frame.
fn changed(before: &[Pixel], now: &[Pixel], [columns, rows]: [u16; 2]) -> [[u16; 2]; 2] {
    let places = (0..rows).flat_map(|y| (0..columns).map(move |x| [x, y]));
    let pixels = before.iter().zip(now);
    let mut changed = places.zip(pixels).filter(|(_, (before, now))| before != now).map(|(place, _)| place);
    let first = changed.next().unwrap_or_default();
    changed.fold([first; 2], |[[left, top], [right, bottom]], [x, y]| {
        [[left.min(x), top.min(y)], [right.max(x), bottom.max(y)]]
    })
}

/// A palette for these pixels, and the place of each colour in it. The first place is for what is unchanged.
fn palette(pixels: &[Pixel]) -> (Vec<u8>, HashMap<Pixel, u8>) {
    let mut counts: HashMap<Pixel, usize> = HashMap::new();
    for run in pixels.chunk_by(|one, next| one == next).filter(|run| run[0] != UNCHANGED) {
        *counts.entry(run[0]).or_default() += run.len();
    }
    let mut colours: Vec<Pixel> = counts.keys().copied().collect();
    colours.sort_by_cached_key(|colour| (Reverse(counts[colour]), *colour));
    let (exact, near) = colours.split_at(if colours.len() < 256 { colours.len() } else { EXACT });
    let mut palette: Vec<u8> = [UNCHANGED].iter().chain(exact).flat_map(|[rgb @ .., _]| *rgb).collect();
    let mut places: HashMap<Pixel, u8> = exact.iter().copied().zip(1..=u8::MAX).collect();
    if !near.is_empty() {
        let part = i32::try_from(1 + near.len() / 8192).map_or(30, |part| part.min(30));
        let net = NeuQuant::new(part, 255 - EXACT, near.as_flattened());
        palette.extend(net.color_map_rgb());
        let place = |colour| u8::try_from(1 + EXACT + net.index_of(colour)).unwrap_or(u8::MAX);
        places.extend(near.iter().map(|colour| (*colour, place(colour))));
    }
    (palette, places)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;
    use std::time::Duration;

    use super::*;

    /// A frame as a viewer shows it: its time, its place and size, how many pixels it changes, and the whole picture.
    type Shown = (u16, [u16; 4], usize, Vec<u32>);

    fn read(path: &Path) -> ([u16; 2], Vec<Shown>) {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(File::open(path).unwrap()).unwrap();
        assert_eq!(decoder.repeat(), Repeat::Infinite);
        let [columns, rows] = [decoder.width(), decoder.height()];
        let mut picture = vec![0; usize::from(columns) * usize::from(rows)];
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            assert_eq!(frame.dispose, gif::DisposalMethod::Keep);
            let places = (0..frame.height).flat_map(|y| (0..frame.width).map(move |x| [x, y]));
            let changed: Vec<_> =
                places.zip(frame.buffer.chunks(4)).filter(|(_, pixel)| pixel[3] > 0).collect();
            for ([x, y], pixel) in &changed {
                let place = usize::from(frame.top + y) * usize::from(columns) + usize::from(frame.left + x);
                picture[place] = u32::from_be_bytes([0, pixel[0], pixel[1], pixel[2]]);
            }
            let place = [frame.left, frame.top, frame.width, frame.height];
            frames.push((frame.delay, place, changed.len(), picture.clone()));
        }
        ([columns, rows], frames)
    }

    /// What is read of a GIF of these frames, each with its time, until the end.
    fn read_back(frames: &[(u16, Canvas)], end: u16) -> Vec<Shown> {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut gif = Gif::begin(file.reopen().unwrap(), frames[0].1.clone()).unwrap();
        frames[1..].iter().for_each(|(at, frame)| gif.add(*at, frame.clone()).unwrap());
        let count = gif.end(end).unwrap();
        let (_, shown) = read(file.path());
        assert_eq!(shown.len(), count);
        shown
    }

    fn canvas(size: [u32; 2], pixels: impl IntoIterator<Item = u32>) -> Canvas {
        Canvas { size, pixels: pixels.into_iter().collect() }
    }

    #[test]
    fn short_frames_are_dropped_and_equal_ones_prolong() {
        let frame = |(at, shade): (u16, u32)| (at, canvas([2, 1], [shade, 9]));
        let times = |frames: &[(u16, u32)], end| -> Vec<(u16, u32)> {
            let frames: Vec<_> = frames.iter().copied().map(frame).collect();
            read_back(&frames, end).into_iter().map(|(delay, .., picture)| (delay, picture[0])).collect()
        };
        let short = [(0, 1), (4, 2), (7, 3), (8, 4), (15, 5), (16, 6), (25, 7)];
        assert_eq!(times(&short, 26), [(8, 3), (8, 5), (9, 6), (8, 7)]);
        let equal = [(0, 1), (10, 1), (20, 1), (23, 2), (26, 3), (40, 3), (300, 4)];
        assert_eq!(times(&equal, 350), [(23, 1), (277, 3), (50, 4)]);
        // What stood still after a dropped frame is what is shown.
        assert_eq!(times(&[(0, 1), (10, 2), (12, 3)], 600), [(10, 1), (590, 3)]);
        // Back again before it was written.
        assert_eq!(times(&[(0, 1), (10, 2), (12, 1), (30, 3)], 40), [(10, 1), (20, 1), (10, 3)]);
        assert_eq!(times(&[(0, 1)], 0), [(8, 1)]);
    }

    #[test]
    fn only_the_changed_rectangle_is_written() {
        let first = canvas([6, 4], 0..24);
        let mut second = first.clone();
        (second.pixels[9], second.pixels[16]) = (0xff_0000, 0x00_ff00);
        let third =
            canvas([6, 4], second.pixels.iter().enumerate().map(|(at, pixel)| pixel + u32::from(at == 23)));
        let frames = [(0, first.clone()), (10, second.clone()), (20, third.clone())];
        let shown = read_back(&frames, 30);
        let right = [([0, 0, 6, 4], 24, first), ([3, 1, 2, 2], 2, second), ([5, 3, 1, 1], 1, third)];
        assert_eq!(shown, right.map(|(place, changed, canvas)| (10, place, changed, canvas.pixels)));
    }

    #[test]
    fn colours_are_exact_where_there_are_few_and_near_where_there_are_many() {
        let colour = |at: u32| (at % 16) << 20 | (at / 16 % 16) << 12 | (at / 256) << 4;
        let few = canvas([255, 2], (0..510).map(|at| colour(at % 255)));
        assert_eq!(read_back(&[(0, few.clone())], 9)[0].3, few.pixels);
        // Half of the picture is of one colour.
        let many =
            canvas([64, 128], (0..8192).map(|at| if at < 4096 { 0x12_3456 } else { colour(at - 4096) }));
        let shown = &read_back(&[(0, many.clone())], 9)[0].3;
        assert_eq!(shown[..4096], many.pixels[..4096]);
        let far = |(one, other): (&u32, &u32)| {
            let (one, other) = (one.to_be_bytes(), other.to_be_bytes());
            one.into_iter().zip(other).map(|(one, other)| usize::from(one.abs_diff(other))).sum::<usize>()
        };
        let sum: usize = shown.iter().zip(&many.pixels).skip(4096).map(far).sum();
        assert!(sum < 4096 * 50, "{} off in the mean", sum / 4096);
    }

    #[test]
    fn a_wide_window_is_made_smaller_and_another_size_cut_or_filled_up() {
        let wide =
            canvas([1441, 3], (0..4323).map(|at| if at % 1441 == 1440 { 0x0a_0000 } else { at % 2 * 8 }));
        let small = canvas([3, 5], [0x01_0203; 15]);
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut gif = Gif::begin(file.reopen().unwrap(), wide).unwrap();
        gif.add(10, small).unwrap();
        gif.end(20).unwrap();
        let (size, shown) = read(file.path());
        assert_eq!(size, [721, 2]);
        let of_two = [vec![4; 720], vec![0x0a_0000]].concat();
        assert_eq!(shown[0].3, of_two.repeat(2));
        let row = [vec![0x01_0203; 2], vec![0; 719]].concat();
        assert_eq!(shown[1].3, row.repeat(2));
    }

    #[test]
    fn it_ends_after_a_minute() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let began = Instant::now().checked_sub(Duration::from_secs(70)).unwrap();
        let (frames, drawn) = sync_channel(4);
        for (seconds, shade) in [(0, 1), (1, 2), (60, 3), (61, 4)] {
            frames.send((began + Duration::from_secs(seconds), canvas([1, 1], [shade]))).unwrap();
        }
        drop(frames);
        let (count, bytes) = write(file.path(), &drawn).unwrap();
        assert_eq!((count, bytes), (2, file.path().metadata().unwrap().len()));
        let place = [0, 0, 1, 1];
        assert_eq!(read(file.path()).1, [(100, place, 1, vec![1]), (5900, place, 1, vec![2])]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_told() {
        let (frames, drawn) = sync_channel(1);
        frames.send((Instant::now(), canvas([1, 1], [1]))).unwrap();
        drop(frames);
        let error = write(Path::new("/dev/full"), &drawn).unwrap_err();
        assert!(error.to_string().contains("No space left"), "{error}");
    }
}
