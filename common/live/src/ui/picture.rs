//! The panel with the result. The picture is drawn pixel by pixel as the engine composed it, and can be zoomed,
//! moved and dragged.

pub(super) mod over;

use std::sync::Arc;

use egui::{
    Color32, ColorImage, PointerButton, Pos2, Rect, Sense, Stroke, TextureHandle, TextureOptions, Vec2, pos2,
    vec2,
};

use super::look::Look;
use super::sweep;
use crate::messages::{Command, Drag, Focus, Picture, Snapshot, View};

/// Largest zoom, in screen pixels per texel.
const LARGEST: f32 = 128.0;

/// The panel with the picture.
#[derive(Default)]
pub(super) struct Pane {
    /// The last picture and the texture with its pixels.
    held: Option<(Arc<Picture>, TextureHandle)>,
    /// Where the user has zoomed or moved to; `None` for the whole picture.
    at: Option<Focus>,
    /// The view that the engine was last asked for.
    asked: Option<View>,
    /// Where the user took hold of something, in texels.
    hold: Option<[f32; 2]>,
}

/// The mapping between texels and the screen.
#[derive(Clone, Copy, Debug)]
struct Lens {
    /// Centre of the panel, in points.
    middle: Pos2,
    focus: Focus,
    /// Screen pixels per point.
    pixels: f32,
}

impl Lens {
    fn texel(&self, at: Pos2) -> [f32; 2] {
        let from = (at - self.middle) * self.pixels / self.focus.scale;
        [self.focus.centre[0] + from.x, self.focus.centre[1] + from.y]
    }

    fn screen(&self, [x, y]: [f32; 2]) -> Pos2 {
        let from = vec2(x - self.focus.centre[0], y - self.focus.centre[1]);
        self.middle + from * self.focus.scale / self.pixels
    }
}

impl Pane {
    /// Draws the picture and returns the commands of the user. Names and counts lie over it only on the stage; the
    /// result's panel has those of a thumbnail.
    pub(super) fn draw(
        &mut self,
        root: &mut egui::Ui,
        look: &Look,
        (place, is_stage): (Rect, bool),
        snapshot: &Snapshot,
    ) -> Vec<Command> {
        let mut commands = Vec::new();
        self.hold_texture(root.ctx(), snapshot.picture.as_ref());
        let response = root.interact(place, root.id().with("picture"), Sense::click_and_drag());
        let pixels = root.ctx().pixels_per_point();
        let mut cursor = None;
        if let Some(picture) = &snapshot.picture {
            let whole = Focus::whole(picture.whole.map(|side| side.max(1)), sides(place.size() * pixels));
            let whole = Focus { scale: whole.scale.max(1e-6), ..whole };
            let lens = Lens { middle: place.center(), focus: self.at.unwrap_or(whole), pixels };
            self.turn(root, &response, lens, whole);
            commands.extend(self.drag(root, &response, lens, picture.can_drag));
            let lens = Lens { focus: self.at.unwrap_or(whole), ..lens };
            cursor = response.hover_pos().and_then(|at| texel(lens.texel(at), picture.whole));
            self.paint(root, place, lens, look);
            let painter = root.painter().with_clip_rect(place);
            sweep::cover(&painter, look, place, snapshot, |texel| lens.screen(texel));
            if is_stage {
                over::draw(root, look, place, snapshot, picture);
            } else if snapshot.other.is_some() {
                root.painter().vline(place.center().x, place.y_range(), Stroke::new(2.0, look.ink.text));
            }
        }
        // A panel larger than the largest texture gets a coarser picture.
        let most = root.input(|input| u32::try_from(input.max_texture_side).unwrap_or(u32::MAX));
        let view =
            View { pixels: sides(place.size() * pixels).map(|side| side.min(most)), at: self.at, cursor };
        if self.asked != Some(view) {
            self.asked = Some(view);
            commands.push(Command::Look(view));
        }
        commands
    }

    /// Uploads the picture if it is a new one.
    fn hold_texture(&mut self, ctx: &egui::Context, picture: Option<&Arc<Picture>>) {
        let Some(picture) = picture else {
            self.held = None;
            return;
        };
        if self.held.as_ref().is_some_and(|(held, _)| Arc::ptr_eq(held, picture)) {
            return;
        }
        let sides = picture.size.map(|side| usize::try_from(side).unwrap_or(0));
        let most = ctx.input(|input| input.max_texture_side);
        let fits = sides.iter().all(|side| (1..=most).contains(side));
        if !fits || picture.pixels.len() != 4 * sides[0] * sides[1] {
            return;
        }
        // All pixels are opaque, so premultiplied and straight alpha are the same.
        let image = ColorImage::from_rgba_premultiplied(sides, &picture.pixels);
        match &mut self.held {
            Some((held, texture)) => {
                texture.set(image, TextureOptions::NEAREST);
                *held = Arc::clone(picture);
            }
            None => {
                let texture = ctx.load_texture("picture", image, TextureOptions::NEAREST);
                self.held = Some((Arc::clone(picture), texture));
            }
        }
    }

    /// Handles zooming with wheel and pinch, and the double click that resets it.
    fn turn(&mut self, root: &egui::Ui, response: &egui::Response, lens: Lens, whole: Focus) {
        if response.double_clicked() {
            self.at = None;
            return;
        }
        let Some(pointer) = response.hover_pos() else { return };
        let by = root.input(|input| (input.smooth_scroll_delta().y / 240.0).exp() * input.zoom_delta());
        if (by - 1.0).abs() < 1e-4 {
            return;
        }
        let scale = (lens.focus.scale * by).min(LARGEST.max(whole.scale));
        if scale <= whole.scale {
            self.at = None;
            return;
        }
        // Keep the texel under the cursor in place.
        let under = lens.texel(pointer);
        let from = (pointer - lens.middle) * lens.pixels / scale;
        self.at = Some(Focus { centre: [under[0] - from.x, under[1] - from.y], scale });
    }

    /// Moves the view, or drags something in the picture.
    fn drag(
        &mut self,
        root: &egui::Ui,
        response: &egui::Response,
        lens: Lens,
        can_drag: bool,
    ) -> Option<Command> {
        let shift = root.input(|input| input.modifiers.shift);
        let pulls = can_drag && !shift && response.dragged_by(PointerButton::Primary);
        if let Some(at) = response.interact_pointer_pos().filter(|_| pulls) {
            let origin = root.input(|input| input.pointer.press_origin()).unwrap_or(at);
            let from = *self.hold.get_or_insert_with(|| lens.texel(origin));
            return Some(Command::Drag(Some(Drag { from, to: lens.texel(at) })));
        }
        if self.hold.take().is_some() {
            return Some(Command::Drag(None));
        }
        // The whole picture cannot be moved.
        if let Some(focus) = self.at.as_mut().filter(|_| response.dragged()) {
            let by = response.drag_delta() * lens.pixels / focus.scale;
            focus.centre = [focus.centre[0] - by.x, focus.centre[1] - by.y];
        }
        None
    }

    /// Draws the texture with one texel per screen pixel. Until the engine has drawn the new view, the last
    /// picture is drawn at the place where it lies in that view.
    fn paint(&self, root: &egui::Ui, place: Rect, lens: Lens, look: &Look) {
        let Some((picture, texture)) = &self.held else { return };
        let size = vec2(side(picture.size[0]), side(picture.size[1]));
        let is_current = picture.view.at == self.at && picture.size == sides(place.size() * lens.pixels);
        let rect = if is_current {
            Rect::from_min_size(on_pixel(place.min, lens.pixels), size / lens.pixels)
        } else {
            let half = size / (2.0 * picture.focus.scale.max(1e-6));
            let [x, y] = picture.focus.centre;
            Rect::from_min_max(lens.screen([x - half.x, y - half.y]), lens.screen([x + half.x, y + half.y]))
        };
        let painter = root.painter().with_clip_rect(place);
        let all = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        painter.image(texture.id(), rect, all, Color32::WHITE);
        if !is_current {
            // The panel shows where the picture does not reach yet.
            painter.rect_stroke(place, look.radius(), (1.0, look.ink.line), egui::StrokeKind::Inside);
        }
    }
}

fn on_pixel(at: Pos2, pixels: f32) -> Pos2 {
    pos2((at.x * pixels).round() / pixels, (at.y * pixels).round() / pixels)
}

/// The whole pixels of a size.
fn sides(size: Vec2) -> [u32; 2] {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a window's side, not negative"
    )]
    let whole = |side: f32| (side + 0.01).floor().max(0.0) as u32;
    [whole(size.x), whole(size.y)]
}

/// The texel at this position, if it is inside the picture.
fn texel(at: [f32; 2], whole: [u32; 2]) -> Option<[u32; 2]> {
    let inside = (0..2).all(|axis| at[axis] >= 0.0 && at[axis] < side(whole[axis]));
    inside.then(|| sides(vec2(at[0], at[1])))
}

#[expect(clippy::cast_precision_loss, reason = "sides of pictures are below 2^24")]
fn side(texels: u32) -> f32 {
    texels as f32
}
