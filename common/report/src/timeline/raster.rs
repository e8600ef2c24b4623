//! A scene as pixels.

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use anyhow::{Context, Result};

use super::colours::{COLOURS, Colours, Rgb};
use super::scene::{Anchor, Area, Map, PARTS, SHADES, Scene, Shape, Stripes, Words};

/// The scene as PNG, `scale` pixels a unit.
pub(super) fn png(scene: &Scene, colours: &Colours, scale: f64) -> Result<Vec<u8>> {
    let size = scene.size.map(|side| whole((side * scale).ceil()));
    let mut pixels = Pixels { size, scale, bytes: colours.paper.repeat(size[0] * size[1]) };
    let fonts = Fonts::embedded()?;
    for shape in &scene.shapes {
        pixels.draw(shape, colours, &fonts);
    }
    pixels.png().context("the picture has no form as PNG")
}

/// Begin and length of each dash of a line.
pub(super) fn dashes(left: f64, length: f64) -> impl Iterator<Item = (f64, f64)> {
    const DASH: f64 = 5.0;
    const PERIOD: f64 = 9.0;
    let starts = (0..).map(|at| PERIOD * f64::from(at)).take_while(move |start| *start < length);
    starts.map(move |start| (left + start, DASH.min(length - start)))
}

/// Noto Sans: the machine may have no font at all.
pub(super) struct Fonts {
    regular: FontRef<'static>,
    bold: FontRef<'static>,
}

impl Fonts {
    pub(super) fn embedded() -> Result<Self> {
        let font = |bytes| FontRef::try_from_slice(bytes).context("the embedded font cannot be read");
        Ok(Self { regular: font(notosans::REGULAR_TTF)?, bold: font(notosans::BOLD_TTF)? })
    }

    fn of(&self, bold: bool) -> &FontRef<'static> {
        if bold { &self.bold } else { &self.regular }
    }

    /// What a browser calls a font's size is that of its em, not of its lines.
    fn scale(font: &FontRef<'static>, size: f64) -> PxScale {
        let em = f64::from(font.units_per_em().unwrap_or(1000.0));
        #[expect(clippy::cast_possible_truncation, reason = "a font's size")]
        PxScale::from((size * f64::from(font.height_unscaled()) / em) as f32)
    }

    /// Length of a line of text.
    pub(super) fn width(&self, text: &str, size: f64, bold: bool) -> f64 {
        let font = self.of(bold);
        let font = font.as_scaled(Self::scale(font, size));
        text.chars().map(|c| f64::from(font.h_advance(font.glyph_id(c)))).sum()
    }
}

struct Pixels {
    size: [usize; 2],
    scale: f64,
    bytes: Vec<u8>,
}

impl Pixels {
    fn draw(&mut self, shape: &Shape, colours: &Colours, fonts: &Fonts) {
        match shape {
            Shape::Fill(area, ink) => self.fill(area, colours.ink(*ink)),
            Shape::Paper(area) => self.fill(area, colours.paper),
            Shape::Hatch(area, stripes) => self.hatch(area, *stripes, colours),
            Shape::Dashes { from: [left, top], length, ink } => {
                for (left, width) in dashes(*left, *length) {
                    self.fill(&Area { left, top: top - 0.5, width, height: 1.0 }, colours.ink(*ink));
                }
            }
            Shape::Steps { left, base, step, heights, ink } => {
                for (at, height) in (0_u32..).zip(heights) {
                    let height = 0.5 * f64::from(*height);
                    let left = left + f64::from(at) * step;
                    self.fill(&Area { left, top: base - height, width: *step, height }, colours.ink(*ink));
                }
            }
            Shape::Words(words) => self.words(words, colours.ink(words.ink), fonts),
            Shape::Map(area, map) => self.map(area, map),
        }
    }

    /// Pixels that a rectangle touches, and how much of each it covers.
    fn fill(&mut self, area: &Area, colour: Rgb) {
        let ends = [area.left, area.right(), area.top, area.bottom()].map(|edge| edge * self.scale);
        let covered = |at: usize, from: f64, to: f64| {
            let at = real(at);
            (to.min(at + 1.0) - from.max(at)).clamp(0.0, 1.0)
        };
        for y in whole(ends[2].floor())..whole(ends[3].ceil()).min(self.size[1]) {
            for x in whole(ends[0].floor())..whole(ends[1].ceil()).min(self.size[0]) {
                self.blend([x, y], colour, covered(x, ends[0], ends[1]) * covered(y, ends[2], ends[3]));
            }
        }
    }

    fn hatch(&mut self, area: &Area, stripes: Stripes, colours: &Colours) {
        let wide = if stripes == Stripes::Band { 1.5 } else { 2.5 };
        let [left, right] = [area.left, area.right()].map(|x| whole((x * self.scale).round()));
        let [top, bottom] = [area.top, area.bottom()].map(|y| whole((y * self.scale).round()));
        for y in top..bottom.min(self.size[1]) {
            for x in left..right.min(self.size[0]) {
                let across = (real(x) + real(y) + 1.0) / self.scale / std::f64::consts::SQRT_2;
                let off = (across.rem_euclid(6.0) - 0.5 * wide).abs();
                let off = off.min(6.0 - off);
                let covered = (0.5 + (0.5 * wide - off) * self.scale).clamp(0.0, 1.0);
                self.blend([x, y], colours.stripes(stripes), covered);
            }
        }
    }

    fn map(&mut self, area: &Area, map: &Map) {
        let rows = map.cells.len() / map.columns.max(1);
        let [left, right] = [area.left, area.right()].map(|x| whole((x * self.scale).round()));
        let [top, bottom] = [area.top, area.bottom()].map(|y| whole((y * self.scale).round()));
        for y in top..bottom.min(self.size[1]) {
            for x in left..right.min(self.size[0]) {
                let [column, row] =
                    [(x - left) * map.columns / (right - left), (y - top) * rows / (bottom - top)];
                let cell = map.cells[row * map.columns + column];
                if let Some(shade) = cell.checked_sub(1) {
                    let colour = COLOURS[usize::from(shade / SHADES) % PARTS];
                    self.blend([x, y], colour, Map::cover(shade % SHADES + 1));
                }
            }
        }
    }

    fn words(&mut self, words: &Words, colour: Rgb, fonts: &Fonts) {
        let size = words.size * self.scale;
        let length = fonts.width(&words.text, size, words.bold);
        let mut along = match words.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * length,
            Anchor::End => -length,
        };
        let font = fonts.of(words.bold);
        let scale = Fonts::scale(font, size);
        let origin = words.at.map(|at| at * self.scale);
        for c in words.text.chars() {
            #[expect(clippy::cast_possible_truncation, reason = "a place in the picture")]
            let at = if words.upright {
                point(along as f32, 0.0)
            } else {
                point((origin[0] + along) as f32, origin[1] as f32)
            };
            let glyph = font.glyph_id(c).with_scale_and_position(scale, at);
            if let Some(outline) = font.outline_glyph(glyph) {
                let bounds = outline.px_bounds();
                outline.draw(|x, y, covered| {
                    let x = f64::from(bounds.min.x) + f64::from(x);
                    let y = f64::from(bounds.min.y) + f64::from(y);
                    // Read from below: what lay to the right lies above.
                    let [x, y] = if words.upright {
                        [(origin[0] + y).round(), (origin[1] - x).round()]
                    } else {
                        [x, y]
                    };
                    if x >= 0.0 && y >= 0.0 {
                        self.blend([whole(x), whole(y)], colour, f64::from(covered).clamp(0.0, 1.0));
                    }
                });
            }
            along += f64::from(font.as_scaled(scale).h_advance(font.glyph_id(c)));
        }
    }

    fn blend(&mut self, [x, y]: [usize; 2], colour: Rgb, covered: f64) {
        if x >= self.size[0] || y >= self.size[1] || covered <= 0.0 {
            return;
        }
        let at = 3 * (y * self.size[0] + x);
        for (old, new) in self.bytes[at..at + 3].iter_mut().zip(colour) {
            let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * covered;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two bytes")]
            let mixed = mixed.round() as u8;
            *old = mixed;
        }
    }

    fn png(&self) -> Result<Vec<u8>> {
        let [width, height] = [u32::try_from(self.size[0])?, u32::try_from(self.size[1])?];
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.bytes)?;
        writer.finish()?;
        Ok(file)
    }
}

/// A number that is whole already; none is below zero.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the picture")]
pub(super) fn whole(value: f64) -> usize {
    value.max(0.0) as usize
}

#[expect(clippy::cast_precision_loss, reason = "a place in the picture")]
pub(super) fn real(value: usize) -> f64 {
    value as f64
}
