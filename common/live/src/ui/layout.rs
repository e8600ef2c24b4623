//! Computes where the panels are.

use egui::{Rect, Vec2};

use super::look::Look;
use super::paint::share;

/// What has to be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Only the picture, without panels.
    pub hidden: bool,
    pub knobs: bool,
    /// The waves are the stage, and the picture a thumbnail.
    pub waves: bool,
    /// Columns and rows of the picture; `None` where there will be none.
    pub whole: Option<[u32; 2]>,
}

/// Where everything is.
pub(super) struct Places {
    /// The largest part of the window: the picture, or the waves.
    pub stage: Rect,
    /// The picture; without area where a thumbnail has no room.
    pub picture: Rect,
    /// The panels that fit, in drawing order.
    pub panels: Vec<(Panel, Rect)>,
}

/// The panels around the stage, in drawing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Panel {
    Head,
    Numbers,
    Strip,
    Spread,
    Waves,
    Result,
    Caption,
    Knobs,
}

impl Panel {
    /// Whether the panel has figures or clocks, which differ between runs.
    pub(super) fn has_figures(self) -> bool {
        !matches!(self, Self::Result | Self::Caption | Self::Knobs)
    }
}

/// Places the stage, and around it the panels that fit.
pub(super) fn places(window: Rect, look: &Look, wanted: Wanted) -> Places {
    if wanted.hidden {
        return staged(window, None, wanted);
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
    let quarter = 0.25 * rest.left.height();
    // Below six lines there is room for the count alone.
    let has_room = quarter >= 6.0 * unit && wanted.whole.is_some();
    let result = if has_room { quarter } else { 2.4 * unit };
    let result = wanted.waves.then(|| rest.take(Side::Bottom, result));
    let all = [
        (Panel::Head, head),
        (Panel::Numbers, Some(right.left)),
        (Panel::Strip, strip),
        (Panel::Spread, spread),
        (Panel::Result, result),
        (Panel::Caption, Some(caption)),
        (Panel::Knobs, knobs),
    ];
    let mut places = staged(
        rest.left,
        result.zip(wanted.whole).map(|(result, whole)| thumbnail(result, look, whole)),
        wanted,
    );
    places.panels.extend(all.into_iter().filter_map(|(panel, place)| Some((panel, place?))));
    places
}

/// The stage with the waves and the thumbnail elsewhere, or with the picture.
fn staged(stage: Rect, thumbnail: Option<Rect>, wanted: Wanted) -> Places {
    let none = Rect::from_min_size(stage.min, Vec2::ZERO);
    let picture = if wanted.waves { thumbnail.unwrap_or(none) } else { stage };
    let panels = if wanted.waves { vec![(Panel::Waves, stage)] } else { Vec::new() };
    Places { stage, picture, panels }
}

/// The thumbnail at the left of the result's panel, in the proportions of the picture.
pub(super) fn thumbnail(panel: Rect, look: &Look, whole: [u32; 2]) -> Rect {
    let inside = panel.shrink(0.5 * look.pad());
    let height = if panel.height() < 5.0 * look.unit { 0.0 } else { inside.height() };
    let [columns, rows] = whole.map(|side| f64::from(side.max(1)));
    let width = (height * share(columns / rows)).min(0.5 * inside.width()).round();
    Rect::from_min_size(inside.min, Vec2::new(width, height))
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
