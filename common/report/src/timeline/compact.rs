//! The picture for the column of a web page: a plot per variant, on one axis.

use record::{Kind, Record};

use super::axes::{LINE, TEXT, short_us, whole};
use super::bins::{Binned, Grid};
use super::colours::Ink;
use super::lane::Lane;
use super::panel::{Frame, name, time_axis, waves};
use super::words::waits;
use crate::answer::capital;
use crate::dispatch_parts::shares;
use crate::scene::{Anchor, Scene, Words, broken};

/// Width of the picture: the text column of a README on a code host.
const WIDTH: f64 = 880.0;
const EDGE: f64 = 16.0;
const HEIGHT: f64 = 74.0;
/// Font size of the heading.
const LARGE: f64 = 18.0;

/// The picture and its size. A column of waves is `step` units wide.
pub(super) fn drawn(record: &Record, panels: &[Lane<'_>], step: f64) -> (Scene, [f64; 2]) {
    let range_us = panels.iter().map(|lane| lane.figures.whole.end_us()).fold(0.0, f64::max);
    let width = WIDTH - 2.0 * EDGE;
    let grid = Grid { range_us, columns: whole(width / step) };
    let binned: Vec<Binned> = panels.iter().map(|lane| Binned::of(lane.trace, grid)).collect();
    let peaks = panels.iter().map(|lane| lane.figures.whole.peak);
    let tallest = binned.iter().map(Binned::tallest).chain(peaks).fold(0.0, f64::max);
    // Leaves room for the brackets above the peak.
    let frame = Frame { grid, top: 1.3 * tallest, left: EDGE, width, height: HEIGHT };
    let mut scene = Scene::default();
    let has_stamps = panels.iter().any(|lane| !lane.trace.time_stamps.is_empty());
    let mut y = head(&mut scene, record, &waits(panels), has_stamps);
    let mut lines = Vec::new();
    for (lane, binned) in panels.iter().zip(&binned) {
        y += 32.0;
        let span = short_us(lane.figures.whole.span_us());
        let span = Words::new([WIDTH - EDGE, y], TEXT, Ink::Text, span);
        scene.words(&span.bold().anchored(Anchor::End));
        y = name(&mut scene, [EDGE, y], lane, TEXT, WIDTH - EDGE - 60.0);
        if let Some(shares) = shares(lane.figures) {
            y += LINE;
            let shares = format!("wave time: {shares}");
            scene.words(&Words::new([EDGE, y], TEXT, Ink::Faint, shares));
        }
        y += HEIGHT + 12.0;
        waves(&mut scene, y, lane, binned, &frame);
        lines.push(y);
    }
    let end = time_axis(&mut scene, &lines, &frame);
    (scene, [WIDTH, end + 6.0])
}

/// The finding where there is one, the device, and how to read the plots; returns the y coordinate of the last line.
fn head(scene: &mut Scene, record: &Record, waits: &str, has_stamps: bool) -> f64 {
    let finding = match &record.headline {
        Some(headline) if headline.value.is_some() => capital(&headline.finding),
        _ => format!("{}: waves in flight", record.sample),
    };
    let device = match record.device.kind {
        Kind::Cpu => format!("{}, a CPU device: this proves nothing about a GPU", record.device.name),
        _ => format!("{}, driver {}", record.device.name, record.device.driver_info),
    };
    let settings = record::listed(&record.configuration);
    let mut y = 28.0;
    scene.words(&Words::new([EDGE, y], LARGE, Ink::Text, finding).bold());
    let lighter = if waits.is_empty() { String::new() } else { format!(" Lighter: {waits}.") };
    let black = if has_stamps { " Black: a timestamp, at the edge if outside." } else { "" };
    let key = format!(
        "Height: waves in flight. Colour: a dispatch or pass.{lighter} Striped: fill or drain. Red: no wave in flight.{black} \
         At the right: from the first wave to the last."
    );
    for text in [format!("{device}; {settings}"), key] {
        for line in broken(&text, TEXT, false, WIDTH - 2.0 * EDGE) {
            y += LINE;
            scene.words(&Words::new([EDGE, y], TEXT, Ink::Faint, line));
        }
    }
    y
}
