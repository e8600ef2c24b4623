//! Draws over the picture: the names of the halves, the texel under the cursor, and the count of wrong pixels.

use egui::{Align2, Color32, Rect, Stroke, Vec2, pos2};

use crate::messages::{Picture, Snapshot, Texel};
use crate::ui::look::Look;
use crate::ui::notices::corner;
use crate::ui::paint::line;

/// Draws everything that lies over the picture.
pub(super) fn draw(root: &egui::Ui, look: &Look, place: Rect, snapshot: &Snapshot, picture: &Picture) {
    let room = place.width() - 2.0 * look.unit;
    let tag = |anchor: Align2, text: &str, colour: Color32, room: f32| {
        tag(root, look, place, (anchor, room), text, colour);
    };
    if let Some([left, right]) = halves(snapshot) {
        root.painter().vline(place.center().x, place.y_range(), Stroke::new(2.0, look.ink.text));
        tag(Align2::LEFT_TOP, left, look.ink.current, 0.5 * room - look.unit);
        tag(Align2::RIGHT_TOP, right, look.ink.rival, 0.5 * room - look.unit);
    }
    let glows = match (picture.wrong, picture.wrong_beside) {
        (0, None | Some(0)) => None,
        (left, Some(right)) => {
            Some(format!("left {left}, right {right} pixels differ from the CPU reference"))
        }
        (1, None) => Some("1 texel differs from the CPU reference".to_owned()),
        (n, None) => Some(format!("{n} pixels differ from the CPU reference")),
    };
    if let Some(text) = &glows {
        tag(Align2::RIGHT_BOTTOM, text, look.ink.racy, room);
    }
    match &picture.texel {
        Some(texel) => {
            let colour = if texel.expected.is_some() { look.ink.racy } else { look.ink.text };
            let room = if glows.is_some() { 0.5 * room } else { room };
            tag(Align2::LEFT_BOTTOM, &said(texel), colour, room);
        }
        None if glows.is_none() || place.width() > 46.0 * look.unit => {
            tag(
                Align2::LEFT_BOTTOM,
                &picture.caption,
                look.ink.faint,
                if glows.is_some() { 0.5 * room } else { room },
            );
        }
        None => {}
    }
}

fn halves(snapshot: &Snapshot) -> Option<[&str; 2]> {
    let name = |at: usize| snapshot.variants.get(at).map(|entry| entry.label.as_str());
    Some([name(snapshot.current)?, name(snapshot.other?)?])
}

pub(in crate::ui) fn said(texel: &Texel) -> String {
    let [x, y] = texel.at;
    let expected =
        texel.expected.as_ref().map(|right| format!(", CPU reference {right}")).unwrap_or_default();
    format!("({x}, {y})  {}{expected}", texel.value)
}

/// Draws text in a corner, on a background of the panels' colour.
fn tag(
    root: &egui::Ui,
    look: &Look,
    place: Rect,
    (anchor, room): (Align2, f32),
    text: &str,
    colour: Color32,
) {
    if room < 3.0 * look.unit || text.is_empty() {
        return;
    }
    let painter = root.painter().with_clip_rect(place);
    let text = line(&painter, text, look.plain(), colour, room);
    let size = text.size() + Vec2::new(look.unit, 0.4 * look.unit);
    let patch = anchor.anchor_size(corner(place, anchor, 0.4 * look.unit), size);
    painter.rect_filled(patch, look.radius(), look.ink.panel.gamma_multiply(0.9));
    painter.galley(pos2(patch.left() + 0.5 * look.unit, patch.top() + 0.2 * look.unit), text, colour);
}
