//! Draws the same frames off-screen, without a window.

use std::sync::Arc;

use anyhow::Result;
use egui::{Pos2, RawInput, Rect, Vec2, ViewportId, ViewportInfo};

use super::drawer::{Drawer, MOST_TEXELS};
use super::script::{GLANCE, Script};
use super::sibling::Ended;
use crate::handoff::Handoff;

pub(super) fn run(handoff: &Arc<Handoff>, script: Script) -> Result<Ended> {
    let size = script.size;
    let mut drawer = Drawer::new(handoff, script, None, false)?;
    let (mut seen, mut is_complete) = (0, false);
    let began = std::time::Instant::now();
    while !is_complete && !drawer.is_stopped() && !handoff.is_over() {
        if handoff.await_snapshot(seen, GLANCE) {
            seen = handoff.snapshot().0;
        }
        is_complete = drawer.frame(input(size, began.elapsed().as_secs_f64()), size)?.is_last;
    }
    drawer.close(is_complete)
}

fn input(size: [u32; 2], time: f64) -> RawInput {
    #[expect(clippy::cast_precision_loss, reason = "sides of a window")]
    let [width, height] = size.map(|side| side as f32);
    let screen = Rect::from_min_size(Pos2::ZERO, Vec2::new(width, height));
    let viewport = ViewportInfo { native_pixels_per_point: Some(1.0), ..ViewportInfo::default() };
    RawInput {
        viewports: std::iter::once((ViewportId::ROOT, viewport)).collect(),
        screen_rect: Some(screen),
        max_texture_side: Some(MOST_TEXELS),
        time: Some(time),
        focused: true,
        ..RawInput::default()
    }
}
