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

mod canvas;
mod choose;
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
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use egui::TexturesDelta;
use record::DeviceFacts;
use vulkan::gpu::Instance;
use vulkan::validation::{Message, Messages};
use winit::window::Window;

use canvas::Canvas;
use device::{Device, Links};
pub use frame::{Backdrop, Drawn, Paint, Presented, Shot};
use painter::Painter;
use screen::{Outcome, Screen};
use surface::Surface;

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
    canvas: Option<Canvas>,
    painter: Painter,
    device: Rc<Device>,
    size: [u32; 2],
    about: Presented,
    messages: Option<Arc<Messages>>,
    /// How long the window system had the last frame.
    handed_over: Duration,
}

impl fmt::Debug for Presenter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Presenter").field("about", &self.about).finish_non_exhaustive()
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
        Self::new(instance, Some(surface), window.inner_size().into(), wanted)
    }

    /// Draws into pictures alone.
    ///
    /// # Errors
    /// As [`Presenter::for_window`].
    pub fn off_screen(size: [u32; 2], wanted: &Wanted<'_>) -> Result<Self> {
        Self::new(Rc::new(Instance::new(wanted.validate)?), None, size, wanted)
    }

    fn new(
        instance: Rc<Instance>,
        surface: Option<Surface>,
        size: [u32; 2],
        wanted: &Wanted<'_>,
    ) -> Result<Self> {
        let messages = instance.messages.clone();
        let seat = choose::choose(&instance, wanted.device, surface.as_ref())?;
        let about = Presented {
            device: seat.facts.name.clone(),
            is_elsewhere: !choose::is_same(&seat.facts, wanted.device),
            max_texture_side: usize::try_from(seat.facts.max_image_2d)?,
        };
        let device = Device::open(instance, seat, wanted.timeout)?;
        let painter = Painter::new(&device)?;
        let screen = surface.map(|surface| Screen::new(Rc::clone(&device), surface, size));
        let handed_over = Duration::ZERO;
        Ok(Self { screen, canvas: None, painter, device, size, about, messages, handed_over })
    }

    /// The window has another size, or none. Cheap: its images are made anew with the next frame.
    pub fn resize(&mut self, size: [u32; 2]) {
        self.size = size;
        if let Some(screen) = &mut self.screen {
            screen.resize(size);
        }
    }

    /// What draws.
    #[must_use]
    pub fn about(&self) -> &Presented {
        &self.about
    }

    /// Draws a frame and waits for it. Empties `textures`, whose changes are made even where nothing is
    /// drawn: egui hands each of them over once.
    ///
    /// # Errors
    /// [`Halt::Hung`](record::error::Halt) where the frame does not end, what the driver refused.
    pub fn draw(&mut self, frame: &Paint<'_>, textures: &mut TexturesDelta) -> Result<Drawn> {
        self.with_textures(textures, |presenter| match presenter.screen {
            Some(_) => presenter.draw_window(frame),
            None => presenter.draw_canvas(frame),
        })
    }

    /// Draws a frame into a picture, whatever the window does; empties `textures` too.
    ///
    /// # Errors
    /// As [`Presenter::draw`]; a size that the device has no pictures of.
    pub fn capture(&mut self, frame: &Paint<'_>, textures: &mut TexturesDelta) -> Result<Shot> {
        self.with_textures(textures, |presenter| presenter.draw_shot(frame))
    }

    /// How long the window system took to give the last frame an image and to take it.
    #[must_use]
    pub fn handed_over(&self) -> Duration {
        self.handed_over
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
        // Those of a frame that failed.
        self.flush()?;
        self.painter.change(&changes.0)?;
        let drawn = draw(self)?;
        self.flush()?;
        self.painter.forget(&changes.0)?;
        Ok(drawn)
    }

    /// Makes the changes of textures that no frame made.
    fn flush(&mut self) -> Result<()> {
        if !self.painter.has_changes() {
            return Ok(());
        }
        let painter = &mut self.painter;
        self.device.run("changes of textures", Links::default(), |commands| painter.record_changes(commands))
    }

    fn draw_window(&mut self, frame: &Paint<'_>) -> Result<Drawn> {
        let Some(screen) = &mut self.screen else { return Ok(Drawn::Nothing) };
        self.painter.load(frame.primitives)?;
        let began = Instant::now();
        let Some(acquired) = screen.acquire()? else { return Ok(Drawn::Nothing) };
        self.handed_over = began.elapsed();
        let links = Links { wait: Some(acquired.ready), signal: Some(acquired.drawn) };
        let painter = &mut self.painter;
        let drawn = painter.prepare(acquired.onto.format).and_then(|pipeline| {
            self.device.run("the drawing of the window", links, |commands| {
                painter.record(commands, pipeline, &acquired.onto, frame);
            })
        });
        drawn.inspect_err(|_| screen.abandon())?;
        let began = Instant::now();
        let presented = screen.present(&acquired)?;
        self.handed_over += began.elapsed();
        Ok(match presented {
            Outcome::Shown => Drawn::Shown,
            Outcome::Missed => Drawn::Missed,
        })
    }

    fn draw_canvas(&mut self, frame: &Paint<'_>) -> Result<Drawn> {
        if self.size.contains(&0) {
            return Ok(Drawn::Nothing);
        }
        self.painter.load(frame.primitives)?;
        let canvas = self.canvas(self.size)?;
        let onto = canvas.onto();
        self.canvas = Some(canvas);
        let pipeline = self.painter.prepare(onto.format)?;
        let painter = &mut self.painter;
        self.device.run("the drawing of a picture", Links::default(), |commands| {
            painter.record(commands, pipeline, &onto, frame);
        })?;
        Ok(Drawn::Shown)
    }

    fn draw_shot(&mut self, frame: &Paint<'_>) -> Result<Shot> {
        self.painter.load(frame.primitives)?;
        let mut canvas = self.canvas(frame.size)?;
        canvas.make_readable()?;
        let onto = canvas.onto();
        let pipeline = self.painter.prepare(onto.format)?;
        let painter = &mut self.painter;
        self.device.run("the drawing of a screenshot", Links::default(), |commands| {
            painter.record(commands, pipeline, &onto, frame);
            canvas.record_copy(commands);
        })?;
        let shot = Shot { size: canvas.size(), rgba: canvas.pixels()? };
        self.canvas = Some(canvas);
        Ok(shot)
    }

    /// The canvas, if there is one of this size, else a new one; the old one goes first.
    fn canvas(&mut self, size: [u32; 2]) -> Result<Canvas> {
        match self.canvas.take().filter(|canvas| canvas.size() == size) {
            Some(canvas) => Ok(canvas),
            None => Canvas::new(&self.device, size),
        }
    }
}

/// Changes of textures, which egui wants to be told are not needed any more.
struct Changes(TexturesDelta);

impl Drop for Changes {
    fn drop(&mut self) {
        self.0.clear();
    }
}
