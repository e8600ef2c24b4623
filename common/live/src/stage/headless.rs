//! The same loop and the same picture without a window.

use std::sync::Arc;

use anyhow::Result;
use egui::{Pos2, RawInput, Rect, Vec2, ViewportId, ViewportInfo};

use super::drawer::Drawer;
use super::script::{GLANCE, Script, TIMEOUT};
use crate::desk::Desk;
use crate::present::{Presenter, Wanted};

pub(super) fn run(desk: &Arc<Desk>, script: Script) -> Result<u8> {
    let Some((_, board)) = desk.board() else { return Ok(record::error::EXIT_RIGHT) };
    let (size, validate) = (script.size, script.validate);
    let wanted = Wanted { device: &board.device, validate, timeout: TIMEOUT };
    let presenter = Presenter::off_screen(&wanted)?;
    let mut drawer = Drawer::new(desk, script, presenter, false)?;
    let (mut seen, mut is_complete) = (0, false);
    let began = std::time::Instant::now();
    while !is_complete && !drawer.is_stopped() && !desk.is_over() {
        if desk.await_board(seen, GLANCE) {
            seen = desk.board().map_or(seen, |(number, _)| number);
        }
        let time = began.elapsed().as_secs_f64();
        let frame = drawer.frame(&input(size, time, drawer.max_texture_side()), size)?;
        is_complete = frame.is_some_and(|frame| frame.is_last);
    }
    drawer.close(is_complete)
}

fn input(size: [u32; 2], time: f64, max_texture_side: usize) -> RawInput {
    #[expect(clippy::cast_precision_loss, reason = "sides of a window")]
    let [width, height] = size.map(|side| side as f32);
    let screen = Rect::from_min_size(Pos2::ZERO, Vec2::new(width, height));
    let viewport = ViewportInfo { native_pixels_per_point: Some(1.0), ..ViewportInfo::default() };
    RawInput {
        viewports: std::iter::once((ViewportId::ROOT, viewport)).collect(),
        screen_rect: Some(screen),
        max_texture_side: Some(max_texture_side),
        time: Some(time),
        focused: true,
        ..RawInput::default()
    }
}
