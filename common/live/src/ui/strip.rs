//! The strip of the last frames, one bar per frame.

use egui::{Align2, Color32, Rect, Stroke, Vec2, pos2};
use report::format;

use super::look::Look;
use super::paint::{line, number, put, share, whole};
use super::rows::row;
use crate::messages::{Frame, Snapshot};

/// Frames longer than this many medians are cut off.
const CLIPPED: f64 = 4.0;

/// Draws the time of each frame, the newest at the right. Frames with wrong elements are coloured.
pub(super) fn draw(ui: &mut egui::Ui, look: &Look, inside: Rect, snapshot: &Snapshot) {
    let (most, width) = room(ui, inside.width());
    let frames = &snapshot.frames[snapshot.frames.len().saturating_sub(most)..];
    let mut times: Vec<f64> = frames.iter().filter_map(|frame| frame.us).collect();
    times.sort_unstable_by(f64::total_cmp);
    let highest = times.last().copied().unwrap_or(0.0);
    // One delayed frame must not flatten all the others.
    let usual = CLIPPED * times.get(times.len() / 2).copied().unwrap_or(0.0);
    let top_us = highest.min(usual);
    let top = title(ui, look, inside, snapshot, frames);
    let place = Rect::from_min_max(pos2(inside.right() - width, top), inside.max);
    if highest <= 0.0 || place.height() < look.unit {
        return;
    }
    let painter = ui.painter();
    let pitch = width / number(most);
    let top_of = |us: f64| place.bottom() - place.height() * share(us / (1.08 * top_us));
    for (at, frame) in (most - frames.len()..).zip(frames) {
        // A frame without a time gets full height, so that it is visible.
        let top = top_of(frame.us.unwrap_or(top_us).min(1.08 * top_us));
        let left = place.left() + pitch * (number(at) + 0.125);
        let bar = Rect::from_min_max(pos2(left, top), pos2(left + 0.75 * pitch, place.bottom()));
        painter.rect_filled(bar, 0.0, colour(look, snapshot, frame));
    }
    let median =
        row(snapshot, snapshot.current).and_then(|row| row.isolated_us.as_ref()).map(|time| time.median);
    if let Some(median) = median.filter(|median| *median <= 1.08 * top_us) {
        painter.hline(place.x_range(), top_of(median), Stroke::new(1.0, look.ink.text));
    }
    let text = line(
        ui.painter(),
        &if highest > usual {
            format!("to {} µs, one {}", format::significant(top_us), format::significant(highest))
        } else {
            format!("{} µs", format::significant(highest))
        },
        look.small(),
        look.ink.faint,
        200.0,
    );
    put(ui.painter(), pos2(inside.right(), inside.top()), Align2::RIGHT_TOP, text);
}

fn colour(look: &Look, snapshot: &Snapshot, frame: &Frame) -> Color32 {
    let ink = &look.ink;
    match frame {
        frame if frame.wrong > 0 && may_race(snapshot, frame) => ink.racy,
        frame if frame.wrong > 0 => ink.wrong,
        frame if frame.variant == snapshot.current => ink.current,
        frame if Some(frame.variant) == snapshot.other => ink.rival,
        _ => ink.other,
    }
}

/// The number of frames that fit at four pixels each, and their total width.
fn room(ui: &egui::Ui, width: f32) -> (usize, f32) {
    let pixel = 1.0 / ui.ctx().pixels_per_point();
    let most = whole(width / (4.0 * pixel));
    (most, 4.0 * pixel * number(most))
}

/// Whether wrong elements in this frame are expected: its variant does not promise a correct result by the
/// specification.
fn may_race(snapshot: &Snapshot, frame: &Frame) -> bool {
    snapshot.variants.get(frame.variant).is_some_and(|entry| !entry.promise.must_be_right())
}

fn title(ui: &egui::Ui, look: &Look, inside: Rect, snapshot: &Snapshot, frames: &[Frame]) -> f32 {
    let (racy, wrong): (Vec<&Frame>, Vec<&Frame>) =
        frames.iter().filter(|frame| frame.wrong > 0).partition(|frame| may_race(snapshot, frame));
    let told = match (racy.len(), wrong.len()) {
        (0, 0) => None,
        (racy, 0) => Some((format!("{racy} of {} wrong", frames.len()), look.ink.racy)),
        (_, wrong) => Some((format!("{wrong} of {} wrong", frames.len()), look.ink.wrong)),
    };
    let title = line(ui.painter(), "Last frames", look.small(), look.ink.faint, inside.width());
    let title = put(ui.painter(), inside.min, Align2::LEFT_TOP, title);
    if let Some((text, ink)) = told {
        let text = line(ui.painter(), &text, look.small(), ink, 0.4 * inside.width());
        put(ui.painter(), title.right_top() + Vec2::new(look.unit, 0.0), Align2::LEFT_TOP, text);
    }
    title.bottom() + 0.2 * look.unit
}
