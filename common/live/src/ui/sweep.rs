//! A sweep over the traced time. Parts of the picture appear when the workgroups that compute them have ended.

use egui::{Painter, Pos2, Rect};

use super::look::Look;
use super::paint::share;
use crate::messages::{Picture, Snapshot, Timeline};

/// Frames of a sweep, and those in which it stays at the end.
const SWEEP: u64 = 48;
const REST: u64 = 24;

/// The time that the sweep is at, in µs of the traces; `None` where the sample names no parts of the picture.
#[expect(clippy::cast_precision_loss, reason = "few frames")]
pub(super) fn now_us(snapshot: &Snapshot) -> Option<f64> {
    let timelines = snapshot.timelines.iter().filter(|timeline| !timeline.tiles.is_empty());
    let end = timelines.map(|timeline| timeline.figures.whole.end_us()).reduce(f64::max)?;
    let done = (snapshot.frame % (SWEEP + REST) + 1).min(SWEEP) as f64 / SWEEP as f64;
    snapshot.traces.then_some(end * done)
}

/// Covers the parts that are not computed yet, of each variant in its half. Where pixels are wrong, all are shown.
pub(super) fn cover(
    painter: &Painter,
    look: &Look,
    place: Rect,
    snapshot: &Snapshot,
    screen: impl Fn([f32; 2]) -> Pos2,
) {
    let is_right = |picture: &Picture| picture.wrong + picture.wrong_beside.unwrap_or(0) == 0;
    let Some(now) = now_us(snapshot).filter(|_| snapshot.picture.as_deref().is_some_and(is_right)) else {
        return;
    };
    let (left, right) = place.split_left_right_at_fraction(if snapshot.other.is_some() { 0.5 } else { 1.0 });
    for (half, variant) in [(left, Some(snapshot.current)), (right, snapshot.other)] {
        let painter = painter.with_clip_rect(half.intersect(painter.clip_rect()));
        let of_half = |timeline: &&Timeline| Some(timeline.variant) == variant;
        let Some(timeline) = snapshot.timelines.iter().find(of_half) else { continue };
        for ([x, y, width, height], _) in timeline.tiles.iter().filter(|(_, end)| *end > now) {
            #[expect(clippy::cast_precision_loss, reason = "sides of pictures are below 2^24")]
            let corner = |x: u32, y: u32| screen([x as f32, y as f32]);
            let tile = Rect::from_min_max(corner(*x, *y), corner(x + width, y + height));
            painter.rect_filled(tile, 0.0, look.ink.field);
        }
    }
}

/// Marks the time in the timelines.
pub(super) fn mark(painter: &Painter, look: &Look, place: Rect, range_us: f64, snapshot: &Snapshot) {
    if let Some(now) = now_us(snapshot).filter(|now| *now < range_us) {
        painter.vline(
            egui::lerp(place.x_range(), share(now / range_us)),
            place.y_range(),
            (1.0, look.ink.text),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::example;

    #[test]
    fn it_goes_to_the_end_and_begins_again() {
        let mut snapshot = example::split([64; 2]);
        assert_eq!(now_us(&snapshot), None);
        let timelines = snapshot.timelines.iter().cloned();
        let tiles = [([0, 0, 8, 8], 1.0)];
        snapshot.timelines = timelines.map(|timeline| Timeline { tiles: tiles.into(), ..timeline }).collect();
        let end = snapshot.timelines.iter().map(|t| t.figures.whole.end_us()).reduce(f64::max).unwrap();
        let at = |frame| now_us(&Snapshot { frame, traces: true, ..snapshot.clone() }).unwrap() / end;
        assert!((at(23) - 0.5).abs() < 1e-9);
        assert_eq!((at(47), at(71)), (1.0, 1.0));
        assert!(at(72) < 0.03);
    }
}
