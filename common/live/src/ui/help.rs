//! The list of keys on the screen.

use egui::{Align2, Rect, Vec2, pos2};

use super::keys::TABLE;
use super::look::Look;
use super::paint::{line as short, number};

/// Draws the list in the middle of the window, in two columns, or in one if the window is narrow.
pub(super) fn draw(root: &egui::Ui, look: &Look, window: Rect) {
    let painter = root.ctx().layer_painter(egui::LayerId::new(egui::Order::Foreground, "keys".into()));
    let unit = look.unit;
    let room = window.size() - Vec2::splat(unit);
    let columns = if room.x < 44.0 * unit { 1 } else { 2 };
    let rows = TABLE.len().div_ceil(columns);
    let width = (27.0 * unit * number(columns)).min(room.x);
    let pitch = (1.75 * unit).min((room.y - 4.5 * unit) / number(rows)).max(look.small);
    let size = Vec2::new(width, (number(rows) * pitch + 4.5 * unit).min(room.y));
    let place = Rect::from_center_size(window.center(), size);
    painter.rect_filled(window, 0.0, look.ink.paper.gamma_multiply(0.7));
    painter.rect(
        place,
        look.radius(),
        look.ink.panel,
        egui::Stroke::new(1.0, look.ink.line),
        egui::StrokeKind::Inside,
    );
    let left = place.left() + 1.5 * unit;
    let top = place.top() + 1.2 * unit;
    painter.text(pos2(left, top), Align2::LEFT_TOP, "Keys", look.bold(1.25), look.ink.text);
    let half = (width - 2.0 * unit) / number(columns);
    for (at, line) in TABLE.iter().enumerate() {
        let x = left + if at < rows { 0.0 } else { half };
        let y = top + 2.3 * unit + pitch * number(at % rows);
        let key = painter.layout_no_wrap(line.keys.to_owned(), look.bold(1.0), look.ink.current);
        painter.galley(pos2(x, y), key, look.ink.current);
        let what = short(&painter, line.what, look.plain(), look.ink.text, half - 9.2 * unit);
        painter.galley(pos2(x + 8.7 * unit, y), what, look.ink.text);
    }
}
