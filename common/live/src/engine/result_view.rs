//! Draws the picture of a result on the device between samples, at screen size, from the buffer or image that is
//! checked. A large result is never copied to the CPU as a whole.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bench::drive::session::Session;
use bench::lab::{Check, Experiment, Shown};
use vulkan::Format;
use vulkan::handles::{Buffer, Kernel};
use vulkan::memory::Place;

use super::texel::Kind;
use super::{painted, texel};
use crate::messages::{Focus, Picture, Texel, View};

/// Words after the pixels: four of the texel under the cursor, and four of its reference value.
const TOLD: usize = 8;
/// Colour around the picture: a dark grey that differs from both themes' panels.
const BACKGROUND: u32 = 0x0020_1c1a;
/// Most pixels per side of a picture; more would only make the copy to the CPU larger.
const MOST_PIXELS: u32 = 4096;

/// Draws results.
pub(super) struct ResultView<'l> {
    lab: &'l Experiment,
    kernel: Kernel,
    /// One buffer on the device and one on the CPU, as large as the largest picture so far.
    buffers: Cell<Option<[Buffer; 2]>>,
    room: Cell<u64>,
    /// Values drawn as black and as white for each checked result, by its CPU reference.
    ranges: RefCell<BTreeMap<*const u32, [f32; 2]>>,
    /// The last pictures that the sample painted, by variant.
    painted: RefCell<BTreeMap<usize, Painted>>,
}

struct Painted {
    picture: Picture,
    at: Instant,
    took: Duration,
}

/// A painted picture is shown for this many times as long as it took: the GPU waits for the CPU to paint millions of texels, and
/// its clock falls.
const SHARE: u32 = 4;

impl<'l> ResultView<'l> {
    pub fn new(lab: &'l Experiment) -> Result<Self> {
        let kernel = lab.kernel("lab/view.comp").build_for_runner()?;
        Ok(Self {
            lab,
            kernel,
            buffers: Cell::default(),
            room: Cell::default(),
            ranges: RefCell::default(),
            painted: RefCell::default(),
        })
    }

    fn range(&self, check: &Check) -> [f32; 2] {
        let range = || texel::range(kind(self.lab, check), &check.reference);
        *self.ranges.borrow_mut().entry(check.reference.as_ptr()).or_insert_with(range)
    }

    /// Draws a checked result of a variant: the one that the sample declares as its picture, if there is one. It
    /// is drawn with the contents of its first repetition. Returns `None` if the variant has no result or the view
    /// has no area. `wrong` is the number of wrong elements in the last sample.
    pub fn draw(
        &self,
        session: &Session<'_>,
        variant: usize,
        wrong: u64,
        view: View,
    ) -> Result<Option<Picture>> {
        let Some(check) = session.pictured(variant) else { return Ok(None) };
        let size = view.pixels.map(|side| side.min(MOST_PIXELS));
        if size.contains(&0) {
            return Ok(None);
        }
        let whole = sides(check);
        let focus = view.at.unwrap_or_else(|| Focus::whole(whole, size));
        let kind = kind(self.lab, check);
        let cursor = view.cursor.filter(|&[x, y]| x < whole[0] && y < whole[1]);
        let cursor = cursor
            .filter(|&[x, y]| u64::from(y) * u64::from(whole[0]) + u64::from(x) < u64::from(check.elements));
        // Images are drawn on the device. A result that the sample paints itself is copied to the CPU whole.
        let shown = self.shown(check);
        if let Some(shown) = shown.filter(|_| check.shape.is_none()) {
            return self.painted(session, variant, check, shown, view).map(Some);
        }
        let [low, high] = self.range(check);
        let [x, y] = focus.centre.map(f32::to_bits);
        let [tolerance, most] = check.element.tolerance.push();
        let push = [
            whole[0],
            whole[1],
            size[0],
            size[1],
            x,
            y,
            focus.scale.to_bits(),
            kind as u32,
            check.elements,
            check.element.bytes,
            tolerance,
            most,
            low.to_bits(),
            high.to_bits(),
            cursor.map_or(u32::MAX, |[x, y]| y * whole[0] + x),
            BACKGROUND,
            u32::from(wrong > 0),
        ];
        let count = size[0] as usize * size[1] as usize;
        let words = self.run(session, check, push, size, count)?;
        let texel = cursor.map(|at| told(kind, check, at, &words[count..]));
        let pixels = bytemuck::cast_slice(&words[..count]).to_vec();
        let caption: Arc<str> = shown.map_or("", |shown| &shown.caption).into();
        Ok(Some(Picture { size, pixels, view, whole, focus, texel, caption, ..Picture::default() }))
    }

    /// The sample's own painter for this result, if it has one.
    fn shown(&self, check: &Check) -> Option<&'l Shown> {
        self.lab.report.shown.as_ref().filter(|shown| shown.set == check.set && shown.index == check.index)
    }

    fn painted(
        &self,
        session: &Session<'_>,
        variant: usize,
        check: &Check,
        shown: &Shown,
        view: View,
    ) -> Result<Picture> {
        let holds = |last: &&Painted| last.picture.view == view && last.at.elapsed() < SHARE * last.took;
        if let Some(last) = self.painted.borrow().get(&variant).filter(holds) {
            return Ok(last.picture.clone());
        }
        let began = Instant::now();
        let readback = session.readback.context("no buffer to read a result through")?;
        let words = check.reference.len();
        let paint = |result: &[u32]| (shown.paint)(&result[..words]);
        let painted = session.look_at_result(check, 0, readback, paint)?;
        let picture = painted::picture(&painted, shown.size, view, shown.caption.as_str().into());
        let (at, took) = (Instant::now(), began.elapsed());
        self.painted.borrow_mut().insert(variant, Painted { picture: picture.clone(), at, took });
        Ok(picture)
    }

    fn run(
        &self,
        session: &Session<'_>,
        check: &Check,
        push: [u32; 17],
        size: [u32; 2],
        count: usize,
    ) -> Result<Vec<u32>> {
        let bytes = 4 * (count + TOLD) as u64;
        let [pixels, seen] = self.buffers(bytes)?;
        let mut is_drawn = false;
        let gpu = &self.lab.gpu;
        gpu.run_once("drawing a result", |cmd| {
            cmd.full_barrier();
            let Some(actual) = session.lay_out(cmd, check) else { return };
            is_drawn = true;
            let groups = [size[0].div_ceil(16), size[1].div_ceil(8), 1];
            cmd.dispatch(self.kernel, &[check.expected, actual, pixels], &push, groups);
            cmd.full_barrier();
            cmd.copy_buffer(pixels, seen, bytes);
            cmd.host_barrier();
        })?;
        ensure!(is_drawn, "the result cannot be laid out for a picture");
        gpu.look(seen, |words| words[..count + TOLD].to_vec())
    }

    /// Buffers of at least `bytes`. They grow in powers of two, so that resizing the window does not allocate each
    /// time.
    fn buffers(&self, bytes: u64) -> Result<[Buffer; 2]> {
        if let (Some(buffers), true) = (self.buffers.get(), self.room.get() >= bytes) {
            return Ok(buffers);
        }
        let gpu = &self.lab.gpu;
        let room = bytes.next_power_of_two().min(gpu.limits.storage_buffer);
        for buffer in self.buffers.take().into_iter().flatten() {
            gpu.free(buffer);
        }
        let made = [
            gpu.buffer("picture", room, Place::Device)?,
            gpu.buffer("picture (CPU)", room, Place::Readback)?,
        ];
        self.room.set(room);
        self.buffers.set(Some(made));
        Ok(made)
    }
}

/// Columns and rows that a result is drawn in. An image keeps its own, a volume has its layers one below another,
/// and a buffer becomes roughly square.
pub(super) fn sides(check: &Check) -> [u32; 2] {
    match check.shape {
        Some(shape) => [shape.sides[0], shape.sides[1] * shape.sides[2]],
        None => {
            let width = check.elements.isqrt().max(1).next_multiple_of(8);
            [width, check.elements.div_ceil(width)]
        }
    }
}

/// The texel format of a checked result.
fn kind(lab: &Experiment, check: &Check) -> Kind {
    let format = match check.set.get(0, check.index) {
        vulkan::handles::Binding::Image(image) => Some(lab.gpu.arena().image(image).format),
        _ => None,
    };
    match format {
        Some(Format::R8G8B8A8_UNORM) => Kind::Colours,
        Some(Format::R8_UNORM) => Kind::Bytes,
        Some(Format::R16G16B16A16_SFLOAT) => Kind::Halves,
        Some(Format::R32_SFLOAT | Format::R32G32B32A32_SFLOAT) => Kind::Floats,
        _ => Kind::Numbers,
    }
}

/// The texel under the cursor as text.
fn told(kind: Kind, check: &Check, at: [u32; 2], words: &[u32]) -> Texel {
    let index = at[1] * sides(check)[0] + at[0];
    let in_words = |words: &[u32]| texel::in_words(kind, check.element.bytes, index, words);
    let (value, expected) = (in_words(&words[..4]), in_words(&words[4..]));
    Texel { at, expected: (value != expected).then_some(expected), value }
}
