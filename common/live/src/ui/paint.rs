//! Helpers that draw panels and text.

use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Color32, FontId, Galley, Painter, Pos2, Rect, UiBuilder, Vec2};
use std::sync::Arc;

use super::look::Look;

/// Draws a panel and its contents.
pub(super) fn panel<R>(
    root: &mut egui::Ui,
    look: &Look,
    place: Rect,
    name: &str,
    draw: impl FnOnce(&mut egui::Ui, Rect) -> R,
) -> R {
    root.painter().rect_filled(place, 0.0, look.ink.panel);
    let inside = place.shrink2(Vec2::new(look.pad(), 0.6 * look.pad()));
    let mut ui = root.new_child(UiBuilder::new().id_salt(name).max_rect(inside));
    ui.set_clip_rect(place);
    draw(&mut ui, inside)
}

/// Lays out one line of text, cut off at `width`.
pub(super) fn line(painter: &Painter, text: &str, font: FontId, colour: Color32, width: f32) -> Arc<Galley> {
    let mut job = LayoutJob::single_section(text.to_owned(), TextFormat::simple(font, colour));
    job.wrap.max_width = width.max(1.0);
    job.wrap.max_rows = 1;
    job.wrap.break_anywhere = true;
    painter.layout_job(job)
}

/// Lays out text in at most `rows` lines of `width` points.
pub(super) fn lines(
    painter: &Painter,
    text: &str,
    font: FontId,
    colour: Color32,
    (width, rows): (f32, usize),
) -> Arc<Galley> {
    let mut job = LayoutJob::single_section(text.to_owned(), TextFormat::simple(font, colour));
    job.wrap.max_width = width.max(1.0);
    job.wrap.max_rows = rows;
    painter.layout_job(job)
}

/// Draws text with its `anchor` at `at`, and returns where it is.
pub(super) fn put(painter: &Painter, at: Pos2, anchor: Align2, galley: Arc<Galley>) -> Rect {
    let rect = anchor.anchor_size(at, galley.size());
    painter.galley(rect.min, galley, Color32::PLACEHOLDER);
    rect
}

/// A count as a coordinate in points.
#[expect(clippy::cast_precision_loss, reason = "what has room in a window")]
pub(super) fn number(count: usize) -> f32 {
    count as f32
}

/// A fraction as a coordinate.
#[expect(clippy::cast_possible_truncation, reason = "a share")]
pub(super) fn share(share: f64) -> f32 {
    share as f32
}

/// Rounds down to a whole number; negative values give 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative")]
pub(super) fn whole(points: f32) -> usize {
    points.max(0.0) as usize
}

/// Draws a number with its decimal point at `at`, so that numbers in a column are aligned.
pub(super) fn figure(painter: &Painter, at: Pos2, text: &str, font: &FontId, colour: Color32) {
    let (whole, rest) = text.find('.').map_or((text, ""), |point| text.split_at(point));
    painter.text(at, Align2::RIGHT_TOP, whole, font.clone(), colour);
    if !rest.is_empty() {
        painter.text(at, Align2::LEFT_TOP, rest, font.clone(), colour);
    }
}
