//! The presenter: draws egui's output into a window, or into a picture off-screen.
//!
//! It has an instance and a device of its own. Nothing that it does touches the state of the device that
//! is measured on, and a window can be on another GPU than the work; pictures come through the CPU alike.
//! When a call returns, the device has nothing more to do.
//!
//! The renderer is written here because none that is published can do what is asked: changes of a
//! texture keep what is around them, filters are obeyed, no wait is without an end, colours are blended
//! in gamma space as egui means them (so that a picture's bytes arrive as they are, and no pixel costs a
//! power on a CPU device), and a failed call is an error and no panic.

mod device;
mod frame;
mod memory;
mod painter;
mod pipeline;
mod screen;
mod surface;
mod swapchain;
mod textures;

#[cfg(test)]
mod tests;

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use ash::vk;
use egui::TexturesDelta;
use record::DeviceFacts;
use record::error::Halt;
use vulkan::fault::failure;
use vulkan::gpu::Instance;
use vulkan::validation::{Message, Messages};
use winit::window::Window;

use device::{Device, Seat};
pub use frame::{Backdrop, Drawn, Paint, Shot};
use painter::Painter;
use screen::Screen;
use surface::Surface;
use textures::RGBA8;

/// What a presenter is to be.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// What is measured on, which draws too where it can.
    pub device: &'a DeviceFacts,
    /// The validation layer listens.
    pub validate: bool,
    /// How long a frame may take.
    pub timeout: Duration,
}

/// Draws egui's output.
pub struct Presenter {
    // In the order in which they must go.
    screen: Option<Screen>,
    painter: Painter,
    device: Rc<Device>,
    /// It is another device than the one that is measured on.
    is_elsewhere: bool,
    messages: Option<Arc<Messages>>,
}

impl fmt::Debug for Presenter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Presenter").field("device", &self.device.seat.facts.name).finish_non_exhaustive()
    }
}

impl Presenter {
    /// Draws into a window.
    ///
    /// # Errors
    /// [`Halt::Skip`](record::error::Halt) where no device can draw into this window; what the driver refused.
    pub fn for_window(window: &Arc<Window>, wanted: &Wanted<'_>) -> Result<Self> {
        let instance = Rc::new(surface::instance_for(window, wanted.validate)?);
        let surface = Surface::new(Rc::clone(&instance), Arc::clone(window))?;
        Self::new(instance, Some(surface), wanted)
    }

    /// Draws into pictures alone.
    ///
    /// # Errors
    /// As [`Presenter::for_window`].
    pub fn off_screen(wanted: &Wanted<'_>) -> Result<Self> {
        Self::new(Rc::new(Instance::new(wanted.validate)?), None, wanted)
    }

    fn new(instance: Rc<Instance>, surface: Option<Surface>, wanted: &Wanted<'_>) -> Result<Self> {
        let messages = instance.messages.clone();
        let seat = Seat::choose(&instance, wanted.device, surface.as_ref())?;
        let is_elsewhere = !seat.is_of(wanted.device);
        let terms = surface.as_ref().map(|surface| surface.terms(seat.physical)).transpose();
        let terms = terms.map_err(|result| match result {
            vk::Result::ERROR_FORMAT_NOT_SUPPORTED => Halt::Skip(
                "this window takes no pictures of eight bits a channel: measure with --bench, or draw into \
                 pictures with --live --headless"
                    .into(),
            )
            .into(),
            result => failure(result, "asking what the window takes"),
        })?;
        let colours = terms.map_or(RGBA8, |terms| terms.colours());
        let device = Device::open(instance, seat, wanted.timeout)?;
        let painter = Painter::new(&device, colours)?;
        let screen = surface.map(|surface| Screen::new(Rc::clone(&device), surface, colours));
        Ok(Self { screen, painter, device, is_elsewhere, messages })
    }

    /// The device that draws, where it is another than the one that is measured on.
    #[must_use]
    pub fn elsewhere(&self) -> Option<&str> {
        self.is_elsewhere.then_some(&*self.device.seat.facts.name)
    }

    /// Texels of a texture's longest side, which egui must be told.
    #[must_use]
    pub fn max_texture_side(&self) -> usize {
        self.device.seat.facts.max_image_2d as usize
    }

    /// Draws a frame and waits for it. Empties `textures`, whose changes are made even where nothing is
    /// drawn: egui hands each of them over once.
    ///
    /// # Errors
    /// [`Halt::Hung`](record::error::Halt) where the frame does not end, what the driver refused.
    pub fn draw(&mut self, frame: &Paint<'_>, textures: &mut TexturesDelta) -> Result<Drawn> {
        self.with_textures(textures, |presenter| presenter.show(frame))
    }

    /// Draws a frame into a picture, whatever the window does; empties `textures` too.
    ///
    /// # Errors
    /// As [`Presenter::draw`]; a size that the device has no pictures of.
    pub fn capture(&mut self, frame: &Paint<'_>, textures: &mut TexturesDelta) -> Result<Shot> {
        self.with_textures(textures, |presenter| {
            presenter.painter.paint(frame, frame.size, None)?;
            presenter.painter.shot()
        })
    }

    /// What the validation layer said since the last call.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        self.messages.as_ref().map_or_else(Vec::new, |messages| messages.take())
    }

    /// Destroys everything, and returns what the validation layer says to that.
    #[must_use]
    pub fn close(self) -> Vec<Message> {
        let messages = self.messages.clone();
        drop(self);
        messages.map_or_else(Vec::new, |messages| messages.take())
    }

    /// Makes the changes of textures, before and after what draws with them, whatever becomes of that.
    fn with_textures<T>(
        &mut self,
        textures: &mut TexturesDelta,
        draw: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        // egui panics where a change is dropped.
        let changes = Changes(std::mem::take(textures));
        // What it may still read is not written.
        ensure!(
            !self.device.is_busy(),
            "the driver has not finished the last frame: --live --headless --frames N draws off-screen"
        );
        self.painter.change(&changes.0)?;
        let drawn = draw(self)?;
        self.painter.forget(&changes.0)?;
        Ok(drawn)
    }

    fn show(&mut self, frame: &Paint<'_>) -> Result<Drawn> {
        if frame.size.contains(&0) {
            return Ok(Drawn::Nothing);
        }
        let Some(screen) = &mut self.screen else {
            return self.painter.paint(frame, frame.size, None).map(|()| Drawn::Shown);
        };
        let Some(acquired) = screen.acquire(frame.size)? else { return Ok(Drawn::Nothing) };
        let painted = self.painter.paint(frame, acquired.size, Some(&acquired));
        painted.inspect_err(|_| screen.abandon())?;
        Ok(if screen.present(&acquired)? { Drawn::Shown } else { Drawn::Missed })
    }
}

/// Changes of textures, which egui wants to be told are not needed any more.
struct Changes(TexturesDelta);

impl Drop for Changes {
    fn drop(&mut self) {
        self.0.clear();
    }
}
