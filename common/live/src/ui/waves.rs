//! The timelines: waves in flight, and the lanes that they ran in, one variant above the other.

use std::sync::Arc;

use egui::{Align2, Color32, ColorImage, Rect, Stroke, TextureHandle, TextureOptions, pos2};
use record::trace::{Lanes, Trace};
use record::{Promise, Row, Status};
use report::Lane;
use report::format::significant;
use report::timeline::live::{Columns, Pixels, cautions, percent, said, ticks};

use super::look::Look;
use super::paint::{line, lines, number, put, share, whole};
use super::rows::row;
use super::sweep;
use crate::messages::{Snapshot, Timeline};

/// The timelines. They are redrawn when the traces or the size change.
#[derive(Default)]
pub(super) struct Waves {
    drawn: Option<Drawn>,
}

/// The drawn pictures, and the traces and size that they were drawn for.
struct Drawn {
    traces: Vec<Arc<Trace>>,
    columns: usize,
    rows: usize,
    panels: Vec<Panel>,
}

/// The pictures of one timeline.
struct Panel {
    stacks: TextureHandle,
    map: TextureHandle,
    lanes: usize,
}

/// Axes shared by all timelines, so that they can be compared by eye.
#[derive(Clone, Copy)]
struct Axes {
    range_us: f64,
    top: f64,
}

impl Waves {
    pub(super) fn draw(&mut self, ui: &egui::Ui, look: &Look, inside: Rect, snapshot: &Snapshot) {
        let painter = ui.painter();
        if snapshot.timelines.is_empty() {
            let text = snapshot.untraced.as_ref().map_or_else(String::new, |why| format!("No waves: {why}"));
            let text = lines(painter, &text, look.plain(), look.ink.faint, (inside.width(), 4));
            put(painter, inside.left_center(), Align2::LEFT_CENTER, text);
            return;
        }
        let axis = 1.5 * look.small;
        // Of two that have no room, the shown variant's comes first.
        let room = whole((inside.height() - axis) / (5.0 * look.unit)).clamp(1, snapshot.timelines.len());
        let timelines = &snapshot.timelines[..room];
        let axes = axes(timelines);
        let each = (inside.height() - axis) / number(room);
        let left = inside.left() + 3.4 * look.unit;
        for (at, timeline) in timelines.iter().enumerate() {
            let top = inside.top() + each * number(at);
            let head =
                head(ui, look, Rect::from_min_max(pos2(inside.left(), top), inside.max), snapshot, timeline);
            let area =
                Rect::from_min_max(pos2(left, head), pos2(inside.right(), top + each - 0.4 * look.unit));
            // Where there is no room for both, the lanes give way.
            let part = if area.height() < 4.0 * look.unit { 1.0 } else { 0.55 };
            let (plot, map) = area.split_top_bottom_at_y(area.top() + part * area.height());
            let map = Rect::from_min_max(map.min + egui::vec2(0.0, 0.25 * look.unit), map.max);
            self.renew(ui, timelines, plot, axes);
            let Some(panel) = self.drawn.as_ref().and_then(|drawn| drawn.panels.get(at)) else { continue };
            let word = lane_word(timeline.trace.lanes, snapshot.device.vendor_id);
            let lanes = format!(
                "{} {}",
                panel.lanes,
                if panel.lanes == 1 { word.trim_end_matches('s') } else { word }
            );
            panel.draw(ui, look, [plot, map], axes.top, &lanes);
            sweep::mark(painter, look, area, axes.range_us, snapshot);
        }
        let place =
            Rect::from_min_max(pos2(left, inside.top()), pos2(inside.right(), inside.bottom() - axis));
        time(ui, look, place, axes.range_us);
    }

    /// Redraws the pictures if the traces or the size have changed.
    fn renew(&mut self, ui: &egui::Ui, timelines: &[Timeline], plot: Rect, axes: Axes) {
        let pixels = plot.size() * ui.ctx().pixels_per_point();
        let most = ui.input(|input| input.max_texture_side).max(8);
        let [columns, rows] = [whole(pixels.x).clamp(8, most), whole(pixels.y).clamp(4, 1024)];
        let is_drawn = self.drawn.as_ref().is_some_and(|drawn| {
            let same =
                drawn.traces.iter().zip(timelines).all(|(trace, other)| Arc::ptr_eq(trace, &other.trace));
            same && drawn.traces.len() == timelines.len() && (drawn.columns, drawn.rows) == (columns, rows)
        });
        if is_drawn {
            return;
        }
        let binned = timelines.iter().map(|timeline| Columns::of(&timeline.trace, axes.range_us, columns));
        let binned: Vec<_> = binned.collect();
        let full = binned.iter().map(Columns::fullest).fold(f64::MIN_POSITIVE, f64::max);
        let panels = binned.iter().map(|columns| Panel {
            stacks: texture(ui, columns.stacks(rows, axes.top)),
            map: texture(ui, columns.map(full)),
            lanes: columns.lanes(),
        });
        let traces = timelines.iter().map(|timeline| Arc::clone(&timeline.trace)).collect();
        self.drawn = Some(Drawn { traces, columns, rows, panels: panels.collect() });
    }
}

fn texture(ui: &egui::Ui, pixels: Pixels) -> TextureHandle {
    let image = ColorImage::from_rgba_unmultiplied(pixels.size, &pixels.bytes);
    ui.ctx().load_texture("waves", image, TextureOptions::NEAREST)
}

fn axes(timelines: &[Timeline]) -> Axes {
    let most = |of: fn(&Timeline) -> f64| timelines.iter().map(of).fold(f64::MIN_POSITIVE, f64::max);
    Axes { range_us: most(|t| t.figures.whole.end_us()), top: most(|t| t.figures.whole.peak) }
}

/// Draws the name, and fill and drain as fractions of the span. Returns the bottom edge.
fn head(ui: &egui::Ui, look: &Look, place: Rect, snapshot: &Snapshot, timeline: &Timeline) -> f32 {
    let painter = ui.painter();
    let is_current = timeline.variant == snapshot.current;
    let colour = if is_current { look.ink.current } else { look.ink.rival };
    let name = snapshot.variants.get(timeline.variant).map_or("?", |entry| entry.label.as_str());
    let name = line(painter, name, look.bold(1.0), colour, 0.5 * place.width());
    let name = put(painter, place.min, Align2::LEFT_TOP, name);
    let all = &timeline.figures.whole;
    let part = |us: f64| percent(us / all.span_us());
    let mut text = format!("fill {}, drain {}", part(all.fill_us), part(all.drain_us));
    if !look.presenter {
        let (overlapping, pairs) = timeline.figures.overlapping();
        let [span, idle] = [format!("{} µs", significant(all.span_us())), percent(all.idle)];
        text = format!("{text} of {span} · idle {idle}");
        if pairs > 0 {
            text = format!("{text} · {overlapping} of {pairs} overlap the next");
        }
        if let Some(slower) = slower(snapshot, timeline) {
            text = format!("{text} · traced: {slower} as long");
        }
    }
    let at = pos2(name.right() + look.unit, name.bottom() - 0.12 * look.unit);
    let text = line(painter, &text, look.small(), look.ink.faint, place.right() - at.x);
    let words = put(painter, at, Align2::LEFT_BOTTOM, text);
    let response = ui.interact(words.union(name), ui.id().with(timeline.variant), egui::Sense::hover());
    response.on_hover_ui(|ui| hover(ui, snapshot, timeline));
    name.bottom() + 0.1 * look.unit
}

/// The slowdown by tracing: the traced span over the untraced median, if it is at least 1.1.
fn slower(snapshot: &Snapshot, timeline: &Timeline) -> Option<String> {
    let untraced = row(snapshot, timeline.variant)?.isolated_us.as_ref()?.median;
    let times = timeline.figures.whole.span_us() / untraced;
    (times >= 1.1).then(|| format!("{times:.1} times"))
}

/// Shows all figures of a timeline as the report words them, and its caveats.
fn hover(ui: &mut egui::Ui, snapshot: &Snapshot, timeline: &Timeline) {
    let unmeasured = Row::unmeasured("", Promise::Law, Status::Ok);
    let row = row(snapshot, timeline.variant).unwrap_or(&unmeasured);
    let lane = Lane { row, trace: &timeline.trace, figures: &timeline.figures };
    ui.label(said(&lane));
    for caution in cautions(&lane) {
        ui.label(caution);
    }
}

impl Panel {
    fn draw(&self, ui: &egui::Ui, look: &Look, [plot, map]: [Rect; 2], top: f64, lanes: &str) {
        let painter = ui.painter();
        let all = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        for (area, texture) in [(plot, &self.stacks), (map, &self.map)] {
            if !area.is_positive() {
                continue;
            }
            painter.rect_filled(area, 0.0, look.ink.field.gamma_multiply(0.6));
            painter.image(texture.id(), area, all, Color32::WHITE);
        }
        painter.hline(plot.x_range(), plot.bottom(), Stroke::new(1.0, look.ink.faint));
        let label = |at: egui::Pos2, anchor: Align2, text: &str| {
            painter.text(at, anchor, text, look.small(), look.ink.faint);
        };
        let left = plot.left() - 0.4 * look.unit;
        if plot.height() > look.small {
            label(pos2(left, plot.top()), Align2::RIGHT_TOP, &format!("{top:.0}"));
        }
        if plot.height() > 3.2 * look.small {
            label(pos2(left, plot.bottom()), Align2::RIGHT_BOTTOM, "waves");
        }
        if map.is_positive() {
            label(pos2(left, map.center().y), Align2::RIGHT_CENTER, lanes);
        }
    }
}

/// The vendor's short name for its multiprocessors; "lanes" if the device does not report them.
fn lane_word(lanes: Lanes, vendor: u32) -> &'static str {
    match (lanes, vendor) {
        (Lanes::Packed(_), _) => "lanes",
        (_, 0x10de) => "SMs",
        (_, 0x1002) => "CUs",
        _ => "units",
    }
}

/// Draws the shared time axis below the last timeline.
fn time(ui: &egui::Ui, look: &Look, place: Rect, range_us: f64) {
    let painter = ui.painter();
    let most = if place.width() > 60.0 * look.unit {
        12
    } else if place.width() > 30.0 * look.unit {
        8
    } else {
        4
    };
    for (at, text) in ticks(range_us, most) {
        let x = egui::lerp(place.x_range(), share(at / range_us));
        if x > place.right() - 2.6 * look.unit {
            continue;
        }
        let anchor = if at == 0.0 { Align2::LEFT_TOP } else { Align2::CENTER_TOP };
        painter.text(pos2(x, place.bottom()), anchor, text, look.small(), look.ink.faint);
    }
    painter.text(place.right_bottom(), Align2::RIGHT_TOP, "µs", look.small(), look.ink.faint);
}
