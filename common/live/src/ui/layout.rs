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
    /// The sample has a matrix, which takes the place of the numbers or of the waves.
    pub matrix: bool,
    /// The waves or the matrix are the stage, and the picture is a thumbnail.
    pub thumbnail: bool,
    /// Columns and rows of the picture; `None` where there will be none.
    pub whole: Option<[u32; 2]>,
}

/// Where everything is.
pub(super) struct Places {
    /// The largest part of the window: the picture, the waves or the matrix.
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
    Matrix,
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
    let unit = look.unit;
    let mut rest = Rest { left: window, gap: look.gap() };
    let head = (window.height() >= 30.0 * unit).then(|| rest.take(Side::Top, 2.1 * unit));
    let caption = rest.take(Side::Bottom, if look.presenter { 5.4 } else { 3.7 } * unit);
    let figures = if wanted.matrix && wanted.thumbnail {
        beside_matrix(&mut rest, look, wanted.whole.is_some())
    } else {
        beside(&mut rest, look, wanted.matrix)
    };
    let has_knobs = wanted.knobs && !look.presenter && rest.left.width() >= 42.0 * unit;
    let knobs = has_knobs.then(|| rest.take(Side::Left, 15.0 * unit));
    let quarter = 0.25 * rest.left.height();
    // Below six lines there is room for the count alone.
    let has_room = quarter >= 6.0 * unit && wanted.whole.is_some();
    let result = if has_room { quarter } else { 2.4 * unit };
    let result = (wanted.thumbnail && !wanted.matrix).then(|| rest.take(Side::Bottom, result));
    let mut panels = vec![(Panel::Head, head)];
    panels.extend(figures);
    panels.extend([(Panel::Result, result), (Panel::Caption, Some(caption)), (Panel::Knobs, knobs)]);
    let panels: Vec<_> = panels.into_iter().filter_map(|(panel, place)| Some((panel, place?))).collect();
    let result = panels.iter().find(|(panel, _)| *panel == Panel::Result);
    let picture = result.zip(wanted.whole);
    let picture = picture.map(|((_, place), whole)| thumbnail(*place, look, whole)[0]);
    let mut places = staged(rest.left, picture, wanted);
    places.panels.extend(panels);
    places
}

/// A panel, and where it is if it has room.
type Place = (Panel, Option<Rect>);

/// The figures beside the waves or the picture, or below if the window is too narrow. Of a sample with a matrix, times
/// say nothing.
fn beside(rest: &mut Rest, look: &Look, has_matrix: bool) -> Vec<Place> {
    let (unit, width) = (look.unit, rest.left.width());
    let side = (36.0 * unit).clamp(0.36 * width, 0.42 * width).min(37.0 * unit).round();
    let is_narrow = side < if look.presenter { 19.0 } else { 26.0 } * unit;
    let below = 0.5 * rest.left.height();
    let right = if is_narrow { rest.take(Side::Bottom, below) } else { rest.take(Side::Right, side) };
    let height = right.height();
    let mut right = Rest { left: right, ..*rest };
    let has_spread = height >= 27.0 * unit && !has_matrix;
    let spread = has_spread.then(|| right.take(Side::Bottom, (0.24 * height).min(14.0 * unit)));
    let has_strip = height >= 15.0 * unit && !look.presenter && !has_matrix;
    let strip = has_strip.then(|| right.take(Side::Bottom, (0.18 * height).clamp(5.0 * unit, 11.0 * unit)));
    vec![(Panel::Numbers, Some(right.left)), (Panel::Strip, strip), (Panel::Spread, spread)]
}

/// The shown variant's trials and its result: in a column beside the matrix, or below if the window is narrow.
fn beside_matrix(rest: &mut Rest, look: &Look, has_picture: bool) -> Vec<Place> {
    let Vec2 { x: width, y: height } = rest.left.size();
    let is_narrow = width < height;
    let [share, part] = if look.presenter { [0.3, 0.48] } else { [0.28, 0.62] };
    let side =
        if is_narrow { rest.take(Side::Bottom, 0.3 * height) } else { rest.take(Side::Right, share * width) };
    let mut side = Rest { left: side, ..*rest };
    let result = if is_narrow {
        side.take(Side::Left, 0.5 * width)
    } else {
        let picture = if has_picture { side.left.width() } else { 0.0 };
        side.take(Side::Bottom, (picture + 4.0 * look.unit).min(part * height))
    };
    vec![(Panel::Numbers, Some(side.left)), (Panel::Result, Some(result))]
}

/// The stage with the waves or the matrix and the thumbnail elsewhere, or with the picture.
fn staged(stage: Rect, thumbnail: Option<Rect>, wanted: Wanted) -> Places {
    let none = Rect::from_min_size(stage.min, Vec2::ZERO);
    let picture = if wanted.thumbnail { thumbnail.unwrap_or(none) } else { stage };
    let large = if wanted.matrix { Panel::Matrix } else { Panel::Waves };
    let panels = if wanted.thumbnail { vec![(large, stage)] } else { Vec::new() };
    Places { stage, picture, panels }
}

/// The thumbnail in the result's panel, in the proportions of the picture, and the place of the words: at its right, or
/// below it if the panel is high.
pub(super) fn thumbnail(panel: Rect, look: &Look, whole: [u32; 2]) -> [Rect; 2] {
    let (unit, pad) = (look.unit, look.pad());
    let inside = panel.shrink(0.5 * pad);
    let mut words = panel.shrink2(Vec2::new(pad, 0.6 * pad));
    let [columns, rows] = whole.map(|side| f64::from(side.max(1)));
    let is_above = panel.height() > 0.6 * panel.width();
    let height = match inside.height() {
        height if is_above => {
            (height - 4.0 * unit).min(inside.width() * share(rows / columns)).max(0.0).round()
        }
        _ if panel.height() < 5.0 * unit => 0.0,
        height => height,
    };
    let most = if is_above { inside.width() } else { 0.5 * inside.width() };
    let width = (height * share(columns / rows)).min(most).round();
    if is_above {
        words.min.y = inside.top() + height + 0.3 * unit;
    } else if width > 0.0 {
        words.min.x += width + 0.5 * unit;
    }
    [Rect::from_min_size(inside.min, Vec2::new(width, height)), words]
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
