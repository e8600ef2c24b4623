//! Where the panels are.

use egui::{Rect, Vec2, pos2};

use super::look::Look;

/// What there is to be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// The picture has the window for itself.
    pub hidden: bool,
    pub knobs: bool,
    /// Timelines, one above the other; without any, `untraced` says why.
    pub timelines: usize,
    pub untraced: bool,
}

/// A panel that is `None` is left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub picture: Rect,
    pub head: Option<Rect>,
    pub caption: Option<Rect>,
    pub numbers: Option<Rect>,
    pub strip: Option<Rect>,
    pub spread: Option<Rect>,
    pub knobs: Option<Rect>,
    pub waves: Option<Rect>,
}

impl Places {
    pub(super) fn of(window: Rect, look: &Look, wanted: Wanted) -> Self {
        let mut places = Self {
            picture: window,
            head: None,
            caption: None,
            numbers: None,
            strip: None,
            spread: None,
            knobs: None,
            waves: None,
        };
        if wanted.hidden {
            return places;
        }
        let (unit, gap) = (look.unit, look.gap());
        let mut rest = Rest { left: window, gap };
        let roomy = window.height() >= 30.0 * unit;
        places.head = roomy.then(|| rest.top((2.1 * unit).round()));
        places.caption = Some(rest.bottom(if look.presenter { 5.4 * unit } else { 3.7 * unit }.round()));
        let side = (36.0 * unit).clamp(0.36 * window.width(), 0.42 * window.width()).min(37.0 * unit).round();
        // Where columns would have no room beside a picture, they come below it.
        let is_narrow = side < if look.presenter { 19.0 } else { 26.0 } * unit;
        let below = (0.5 * rest.left.height()).round();
        let mut right = Rest { left: if is_narrow { rest.bottom(below) } else { rest.right(side) }, gap };
        let height = right.left.height();
        if height >= 27.0 * unit {
            places.spread = Some(right.bottom((0.24 * height).min(14.0 * unit).round()));
        }
        if height >= 15.0 * unit && !look.presenter {
            places.strip = Some(right.bottom((0.18 * height).clamp(5.0 * unit, 11.0 * unit).round()));
        }
        places.numbers = Some(right.left);
        if wanted.knobs && !look.presenter && rest.left.width() >= 42.0 * unit {
            places.knobs = Some(rest.left_side((15.0 * unit).round()));
        }
        if let Some(height) = waves(wanted, unit, rest.left.height()) {
            places.waves = Some(rest.bottom(height.round()));
        }
        places.picture = rest.left;
        places
    }
}

/// Height of the timelines: at most half of what there is.
fn waves(wanted: Wanted, unit: f32, height: f32) -> Option<f32> {
    let most = 0.5 * height;
    match wanted.timelines {
        0 => (wanted.untraced && most > 4.0 * unit).then_some(3.0 * unit),
        1 => (most > 7.0 * unit).then(|| (13.0 * unit).min(most)),
        _ => (most > 11.0 * unit).then(|| (21.0 * unit).min(most)),
    }
}

/// What is not given away yet.
struct Rest {
    left: Rect,
    gap: f32,
}

impl Rest {
    fn top(&mut self, height: f32) -> Rect {
        let (given, rest) = self.left.split_top_bottom_at_y(self.left.top() + height);
        self.left = Rect::from_min_max(rest.min + Vec2::new(0.0, self.gap), rest.max);
        given
    }

    fn bottom(&mut self, height: f32) -> Rect {
        let (rest, given) = self.left.split_top_bottom_at_y(self.left.bottom() - height);
        self.left = Rect::from_min_max(rest.min, rest.max - Vec2::new(0.0, self.gap));
        given
    }

    fn right(&mut self, width: f32) -> Rect {
        let (rest, given) = self.left.split_left_right_at_x(self.left.right() - width);
        self.left = Rect::from_min_max(rest.min, rest.max - Vec2::new(self.gap, 0.0));
        given
    }

    fn left_side(&mut self, width: f32) -> Rect {
        let (given, rest) = self.left.split_left_right_at_x(self.left.left() + width);
        self.left = Rect::from_min_max(pos2(rest.left() + self.gap, rest.top()), rest.max);
        given
    }
}
