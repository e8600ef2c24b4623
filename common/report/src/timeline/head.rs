//! The head of a timeline: what was measured on which device, and a key to the marks.

use anyhow::Result;
use record::{Kind, Record};

use super::axes::{EDGE, LINE, TEXT, WIDTH};
use super::colours::{Ink, Map, SHADES};
use super::svg;
use crate::scene::{Area, Scene, Words, broken, text_width};

/// Draws the head and returns the y coordinate of its end. `full` explains the shades of a row, `waits` the lighter
/// areas.
pub(super) fn draw(scene: &mut Scene, record: &Record, full: &str, waits: &str) -> Result<f64> {
    let mut y = 40.0;
    scene.words(&Words::new([EDGE, y], 22.0, Ink::Text, title(record)).bold());
    y += 6.0;
    for line in broken(&subtitle(record), TEXT, false, WIDTH - 2.0 * EDGE) {
        y += LINE;
        scene.words(&Words::new([EDGE, y], TEXT, Ink::Faint, line));
    }
    if record.device.kind == Kind::Cpu {
        y += LINE;
        let text = "CPU device: how waves fill, drain and overlap here proves nothing about a GPU.";
        scene.words(&Words::new([EDGE, y], TEXT, Ink::Warning, text));
    }
    y += LINE + 8.0;
    Ok(key(scene, y, full, waits)? + 10.0)
}

pub(super) fn title(record: &Record) -> String {
    format!("{} on {}: waves in flight", record.sample, record.device.name)
}

fn subtitle(record: &Record) -> String {
    let settings = record::listed(&record.configuration);
    let settings = if settings.is_empty() { settings } else { format!("; {settings}") };
    format!(
        "{}, {}{settings}. A wave (subgroup) is in flight from its first instruction until its last is reached.",
        record.device.driver(),
        record.device.kind.word()
    )
}

/// Draws the key, each mark next to its explanation; returns the y coordinate of the last line.
fn key(scene: &mut Scene, y: f64, full: &str, waits: &str) -> Result<f64> {
    const SPECIMEN: f64 = 34.0;
    let (mut left, mut y) = (EDGE, y);
    let texts = [
        "dispatch: fill, steady, drain",
        "empty in a fill or drain",
        "no wave in flight",
        "most waves in flight",
        full,
        waits,
    ];
    for (at, text) in texts.into_iter().enumerate().filter(|(_, text)| !text.is_empty()) {
        let wide = SPECIMEN + 6.0 + text_width(text, TEXT, false);
        if left + wide > WIDTH - EDGE {
            (left, y) = (EDGE, y + LINE);
        }
        let specimen = Area { left, top: y - 10.0, width: SPECIMEN, height: 11.0 };
        match at {
            0 => bar(scene, specimen, [0.3, 0.3], 0),
            1 => band(scene, specimen),
            2 => gap(scene, specimen),
            3 => svg::dashes(scene, [left, y - 4.5], SPECIMEN, Ink::Text),
            4 => svg::map(scene, specimen, &shades())?,
            _ => scene.area(specimen, Ink::Waiting(0)),
        }
        scene.words(&Words::new([left + SPECIMEN + 6.0, y], TEXT, Ink::Faint, text));
        left += wide + 12.0;
    }
    Ok(y)
}

/// A dispatch from its first wave to its last; `fill` and `drain` are shares of its span.
pub(super) fn bar(scene: &mut Scene, area: Area, [fill, drain]: [f64; 2], part: usize) {
    scene.area(area, Ink::Part(part));
    let ends = [(area.left, fill), (area.right() - drain * area.width, drain)];
    for (left, share) in ends.into_iter().filter(|(_, share)| *share > 0.0) {
        scene.area(Area { left, width: share * area.width, ..area }, Ink::Cuts);
    }
}

/// Marks a fill or drain during which no other dispatch is in flight.
pub(super) fn band(scene: &mut Scene, area: Area) {
    scene.area(area, Ink::Band);
    scene.area(area, Ink::Stripes);
}

/// A bracket over a stretch without waves.
pub(super) fn gap(scene: &mut Scene, area: Area) {
    let wide = area.width.max(1.5);
    let left = area.left + 0.5 * (area.width - wide);
    scene.area(Area { left, width: wide, height: 3.0, ..area }, Ink::Gap);
    for left in [left, left + wide - 1.0] {
        scene.area(Area { left, width: 1.0, ..area }, Ink::Gap);
    }
}

/// All shades of the first colour, starting with none.
fn shades() -> Map {
    let cells: Vec<u8> = (0..=SHADES).map(|shade| if shade == 0 { 0 } else { Map::cell(0, shade) }).collect();
    Map { columns: cells.len(), cells }
}
