//! Timelines of waves: a picture with one panel per variant, and the same data for Perfetto.
//!
//! ```text
//! Trace ── bins, spans ──▶ panel ──▶ Scene ──▶ SVG ──▶ PNG
//! Trace ── events ──▶ trace-event JSON
//! ```

mod axes;
mod bins;
pub(crate) mod colours;
mod compact;
mod events;
mod head;
mod lane;
pub mod live;
mod panel;
mod spans;
pub(crate) mod svg;
pub(super) mod words;

use anyhow::{Result, ensure};
use record::Record;
use record::trace::Lanes;

use self::axes::{EDGE, LEFT, LINE, PLOT, PLOT_HEIGHT, TEXT, WIDTH, whole};
use self::bins::{Binned, Grid};
use self::colours::Ink;
use self::lane::checked;
use self::panel::Frame;
use crate::scene::{Scene, Words, broken, png};

pub use self::colours::Theme;
pub use self::events::timeline_events;
pub(super) use self::lane::refusals;
pub use self::lane::{Lane, nothing_traced};

/// Largest size of an SVG in bytes.
const LARGEST: usize = 1 << 20;
/// Most pixels of a PNG at two pixels per unit; larger pictures have one pixel per unit.
const PIXELS: f64 = 40e6;

/// How much a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Everything, 1400 units wide.
    Whole,
    /// What fits the column of a web page: waves and gaps on one axis, 880 units wide.
    Compact,
}

/// The panels one below the other on common axes, as an SVG of less than 1 MiB.
///
/// # Errors
/// If there is nothing to draw, a trace is invalid, or the panels do not fit.
pub fn timeline_svg(record: &Record, panels: &[Lane<'_>], theme: Theme, detail: Detail) -> Result<String> {
    for step in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0] {
        let (scene, size) = drawn(record, panels, step, detail)?;
        let text = svg::svg(&scene, size, theme, &head::title(record));
        if text.len() < LARGEST {
            return Ok(text);
        }
    }
    anyhow::bail!("{} variants are too many for one picture; --variants chooses among them", panels.len())
}

/// The same picture as PNG, with two pixels per unit for projectors and print.
///
/// # Errors
/// Those of [`timeline_svg`].
pub fn timeline_png(record: &Record, panels: &[Lane<'_>], theme: Theme, detail: Detail) -> Result<Vec<u8>> {
    let (scene, size) = drawn(record, panels, 1.0, detail)?;
    let pixels = size[0] * size[1];
    ensure!(
        pixels <= PIXELS,
        "{} variants are too many for one picture; --variants chooses among them",
        panels.len()
    );
    let theme = if theme == Theme::Auto { Theme::Light } else { theme };
    let text = svg::svg(&scene, size, theme, &head::title(record));
    png(&text, if 4.0 * pixels > PIXELS { 1.0 } else { 2.0 })
}

/// The picture and its size. A column of waves is `step` units wide.
fn drawn(record: &Record, panels: &[Lane<'_>], step: f64, detail: Detail) -> Result<(Scene, [f64; 2])> {
    checked(record, panels)?;
    if detail == Detail::Compact {
        return Ok(compact::drawn(record, panels, step));
    }
    let range_us = panels.iter().map(|lane| lane.figures.whole.end_us()).fold(0.0, f64::max);
    let grid = Grid { range_us, columns: whole(PLOT / step) };
    let binned: Vec<Binned> = panels.iter().map(|lane| Binned::of(lane.trace, grid)).collect();
    let peaks = panels.iter().map(|lane| lane.figures.whole.peak);
    let tallest = binned.iter().map(Binned::tallest).chain(peaks).fold(0.0, f64::max);
    let full = binned.iter().map(Binned::fullest).fold(0.0, f64::max);
    // Leaves room for the brackets above the peak.
    let frame = Frame { grid, top: 1.16 * tallest, left: LEFT, width: PLOT, height: PLOT_HEIGHT };
    let mut scene = Scene::default();
    let all_known = panels.iter().all(|lane| matches!(lane.trace.lanes, Lanes::Multiprocessors(_)));
    let a_lane = if all_known { "multiprocessor" } else { "lane" };
    let shades = format!("waves per {a_lane}, 0 to {full:.0}");
    let mut y = head::draw(&mut scene, record, &shades, &words::waits(panels))?;
    for (lane, binned) in panels.iter().zip(&binned) {
        y = panel::draw(&mut scene, y + 16.0, lane, binned, &frame, full)?;
    }
    y = refused(&mut scene, y, record);
    Ok((scene, [WIDTH, (y + 14.0).ceil()]))
}

/// Names the rows that are not drawn, with the reasons.
fn refused(scene: &mut Scene, mut y: f64, record: &Record) -> f64 {
    for (reason, name) in refusals(&record.rows) {
        let text = format!("Not drawn: {name}: {reason}");
        for text in broken(&text, TEXT, false, WIDTH - 2.0 * EDGE) {
            y += LINE;
            scene.words(&Words::new([EDGE, y], TEXT, Ink::Warning, text));
        }
    }
    y
}

#[cfg(test)]
mod tests;
