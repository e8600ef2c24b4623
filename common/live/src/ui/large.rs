//! The figures of the shown variant in large letters, for presenter mode.

use egui::{Align2, Painter, Rect, pos2};
use report::format;

use super::look::Look;
use super::paint::{line, lines, put};
use super::rows::{row, said_of, spread, status_colour};
use crate::messages::{Entry, Snapshot};

/// Draws the figures and returns their bottom edge.
pub(super) fn large(painter: &Painter, look: &Look, inside: Rect, snapshot: &Snapshot) -> f32 {
    let ink = &look.ink;
    let (left, mut y) = (inside.left(), inside.top());
    let Some(entry) = snapshot.variants.get(snapshot.current) else { return y };
    let name = line(painter, &entry.label, look.bold(1.3), ink.current, inside.width());
    y = put(painter, pos2(left, y), Align2::LEFT_TOP, name).bottom();
    let row = row(snapshot, snapshot.current);
    let status = row.and_then(|row| Some((said_of(row)?, status_colour(row, look))));
    if let Some((text, colour)) = status {
        let text = lines(painter, &text, look.bold(1.3), colour, (inside.width(), 3));
        return put(painter, pos2(left, y), Align2::LEFT_TOP, text).bottom() + look.unit;
    }
    let time = row.and_then(|row| Some(format::significant(row.isolated_us.as_ref()?.median)));
    let time = painter.layout_no_wrap(time.unwrap_or_else(|| "–".into()), look.bold(3.2), ink.text);
    let time = put(painter, pos2(left, y - 0.4 * look.unit), Align2::LEFT_TOP, time);
    let unit = painter.layout_no_wrap("µs".into(), look.bold(1.4), ink.faint);
    let base = time.bottom() - 0.75 * look.unit;
    let unit = put(painter, pos2(time.right() + 0.4 * look.unit, base), Align2::LEFT_BOTTOM, unit);
    let error = row.and_then(|row| spread(snapshot, row.isolated_us.as_ref()?)).unwrap_or_default();
    let error = painter.layout_no_wrap(error, look.plain(), ink.faint);
    put(painter, pos2(unit.right() + 0.5 * look.unit, base), Align2::LEFT_BOTTOM, error);
    y = time.bottom() - 0.4 * look.unit;
    let (is, ratio): (fn(&Entry) -> bool, _) = match row {
        Some(row) if row.to_baseline.is_some() && !entry.is_baseline => (|e| e.is_baseline, &row.to_baseline),
        Some(row) if !entry.is_bound => (|e| e.is_bound, &row.to_bound),
        _ => (|_| false, &None),
    };
    if let (Some(reference), Some(ratio)) = (snapshot.variants.iter().find(|entry| is(entry)), ratio) {
        let text = format!("{} × {}", format::ratio(ratio), reference.label);
        let text = line(painter, &text, look.bold(1.3), ink.text, inside.width());
        y = put(painter, pos2(left, y), Align2::LEFT_TOP, text).bottom();
    }
    y + 0.8 * look.unit
}
