//! A frame, from a board to pixels.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use egui::{Event, FullOutput, Key, Modifiers, PlatformOutput, RawInput, TexturesDelta};
use record::error::{EXIT_FAILED, EXIT_INTERRUPTED, EXIT_RIGHT, Halt, one_line};
use report::Line;
use report::{Destination, Theme};

use super::position::Position;
use super::script::Script;
use super::shot::png;
use crate::desk::Desk;
use crate::link::{Board, Order, State};
use crate::present::{Drawn, Paint, Presenter};
use crate::ui::{Begin, Ui, Wish};

/// A sample that lasts longer lets the window miss frames, not events.
const PATIENCE: Duration = Duration::from_millis(100);

/// Draws boards.
pub(super) struct Drawer {
    pub ctx: egui::Context,
    pub script: Script,
    presenter: Presenter,
    ui: Ui,
    desk: Arc<Desk>,
    began: Instant,
    /// Number of the board that was drawn last.
    drawn: u64,
    frames: u64,
    line: Option<Line>,
    keys: VecDeque<Key>,
    /// Why nothing is measured in the last frame, where no row of the record says it.
    failure: Option<String>,
}

/// Frames between two keys that are pressed by themselves, so that each takes effect before the next.
const APART: u64 = 4;

/// Between two frames of a script while the board stands still.
const SCRIPTED: Duration = Duration::from_millis(30);

/// What came of a frame.
pub(super) struct Outcome {
    pub wishes: Vec<Wish>,
    pub platform: PlatformOutput,
    /// When egui wants the next frame, whatever the engine does.
    pub again: Option<Duration>,
    /// The script has come to its end.
    pub is_last: bool,
    /// Nobody could see it.
    pub is_hidden: bool,
}

impl Drawer {
    pub fn new(desk: &Arc<Desk>, script: Script, presenter: Presenter, system_is_dark: bool) -> Result<Self> {
        let ctx = egui::Context::default();
        let dark = match script.theme {
            Theme::Auto => system_is_dark,
            Theme::Dark => true,
            Theme::Light => false,
        };
        let begin = Begin { dark, demo: script.demo };
        let line = script.progress.as_deref().map(Line::open).transpose()?;
        let keys = script.press.iter().map(|name| key(name)).collect::<Result<_>>()?;
        if let Some(device) = presenter.elsewhere() {
            desk.order(Order::Warn(format!("Drawn on {device}: pictures are copied through the CPU.")));
        }
        Ok(Self {
            ui: Ui::new(&ctx, script.knobs.clone(), begin),
            ctx,
            script,
            presenter,
            desk: Arc::clone(desk),
            began: Instant::now(),
            drawn: 0,
            frames: 0,
            line,
            keys,
            failure: None,
        })
    }

    pub fn max_texture_side(&self) -> usize {
        self.presenter.max_texture_side()
    }

    /// Draws the newest board; nothing where the device is measured on for too long.
    pub fn frame(&mut self, input: &RawInput, size: [u32; 2]) -> Result<Option<Outcome>> {
        let desk = Arc::clone(&self.desk);
        let Some(drawing) = desk.draw(PATIENCE) else { return Ok(None) };
        let Some((number, board)) = desk.board() else { return Ok(None) };
        let input = self.typed(input, &board);
        let (mut output, wishes) = self.laid_out(input, &board);
        let shapes = std::mem::take(&mut output.shapes);
        let primitives = self.ctx.tessellate(shapes, output.pixels_per_point);
        let paint = Paint {
            primitives: &primitives,
            pixels_per_point: output.pixels_per_point,
            backdrop: self.ui.backdrop(),
            size,
        };
        let drawn = self.presenter.draw(&paint, &mut output.textures_delta)?;
        let frames = self.frames + u64::from(self.counts(drawn, number, &board));
        let is_last = self.script.frames.is_some_and(|most| frames >= most);
        if wishes.contains(&Wish::Screenshot) {
            desk.order(Order::Tell(saved(&mut self.presenter, &self.ui, &paint, &board)?));
        }
        if let Some(to) = self.script.screenshot.as_ref().filter(|_| is_last) {
            to.write(shot(&mut self.presenter, &self.ui, &paint)?)?;
        }
        drop(drawing);
        self.frames = frames;
        self.shown(drawn, number, &board, size);
        if let (true, Some(key)) = (is_last, self.keys.front()) {
            bail!("{} was not pressed yet, nor what follows it: give more --frames", key.name());
        }
        let again = self.again(drawn, &board, &output);
        let (platform, is_hidden) = (output.platform_output, drawn == Drawn::Nothing);
        Ok(Some(Outcome { wishes, platform, again, is_last, is_hidden }))
    }

    /// The input, and the next key of the script where its time has come.
    fn typed(&mut self, input: &RawInput, board: &Board) -> RawInput {
        let mut input = input.clone();
        if !is_building(board) && self.frames % APART == APART - 1 {
            input.events.extend(self.keys.pop_front().map(pressed));
        }
        input
    }

    /// Whether a drawing is one of the frames that a script asks for.
    fn counts(&self, drawn: Drawn, number: u64, board: &Board) -> bool {
        // A board that stands still has no new ones: then each drawing counts.
        drawn == Drawn::Shown && !is_building(board) && (number > self.drawn || stands(board))
    }

    /// Notes what became of a board, and tells it.
    fn shown(&mut self, drawn: Drawn, number: u64, board: &Board, size: [u32; 2]) {
        self.failure = match &board.state {
            State::Failed(reason) if !is_of_a_row(board, reason) => Some(reason.to_string()),
            _ => None,
        };
        self.desk.hide(drawn == Drawn::Nothing);
        if drawn != Drawn::Nothing {
            self.drawn = number;
            self.desk.has_drawn(number);
        }
        if let Some(line) = &self.line {
            line.write(&Position::of(board, size, self.drawn));
        }
    }

    /// When the next frame is due, whatever the engine does.
    fn again(&self, drawn: Drawn, board: &Board, output: &FullOutput) -> Option<Duration> {
        match drawn {
            Drawn::Missed => Some(Duration::ZERO),
            // A script goes on though nothing else does.
            _ if stands(board) && self.script.frames.is_some() => Some(SCRIPTED),
            _ => output.viewport_output.get(&egui::ViewportId::ROOT).map(|viewport| viewport.repaint_delay),
        }
    }

    fn laid_out(&mut self, input: RawInput, board: &Board) -> (FullOutput, Vec<Wish>) {
        let (ui, now) = (&mut self.ui, self.began.elapsed());
        let mut wishes = Vec::new();
        let output = self.ctx.run_ui(input, |root| wishes.extend(ui.draw(root, board, now)));
        for wish in &wishes {
            if let Wish::Order(order) = wish {
                self.desk.order(order.clone());
            }
        }
        (output, wishes)
    }

    /// Ctrl-C was pressed.
    pub fn is_stopped(&self) -> bool {
        self.script.stop.load(Ordering::Relaxed)
    }

    /// Frees everything; returns the exit code.
    ///
    /// # Errors
    /// What the script asked for and did not get.
    pub fn close(self, is_complete: bool) -> Result<u8> {
        let stopped = self.is_stopped();
        let messages = self.presenter.close();
        for message in messages.iter().take(3) {
            report::terminal::say(&format!(
                "the validation layer about what is drawn: {}: {}",
                message.id, message.text
            ));
        }
        if let Some(failure) = self.failure.as_ref().filter(|_| self.script.frames.is_some()) {
            bail!("nothing was measured at the end: {failure}");
        }
        if let (Some(frames), false, false) = (self.script.frames, is_complete, stopped) {
            bail!(
                "ended after {} of {frames} --frames: what was to be left of the last is not there",
                self.frames
            );
        }
        Ok(match (messages.is_empty(), stopped && !is_complete) {
            (false, _) => EXIT_FAILED,
            (true, true) => EXIT_INTERRUPTED,
            (true, false) => EXIT_RIGHT,
        })
    }
}

/// The frame as a picture's file.
fn shot(presenter: &mut Presenter, ui: &Ui, paint: &Paint<'_>) -> Result<Vec<u8>> {
    let shot = presenter.capture(paint, &mut TexturesDelta::default())?;
    png(&shot, ui.figures(), paint.pixels_per_point)
}

/// Writes the frame into the working directory, and says where; or why not.
fn saved(
    presenter: &mut Presenter,
    ui: &Ui,
    paint: &Paint<'_>,
    board: &Board,
) -> Result<Result<String, String>> {
    let now = humantime::format_rfc3339_millis(std::time::SystemTime::now()).to_string();
    let name = format!("{}-{}.png", board.sample, now.replace(':', "-"));
    let written =
        shot(presenter, ui, paint).and_then(|shot| Destination::File(name.clone().into()).write(shot));
    match written {
        Ok(()) => Ok(Ok(format!("{name} written"))),
        Err(error) if error.is::<Halt>() => Err(error),
        Err(error) => Ok(Err(one_line(&error))),
    }
}

/// The engine says at the end what was wrong with each row.
fn is_of_a_row(board: &Board, failure: &str) -> bool {
    let rows = board.figures.record.iter().flat_map(|record| &record.rows);
    rows.filter_map(|row| row.status.reason()).any(|reason| reason == failure)
}

fn is_building(board: &Board) -> bool {
    matches!(board.state, State::Building(_))
}

fn stands(board: &Board) -> bool {
    matches!(board.state, State::Paused | State::Failed(_))
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

/// The context of what the system said, for one line.
pub(super) fn no_window<T>(made: Result<T, impl std::fmt::Display>) -> Result<T> {
    made.map_err(|error| anyhow::anyhow!("{error}")).context("opening the window")
}
