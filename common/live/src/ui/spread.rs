//! How the samples of the current variant and its rival are distributed.

use egui::{Align2, Color32, Rect, Stroke, Vec2, pos2};
use egui_plot::{Bar, BarChart, Plot, VLine};
use record::Row;
use record::stats::Summary;
use report::timeline::live::ticks;
use report::words;

use super::look::Look;
use super::numbers::row;
use super::paint::{line, put};
use super::strip::plain;
use crate::link::Board;

/// Parts of the range that samples are counted in.
const BINS: usize = 48;

/// Two histograms over the same range.
pub(super) fn draw(ui: &mut egui::Ui, look: &Look, inside: Rect, board: &Board) {
    let who = [(Some(board.current), look.ink.current), (board.other, look.ink.rival)];
    let rows = who.into_iter().filter_map(|(at, colour)| Some((row(board, at?)?, colour)));
    let rows: Vec<_> =
        rows.filter_map(|(row, colour)| Some((row, row.isolated_us.as_ref()?, colour))).collect();
    let title = line(ui.painter(), "Distribution of samples", look.small(), look.ink.faint, inside.width());
    let title = put(ui.painter(), inside.min, Align2::LEFT_TOP, title);
    legend(ui, look, inside, title.right(), &rows);
    let top = title.bottom() + 0.2 * look.unit;
    let place = Rect::from_min_max(pos2(inside.left(), top), inside.max - Vec2::new(0.0, 1.3 * look.small));
    let Some([low, high]) = range(&rows).filter(|_| place.height() > 1.5 * look.unit) else { return };
    let width = (high - low) / bins();
    let counted: Vec<_> = rows.iter().map(|(row, ..)| shares(row, low, width)).collect();
    let highest = counted.iter().flatten().copied().fold(0.0, f64::max);
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(place));
    let plot = plain(Plot::new("spread"), place.size());
    plot.show(&mut child, |plot| {
        plot.set_plot_bounds_x(low..=high);
        plot.set_plot_bounds_y(0.0..=1.05 * highest);
        for (shares, (_, time, colour)) in counted.iter().zip(&rows) {
            plot.bar_chart(chart(shares, low, width, *colour));
            plot.vline(VLine::new("median", time.median).color(*colour).width(2.0).allow_hover(false));
        }
    });
    axis(ui, look, place, [low, high]);
}

fn legend(ui: &egui::Ui, look: &Look, inside: Rect, left: f32, rows: &[(&Row, &Summary, Color32)]) {
    let mut right = inside.right();
    for (row, _, colour) in rows.iter().rev() {
        let room = (right - left - 2.0 * look.unit).max(0.0);
        if room < 3.0 * look.unit {
            break;
        }
        let name = line(ui.painter(), &row.variant, look.small(), *colour, room);
        right = put(ui.painter(), pos2(right, inside.top()), Align2::RIGHT_TOP, name).left() - look.unit;
    }
}

/// The quartiles and three times their distance to both sides: a lone outlier does not press the rest together.
fn range(rows: &[(&Row, &Summary, Color32)]) -> Option<[f64; 2]> {
    let ends = rows.iter().map(|(_, time, _)| {
        let reach = 3.0 * time.iqr;
        [time.min.max(time.q1 - reach), time.max.min(time.q3 + reach)]
    });
    let [low, high] = ends.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])?;
    // All on one step of the clock: a bar in the middle.
    let edge = (0.04 * (high - low)).max(1e-3 * high.abs()).max(1e-9);
    Some([low - edge, high + edge])
}

/// The share of a row's samples in each part of the range.
fn shares(row: &Row, low: f64, width: f64) -> Vec<f64> {
    let mut counts = vec![0.0; BINS];
    let each = 1.0 / row.samples.iter().map(|_| 1.0).sum::<f64>().max(1.0);
    for sample in &row.samples {
        let place = (sample.one_us - low) / width;
        if place >= 0.0 && place < bins() {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below BINS")]
            let bin = place as usize;
            counts[bin.min(BINS - 1)] += each;
        }
    }
    counts
}

fn chart(shares: &[f64], low: f64, width: f64, colour: Color32) -> BarChart {
    let mut middle = low - 0.5 * width;
    let bars = shares.iter().map(|share| {
        middle += width;
        Bar::new(middle, *share).width(width)
    });
    let bars = bars.filter(|bar| bar.value > 0.0);
    let bars = bars.map(|bar| bar.fill(colour.gamma_multiply(0.6)).stroke(Stroke::NONE)).collect();
    BarChart::new("samples", bars).allow_hover(false)
}

/// Round numbers below, from the first that is in the range on.
fn axis(ui: &egui::Ui, look: &Look, place: Rect, [low, high]: [f64; 2]) {
    let painter = ui.painter();
    painter.hline(place.x_range(), place.bottom(), Stroke::new(1.0, look.ink.line));
    let step = ticks(high - low, 4).get(1).map_or(high - low, |tick| tick.0);
    let mut at = (low / step).ceil() * step;
    while at <= high {
        let share = (at - low) / (high - low);
        let x = egui::lerp(place.x_range(), narrow(share));
        let text = painter.layout_no_wrap(words::trimmed(at), look.small(), look.ink.faint);
        let half = 0.5 * text.size().x;
        if x - half >= place.left() && x + half <= place.right() - 2.2 * look.unit {
            put(painter, pos2(x, place.bottom() + 0.1 * look.unit), Align2::CENTER_TOP, text);
        }
        at += step;
    }
    let at = pos2(place.right(), place.bottom() + 0.1 * look.unit);
    painter.text(at, Align2::RIGHT_TOP, "µs", look.small(), look.ink.faint);
}

#[expect(clippy::cast_possible_truncation, reason = "a share")]
fn narrow(share: f64) -> f32 {
    share as f32
}

#[expect(clippy::cast_precision_loss, reason = "a few dozen")]
fn bins() -> f64 {
    BINS as f64
}
