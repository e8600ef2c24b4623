//! The contents of the window: draws a [`Snapshot`] in panels and returns the user's actions. Does not depend on a
//! window system or on Vulkan.
//!
//! ```text
//! Snapshot ──▶ Ui::draw ──▶ egui's shapes
//! keys, pointer ──▶        └─────▶ Actions: commands to the engine, the rest for the display
//! ```

mod arrange;
mod caption;
mod demo;
#[cfg(test)]
pub(super) mod example;
mod help;
mod keys;
mod large;
mod layout;
mod look;
mod matrix;
mod notices;
mod numbers;
mod paint;
mod picture;
mod result;
mod rows;
mod spread;
mod strip;
mod sweep;
#[cfg(test)]
mod tests;
mod waves;

use std::time::Duration;

use egui::{Context, ThemePreference};

use self::arrange::Arrange;
use self::demo::Demo;
use self::keys::KeyAction;
pub(crate) use self::large::finding_and_claim;
use self::layout::{Panel, Places, Wanted};
use self::look::Look;
use self::paint::panel;
use self::picture::Pane;
use self::waves::Waves;
use super::knobs::Knob;
use super::messages::{Command, Snapshot, State};

/// Something that the user asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A command to the engine.
    Command(Command),
    /// Switch between full screen and window.
    FullScreen,
    /// Leave the full screen.
    Windowed,
    /// Save a picture of the window.
    Screenshot,
    /// Write the frames, or end that.
    Frames(Video),
    /// Show the sample this many programs further in place of this one, or back if negative.
    Sample(isize),
    /// Make the window's frame dark (`true`) or light.
    Dark(bool),
    /// End the program.
    Quit,
}

/// What frames are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Video {
    /// A folder with a PNG file per frame.
    Pngs,
    /// An animated GIF.
    Gif,
}

/// Settings of the window that another sample in its place begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begin {
    /// Use the dark theme.
    pub dark: bool,
    /// Show the variants one after another.
    pub demo: bool,
    /// Large text for an audience.
    pub presenter: bool,
}

/// What the window says of a step of a talk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepText {
    /// `3 of 12 · Page Down goes on`
    pub place: String,
    /// Shown in place of the variant's caption.
    pub caption: String,
}

/// The user interface: all panels and their state.
pub struct Ui {
    dark: bool,
    presenter: bool,
    hidden: bool,
    help: bool,
    demo: Option<Demo>,
    step: Option<StepText>,
    /// Position of the variant that a split compares with.
    rival: Option<usize>,
    styled: Option<Look>,
    /// Areas with figures in the last frame.
    figures: Vec<egui::Rect>,
    pane: Pane,
    arrange: Arrange,
    waves: Waves,
    numbers: numbers::Numbers,
}

impl Ui {
    /// Creates the panels for `knobs`. Must be called before the context's first frame, because it sets the fonts.
    #[must_use]
    pub fn new(ctx: &Context, knobs: Vec<Knob>, begin: Begin) -> Self {
        look::set_fonts(ctx);
        Self {
            dark: begin.dark,
            presenter: begin.presenter,
            hidden: false,
            help: false,
            demo: begin.demo.then(Demo::default),
            step: None,
            rival: None,
            styled: None,
            figures: Vec::new(),
            pane: Pane::default(),
            arrange: Arrange::new(knobs),
            waves: Waves::default(),
            numbers: numbers::Numbers::default(),
        }
    }

    /// The settings as they are now.
    #[must_use]
    pub fn settings(&self) -> Begin {
        Begin { dark: self.dark, demo: self.demo.is_some(), presenter: self.presenter }
    }

    /// Shows a step of a talk from now on.
    pub fn show_step(&mut self, text: StepText) {
        self.step = Some(text);
    }

    /// Areas of the last frame with figures or clocks, which differ between runs.
    #[must_use]
    pub fn figures(&self) -> &[egui::Rect] {
        &self.figures
    }

    /// Draws `snapshot` into the whole of `root` and returns the user's actions. `now` may come from any clock
    /// that does not go back.
    pub fn draw(&mut self, root: &mut egui::Ui, snapshot: &Snapshot, now: Duration) -> Vec<Action> {
        let mut actions = Vec::new();
        let acts = keys::pressed(root.ctx());
        if acts.iter().any(|act| act.takes_over()) {
            self.demo = None;
        }
        for act in acts {
            self.act(act, snapshot, &mut actions);
        }
        let command = self.demo.as_mut().and_then(|demo| demo.command(snapshot, now));
        actions.extend(command.map(Action::Command));
        let window = root.max_rect();
        let look = Look::of(window.size(), self.dark, self.presenter);
        self.dress(root, look);
        let Places { stage, picture, panels } = layout::places(window, &look, self.wanted(snapshot));
        let with_figures = panels.iter().filter(|(panel, _)| panel.has_figures());
        self.figures = with_figures.map(|(_, place)| *place).collect();
        root.painter().rect_filled(window, 0.0, look.ink.paper);
        root.painter().rect_filled(picture, 0.0, look.ink.panel);
        for (which, place) in panels {
            let (id, look) = (format!("{which:?}"), &look);
            let command = panel(root, look, place, &id, |ui, inside| {
                self.panel(which, ui, look, inside, snapshot, now)
            });
            actions.extend(command.map(Action::Command));
        }
        actions.extend(self.arrange.due(root.ctx(), now).map(Action::Command));
        let is_stage = picture == stage;
        let commands = self.pane.draw(root, &look, (picture, is_stage), snapshot);
        actions.extend(commands.into_iter().map(Action::Command));
        notices::draw(root, &look, stage, snapshot);
        if self.help {
            help::draw(root, &look, window);
        }
        if let Some(demo) = self.demo.as_ref().filter(|_| snapshot.state != State::Paused) {
            root.ctx().request_repaint_after(demo.rest(now));
        }
        actions
    }

    /// Draws a panel and returns the actions of the user in it.
    fn panel(
        &mut self,
        which: Panel,
        ui: &mut egui::Ui,
        look: &Look,
        inside: egui::Rect,
        snapshot: &Snapshot,
        now: Duration,
    ) -> Option<Command> {
        match which {
            Panel::Head => caption::head(ui, look, inside, snapshot),
            Panel::Numbers if snapshot.has_matrix() => {
                return numbers::trials(ui, look, inside, snapshot).map(Command::Show);
            }
            Panel::Numbers => return self.numbers.draw(ui, look, inside, snapshot).map(Command::Show),
            Panel::Matrix => return matrix::draw(ui, look, inside, snapshot).map(Command::Show),
            Panel::Strip => strip::draw(ui, look, inside, snapshot),
            Panel::Spread => spread::draw(ui, look, inside, snapshot),
            Panel::Waves => self.waves.draw(ui, look, inside, snapshot),
            Panel::Result => result::draw(ui, look, ui.clip_rect(), snapshot),
            Panel::Caption => {
                let step = self.step.as_ref();
                caption::draw(ui, look, inside, snapshot, (self.demo.is_some(), step));
            }
            Panel::Knobs => self.arrange.draw(ui, look, snapshot, now),
        }
        None
    }

    fn wanted(&self, snapshot: &Snapshot) -> Wanted {
        let matrix = snapshot.has_matrix();
        Wanted {
            hidden: self.hidden,
            knobs: self.arrange.is_any(),
            matrix,
            thumbnail: snapshot.traces,
            whole: match &snapshot.picture {
                Some(picture) => Some(picture.whole),
                None => snapshot.recorded.is_none().then_some([1; 2]),
            },
        }
    }

    /// Sets egui's fonts and colours if they have changed since the last frame.
    fn dress(&mut self, root: &mut egui::Ui, look: Look) {
        if self.styled != Some(look) {
            let theme = if look.is_dark { ThemePreference::Dark } else { ThemePreference::Light };
            root.ctx().set_theme(theme);
            root.ctx().all_styles_mut(|style| *style = look.style());
            self.styled = Some(look);
            root.ctx().request_repaint();
        }
        root.set_style(look.style());
    }

    fn act(&mut self, act: KeyAction, snapshot: &Snapshot, actions: &mut Vec<Action>) {
        let count = snapshot.variants.len();
        let mut command = |command| actions.push(Action::Command(command));
        match act {
            KeyAction::Variant(at) => {
                if let Some(at) = numbers::with_key(snapshot, at + 1) {
                    command(Command::Show(at));
                }
            }
            KeyAction::Down(by) if snapshot.has_matrix() => {
                if let Some(at) = matrix::down(snapshot, by) {
                    command(Command::Show(at));
                }
            }
            KeyAction::Walk(by) | KeyAction::Down(by) if count > 0 => {
                command(Command::Show(stepped(snapshot.current, by, count)));
            }
            KeyAction::Walk(_) | KeyAction::Down(_) => {}
            KeyAction::Pause => command(Command::Pause(!snapshot.paused)),
            KeyAction::Step => command(Command::Step),
            KeyAction::Split => {
                let rival = snapshot.other.is_none().then(|| self.rival(snapshot)).flatten();
                command(Command::Compare(rival));
            }
            KeyAction::Rival => {
                self.rival = next_rival(snapshot, self.rival(snapshot));
                command(Command::Compare(self.rival));
            }
            KeyAction::Reset => command(Command::Reset),
            KeyAction::Waves => command(Command::Trace(!snapshot.traces)),
            KeyAction::Record => command(Command::Record),
            KeyAction::Demo => self.demo = if self.demo.is_some() { None } else { Some(Demo::default()) },
            KeyAction::Presenter => self.presenter = !self.presenter,
            KeyAction::Theme => {
                self.dark = !self.dark;
                actions.push(Action::Dark(self.dark));
            }
            KeyAction::Panels => self.hidden = !self.hidden,
            KeyAction::Help => self.help = !self.help,
            KeyAction::FullScreen => actions.push(Action::FullScreen),
            KeyAction::Sample(by) => actions.push(Action::Sample(by)),
            KeyAction::Frames(video) => actions.push(Action::Frames(video)),
            KeyAction::Screenshot => actions.push(Action::Screenshot),
            KeyAction::Escape if self.help => self.help = false,
            KeyAction::Escape => actions.push(Action::Windowed),
            KeyAction::Quit => actions.push(Action::Quit),
        }
    }

    /// The variant to compare with: the one being compared, the last one compared, the one in the finding, the usual
    /// way, the fastest possible, or the next variant. Takes the first of these that is not the shown variant.
    fn rival(&self, snapshot: &Snapshot) -> Option<usize> {
        let count = snapshot.variants.len();
        let is_other = |at: &usize| *at < count && *at != snapshot.current;
        let found =
            snapshot.figures.record.as_ref().and_then(|record| record.headline.as_ref()?.compared.as_ref());
        let found =
            found.and_then(|pair| snapshot.variants.iter().position(|entry| entry.name == pair.other));
        let baseline = snapshot.variants.iter().position(|entry| entry.is_baseline);
        let bound = snapshot.variants.iter().position(|entry| entry.is_bound);
        let neighbour = (count > 1).then(|| stepped(snapshot.current, 1, count));
        [snapshot.other, self.rival, found, baseline, bound, neighbour].into_iter().flatten().find(is_other)
    }
}

/// The position `by` variants further, wrapping around.
fn stepped(at: usize, by: isize, count: usize) -> usize {
    let step = by.unsigned_abs() % count;
    if by < 0 { (at + count - step) % count } else { (at + step) % count }
}

/// The next variant to compare with, skipping the shown one.
fn next_rival(snapshot: &Snapshot, rival: Option<usize>) -> Option<usize> {
    let count = snapshot.variants.len();
    if snapshot.other.is_none() {
        return rival;
    }
    let from = rival?;
    (1..count).map(|by| (from + by) % count).find(|at| *at != snapshot.current)
}
