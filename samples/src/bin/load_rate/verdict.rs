//! How many clocks 64 loads take at best, and what shapes and few waves cost.

use common::record::{Row, Value};
use common::{Figures, Headline, Holds};
use samples::words::published;

use crate::texels::{ELEMENTS, FORMATS};
use crate::{LOADS, SHAPED};

/// What loads from.
const PATHS: [&str; 2] = ["sampled", "image"];
/// A little below 16 clocks: the clock is known to some percent.
const SIXTEEN: f64 = 15.2;

/// Clocks that [`LOADS`] loads take.
fn clocks(row: &Row) -> Option<f64> {
    row.per_unit(row.isolated_us?.median)?.cycles
}

/// The row that takes the fewest clocks, and these.
fn best<'r>(figures: &Figures<'r>, names: impl Iterator<Item = String>) -> Option<(&'r Row, f64)> {
    let rows = names.filter_map(|name| figures.row(&name));
    rows.filter_map(|row| Some((row, clocks(row)?))).min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Variants that load so many bytes each, by the numbers of waves.
fn images(format: &str, waves: &[u32]) -> impl Iterator<Item = String> {
    PATHS.iter().flat_map(move |path| waves.iter().map(move |waves| format!("{path}_{format}_{waves}")))
}

fn buffers(words: u32, waves: &[u32]) -> impl Iterator<Item = String> {
    waves.iter().map(move |waves| format!("buffer_{}_{waves}", 32 * words))
}

/// The image that is loaded from fastest.
pub fn headline(figures: &Figures<'_>, waves: &[u32]) -> Headline {
    let best = best(figures, FORMATS.iter().flat_map(|texels| images(texels.name, waves)));
    let value =
        best.and_then(|(row, _)| Some(Value::of(&row.isolated_us?, row.per_unit(1.0)?.cycles?, "clocks")));
    Headline::of(format!("{LOADS} loads of an image take 16 clocks at best"))
        .published(published("lottes2018", "rate/image").map(|clocks| format!("talk: {clocks} clocks")))
        .test(value, &Holds::Above(SIXTEEN), |clocks| {
            format!("{LOADS} loads of an image take {clocks} at best")
        })
}

/// Clocks by width, bytes per clock, shapes, and one wave alone.
pub fn verdict(figures: &Figures<'_>, waves: &[u32]) -> Option<String> {
    let lines = [widths(figures, waves), bytes(figures, waves), shapes(figures), one_wave(figures, waves)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// `Clocks per 64 loads: r8 8.0, rgba8 9.0, ... 32 bits of a buffer 2.9, ...`
fn widths(figures: &Figures<'_>, waves: &[u32]) -> Option<String> {
    let of_images =
        FORMATS.iter().map(|texels| (texels.name.to_owned(), best(figures, images(texels.name, waves))));
    let of_buffers = ELEMENTS.iter().map(|elements| {
        (format!("{} bits of a buffer", 32 * elements.words), best(figures, buffers(elements.words, waves)))
    });
    let all: Vec<String> = of_images
        .chain(of_buffers)
        .filter_map(|(what, best)| Some(format!("{what} {:.1}", best?.1)))
        .collect();
    (!all.is_empty()).then(|| format!("Clocks per {LOADS} loads at best: {}.", all.join(", ")))
}

/// What the L1 delivers at most.
#[expect(clippy::cast_precision_loss, reason = "64")]
fn bytes(figures: &Figures<'_>, waves: &[u32]) -> Option<String> {
    let per_clock = |bytes: u32, best: Option<(&Row, f64)>| Some(f64::from(bytes) * LOADS as f64 / best?.1);
    let of_images = FORMATS
        .iter()
        .filter_map(|texels| per_clock(texels.bytes, best(figures, images(texels.name, waves))));
    let of_buffers = ELEMENTS
        .iter()
        .filter_map(|elements| per_clock(4 * elements.words, best(figures, buffers(elements.words, waves))));
    Some(format!(
        "A multiprocessor loads at most {:.0} bytes per clock of a buffer and {:.0} of an image.",
        of_buffers.reduce(f64::max)?,
        of_images.reduce(f64::max)?
    ))
}

/// What it costs that four invocations load a row in place of a square.
fn shapes(figures: &Figures<'_>) -> Option<String> {
    let times = |format: &str| {
        let [row, square] =
            ["4x1", "2x2"].map(|shape| clocks(figures.row(&format!("sampled_{format}_{shape}"))?));
        Some(format!("{format} {:.2}x", row? / square?))
    };
    let all: Option<Vec<String>> = SHAPED.into_iter().map(times).collect();
    Some(format!("Where four invocations load 4x1 texels in place of 2x2, it takes: {}.", all?.join(", ")))
}

/// What the loads of one wave take.
fn one_wave(figures: &Figures<'_>, waves: &[u32]) -> Option<String> {
    let most = waves.last()?;
    let [one, all] = [1, *most].map(|waves| clocks(figures.row(&format!("sampled_rgba8_{waves}"))?));
    Some(format!("A load of rgba8 takes one wave alone {:.1}x as long as {most} waves.", one? / all?))
}
