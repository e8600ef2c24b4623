//! A frame, from a snapshot to pixels.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use egui::{Event, FullOutput, Key, Modifiers, PlatformOutput, RawInput};
use record::error::{EXIT_INTERRUPTED, EXIT_RIGHT, one_line};
use report::Line;
use report::{Destination, Theme};

use super::position::Position;
use super::raster::{Canvas, Raster};
use super::script::Script;
use super::shot::png;
use super::window::Screen;
use crate::handoff::Handoff;
use crate::messages::{Command, Snapshot, State};
use crate::ui::{Action, Begin, Ui};

/// The most texels that a side of a texture has: as many as a window may have pixels.
pub(super) const MOST_TEXELS: usize = 16384;

/// Draws snapshots.
pub(super) struct Drawer {
    pub ctx: egui::Context,
    pub script: Script,
    raster: Raster,
    canvas: Canvas,
    /// None where nobody looks but a script.
    screen: Option<Screen>,
    ui: Ui,
    handoff: Arc<Handoff>,
    began: Instant,
    /// Number of the snapshot that was drawn last.
    drawn: u64,
    frames: u64,
    line: Option<Line>,
    keys: VecDeque<Key>,
    /// Why nothing is measured in the last frame, where no row of the record says it.
    failure: Option<String>,
}

/// Frames between two keys that are pressed by themselves, so that each takes effect before the next.
const APART: u64 = 4;

/// Between two frames of a script while the snapshot stands still.
const SCRIPTED: Duration = Duration::from_millis(30);

/// What came of a frame.
pub(super) struct Outcome {
    pub actions: Vec<Action>,
    pub platform: PlatformOutput,
    /// When egui wants the next frame, whatever the engine does.
    pub again: Option<Duration>,
    /// The script has come to its end.
    pub is_last: bool,
}

impl Drawer {
    pub fn new(
        handoff: &Arc<Handoff>,
        script: Script,
        screen: Option<Screen>,
        system_is_dark: bool,
    ) -> Result<Self> {
        let ctx = egui::Context::default();
        let dark = match script.theme {
            Theme::Auto => system_is_dark,
            Theme::Dark => true,
            Theme::Light => false,
        };
        let begin = Begin { dark, demo: script.demo };
        let line = script.progress.as_deref().map(Line::open).transpose()?;
        let keys = script.press.iter().map(|name| key(name)).collect::<Result<_>>()?;
        Ok(Self {
            ui: Ui::new(&ctx, script.knobs.clone(), begin),
            ctx,
            script,
            raster: Raster::new()?,
            canvas: Canvas::default(),
            screen,
            handoff: Arc::clone(handoff),
            began: Instant::now(),
            drawn: 0,
            frames: 0,
            line,
            keys,
            failure: None,
        })
    }

    /// Draws the newest snapshot.
    pub fn frame(&mut self, input: RawInput, size: [u32; 2]) -> Result<Outcome> {
        let (number, snapshot) = self.handoff.snapshot();
        let input = self.typed(input, &snapshot);
        let (mut output, actions) = self.laid_out(input, &snapshot);
        let (shapes, pixels) = (std::mem::take(&mut output.shapes), output.pixels_per_point);
        let primitives = self.ctx.tessellate(shapes, pixels);
        self.canvas.clear(size);
        self.raster.draw(&primitives, pixels, &mut output.textures_delta, &mut self.canvas);
        if let Some(screen) = &mut self.screen {
            screen.show(&self.canvas)?;
        }
        // A snapshot that stands still has no new ones: then each drawing counts.
        self.frames += u64::from(!is_building(&snapshot) && (number > self.drawn || stands(&snapshot)));
        let is_last = self.script.frames.is_some_and(|most| self.frames >= most);
        if actions.contains(&Action::Screenshot) {
            self.handoff.send(Command::Tell(self.saved(pixels, &snapshot)));
        }
        if let Some(to) = self.script.screenshot.as_ref().filter(|_| is_last) {
            to.write(self.shot(pixels)?)?;
        }
        self.shown(number, &snapshot);
        if let (true, Some(key)) = (is_last, self.keys.front()) {
            bail!("{} was not pressed yet, nor what follows it: give more --frames", key.name());
        }
        let again = self.again(&snapshot, &output);
        Ok(Outcome { actions, platform: output.platform_output, again, is_last })
    }

    /// The input, and the next key of the script where its time has come.
    fn typed(&mut self, mut input: RawInput, snapshot: &Snapshot) -> RawInput {
        if !is_building(snapshot) && self.frames % APART == APART - 1 {
            input.events.extend(self.keys.pop_front().map(pressed));
        }
        input
    }

    /// Notes that a snapshot was drawn, and tells it.
    fn shown(&mut self, number: u64, snapshot: &Snapshot) {
        self.failure = match &snapshot.state {
            State::Failed(reason) if !is_of_a_row(snapshot, reason) => Some(reason.to_string()),
            _ => None,
        };
        self.drawn = number;
        self.handoff.has_drawn(number);
        if let Some(line) = &self.line {
            line.write(&Position::of(snapshot, self.canvas.size));
        }
    }

    /// When the next frame is due, whatever the engine does.
    fn again(&self, snapshot: &Snapshot, output: &FullOutput) -> Option<Duration> {
        // A script goes on though nothing else does.
        if stands(snapshot) && self.script.frames.is_some() {
            return Some(SCRIPTED);
        }
        output.viewport_output.get(&egui::ViewportId::ROOT).map(|viewport| viewport.repaint_delay)
    }

    fn laid_out(&mut self, input: RawInput, snapshot: &Snapshot) -> (FullOutput, Vec<Action>) {
        let (ui, now) = (&mut self.ui, self.began.elapsed());
        let mut actions = Vec::new();
        let output = self.ctx.run_ui(input, |root| actions.extend(ui.draw(root, snapshot, now)));
        for action in &actions {
            if let Action::Command(command) = action {
                self.handoff.send(command.clone());
            }
        }
        (output, actions)
    }

    /// Ctrl-C was pressed.
    pub fn is_stopped(&self) -> bool {
        self.script.stop.load(Ordering::Relaxed)
    }

    /// Returns the exit code.
    ///
    /// # Errors
    /// What the script asked for and did not get.
    pub fn close(self, is_complete: bool) -> Result<u8> {
        let stopped = self.is_stopped();
        if let Some(failure) = self.failure.as_ref().filter(|_| self.script.frames.is_some()) {
            bail!("nothing was measured at the end: {failure}");
        }
        if let (Some(frames), false, false) = (self.script.frames, is_complete, stopped) {
            bail!(
                "ended after {} of {frames} --frames: what was to be left of the last is not there",
                self.frames
            );
        }
        Ok(if stopped && !is_complete { EXIT_INTERRUPTED } else { EXIT_RIGHT })
    }

    /// The frame as a picture's file.
    fn shot(&self, pixels_per_point: f32) -> Result<Vec<u8>> {
        png(&self.canvas, self.ui.figures(), pixels_per_point)
    }

    /// Writes the frame into the working directory, and says where; or why not.
    fn saved(&self, pixels_per_point: f32, snapshot: &Snapshot) -> Result<String, String> {
        let now = humantime::format_rfc3339_millis(std::time::SystemTime::now()).to_string();
        let name = format!("{}-{}.png", snapshot.sample, now.replace(':', "-"));
        let written =
            self.shot(pixels_per_point).and_then(|shot| Destination::File(name.clone().into()).write(shot));
        written.map(|()| format!("{name} written")).map_err(|error| one_line(&error))
    }
}

/// The engine says at the end what was wrong with each row.
fn is_of_a_row(snapshot: &Snapshot, failure: &str) -> bool {
    let rows = snapshot.figures.record.iter().flat_map(|record| &record.rows);
    rows.filter_map(|row| row.status.reason()).any(|reason| reason == failure)
}

fn is_building(snapshot: &Snapshot) -> bool {
    matches!(snapshot.state, State::Building(_))
}

fn stands(snapshot: &Snapshot) -> bool {
    matches!(snapshot.state, State::Paused | State::Failed(_))
}

/// A key by its name, as egui has it: `a`, `Space`, `Down`, `F1`.
fn key(name: &str) -> Result<Key> {
    let found = Key::ALL.iter().copied().find(|key| key.name().eq_ignore_ascii_case(name));
    let found = found.or_else(|| Key::from_name(name));
    found.with_context(|| format!("no key is called '{name}'; keys are called a, 1, Space, Down, Tab, F1, ?"))
}

fn pressed(key: Key) -> Event {
    let (pressed, repeat, modifiers) = (true, false, Modifiers::NONE);
    Event::Key { key, physical_key: None, pressed, repeat, modifiers }
}
