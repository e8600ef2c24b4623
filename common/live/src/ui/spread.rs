//! Histograms of the samples of the shown and the compared variant.

use egui::{Align2, Color32, Rect, Stroke, Vec2, pos2};
use record::Row;
use record::stats::Summary;
use report::format;
use report::timeline::live::ticks;

use super::look::Look;
use super::paint::{line, put, share, whole};
use super::rows::row;
use crate::messages::Snapshot;

/// Number of histogram bins.
const BINS: u32 = 48;

/// Draws two histograms over the same range.
pub(super) fn draw(ui: &mut egui::Ui, look: &Look, inside: Rect, snapshot: &Snapshot) {
    let who = [(Some(snapshot.current), look.ink.current), (snapshot.other, look.ink.rival)];
    let rows = who.into_iter().filter_map(|(at, colour)| Some((row(snapshot, at?)?, colour)));
    let rows: Vec<_> =
        rows.filter_map(|(row, colour)| Some((row, row.isolated_us.as_ref()?, colour))).collect();
    let title = line(ui.painter(), "Distribution of samples", look.small(), look.ink.faint, inside.width());
    let title = put(ui.painter(), inside.min, Align2::LEFT_TOP, title);
    legend(ui, look, inside, title.right(), &rows);
    let top = title.bottom() + 0.2 * look.unit;
    let place = Rect::from_min_max(pos2(inside.left(), top), inside.max - Vec2::new(0.0, 1.3 * look.small));
    let Some([low, high]) = range(&rows).filter(|_| place.height() > 1.5 * look.unit) else { return };
    let width = (high - low) / f64::from(BINS);
    let counted: Vec<_> = rows.iter().map(|(row, ..)| shares(row, low, width)).collect();
    let highest = counted.iter().flatten().copied().fold(0.0, f64::max);
    let x_of = |us: f64| egui::lerp(place.x_range(), share((us - low) / (high - low)));
    for (shares, (_, time, colour)) in counted.iter().zip(&rows) {
        let mut left = low;
        for part in shares {
            let top = place.bottom() - place.height() * share(part / (1.05 * highest));
            let bar = Rect::from_min_max(pos2(x_of(left), top), pos2(x_of(left + width), place.bottom()));
            ui.painter().rect_filled(bar, 0.0, colour.gamma_multiply(0.6));
            left += width;
        }
        ui.painter().vline(x_of(time.median), place.y_range(), Stroke::new(2.0, *colour));
    }
    axis(ui, look, place, [low, high]);
}

fn legend(ui: &egui::Ui, look: &Look, inside: Rect, left: f32, rows: &[(&Row, &Summary, Color32)]) {
    let mut right = inside.right();
    for (row, _, colour) in rows.iter().rev() {
        let room = (right - left - 2.0 * look.unit).max(0.0);
        if room < 3.0 * look.unit {
            break;
        }
        let name = line(ui.painter(), row.label(), look.small(), *colour, room);
        right = put(ui.painter(), pos2(right, inside.top()), Align2::RIGHT_TOP, name).left() - look.unit;
    }
}

/// The range of the histograms: three interquartile ranges beyond the quartiles. A single outlier does not squeeze
/// the rest together.
fn range(rows: &[(&Row, &Summary, Color32)]) -> Option<[f64; 2]> {
    let ends = rows.iter().map(|(_, time, _)| {
        let reach = 3.0 * time.iqr;
        [time.min.max(time.q1 - reach), time.max.min(time.q3 + reach)]
    });
    let [low, high] = ends.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])?;
    // All samples may be the same step of the clock; then they show as a bar in the middle.
    let edge = (0.04 * (high - low)).max(1e-3 * high.abs()).max(1e-9);
    Some([low - edge, high + edge])
}

/// The fraction of a row's samples in each bin.
fn shares(row: &Row, low: f64, width: f64) -> Vec<f64> {
    let mut counts = vec![0.0; BINS as usize];
    let each = 1.0 / row.samples.iter().map(|_| 1.0).sum::<f64>().max(1.0);
    for sample in &row.samples {
        let bin = (sample.one_us - low) / width;
        if let Some(count) = counts.get_mut(whole(share(bin))).filter(|_| bin >= 0.0) {
            *count += each;
        }
    }
    counts
}

/// Draws the axis, with round numbers from the first one in the range.
fn axis(ui: &egui::Ui, look: &Look, place: Rect, [low, high]: [f64; 2]) {
    let painter = ui.painter();
    painter.hline(place.x_range(), place.bottom(), Stroke::new(1.0, look.ink.line));
    let step = ticks(high - low, 4).get(1).map_or(high - low, |tick| tick.0);
    let mut at = (low / step).ceil() * step;
    while at <= high {
        let x = egui::lerp(place.x_range(), share((at - low) / (high - low)));
        let text = painter.layout_no_wrap(format::trimmed(at), look.small(), look.ink.faint);
        let half = 0.5 * text.size().x;
        if x - half >= place.left() && x + half <= place.right() - 2.2 * look.unit {
            put(painter, pos2(x, place.bottom() + 0.1 * look.unit), Align2::CENTER_TOP, text);
        }
        at += step;
    }
    let at = pos2(place.right(), place.bottom() + 0.1 * look.unit);
    painter.text(at, Align2::RIGHT_TOP, "µs", look.small(), look.ink.faint);
}
