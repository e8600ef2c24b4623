//! The window, with winit: X11, Wayland, Windows and macOS.

use std::fmt::Display;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use egui_winit::State as Input;
use record::error::{EXIT_RIGHT, Halt};
use winit::application::ApplicationHandler;
use winit::dpi::{LogicalSize, PhysicalPosition, PhysicalSize};
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::monitor::MonitorHandle;
use winit::window::{Fullscreen, Theme as SystemTheme, Window, WindowId};

use super::drawer::{Drawer, MOST_TEXELS, Outcome};
use super::raster::Canvas;
use super::script::Script;
use super::sibling::Ended;
use crate::handoff::Handoff;
use crate::messages::Command;
use crate::ui::Action;

/// Least side of a window in logical pixels.
const LEAST_SIDE: u32 = 64;

/// How often Ctrl-C is polled, because it does not wake the event loop.
const GLANCE: Duration = Duration::from_millis(500);

/// Event sent when there is a new snapshot or the engine has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wake;

/// The window system's event loop.
pub(super) type Events = EventLoop<Wake>;

/// Connects to the window system.
pub(super) fn events() -> Result<Events> {
    let events = EventLoop::<Wake>::with_user_event().build();
    events.map_err(|error| {
        // The text before the last colon says where in the library the error arose.
        let error = error.to_string();
        let error = error.rsplit(": ").next().unwrap_or_default().trim_end_matches('.');
        let words = "--bench measures without one, --live --headless --frames N draws off-screen; on Wayland without \
             XWayland build with --features samples/wayland";
        Halt::Skip(format!("no display to open a window on ({error}): {words}")).into()
    })
}

pub(super) fn run(events: Events, handoff: &Arc<Handoff>, script: Script) -> Result<Ended> {
    let proxy: EventLoopProxy<Wake> = events.create_proxy();
    // Sending fails once the event loop has ended; then nothing needs waking.
    handoff.call(move || {
        let _ = proxy.send_event(Wake);
    });
    let mut app =
        App { handoff: Arc::clone(handoff), script: Some(script), shown: None, ended: Ok(()), next: None };
    events.run_app(&mut app).context("showing the window")?;
    app.ended?;
    match app.shown {
        Some(Shown { drawer, is_complete, .. }) => drawer.close(is_complete),
        None => Ok(Ended::with(EXIT_RIGHT)),
    }
}

struct App {
    handoff: Arc<Handoff>,
    script: Option<Script>,
    shown: Option<Shown>,
    ended: Result<()>,
    /// When egui asked to be redrawn.
    next: Option<Instant>,
}

/// An open window. `drawer` comes first because it draws into the window and must be dropped before it.
struct Shown {
    drawer: Drawer,
    input: Input,
    window: Arc<Window>,
    is_complete: bool,
    /// The title says that frames are written; in the frames it would be seen.
    writes_frames: bool,
}

impl ApplicationHandler<Wake> for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        let Some(script) = self.script.take() else { return };
        match Shown::open(events, &self.handoff, script) {
            Ok(shown) => self.shown = Some(shown),
            Err(error) => self.end(events, Err(error)),
        }
    }

    fn user_event(&mut self, events: &ActiveEventLoop, _: Wake) {
        if self.handoff.is_over() {
            events.exit();
        } else if let Some(shown) = &self.shown {
            shown.window.request_redraw();
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(shown) = &mut self.shown else { return };
        let answer = shown.input.on_window_event(&shown.window, &event);
        // egui also asks for a redraw after `RedrawRequested`; answering that would redraw forever.
        if answer.repaint && event != WindowEvent::RedrawRequested {
            shown.window.request_redraw();
        }
        match event {
            WindowEvent::CloseRequested => self.end(events, Ok(())),
            WindowEvent::Resized(_) => shown.window.request_redraw(),
            WindowEvent::RedrawRequested => self.draw(events),
            _ => {}
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        let Some(shown) = &self.shown else { return };
        if shown.drawer.is_stopped() || self.handoff.is_over() {
            events.exit();
            return;
        }
        let now = Instant::now();
        if self.next.is_some_and(|next| next <= now) {
            self.next = None;
            shown.window.request_redraw();
        }
        let glance = now + GLANCE;
        events.set_control_flow(ControlFlow::WaitUntil(self.next.map_or(glance, |next| next.min(glance))));
    }
}

impl App {
    fn end(&mut self, events: &ActiveEventLoop, ended: Result<()>) {
        self.handoff.send(Command::Quit);
        self.ended = ended;
        events.exit();
    }

    fn draw(&mut self, events: &ActiveEventLoop) {
        let Some(shown) = &mut self.shown else { return };
        let drawn = match shown.draw() {
            Ok(drawn) => drawn,
            Err(error) => return self.end(events, Err(error)),
        };
        if drawn.is_last || drawn.actions.contains(&Action::Quit) {
            return self.end(events, Ok(()));
        }
        let again = drawn.again.filter(|after| *after < Duration::from_secs(60));
        self.next = again.and_then(|after| Instant::now().checked_add(after));
    }
}

impl Shown {
    fn open(events: &ActiveEventLoop, handoff: &Arc<Handoff>, script: Script) -> Result<Self> {
        let [width, height] = script.size;
        let attributes = Window::default_attributes()
            .with_title(title(script.sample, false))
            .with_inner_size(LogicalSize::new(width, height))
            .with_min_inner_size(LogicalSize::new(LEAST_SIDE, LEAST_SIDE))
            .with_fullscreen(
                script
                    .full_screen
                    .then(|| Fullscreen::Borderless(script.at.and_then(|at| monitor(events, at)))),
            );
        let attributes = match script.at {
            Some([x, y]) => attributes.with_position(PhysicalPosition::new(x, y)),
            None => attributes,
        };
        let window = Arc::new(said(events.create_window(attributes), "opening the window")?);
        let is_dark = window.theme() == Some(SystemTheme::Dark);
        let drawer = Drawer::new(handoff, script, Some(Screen::of(&window)?), is_dark)?;
        let input = Input::new(
            drawer.ctx.clone(),
            egui::ViewportId::ROOT,
            &window,
            None,
            window.theme(),
            Some(MOST_TEXELS),
        );
        window.request_redraw();
        Ok(Self { drawer, input, window, is_complete: false, writes_frames: false })
    }

    /// Draws a frame and applies the actions that concern the window.
    fn draw(&mut self) -> Result<Outcome> {
        let PhysicalSize { width, height } = self.window.inner_size();
        let input = self.input.take_egui_input(&self.window);
        let mut outcome = self.drawer.frame(input, [width, height])?;
        self.input.handle_platform_output(&self.window, std::mem::take(&mut outcome.platform));
        for action in &outcome.actions {
            match action {
                Action::FullScreen => {
                    let now = self.window.fullscreen().is_none().then_some(Fullscreen::Borderless(None));
                    self.window.set_fullscreen(now);
                }
                Action::Windowed => self.window.set_fullscreen(None),
                Action::Dark(is_dark) => {
                    let theme = if *is_dark { SystemTheme::Dark } else { SystemTheme::Light };
                    self.window.set_theme(Some(theme));
                }
                Action::Command(_)
                | Action::Screenshot
                | Action::Frames(_)
                | Action::Sample(_)
                | Action::Quit => {}
            }
        }
        if self.drawer.writes_frames() != self.writes_frames {
            self.writes_frames = self.drawer.writes_frames();
            self.window.set_title(&title(self.drawer.script.sample, self.writes_frames));
        }
        self.is_complete = outcome.is_last;
        if outcome.is_last {
            self.note_place();
        }
        Ok(outcome)
    }

    /// Keeps where the window is, for another sample that takes its place. Wayland does not tell the position.
    fn note_place(&mut self) {
        let script = &mut self.drawer.script;
        script.at = self.window.outer_position().ok().map(|at| [at.x, at.y]);
        script.full_screen = self.window.fullscreen().is_some();
        if !script.full_screen {
            let size: LogicalSize<u32> = self.window.inner_size().to_logical(self.window.scale_factor());
            let most = u32::try_from(MOST_TEXELS).unwrap_or(u32::MAX);
            script.size = [size.width, size.height].map(|side| side.clamp(LEAST_SIDE, most));
        }
    }
}

fn title(sample: &str, writes_frames: bool) -> String {
    format!("{sample} · Hot Lap{}", if writes_frames { " · recording frames" } else { "" })
}

/// The monitor that shows this point.
fn monitor(events: &ActiveEventLoop, [x, y]: [i32; 2]) -> Option<MonitorHandle> {
    let is_in = |at: i32, begin: i32, size: u32| at >= begin && at.abs_diff(begin) < size;
    events.available_monitors().find(|monitor| {
        let (corner, size) = (monitor.position(), monitor.size());
        is_in(x, corner.x, size.width) && is_in(y, corner.y, size.height)
    })
}

/// The pixels of a window.
pub(super) struct Screen(softbuffer::Surface<Arc<Window>, Arc<Window>>);

impl Screen {
    fn of(window: &Arc<Window>) -> Result<Self> {
        let context = said(softbuffer::Context::new(Arc::clone(window)), "drawing into the window")?;
        let surface = softbuffer::Surface::new(&context, Arc::clone(window)).map_err(|error| {
            let words = "measure with --bench, or draw into pictures with --live --headless --frames N";
            Halt::Skip(format!("this window takes no pictures ({error}): {words}"))
        });
        Ok(Self(surface?))
    }

    /// Shows a picture. Does nothing if it has no area.
    pub fn show(&mut self, canvas: &Canvas) -> Result<()> {
        let [Some(width), Some(height)] = canvas.size.map(NonZeroU32::new) else { return Ok(()) };
        let shown = self.0.resize(width, height).and_then(|()| {
            let mut pixels = self.0.buffer_mut()?;
            let colours = canvas.pixels.iter().map(|pixel| pixel & 0x00ff_ffff);
            pixels.iter_mut().zip(colours).for_each(|(pixel, colour)| *pixel = colour);
            pixels.present()
        });
        said(shown, "drawing into the window")
    }
}

/// Adds context to an error of the window system, for a message of one line.
fn said<T>(made: Result<T, impl Display>, doing: &'static str) -> Result<T> {
    made.map_err(|error| anyhow!("{error}")).context(doing)
}
