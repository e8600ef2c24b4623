//! What stands beside the thumbnail of the result: the count of wrong pixels, and what the picture shows.

use egui::{Align2, Color32, Rect, Stroke, pos2, vec2};

use super::layout::thumbnail;
use super::look::Look;
use super::paint::{line, lines, put};
use super::picture::over::said;
use super::sweep;
use crate::messages::Snapshot;

/// Draws the counts of the shown and the compared variant, and below them the texel under the cursor or the caption.
pub(super) fn draw(ui: &egui::Ui, look: &Look, place: Rect, snapshot: &Snapshot) {
    let (painter, ink) = (ui.painter(), &look.ink);
    let words = match (&snapshot.picture, &snapshot.recorded) {
        (None, Some(_)) => place.shrink2(vec2(look.pad(), 0.6 * look.pad())),
        (picture, _) => thumbnail(place, look, picture.as_ref().map_or([1; 2], |picture| picture.whole))[1],
    };
    let mut y = words.top();
    for (at, colour, wrong) in counts(snapshot, look).into_iter().flatten() {
        let found = if wrong == 0 { ink.right } else { ink.wrong };
        let count = line(painter, &wrong_pixels(wrong), look.bold(1.4), found, words.width());
        let count = put(painter, pos2(words.left(), y), Align2::LEFT_TOP, count);
        if let Some(entry) = snapshot.variants.get(at) {
            let left = pos2(count.right() + look.unit, count.bottom() - 0.2 * look.unit);
            let room = words.right() - left.x;
            // A name that is cut off after a few letters says nothing; its colour tells two variants apart.
            if room > 8.0 * look.unit {
                let name = line(painter, &entry.label, look.small(), colour, room);
                put(painter, left, Align2::LEFT_BOTTOM, name);
            } else if snapshot.other.is_some() {
                painter.hline(count.x_range(), count.bottom() - 0.1 * look.unit, Stroke::new(2.0, colour));
            }
        }
        y = count.bottom() + 0.1 * look.unit;
    }
    let Some(picture) = &snapshot.picture else { return };
    let mut text = picture.texel.as_ref().map_or_else(|| picture.caption.to_string(), said);
    if sweep::now_us(snapshot).is_some() {
        text.push_str("; each tile appears when its workgroups have ended");
    }
    if y + look.small < words.bottom() {
        let text = lines(painter, &text, look.small(), ink.faint, (words.width(), 3));
        put(painter, pos2(words.left(), y + 0.2 * look.unit), Align2::LEFT_TOP, text);
    }
}

/// The wrong pixels of the shown variant and of the compared one, with the position and the colour of each.
fn counts(snapshot: &Snapshot, look: &Look) -> [Option<(usize, Color32, u64)>; 2] {
    let picture = snapshot.picture.as_ref();
    let last = snapshot.frames.last().filter(|frame| frame.variant == snapshot.current);
    let shown = picture.map(|picture| picture.wrong).or(last.map(|frame| frame.wrong));
    let beside = picture.and_then(|picture| picture.wrong_beside);
    [
        shown.map(|wrong| (snapshot.current, look.ink.current, wrong)),
        snapshot.other.zip(beside).map(|(at, wrong)| (at, look.ink.rival, wrong)),
    ]
}

/// `0 wrong pixels`
fn wrong_pixels(count: u64) -> String {
    format!("{count} wrong pixel{}", if count == 1 { "" } else { "s" })
}
