//! Draws a frame: from a snapshot to pixels.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use egui::{Event, FullOutput, Key, Modifiers, PlatformOutput, RawInput};
use record::error::{EXIT_INTERRUPTED, EXIT_RIGHT, one_line};
use report::Line;
use report::terminal::say;
use report::{Destination, Theme};

use super::frames::FrameWriter;
use super::position::Position;
use super::raster::{Canvas, Raster};
use super::script::Script;
use super::shot::png;
use super::sibling::{Ended, Next, own_folder, sibling};
use super::talk::Step;
use super::window::Screen;
use crate::engine::Replay;
use crate::handoff::Handoff;
use crate::messages::{Command, Snapshot, State};
use crate::ui::{Action, Begin, Ui};

/// Largest side of a texture in texels; also the largest side of a window in pixels.
pub(super) const MOST_TEXELS: usize = 16384;

/// Draws snapshots.
pub(super) struct Drawer {
    pub ctx: egui::Context,
    pub script: Script,
    raster: Raster,
    canvas: Canvas,
    /// The window's pixels; `None` when headless.
    screen: Option<Screen>,
    ui: Ui,
    handoff: Arc<Handoff>,
    began: Instant,
    /// Number of the snapshot that was drawn last.
    drawn: u64,
    frames: u64,
    line: Option<Line>,
    keys: VecDeque<Key>,
    /// Why nothing was measured in the last frame, unless a row of the record says it.
    failure: Option<String>,
    /// What takes this sample's place.
    next: Option<Next>,
    /// A step of the talk is to be shown.
    is_due: bool,
    /// Where frames are written.
    writer: Option<FrameWriter>,
    /// Why a recording is not complete.
    unwritten: Option<String>,
}

/// Frames between two scripted key presses, so that each takes effect before the next.
const APART: u64 = 4;

/// Time between two scripted frames while no new snapshots arrive.
const SCRIPTED: Duration = Duration::from_millis(30);

/// The result of drawing a frame.
pub(super) struct Outcome {
    pub actions: Vec<Action>,
    pub platform: PlatformOutput,
    /// Time after which egui wants to be redrawn, regardless of the engine.
    pub again: Option<Duration>,
    /// This was the last frame: of the script, or before another sample.
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
        let begin = Begin { dark, demo: script.demo, presenter: script.presenter };
        let line = script.progress.as_deref().map(Line::open).transpose()?;
        let keys = script.press.iter().map(|name| key(name)).collect::<Result<_>>()?;
        let mut ui = Ui::new(&ctx, script.knobs.clone(), begin);
        script.talk.iter().for_each(|talk| ui.show_step(talk.text()));
        Ok(Self {
            ui,
            is_due: script.talk.is_some(),
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
            next: None,
            writer: None,
            unwritten: None,
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
        // While the engine stands still there are no new snapshots, so every drawing counts as a frame.
        self.frames += u64::from(!is_building(&snapshot) && (number > self.drawn || stands(&snapshot)));
        self.write_frame(&actions, snapshot.sample);
        self.look_for_another(&actions, &snapshot);
        self.show_step(&snapshot);
        let leaves = self.next.is_some();
        let is_last = !leaves && self.script.frames.is_some_and(|most| self.frames >= most);
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
        Ok(Outcome { actions, platform: output.platform_output, again, is_last: is_last || leaves })
    }

    /// Begins or ends to write frames if a key asks for it, and writes this one.
    fn write_frame(&mut self, actions: &[Action], sample: &str) {
        let asked = actions.iter().find_map(|action| match action {
            Action::Frames(video) => Some(*video),
            _ => None,
        });
        match (asked, self.writer.is_some()) {
            (Some(_), true) => self.end_frames(),
            (Some(video), false) => match FrameWriter::begin(Path::new("."), sample, video) {
                Ok(writer) => self.writer = Some(writer),
                Err(error) => self.miss(one_line(&error)),
            },
            (None, _) => {}
        }
        if self.writer.as_ref().is_some_and(|writer| !writer.add(&self.canvas)) {
            self.end_frames();
        }
    }

    /// Ends to write frames, and says where they are.
    fn end_frames(&mut self) {
        match self.writer.take().map(FrameWriter::end) {
            Some(Ok((news, further))) => {
                say(&news);
                further.iter().for_each(|line| say(line));
                self.handoff.send(Command::Tell(Ok(news)));
            }
            Some(Err(error)) => self.miss(one_line(&error)),
            None => {}
        }
    }

    /// Says why frames are missing; a script's end says it.
    fn miss(&mut self, why: String) {
        if self.script.frames.is_none() {
            say(&format!("{}: {why}", self.script.sample));
        }
        self.handoff.send(Command::Tell(Err(why.clone())));
        self.unwritten = Some(why);
    }

    /// Whether frames are written.
    pub fn writes_frames(&self) -> bool {
        self.writer.is_some()
    }

    /// Finds the sample that a key asks for, or says why there is none.
    fn look_for_another(&mut self, actions: &[Action], snapshot: &Snapshot) {
        let asked = actions.iter().find_map(|action| match action {
            Action::Sample(by) => Some(*by),
            _ => None,
        });
        match asked.map(|by| self.another(by, snapshot)) {
            Some(Ok(next)) => self.next = next,
            Some(Err(error)) => self.handoff.send(Command::Tell(Err(one_line(&error)))),
            None => {}
        }
    }

    /// What takes this sample's place; `None` for a step of the talk that this sample shows itself.
    fn another(&mut self, by: isize, snapshot: &Snapshot) -> Result<Option<Next>> {
        let folder = own_folder()?;
        let is_wrong = self.script.replay.is_none() && snapshot.figures.is_any_wrong();
        let script = &mut self.script;
        let is_beside_record = script.replay.is_some();
        let next = match &mut script.talk {
            Some(talk) => {
                let before = talk.walk(by)?.clone();
                let step = talk.step();
                if step.is_shown_as(&before) {
                    self.ui.show_step(talk.text());
                    self.is_due = true;
                    return Ok(None);
                }
                let next = talk.program(&folder);
                // Until another program shows it, this one stays at its step.
                talk.walk(-by)?;
                next?
            }
            None => sibling(&folder, &script.samples, (script.sample, script.replay.as_deref()), by)
                .context(if is_beside_record {
                    "no record of another sample in the folder above this one's"
                } else {
                    "no other sample beside this one: cargo build --release --bins"
                })?,
        };
        ensure!(
            !is_wrong,
            "a variant is wrong, so this sample stays: Q quits with exit code 2, 0 resets the figures"
        );
        if let Some(record) = &next.replay {
            Replay::check(record, &next.sample)?;
        }
        Ok(Some(next))
    }

    /// Shows the variants of the talk's step, once the sample has them.
    fn show_step(&mut self, snapshot: &Snapshot) {
        let Some(talk) = self.script.talk.as_ref().filter(|_| self.is_due && !is_building(snapshot)) else {
            return;
        };
        self.is_due = false;
        let Step { variant, rival, .. } = talk.step();
        let at = |name: &String| snapshot.variants.iter().position(|entry| entry.name == *name);
        if let Some(name) = variant.iter().chain(rival).find(|name| at(name).is_none()) {
            let why = format!("the script names {name}, which is no variant here");
            self.handoff.send(Command::Tell(Err(why)));
        }
        self.handoff.send(Command::Compare(None));
        variant.as_ref().and_then(at).into_iter().for_each(|at| self.handoff.send(Command::Show(at)));
        self.handoff.send(Command::Compare(rival.as_ref().and_then(at)));
    }

    /// What takes this one's place, with what the user has set here.
    fn handed_over(mut self) -> Option<Next> {
        let mut next = self.next?;
        let Begin { dark, demo, presenter } = self.ui.settings();
        let script = &mut self.script;
        (script.demo, script.presenter) = (demo, presenter);
        script.theme = if dark { Theme::Dark } else { Theme::Light };
        script.press = self.keys.iter().map(|key| key.name().to_owned()).collect();
        script.frames = script.frames.map(|most| most.saturating_sub(self.frames).max(1));
        next.arguments.extend(script.arguments(next.replay.as_deref()));
        Some(next)
    }

    /// Adds the script's next key to the input, when its time has come.
    fn typed(&mut self, mut input: RawInput, snapshot: &Snapshot) -> RawInput {
        if !is_building(snapshot) && self.frames % APART == APART - 1 {
            input.events.extend(self.keys.pop_front().into_iter().flat_map(down_and_up));
        }
        input
    }

    /// Records that a snapshot was drawn, tells the engine, and writes the line for the tests.
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

    /// When the next frame is due regardless of the engine.
    fn again(&self, snapshot: &Snapshot, output: &FullOutput) -> Option<Duration> {
        // A script must go on even if the snapshot does not change.
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

    /// Whether Ctrl-C was pressed.
    pub fn is_stopped(&self) -> bool {
        self.script.stop.load(Ordering::Relaxed)
    }

    /// Ends the drawing and returns the exit code, and what is to be started.
    ///
    /// # Errors
    /// The script asked for more frames than were drawn, or nothing was measured at its end.
    pub fn close(mut self, is_complete: bool) -> Result<Ended> {
        self.end_frames();
        let stopped = self.is_stopped();
        if let Some(why) = self.unwritten.as_ref().filter(|_| self.script.frames.is_some()) {
            bail!("{why}");
        }
        if let Some(failure) = self.failure.as_ref().filter(|_| self.script.frames.is_some()) {
            bail!("nothing was measured at the end: {failure}");
        }
        if self.next.is_some() && !stopped {
            return Ok(Ended { code: EXIT_RIGHT, next: self.handed_over() });
        }
        if let (Some(frames), false, false) = (self.script.frames, is_complete, stopped) {
            bail!(
                "ended after {} of {frames} --frames: what was to be left of the last is not there",
                self.frames
            );
        }
        Ok(Ended::with(if stopped && !is_complete { EXIT_INTERRUPTED } else { EXIT_RIGHT }))
    }

    /// Encodes the frame as PNG.
    fn shot(&self, pixels_per_point: f32) -> Result<Vec<u8>> {
        png(&self.canvas, self.ui.figures(), pixels_per_point)
    }

    /// Writes the frame into the working directory; returns a message that says where or why not.
    fn saved(&self, pixels_per_point: f32, snapshot: &Snapshot) -> Result<String, String> {
        let now = humantime::format_rfc3339_millis(std::time::SystemTime::now()).to_string();
        let name = format!("{}-{}.png", snapshot.sample, now.replace(':', "-"));
        let written =
            self.shot(pixels_per_point).and_then(|shot| Destination::File(name.clone().into()).write(shot));
        written.map(|()| format!("{name} written")).map_err(|error| one_line(&error))
    }
}

/// Whether a row of the record has this failure as its reason; the engine reports those at the end.
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

/// Finds a key by its egui name: `a`, `Space`, `Down`, `F1`.
fn key(name: &str) -> Result<Key> {
    let found = Key::ALL.iter().copied().find(|key| key.name().eq_ignore_ascii_case(name));
    let found = found.or_else(|| Key::from_name(name));
    found.with_context(|| format!("no key is called '{name}'; keys are called a, 1, Space, Down, Tab, F1, ?"))
}

/// The key goes down and up: one that stays down would only repeat when it is pressed again.
fn down_and_up(key: Key) -> [Event; 2] {
    let (physical_key, repeat, modifiers) = (None, false, Modifiers::NONE);
    [true, false].map(|pressed| Event::Key { key, physical_key, pressed, repeat, modifiers })
}
