//! Computes where the panels are.

use egui::Rect;

use super::look::Look;

/// What has to be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Only the picture, without panels.
    pub hidden: bool,
    pub knobs: bool,
    /// Number of timelines. If there are none, `untraced` asks for room for the reason.
    pub timelines: usize,
    pub untraced: bool,
}

/// The panels around the picture, in drawing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Panel {
    Head,
    Numbers,
    Strip,
    Spread,
    Waves,
    Caption,
    Knobs,
}

impl Panel {
    /// Whether the panel has figures or clocks, which differ between runs.
    pub(super) fn has_figures(self) -> bool {
        !matches!(self, Self::Caption | Self::Knobs)
    }
}

/// The place of the picture, and those of the panels that fit.
pub(super) fn places(window: Rect, look: &Look, wanted: Wanted) -> (Rect, Vec<(Panel, Rect)>) {
    if wanted.hidden {
        return (window, Vec::new());
    }
    let (unit, gap) = (look.unit, look.gap());
    let mut rest = Rest { left: window, gap };
    let head = (window.height() >= 30.0 * unit).then(|| rest.take(Side::Top, 2.1 * unit));
    let caption = rest.take(Side::Bottom, if look.presenter { 5.4 } else { 3.7 } * unit);
    let side = (36.0 * unit).clamp(0.36 * window.width(), 0.42 * window.width()).min(37.0 * unit).round();
    // If the window is too narrow for columns at the side, they go below the picture.
    let is_narrow = side < if look.presenter { 19.0 } else { 26.0 } * unit;
    let below = 0.5 * rest.left.height();
    let right = if is_narrow { rest.take(Side::Bottom, below) } else { rest.take(Side::Right, side) };
    let height = right.height();
    let mut right = Rest { left: right, gap };
    let spread = (height >= 27.0 * unit).then(|| right.take(Side::Bottom, (0.24 * height).min(14.0 * unit)));
    let has_strip = height >= 15.0 * unit && !look.presenter;
    let strip = has_strip.then(|| right.take(Side::Bottom, (0.18 * height).clamp(5.0 * unit, 11.0 * unit)));
    let has_knobs = wanted.knobs && !look.presenter && rest.left.width() >= 42.0 * unit;
    let knobs = has_knobs.then(|| rest.take(Side::Left, 15.0 * unit));
    let waves = waves(wanted, unit, rest.left.height()).map(|height| rest.take(Side::Bottom, height));
    let all = [
        (Panel::Head, head),
        (Panel::Numbers, Some(right.left)),
        (Panel::Strip, strip),
        (Panel::Spread, spread),
        (Panel::Waves, waves),
        (Panel::Caption, Some(caption)),
        (Panel::Knobs, knobs),
    ];
    (rest.left, all.into_iter().filter_map(|(panel, place)| Some((panel, place?))).collect())
}

/// Height of the timelines: at most half of `height`.
fn waves(wanted: Wanted, unit: f32, height: f32) -> Option<f32> {
    let most = 0.5 * height;
    match wanted.timelines {
        0 => (wanted.untraced && most > 4.0 * unit).then_some(3.0 * unit),
        1 => (most > 7.0 * unit).then(|| (13.0 * unit).min(most)),
        _ => (most > 11.0 * unit).then(|| (21.0 * unit).min(most)),
    }
}

#[derive(Clone, Copy)]
enum Side {
    Top,
    Bottom,
    Left,
    Right,
}

/// The part of the window that is still free.
struct Rest {
    left: Rect,
    gap: f32,
}

impl Rest {
    /// Cuts whole points off at one side and leaves a gap.
    fn take(&mut self, side: Side, points: f32) -> Rect {
        let (mut given, points) = (self.left, points.round());
        let rest = &mut self.left;
        match side {
            Side::Top => {
                given.max.y = rest.min.y + points;
                rest.min.y = given.max.y + self.gap;
            }
            Side::Bottom => {
                given.min.y = rest.max.y - points;
                rest.max.y = given.min.y - self.gap;
            }
            Side::Left => {
                given.max.x = rest.min.x + points;
                rest.min.x = given.max.x + self.gap;
            }
            Side::Right => {
                given.min.x = rest.max.x - points;
                rest.max.x = given.min.x - self.gap;
            }
        }
        given
    }
}
