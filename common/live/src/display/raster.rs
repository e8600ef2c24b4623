//! Rasterizes egui's triangles on the CPU, on all cores, each with a band of rows.
//!
//! Colours are words of alpha, red, green and blue, premultiplied by alpha. They are blended in gamma space, as
//! egui expects, so an opaque picture keeps its bytes.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to a canvas or a texture, and colours to their bytes"
)]

use std::collections::HashMap;
use std::ops::Range;

use anyhow::{Context, Result};
use egui::epaint::{ImageDelta, Primitive, Vertex};
use egui::{ClippedPrimitive, Color32, ImageData, Mesh, Rect, TextureFilter, TextureId, TexturesDelta, pos2};
use rayon::ThreadPool;
use rayon::prelude::*;

/// Grid steps per pixel for corners. On the grid, tests against edges are exact in integers.
const STEPS: i64 = 256;
/// Corners are clamped to this distance in pixels, which is larger than any window.
const FAR: f32 = (1 << 20) as f32;
/// Number of rows that one core draws at a time.
const BAND: usize = 32;
const OPAQUE: u32 = 255;

/// An image, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Canvas {
    /// Columns and rows.
    pub size: [u32; 2],
    /// One word per pixel; the lower 24 bits are red, green and blue.
    pub pixels: Vec<u32>,
}

impl Canvas {
    /// Resizes the canvas and makes it black.
    pub fn clear(&mut self, size: [u32; 2]) {
        self.size = size;
        self.pixels.clear();
        self.pixels.resize(size[0] as usize * size[1] as usize, 0);
    }
}

/// The rasterizer, with the textures that egui has handed over.
pub(super) struct Raster {
    textures: HashMap<TextureId, Texture>,
    /// Its own threads: while the global pool computes a CPU reference, it takes no other work.
    cores: ThreadPool,
}

struct Texture {
    size: [usize; 2],
    texels: Vec<u32>,
    is_linear: bool,
}

impl Raster {
    pub fn new() -> Result<Self> {
        let cores = rayon::ThreadPoolBuilder::new().build().context("starting the threads that draw")?;
        Ok(Self { textures: HashMap::new(), cores })
    }

    /// Draws a frame over the contents of the canvas. Empties `textures`, because egui hands each change over
    /// once.
    pub fn draw(
        &mut self,
        primitives: &[ClippedPrimitive],
        pixels_per_point: f32,
        textures: &mut TexturesDelta,
        canvas: &mut Canvas,
    ) {
        for (id, change) in textures.set.iter().flat_map(|(id, all)| all.iter().map(move |one| (*id, one))) {
            self.change(id, change);
        }
        self.paint(primitives, pixels_per_point, canvas);
        textures.free.iter().for_each(|id| drop(self.textures.remove(id)));
        textures.clear();
    }

    /// Applies a change to a texture, and ignores what lies outside of it.
    fn change(&mut self, id: TextureId, change: &ImageDelta) {
        let ImageData::Color(image) = &change.image;
        let [width, height] = image.size;
        let texels = image.pixels.iter().copied().map(word);
        let Some([left, top]) = change.pos else {
            let is_linear = change.options.magnification == TextureFilter::Linear;
            let whole = Texture { size: image.size, texels: texels.collect(), is_linear };
            if !whole.texels.is_empty() && whole.texels.len() == width * height {
                self.textures.insert(id, whole);
            }
            return;
        };
        let Some(texture) = self.textures.get_mut(&id).filter(|_| width > 0) else { return };
        for (at, texel) in texels.enumerate() {
            let (x, y) = (left.saturating_add(at % width), top.saturating_add(at / width));
            if x < texture.size[0] && y < texture.size[1] {
                texture.texels[y * texture.size[0] + x] = texel;
            }
        }
    }

    fn paint(&self, primitives: &[ClippedPrimitive], pixels_per_point: f32, canvas: &mut Canvas) {
        let width = canvas.size[0] as usize;
        if width == 0 {
            return;
        }
        let mut triangles = Vec::new();
        for ClippedPrimitive { clip_rect, primitive } in primitives {
            // Paint callbacks are not supported.
            let Primitive::Mesh(mesh) = primitive else { continue };
            let Some(texture) = self.textures.get(&mesh.texture_id) else { continue };
            let clip = pixels_of(*clip_rect, pixels_per_point, canvas.size);
            cut(mesh, pixels_per_point, texture, &clip, &mut triangles);
        }
        let bands = canvas.pixels.par_chunks_mut(width * BAND).enumerate();
        self.cores.install(|| {
            bands.for_each(|(at, band)| {
                let first = at * BAND;
                for triangle in &triangles {
                    let rows = triangle.rows.start.max(first)..triangle.rows.end.min(first + BAND);
                    for y in rows {
                        triangle.draw(y, &mut band[(y - first) * width..][..width]);
                    }
                }
            });
        });
    }
}

/// The columns and rows that a primitive is clipped to.
fn pixels_of(clip: Rect, pixels_per_point: f32, size: [u32; 2]) -> [Range<usize>; 2] {
    let pixel = |points: f32, most: u32| (points * pixels_per_point).round().clamp(0.0, most as f32) as usize;
    [
        pixel(clip.min.x, size[0])..pixel(clip.max.x, size[0]),
        pixel(clip.min.y, size[1])..pixel(clip.max.y, size[1]),
    ]
}

/// A triangle prepared for drawing.
struct Triangle<'t> {
    texture: &'t Texture,
    columns: Range<usize>,
    rows: Range<usize>,
    edges: [Edge; 3],
    /// Alpha, red, green, blue, and column and row in the texture. For each of them: the value at the centre of
    /// the first pixel of the canvas, and its increments per column and per row.
    planes: [[f64; 3]; 6],
    /// The colour is the same in all three corners.
    is_plain: bool,
    /// The texture's colour, if it is the same over the whole triangle.
    texel: Option<u32>,
}

/// An edge. A pixel is on the inner side if `at + column * per_column + row * per_row` is not negative.
struct Edge {
    at: i64,
    per_column: i64,
    per_row: i64,
}

/// Prepares the triangles of a mesh. Skips those with corners that are not finite and those without area.
fn cut<'t>(
    mesh: &Mesh,
    pixels_per_point: f32,
    texture: &'t Texture,
    clip: &[Range<usize>; 2],
    triangles: &mut Vec<Triangle<'t>>,
) {
    let corner = |index: &u32| {
        let vertex = mesh.vertices.get(*index as usize)?;
        let pos = pos2(vertex.pos.x * pixels_per_point, vertex.pos.y * pixels_per_point);
        (pos.is_finite() && vertex.uv.is_finite()).then_some(Vertex { pos, ..*vertex })
    };
    for indices in mesh.indices.chunks_exact(3) {
        if let (Some(a), Some(b), Some(c)) = (corner(&indices[0]), corner(&indices[1]), corner(&indices[2])) {
            triangles.extend(Triangle::of([a, b, c], texture, clip));
        }
    }
}

impl<'t> Triangle<'t> {
    fn of(mut corners: [Vertex; 3], texture: &'t Texture, clip: &[Range<usize>; 2]) -> Option<Self> {
        let [a, mut b, mut c] = corners.map(|corner| [corner.pos.x, corner.pos.y].map(on_grid));
        let mut area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if area < 0 {
            (b, c, area) = (c, b, -area);
            corners.swap(1, 2);
        }
        let [columns, rows] = [0, 1].map(|axis| {
            let (low, high) = (a[axis].min(b[axis]).min(c[axis]), a[axis].max(b[axis]).max(c[axis]));
            first_from(low).max(clip[axis].start)..first_from(high).min(clip[axis].end)
        });
        if area == 0 || columns.is_empty() || rows.is_empty() {
            return None;
        }
        let is_plain = corners.iter().all(|corner| corner.color == corners[0].color);
        let is_one_texel = corners.iter().all(|corner| corner.uv == corners[0].uv);
        let values = corners.map(|Vertex { uv, color, .. }| {
            let [red, green, blue, alpha] = color.to_array().map(f64::from);
            let [x, y] = [(uv.x, texture.size[0]), (uv.y, texture.size[1])]
                .map(|(at, side)| f64::from(at) * side as f64);
            [alpha, red, green, blue, x, y]
        });
        let [b_x, b_y, c_x, c_y] = [b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]].map(|n| n as f64);
        let planes = std::array::from_fn(|of| {
            let [at, to_b, to_c] =
                [values[0][of], values[1][of] - values[0][of], values[2][of] - values[0][of]];
            let per_column = (to_b * c_y - to_c * b_y) * STEPS as f64 / area as f64;
            let per_row = (to_c * b_x - to_b * c_x) * STEPS as f64 / area as f64;
            let [x, y] = a.map(|at| (STEPS / 2 - at) as f64 / STEPS as f64);
            [at + x * per_column + y * per_row, per_column, per_row]
        });
        let texel = is_one_texel.then(|| texture.line(planes[5][0] as f32).at(planes[4][0] as f32));
        let edges = [Edge::of(a, b), Edge::of(b, c), Edge::of(c, a)];
        Some(Self { texture, columns, rows, edges, planes, is_plain, texel })
    }

    /// Draws one row of the triangle.
    fn draw(&self, y: usize, row: &mut [u32]) {
        let mut columns = self.columns.clone();
        for edge in &self.edges {
            edge.confine(y as i64, &mut columns);
        }
        if columns.is_empty() {
            return;
        }
        let first = columns.start as f64;
        let along = |of: usize| {
            let [at, per_column, per_row] = self.planes[of];
            let (at, per_column) = ((at + first * per_column + y as f64 * per_row) as f32, per_column as f32);
            move |x: u32| at + x as f32 * per_column
        };
        let tint = || {
            let parts = [0, 1, 2, 3].map(along);
            move |x: u32| word_of(parts.map(|part| (part(x) + 0.5) as u8))
        };
        let row = &mut row[columns];
        match (self.is_plain, self.texel) {
            (true, Some(texel)) => {
                let colour = times(tint()(0), texel);
                if colour >> 24 == OPAQUE { row.fill(colour) } else { blend(row, |_| colour) }
            }
            // Parallel to the texture's rows, as text and pictures are: one texture line serves the whole row.
            (true, None) if self.planes[5][1] == 0.0 => {
                let (tint, line, u) = (tint()(0), self.texture.line(along(5)(0)), along(4));
                blend(row, |x| times(tint, line.at(u(x))));
            }
            (false, Some(texel)) => {
                let tint = tint();
                blend(row, |x| times(tint(x), texel));
            }
            (_, None) => {
                let (tint, u, v) = (tint(), along(4), along(5));
                blend(row, |x| times(tint(x), self.texture.line(v(x)).at(u(x))));
            }
        }
    }
}

impl Edge {
    /// The edge between two corners, with the inner side to the right as seen on the screen. A pixel centre
    /// exactly on an edge shared by two triangles belongs to the triangle to the right of it or below.
    fn of([x, y]: [i64; 2], [to_x, to_y]: [i64; 2]) -> Self {
        let (dx, dy) = (to_x - x, to_y - y);
        let has_middle = dy < 0 || (dy == 0 && dx > 0);
        let at = dx * (STEPS / 2 - y) - dy * (STEPS / 2 - x) - i64::from(!has_middle);
        Self { at, per_column: -dy * STEPS, per_row: dx * STEPS }
    }

    /// Restricts `columns` to the pixels of this row on the inner side.
    fn confine(&self, row: i64, columns: &mut Range<usize>) {
        let at = self.at + row * self.per_row;
        let limit = |column: i64| usize::try_from(column.max(0)).unwrap_or(usize::MAX);
        match self.per_column {
            0 if at < 0 => columns.end = columns.start,
            0 => {}
            per @ 1.. => columns.start = columns.start.max(limit(-at.div_euclid(per))),
            per => columns.end = columns.end.min(limit(at.div_euclid(-per) + 1)),
        }
    }
}

/// Rounds to the nearest grid step.
fn on_grid(pixels: f32) -> i64 {
    (pixels.clamp(-FAR, FAR) * STEPS as f32).round() as i64
}

/// The first pixel whose centre is at or after a place on the grid.
fn first_from(at: i64) -> usize {
    usize::try_from((at + STEPS / 2 - 1).div_euclid(STEPS)).unwrap_or(0)
}

impl Texture {
    /// The texture line at a height in texels.
    fn line(&self, y: f32) -> Line<'_> {
        let ([top, below], share) = self.nearest(y, 1);
        let [top, below] = [top, below].map(|row| &self.texels[row * self.size[0]..][..self.size[0]]);
        Line { texture: self, rows: [top, below], share }
    }

    /// The nearest texel along an axis; with linear filtering, the two nearest and the weight of the second in
    /// 256ths.
    fn nearest(&self, at: f32, axis: usize) -> ([usize; 2], u32) {
        let last = self.size[axis] - 1;
        if !self.is_linear {
            let one = (at.max(0.0) as u32 as usize).min(last);
            return ([one; 2], 0);
        }
        // In 256ths of a texel from the centre of the first, rounded.
        let at = (at * 256.0 - 127.5).max(0.0) as u32;
        let one = (at >> 8) as usize;
        ([one.min(last), (one + 1).min(last)], at & 255)
    }
}

/// One row of a texture, or two rows to interpolate between.
struct Line<'t> {
    texture: &'t Texture,
    rows: [&'t [u32]; 2],
    /// Weight of the second row in 256ths.
    share: u32,
}

impl Line<'_> {
    /// The colour at a place in texels.
    fn at(&self, x: f32) -> u32 {
        let ([left, right], share) = self.texture.nearest(x, 0);
        let texel = |row: &[u32]| if share == 0 { row[left] } else { between(row[left], row[right], share) };
        let [top, below] = self.rows;
        if self.share == 0 { texel(top) } else { between(texel(top), texel(below), self.share) }
    }
}

/// Mask for every second byte of a word, which leaves room for carries.
const ODD: u32 = 0x00ff_00ff;

/// Mixes two colours; `share` is the weight of the second in 256ths.
fn between(one: u32, other: u32, share: u32) -> u32 {
    let mix = |one: u32, other: u32| {
        (((one & ODD) * (256 - share) + (other & ODD) * share + 0x0080_0080) >> 8) & ODD
    };
    mix(one, other) | mix(one >> 8, other >> 8) << 8
}

/// Multiplies each byte of a colour by `by` / 255.
fn faded(colour: u32, by: u32) -> u32 {
    let fade = |bytes: u32| {
        let product = (bytes & ODD) * by + 0x0080_0080;
        (product + ((product >> 8) & ODD)) >> 8 & ODD
    };
    fade(colour) | fade(colour >> 8) << 8
}

/// Multiplies two colours byte by byte, as fractions of 255.
fn times(one: u32, other: u32) -> u32 {
    if one == u32::MAX {
        return other;
    }
    let bytes = one.to_be_bytes().into_iter().zip(other.to_be_bytes());
    bytes.fold(0, |word, (one, other)| {
        let product = u32::from(one) * u32::from(other) + 128;
        word << 8 | (product + (product >> 8)) >> 8
    })
}

/// Blends a colour per column over the pixels of a row.
fn blend(row: &mut [u32], colour: impl Fn(u32) -> u32) {
    for (x, pixel) in (0..).zip(row) {
        let colour = colour(x);
        *pixel = match colour >> 24 {
            OPAQUE => colour,
            _ if colour == 0 => continue,
            alpha => sum(colour, faded(*pixel, OPAQUE - alpha)),
        };
    }
}

/// Adds two colours byte by byte, saturating: additive colours may exceed 255.
fn sum(one: u32, other: u32) -> u32 {
    let add = |one: u32, other: u32| {
        let sum = (one & ODD) + (other & ODD);
        let over = sum & 0x0100_0100;
        (sum | (over - (over >> 8))) & ODD
    };
    add(one, other) | add(one >> 8, other >> 8) << 8
}

fn word(colour: Color32) -> u32 {
    let [red, green, blue, alpha] = colour.to_array();
    word_of([alpha, red, green, blue])
}

fn word_of(bytes: [u8; 4]) -> u32 {
    u32::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests;
