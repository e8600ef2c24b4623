//! The table of variants, with the same wording as the table of `--bench`.

use egui::{Align2, Color32, Painter, Rect, ScrollArea, Sense, Vec2, pos2};
use record::{Metric, Promise, Row, is_limit};
use report::format;

use super::large::large;
use super::look::Look;
use super::matrix;
use super::notices::cautions;
use super::paint::{figure, line, lines, put};
use super::rows::{change, row, said_of, spread, status_colour};
use crate::messages::{Entry, Snapshot};

/// The table. Remembers the row that it has scrolled to, and whether that row had a second line.
#[derive(Default)]
pub(super) struct Numbers {
    seen: Option<(usize, bool)>,
}

/// Horizontal positions of the columns.
struct Columns {
    name: f32,
    /// Right end of the names.
    names: f32,
    /// Decimal points of the times; the columns after it are given by their right edges.
    point: f32,
    error: f32,
    to_baseline: Option<f32>,
    to_bound: Option<f32>,
}

impl Columns {
    fn of(inside: Rect, look: &Look, snapshot: &Snapshot) -> Self {
        let unit = look.unit;
        let mut right = inside.right() - 0.5 * unit;
        let mut take = |wide: f32| {
            let at = right;
            right -= wide * unit;
            at
        };
        let [has_baseline, has_bound] = compared(snapshot);
        let is_narrow = inside.width() < 28.0 * unit;
        let to_bound = (has_bound && !(is_narrow && has_baseline)).then(|| take(4.4));
        let to_baseline = has_baseline.then(|| take(5.4));
        let error = take(if look.presenter { 0.0 } else { 3.8 });
        let point = take(5.2) - 2.1 * unit;
        Self { name: inside.left() + 1.7 * unit, names: right, point, error, to_baseline, to_bound }
    }
}

/// Whether there are ratios to a baseline, and to a bound that is a different variant.
fn compared(snapshot: &Snapshot) -> [bool; 2] {
    let has = |of: fn(&Entry) -> bool| snapshot.variants.iter().any(of);
    let same = snapshot.variants.iter().any(|entry| entry.is_baseline && entry.is_bound);
    [has(|entry| entry.is_baseline), has(|entry| entry.is_bound) && !same]
}

impl Numbers {
    /// Draws the table and returns the variant that was clicked.
    pub(super) fn draw(
        &mut self,
        ui: &mut egui::Ui,
        look: &Look,
        inside: Rect,
        snapshot: &Snapshot,
    ) -> Option<usize> {
        let mut inside = inside;
        inside.min.y = large(ui.painter(), look, inside, snapshot);
        let most = if inside.height() > 14.0 * look.unit { 3 } else { 1 };
        let mut inside = above_cautions(ui, look, (inside, most), snapshot);
        let columns = Columns::of(inside, look, snapshot);
        if inside.height() < 5.0 * look.unit {
            // There is no room for one whole row.
            return None;
        }
        inside.min.y = heads(ui.painter(), look, inside, &columns);
        let has_below = snapshot
            .variants
            .get(snapshot.current)
            .is_some_and(|entry| below(snapshot, snapshot.current, entry, look).is_some());
        let now = Some((snapshot.current, has_below));
        let follow = std::mem::replace(&mut self.seen, now) != now;
        let mut list = ui.new_child(egui::UiBuilder::new().id_salt("rows").max_rect(inside));
        list.set_clip_rect(inside.expand2(Vec2::new(look.unit, 0.0)));
        let area = ScrollArea::vertical().animated(false).auto_shrink(false);
        area.show(&mut list, |ui| rows(ui, look, snapshot, &columns, follow)).inner
    }
}

/// Draws the trials of the shown and of the compared variant, or the matrix if it is not the stage; below them the
/// cautions. Returns the variant that was clicked.
pub(super) fn trials(ui: &egui::Ui, look: &Look, inside: Rect, snapshot: &Snapshot) -> Option<usize> {
    let rows = if look.presenter || inside.height() < 12.0 * look.unit { 1 } else { 4 };
    let inside = above_cautions(ui, look, (inside, rows), snapshot);
    if !snapshot.traces {
        return matrix::draw(ui, look, inside, snapshot);
    }
    large(ui.painter(), look, inside, snapshot);
    None
}

/// Draws the cautions in at most `rows` lines at the bottom, and returns the place above them.
fn above_cautions(
    ui: &egui::Ui,
    look: &Look,
    (mut inside, rows): (Rect, usize),
    snapshot: &Snapshot,
) -> Rect {
    if let Some(text) = cautions(snapshot) {
        let shown = lines(ui.painter(), &text, look.small(), look.ink.rival, (inside.width(), rows));
        let place = put(ui.painter(), inside.left_bottom(), Align2::LEFT_BOTTOM, shown);
        ui.interact(place, ui.id().with("cautions"), Sense::hover()).on_hover_text(text);
        inside.max.y = place.top() - 0.4 * look.unit;
    }
    inside
}

/// Draws the rows; those out of sight are skipped.
fn rows(
    ui: &mut egui::Ui,
    look: &Look,
    snapshot: &Snapshot,
    columns: &Columns,
    follow: bool,
) -> Option<usize> {
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut chosen = None;
    for (at, entry) in snapshot.variants.iter().enumerate() {
        let row = row(snapshot, at);
        let below = below(snapshot, at, entry, look);
        let height = (1.75 * look.unit + if below.is_some() { 1.15 * look.small } else { 0.0 }).round();
        let (place, response) =
            ui.allocate_exact_size(Vec2::new(ui.available_width(), height), Sense::click());
        if follow && at == snapshot.current {
            ui.scroll_to_rect(place, Some(egui::Align::Center));
        }
        if !ui.is_rect_visible(place) {
            continue;
        }
        let line = Line { at, entry, row, below, place, snapshot };
        line.draw(ui.painter(), look, columns, response.hovered());
        if response.clicked() {
            chosen = Some(at);
        }
        response.on_hover_ui(|ui| hover(ui, entry, row));
    }
    chosen
}

/// The line below a row's time: what its kernels tell beside it, what a reload has changed, its correctness class, its
/// wrong results, and whether it is the usual way or the fastest possible.
fn below(snapshot: &Snapshot, at: usize, entry: &Entry, look: &Look) -> Option<(String, Color32)> {
    let row = row(snapshot, at);
    let racy = row.and_then(|row| row.racy).filter(|racy| racy.racy_samples > 0);
    // In presenter mode there is no room for the status next to the name.
    let status = row.filter(|_| look.presenter).and_then(said_of);
    let colour = match row {
        Some(row) if status.is_some() => status_colour(row, look),
        _ if racy.is_some() => look.ink.racy,
        _ => look.ink.faint,
    };
    let metric = row.and_then(|row| row.metric.as_ref());
    let metric =
        metric.map(|Metric { unit, figure }| format!("{} {unit}", format::significant(figure.median)));
    let mut parts: Vec<_> = status.into_iter().chain(metric).chain(change(snapshot, at)).collect();
    parts.extend(promised(&entry.promise).map(str::to_owned));
    match (racy, row.and_then(|row| row.racy)) {
        (Some(racy), _) => parts.push(format!("wrong pixels: {}", format::racy(racy))),
        (None, Some(racy)) if !entry.promise.must_be_right() => parts.push(format::racy(racy)),
        _ => {}
    }
    if entry.is_baseline {
        parts.push("usual way".to_owned());
    }
    if entry.is_bound {
        parts.push("fastest possible".to_owned());
    }
    (!parts.is_empty()).then(|| (parts.join(" · "), colour))
}

/// The wording of the correctness class; none for a variant that is correct by the specification.
pub(super) fn promised(promise: &Promise) -> Option<&'static str> {
    match promise {
        Promise::Law => None,
        Promise::Hardware { .. } => Some("correct on this GPU only"),
        Promise::Nothing { .. } => Some("wrong on purpose"),
        Promise::Fault { .. } => Some("seeded bug"),
        Promise::OtherApi { .. } => Some("by another API"),
    }
}

fn heads(painter: &Painter, look: &Look, inside: Rect, columns: &Columns) -> f32 {
    let y = inside.top();
    let text = |x: f32, anchor: Align2, text: &str| {
        painter.text(pos2(x, y), anchor, text, look.small(), look.ink.faint);
    };
    text(columns.name, Align2::LEFT_TOP, "Variant");
    text(columns.point + 2.1 * look.unit, Align2::RIGHT_TOP, "alone, µs");
    if let Some(x) = columns.to_baseline {
        text(x, Align2::RIGHT_TOP, "× usual");
    }
    if let Some(x) = columns.to_bound {
        text(x, Align2::RIGHT_TOP, "× fastest");
    }
    let bottom = (y + 1.55 * look.small).round();
    painter.hline(inside.x_range(), bottom, egui::Stroke::new(1.0, look.ink.line));
    bottom + 2.0
}

/// A row to be drawn.
struct Line<'b> {
    at: usize,
    entry: &'b Entry,
    row: Option<&'b Row>,
    below: Option<(String, Color32)>,
    place: Rect,
    snapshot: &'b Snapshot,
}

impl Line<'_> {
    fn draw(&self, painter: &Painter, look: &Look, columns: &Columns, hovered: bool) {
        let ink = &look.ink;
        let is_current = self.at == self.snapshot.current;
        let is_rival = self.snapshot.other == Some(self.at);
        let mark = if is_current {
            Some(ink.current)
        } else if is_rival {
            Some(ink.rival)
        } else {
            None
        };
        if is_current || hovered {
            painter.rect_filled(self.place, look.radius(), ink.field);
        }
        if let Some(colour) = mark {
            let (bar, _) = self.place.split_left_right_at_x(self.place.left() + 0.25 * look.unit);
            painter.rect_filled(bar.shrink2(Vec2::new(0.0, 1.0)), 1.0, colour);
        }
        let y = (self.place.top() + 0.18 * look.unit).round();
        let key = key_of(self.snapshot, self.at).map_or_else(String::new, |key| key.to_string());
        painter.text(
            pos2(columns.name - 0.5 * look.unit, y),
            Align2::RIGHT_TOP,
            key,
            look.plain(),
            ink.faint,
        );
        let font = if is_current { look.bold(1.0) } else { look.plain() };
        let status = self.row.filter(|row| said_of(row).is_some());
        let colour = mark.unwrap_or(ink.text);
        let room = columns.names - columns.name - 0.3 * look.unit;
        let room = if status.is_some() { room.min(11.0 * look.unit) } else { room };
        let name = line(painter, &self.entry.label, font, colour, room);
        let name = put(painter, pos2(columns.name, y), Align2::LEFT_TOP, name);
        match status {
            Some(_) if look.presenter => {}
            Some(row) => self.status(painter, look, row, name.right() + look.unit, y),
            None => self.figures(painter, look, columns, y),
        }
        if let Some((text, colour)) = &self.below {
            let text = line(painter, text, look.small(), *colour, self.place.right() - columns.name);
            put(painter, pos2(columns.name, y + 1.35 * look.unit), Align2::LEFT_TOP, text);
        }
    }

    /// Draws the status of a row that has no figures.
    fn status(&self, painter: &Painter, look: &Look, row: &Row, x: f32, y: f32) {
        let text = said_of(row).unwrap_or_default();
        let text = line(painter, &text, look.plain(), status_colour(row, look), self.place.right() - x);
        put(painter, pos2(x, y), Align2::LEFT_TOP, text);
    }

    fn figures(&self, painter: &Painter, look: &Look, columns: &Columns, y: f32) {
        let ink = &look.ink;
        let Some((row, time)) = self.row.and_then(|row| Some((row, row.isolated_us.as_ref()?))) else {
            painter.text(pos2(columns.point, y), Align2::CENTER_TOP, "–", look.plain(), ink.faint);
            return;
        };
        let font = if self.at == self.snapshot.current { look.bold(1.0) } else { look.plain() };
        figure(painter, pos2(columns.point, y), &format::significant(time.median), &font, ink.text);
        let small = y + look.unit - look.small;
        if let Some(error) = spread(self.snapshot, time).filter(|_| !look.presenter) {
            painter.text(pos2(columns.error, small), Align2::RIGHT_TOP, error, look.small(), ink.faint);
        }
        let ratios = [(columns.to_baseline, &row.to_baseline), (columns.to_bound, &row.to_bound)];
        for (x, ratio) in ratios {
            if let (Some(x), Some(ratio)) = (x, ratio) {
                painter.text(pos2(x, y), Align2::RIGHT_TOP, format::ratio(ratio), font.clone(), ink.text);
            }
        }
    }
}

/// Number of variants that have a key. Only the sample's own variants have one, not the device limits.
const KEYS: usize = 9;

/// The number key of a variant.
fn key_of(snapshot: &Snapshot, at: usize) -> Option<usize> {
    (1..=KEYS).find(|key| with_key(snapshot, *key) == Some(at))
}

/// The variant of a number key.
pub(super) fn with_key(snapshot: &Snapshot, key: usize) -> Option<usize> {
    let own = snapshot.variants.iter().enumerate().filter(|(_, entry)| !is_limit(&entry.name));
    own.map(|(at, _)| at).nth(key.checked_sub(1)?)
}

/// Details that have no room in the table.
fn hover(ui: &mut egui::Ui, entry: &Entry, row: Option<&Row>) {
    ui.label(&entry.caption);
    let Some(row) = row else { return };
    if let Some(reason) = row.status.reason().filter(|_| !row.is_pending()) {
        ui.label(format!("{}: {reason}", row.status.word()));
    }
    if let Some(interval) = row.isolated_us.as_ref().and_then(|time| time.median_95) {
        let [low, high] = [interval.low, interval.high].map(format::significant);
        let samples = row.samples.len();
        ui.label(format!("median between {low} and {high} µs with 95 %, of {samples} samples"));
    }
    if let Some(pipelined) = &row.pipelined_us {
        ui.label(format!("back to back {} µs", format::significant(pipelined.median)));
    }
    for (to, ratio) in [("usual way", &row.to_baseline), ("fastest possible", &row.to_bound)] {
        if let Some(ratio) = ratio {
            ui.label(format!("against the {to}: {}", format::ratio_in_words(ratio)));
        }
    }
}
