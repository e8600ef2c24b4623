//! Messages over the picture: errors, and cautions for the reader.

use egui::{Align2, Color32, Rect, Vec2, pos2};

use super::look::Look;
use super::paint::lines;
use super::rows::{row, status_colour};
use crate::messages::{About, Notice, Snapshot, State};

/// Draws from the top: what is being built, then as many notices as fit.
pub(super) fn draw(root: &egui::Ui, look: &Look, picture: Rect, snapshot: &Snapshot) {
    // Below the names of the two halves.
    let mut top = picture.top() + if snapshot.other.is_some() { 2.6 } else { 1.0 } * look.unit;
    match &snapshot.state {
        State::Building(what) => {
            let text = format!("building… {what}");
            let card = Card { text: &text, colour: look.ink.rival, mono: false };
            top = card.draw(root, look, picture, top).bottom() + 0.5 * look.unit;
        }
        State::Failed(why) => {
            let card = Card { text: why, colour: look.ink.wrong, mono: false };
            top = card.draw(root, look, picture, top).bottom() + 0.5 * look.unit;
        }
        State::Running | State::Paused => {
            if let Some((text, colour)) = why(snapshot, look) {
                let card = Card { text: &text, colour, mono: false };
                top = card.draw(root, look, picture, top).bottom() + 0.5 * look.unit;
            }
        }
    }
    // Newest first. Refusals of a knob's value are shown below the knobs instead.
    for notice in snapshot.notices.iter().rev().filter(|notice| is_here(notice)) {
        if top > picture.bottom() - 3.0 * look.unit {
            break;
        }
        let (colour, mono) = kind(notice.about, look);
        let card = Card { text: &notice.text, colour, mono };
        top = card.draw(root, look, picture, top).bottom() + 0.5 * look.unit;
    }
}

/// Why the shown variant has no figures.
fn why(snapshot: &Snapshot, look: &Look) -> Option<(String, Color32)> {
    let row = row(snapshot, snapshot.current).filter(|row| !row.is_pending())?;
    let reason = row.status.reason()?;
    Some((format!("{}: {}: {reason}", row.label(), row.status.word()), status_colour(row, look)))
}

fn is_here(notice: &Notice) -> bool {
    notice.about != About::Caution
}

fn kind(about: About, look: &Look) -> (Color32, bool) {
    let ink = &look.ink;
    match about {
        About::Shader => (ink.wrong, true),
        About::Layer => (ink.wrong, true),
        About::Knob => (ink.wrong, false),
        About::News => (ink.right, false),
        About::Trouble => (ink.wrong, false),
        About::Caution => (ink.rival, false),
    }
}

struct Card<'t> {
    text: &'t str,
    colour: Color32,
    mono: bool,
}

impl Card<'_> {
    /// Draws the card over the picture, from `top` downwards, and returns its place.
    fn draw(&self, root: &egui::Ui, look: &Look, picture: Rect, top: f32) -> Rect {
        let painter = root.painter().with_clip_rect(picture);
        let unit = look.unit;
        let font = if self.mono { look.mono() } else { look.plain() };
        let widest = (picture.width() - 4.0 * unit).min(60.0 * unit);
        let text = lines(&painter, self.text, font, look.ink.text, (widest, 10));
        let size = text.size() + Vec2::new(2.0 * unit, 0.9 * unit);
        let place = Rect::from_min_size(pos2(picture.center().x - 0.5 * size.x, top), size);
        painter.rect_filled(place, look.radius(), look.ink.panel.gamma_multiply(0.95));
        let (bar, _) = place.split_left_right_at_x(place.left() + 0.3 * unit);
        painter.rect_filled(bar, look.radius(), self.colour);
        let at = place.min + Vec2::new(1.15 * unit, 0.45 * unit);
        painter.galley(at, text, look.ink.text);
        place
    }
}

/// Cautions for the reader of the figures: first the record's own caveats, then the notices.
pub(super) fn cautions(snapshot: &Snapshot) -> Option<String> {
    let record = snapshot.figures.record.iter().flat_map(|record| report::caveats(record));
    let told = snapshot.notices.iter().filter(|notice| notice.about == About::Caution);
    let texts: Vec<_> = record.chain(told.map(|notice| notice.text.clone())).collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

/// The refused value's message, shown below the knobs.
pub(super) fn refusal(snapshot: &Snapshot) -> Option<&str> {
    snapshot
        .notices
        .iter()
        .rev()
        .find(|notice| notice.about == About::Knob)
        .map(|notice| notice.text.as_str())
}

/// The position of a text in a corner of `place`, `by` points from the edges.
pub(super) fn corner(place: Rect, anchor: Align2, by: f32) -> egui::Pos2 {
    anchor.pos_in_rect(&place.shrink(by))
}
