//! The title line at the top and the caption of the shown variant.

use egui::{Align2, Color32, Rect, pos2};

use super::StepText;
use super::look::Look;
use super::paint::{line, lines, put};
use crate::messages::{Snapshot, State};

/// Draws the title line: sample, device, what the engine does, and for how long.
pub(super) fn head(ui: &egui::Ui, look: &Look, inside: Rect, snapshot: &Snapshot) {
    let painter = ui.painter();
    let (middle, ink) = (inside.center().y, &look.ink);
    let (state, colour) = state(snapshot, look);
    let state = painter.layout_no_wrap(state, look.bold(1.0), colour);
    let state = put(painter, pos2(inside.right(), middle), Align2::RIGHT_CENTER, state);
    let room = state.left() - inside.left() - look.unit;
    let name = line(painter, snapshot.sample, look.bold(1.2), ink.text, room);
    let name = put(painter, pos2(inside.left(), middle), Align2::LEFT_CENTER, name);
    let room = state.left() - name.right() - 2.0 * look.unit;
    let counts = line(painter, &counts(snapshot), look.small(), ink.faint, room);
    let counts = put(painter, pos2(state.left() - look.unit, middle), Align2::RIGHT_CENTER, counts);
    let room = counts.left() - name.right() - 2.0 * look.unit;
    if room > 6.0 * look.unit {
        let device = line(painter, &device(snapshot), look.small(), ink.faint, room);
        put(painter, pos2(name.right() + look.unit, middle), Align2::LEFT_CENTER, device);
    }
}

fn device(snapshot: &Snapshot) -> String {
    let device = &snapshot.device;
    format!("{}, {} {}", device.name, device.driver_name, device.driver_info)
}

fn counts(snapshot: &Snapshot) -> String {
    let figures = &snapshot.figures;
    let rounds = if figures.rounds == 1 { "round" } else { "rounds" };
    let reloads = match snapshot.reloads {
        0 => String::new(),
        1 => " · 1 reload".into(),
        n => format!(" · {n} reloads"),
    };
    let seconds = figures.measured.as_secs_f64();
    format!("frame {} · {} {rounds} · {seconds:.1} s measured{reloads}", snapshot.frame, figures.rounds)
}

fn state(snapshot: &Snapshot, look: &Look) -> (String, Color32) {
    match &snapshot.state {
        State::Building(_) => ("building…".into(), look.ink.rival),
        State::Running => (snapshot.recorded.as_deref().unwrap_or("running").into(), look.ink.right),
        State::Paused => ("paused".into(), look.ink.rival),
        State::Failed(_) => ("failed".into(), look.ink.wrong),
    }
}

/// Draws the caption of the shown variant and the sample's source.
pub(super) fn draw(
    ui: &egui::Ui,
    look: &Look,
    inside: Rect,
    snapshot: &Snapshot,
    (demo, step): (bool, Option<&StepText>),
) {
    let painter = ui.painter();
    let ink = &look.ink;
    let source = snapshot.source.as_deref().map(|source| format!("Source: {source}")).unwrap_or_default();
    let keys = match step {
        Some(step) => step.place.clone(),
        None => if demo { "demo · arrows end it" } else { "? keys" }.to_owned(),
    };
    let keys = painter.layout_no_wrap(keys, look.small(), ink.faint);
    let keys = put(painter, inside.right_bottom(), Align2::RIGHT_BOTTOM, keys);
    let room = keys.left() - inside.left() - look.unit;
    let source = line(painter, &source, look.small(), ink.faint, room);
    let below = put(painter, inside.left_bottom(), Align2::LEFT_BOTTOM, source).top();
    let room = if below - inside.top() > 2.6 * look.unit { 2 } else { 1 };
    if let Some(step) = step.filter(|step| !step.caption.is_empty()) {
        let text = lines(painter, &step.caption, look.bold(1.2), ink.text, (inside.width(), room));
        put(painter, inside.left_top(), Align2::LEFT_TOP, text);
        return;
    }
    let Some(entry) = snapshot.variants.get(snapshot.current) else { return };
    let name = line(painter, &entry.label, look.bold(1.2), ink.current, 0.4 * inside.width());
    let indent = name.size().x + look.unit;
    let top = inside.top();
    let baseline = name.rows.first().map_or(0.0, |row| row.rect().bottom());
    put(painter, pos2(inside.left(), top), Align2::LEFT_TOP, name);
    let room = (inside.width() - indent, room);
    let size = egui::FontId::proportional((1.12 * look.unit).round());
    let sentence = lines(painter, &entry.caption, size, ink.text, room);
    let first = sentence.rows.first().map_or(0.0, |row| row.rect().bottom());
    put(painter, pos2(inside.left() + indent, top + baseline - first), Align2::LEFT_TOP, sentence);
}
