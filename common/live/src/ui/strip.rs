//! The last frames, one bar each.

use egui::{Align2, Rect, Vec2, pos2};
use egui_plot::{Bar, BarChart, HLine, Plot};
use record::Promise;
use report::words;

use super::look::Look;
use super::numbers::row;
use super::paint::{line, put};
use crate::link::{Board, Frame};

/// Frames that took so many times the usual are cut.
const CLIPPED: f64 = 4.0;

/// Time over frames, the newest at the right; those that raced or were wrong stand out.
pub(super) fn draw(ui: &mut egui::Ui, look: &Look, inside: Rect, board: &Board) {
    let (most, width) = room(ui, inside.width());
    let frames = &board.frames[board.frames.len().saturating_sub(most)..];
    let mut times: Vec<f64> = frames.iter().filter_map(|frame| frame.us).collect();
    times.sort_unstable_by(f64::total_cmp);
    let highest = times.last().copied().unwrap_or(0.0);
    // One frame that was held up must not press all others flat.
    let usual = CLIPPED * times.get(times.len() / 2).copied().unwrap_or(0.0);
    let top_us = highest.min(usual);
    let top = title(ui, look, inside, board, frames);
    let place = Rect::from_min_max(pos2(inside.right() - width, top), inside.max);
    if highest <= 0.0 || place.height() < look.unit {
        return;
    }
    let first = most - frames.len();
    let bars = (first..).zip(frames).map(|(at, frame)| {
        let colour = if frame.wrong > 0 && may_race(board, frame) {
            look.ink.racy
        } else if frame.wrong > 0 {
            look.ink.wrong
        } else if frame.variant == board.current {
            look.ink.current
        } else if Some(frame.variant) == board.other {
            look.ink.rival
        } else {
            look.ink.other
        };
        // A frame without a time is as high as the others are, so that it is seen.
        let height = frame.us.unwrap_or(top_us).min(1.08 * top_us);
        Bar::new(place_of(at), height).width(0.75).fill(colour).stroke(egui::Stroke::NONE)
    });
    let chart = BarChart::new("frames", bars.collect()).allow_hover(false);
    let median = row(board, board.current).and_then(|row| row.isolated_us.as_ref()).map(|time| time.median);
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(place));
    let plot = plain(Plot::new("strip"), place.size())
        .default_x_bounds(-0.5, place_of(most) - 0.5)
        .default_y_bounds(0.0, 1.08 * top_us);
    let ink = look.ink;
    plot.show(&mut child, |plot| {
        // A plot keeps what it began with, and windows change.
        plot.set_plot_bounds_x(-0.5..=place_of(most) - 0.5);
        plot.set_plot_bounds_y(0.0..=1.08 * top_us);
        plot.bar_chart(chart);
        if let Some(median) = median {
            plot.hline(HLine::new("median", median).color(ink.text).width(1.0).allow_hover(false));
        }
    });
    let text = line(
        ui.painter(),
        &if highest > usual {
            format!("to {} µs, one {}", words::significant(top_us), words::significant(highest))
        } else {
            format!("{} µs", words::significant(highest))
        },
        look.small(),
        look.ink.faint,
        200.0,
    );
    put(ui.painter(), pos2(inside.right(), inside.top()), Align2::RIGHT_TOP, text);
}

/// Frames that there is room for, each of four whole pixels, and how wide all of them are.
fn room(ui: &egui::Ui, width: f32) -> (usize, f32) {
    let pixel = 1.0 / ui.ctx().pixels_per_point();
    let mut most = 0;
    let mut wide = 0.0;
    while wide + 4.0 * pixel <= width {
        (most, wide) = (most + 1, wide + 4.0 * pixel);
    }
    (most, wide)
}

/// What differs from the twin is no fault of a variant that promises nothing else.
fn may_race(board: &Board, frame: &Frame) -> bool {
    board.variants.get(frame.variant).is_some_and(|entry| entry.promise != Promise::Law)
}

fn title(ui: &egui::Ui, look: &Look, inside: Rect, board: &Board, frames: &[Frame]) -> f32 {
    let (racy, wrong): (Vec<&Frame>, Vec<&Frame>) =
        frames.iter().filter(|frame| frame.wrong > 0).partition(|frame| may_race(board, frame));
    let told = match (racy.len(), wrong.len()) {
        (0, 0) => None,
        (racy, 0) => Some((format!("{racy} of {} racy", frames.len()), look.ink.racy)),
        (_, wrong) => Some((format!("{wrong} of {} wrong", frames.len()), look.ink.wrong)),
    };
    let title = line(ui.painter(), "Last frames", look.small(), look.ink.faint, inside.width());
    let title = put(ui.painter(), inside.min, Align2::LEFT_TOP, title);
    if let Some((text, ink)) = told {
        let text = line(ui.painter(), &text, look.small(), ink, 0.4 * inside.width());
        put(ui.painter(), title.right_top() + Vec2::new(look.unit, 0.0), Align2::LEFT_TOP, text);
    }
    title.bottom() + 0.2 * look.unit
}

/// A plot that only shows.
pub(super) fn plain(plot: Plot<'_>, size: Vec2) -> Plot<'_> {
    plot.width(size.x)
        .height(size.y)
        .show_axes(false)
        .show_grid(false)
        .show_background(false)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .show_x(false)
        .show_y(false)
        .set_margin_fraction(Vec2::ZERO)
        .auto_bounds(false)
        .sense(egui::Sense::hover())
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred")]
fn place_of(at: usize) -> f64 {
    at as f64
}
