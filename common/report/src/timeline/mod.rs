//! Timelines of waves: a picture of some variants one above the other, and the same for Perfetto.
//!
//! ```text
//! Trace ── bins, spans ──▶ panel ──▶ Scene ──▶ SVG ──▶ PNG
//! Trace ── events ──▶ trace-event JSON
//! ```

mod axes;
mod bins;
mod colours;
mod events;
mod head;
pub mod live;
mod panel;
mod spans;
mod svg;
pub(super) mod words;

use anyhow::{Result, anyhow, ensure};
use clap::ValueEnum;
use record::trace::{Lanes, Trace, TraceFigures};
use record::{Record, Row, Traced};

use self::axes::whole;
use self::bins::{Binned, Grid};
use self::colours::Ink;
use self::panel::Frame;
use crate::scene::{Scene, Words, broken, png};

pub use self::events::timeline_events;

/// Width of the picture, and of what is in it.
const WIDTH: f64 = 1400.0;
const EDGE: f64 = 28.0;
const LEFT: f64 = 100.0;
const PLOT: f64 = 1272.0;
/// An SVG is smaller than this.
const LARGEST: usize = 1 << 20;
/// Pixels of a PNG, beyond which it has one for each of the SVG's instead of four.
const PIXELS: f64 = 40e6;

/// One variant's panel.
#[derive(Clone, Copy, Debug)]
pub struct Lane<'t> {
    /// Its row of the record.
    pub row: &'t Row,
    /// Its waves.
    pub trace: &'t Trace,
    /// What they show.
    pub figures: &'t TraceFigures,
}

/// The paper of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// As the viewer's system asks for; a PNG is light
    #[default]
    Auto,
    /// Dark ink on white
    Light,
    /// Light ink on black
    Dark,
}

/// The panels one above the other, on the same axes, as an SVG of less than 1 MiB.
///
/// # Errors
/// Nothing to draw, a trace and figures that do not belong together, or more than fits.
pub fn timeline_svg(record: &Record, panels: &[Lane<'_>], theme: Theme) -> Result<String> {
    for step in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0] {
        let (scene, size) = drawn(record, panels, step)?;
        let text = svg::svg(&scene, size, theme, &head::title(record));
        if text.len() < LARGEST {
            return Ok(text);
        }
    }
    anyhow::bail!("{} variants are too many for one picture; --variant chooses among them", panels.len())
}

/// The same as PNG, two pixels a unit for projectors and paper.
///
/// # Errors
/// As [`timeline_svg`].
pub fn timeline_png(record: &Record, panels: &[Lane<'_>], theme: Theme) -> Result<Vec<u8>> {
    let (scene, size) = drawn(record, panels, 1.0)?;
    let pixels = size[0] * size[1];
    ensure!(
        pixels <= PIXELS,
        "{} variants are too many for one picture; --variant chooses among them",
        panels.len()
    );
    let theme = if theme == Theme::Auto { Theme::Light } else { theme };
    let text = svg::svg(&scene, size, theme, &head::title(record));
    png(&text, if 4.0 * pixels > PIXELS { 1.0 } else { 2.0 })
}

/// The whole picture and its size; a column of waves is `step` wide.
fn drawn(record: &Record, panels: &[Lane<'_>], step: f64) -> Result<(Scene, [f64; 2])> {
    checked(record, panels)?;
    let range_us = panels.iter().map(|lane| lane.figures.whole.end_us()).fold(0.0, f64::max);
    let grid = Grid { range_us, columns: whole(PLOT / step) };
    let binned: Vec<Binned> = panels.iter().map(|lane| Binned::of(lane.trace, grid)).collect();
    let peaks = panels.iter().map(|lane| lane.figures.whole.peak);
    let tallest = binned.iter().map(Binned::tallest).chain(peaks).fold(0.0, f64::max);
    let full = binned.iter().map(Binned::fullest).fold(0.0, f64::max);
    // Room for the brackets above the peak.
    let frame = Frame { grid, top: 1.16 * tallest, full };
    let mut scene = Scene::default();
    let all_known = panels.iter().all(|lane| matches!(lane.trace.lanes, Lanes::Multiprocessors(_)));
    let a_lane = if all_known { "multiprocessor" } else { "lane" };
    let full = format!("waves a {a_lane}, 0 to {full:.0}");
    let mut y = head::draw(&mut scene, record, &full, &words::waits(panels))?;
    for (lane, binned) in panels.iter().zip(&binned) {
        y = panel::draw(&mut scene, y + 16.0, lane, binned, &frame)?;
    }
    y = refused(&mut scene, y, record);
    Ok((scene, [WIDTH, (y + 14.0).ceil()]))
}

/// A picture of what was not measured would be worse than none.
fn checked(record: &Record, panels: &[Lane<'_>]) -> Result<()> {
    if panels.is_empty() {
        return Err(nothing_traced(&record.rows));
    }
    for Lane { row, trace, figures } in panels {
        let of = || format!("the trace of {} cannot be drawn", row.variant);
        let times = trace.dispatches.iter().flat_map(|d| &d.waves);
        let sound = times.map(|w| (w.begin_us, w.end_us)).all(|(a, b)| a >= 0.0 && b >= a && b.is_finite());
        ensure!(sound, "{}: a wave ends before it begins, or begins before the first", of());
        let kernels = |d: &record::trace::Dispatch| (d.kernel.clone(), d.groups);
        let same = trace.dispatches.len() == figures.dispatches.len()
            && trace
                .dispatches
                .iter()
                .zip(&figures.dispatches)
                .all(|(a, b)| kernels(a) == (b.kernel.clone(), b.groups));
        ensure!(same && figures.whole.span_us() > 0.0, "{}: its figures are of something else", of());
    }
    Ok(())
}

/// The error of a run whose timeline would be empty.
pub fn nothing_traced(rows: &[Row]) -> anyhow::Error {
    anyhow!("there is no timeline to draw: no variant was traced{}", reasons(rows))
}

/// Why variants have no panel, in a clause: each reason once, with those that have it.
fn reasons(rows: &[Row]) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, reason) in refusals(rows) {
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    let told: Vec<String> =
        reasons.iter().map(|(reason, names)| format!("{}: {reason}", names.join(", "))).collect();
    if told.is_empty() {
        ": none of those that were chosen ran and was right; the table says why".into()
    } else {
        format!(": {}", told.join("; "))
    }
}

/// Rows whose traces show nothing that could be trusted.
pub(super) fn refusals(rows: &[Row]) -> impl Iterator<Item = (&str, &str)> {
    rows.iter().filter_map(|row| match &row.trace {
        Some(Traced::Refused { reason }) => Some((row.variant.as_str(), reason.as_str())),
        _ => None,
    })
}

/// The rows that are not drawn, and why.
fn refused(scene: &mut Scene, mut y: f64, record: &Record) -> f64 {
    let (line, small) = head::small();
    for (name, reason) in refusals(&record.rows) {
        let text = format!("Not drawn: {name}: {reason}");
        for text in broken(&text, small, false, WIDTH - 2.0 * EDGE) {
            y += line;
            scene.words(&Words::new([EDGE, y], small, Ink::Warning, text));
        }
    }
    y
}

#[cfg(test)]
mod tests;
