//! What the window shows: a [`Board`] in panels, and what the person before it wishes. Knows no window and
//! no Vulkan.
//!
//! ```text
//! Board ──▶ Ui::draw ──▶ egui's shapes
//! keys, pointer ──▶        └─────▶ Wishes: orders to the engine, the rest for the stage
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
mod notices;
mod numbers;
mod paint;
mod picture;
mod rows;
mod spread;
mod strip;
#[cfg(test)]
mod tests;
mod waves;

use std::time::Duration;

use egui::{Context, ThemePreference};

use self::arrange::Arrange;
use self::demo::Demo;
use self::keys::Act;
use self::layout::{Panel, Wanted};
use self::look::Look;
use self::paint::panel;
use self::picture::Pane;
use self::waves::Waves;
use super::knobs::Knob;
use super::link::{Board, Order, State};

/// What the person before the window wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// Of the engine.
    Order(Order),
    /// The whole screen, or no more.
    FullScreen,
    /// No longer the whole screen.
    Windowed,
    /// A picture of the window.
    Screenshot,
    /// The window's frame dark, or light.
    Dark(bool),
    /// The end.
    Quit,
}

/// What a window begins with.
#[derive(Clone, Copy, Debug)]
pub struct Begin {
    /// Light ink on black.
    pub dark: bool,
    /// Variants in turn.
    pub demo: bool,
}

/// All panels.
pub struct Ui {
    dark: bool,
    presenter: bool,
    hidden: bool,
    help: bool,
    traces: bool,
    demo: Option<Demo>,
    /// The rival that a split shows, by its position.
    rival: Option<usize>,
    styled: Option<Look>,
    /// Where the last frame had figures.
    figures: Vec<egui::Rect>,
    pane: Pane,
    arrange: Arrange,
    waves: Waves,
    numbers: numbers::Numbers,
}

impl Ui {
    /// Panels over `knobs`. To be made before the context's first frame, whose fonts it sets.
    #[must_use]
    pub fn new(ctx: &Context, knobs: Vec<Knob>, begin: Begin) -> Self {
        look::set_fonts(ctx);
        Self {
            dark: begin.dark,
            presenter: false,
            hidden: false,
            help: false,
            traces: false,
            demo: begin.demo.then(Demo::default),
            rival: None,
            styled: None,
            figures: Vec::new(),
            pane: Pane::default(),
            arrange: Arrange::new(knobs),
            waves: Waves::default(),
            numbers: numbers::Numbers::default(),
        }
    }

    /// The demo runs.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.demo.is_some()
    }

    /// Where the last frame has figures and clocks, which no two runs have alike.
    #[must_use]
    pub fn figures(&self) -> &[egui::Rect] {
        &self.figures
    }

    /// Draws `board` into the whole of `root`, at the time `now` of any clock that does not go back, and
    /// returns what was wished meanwhile.
    pub fn draw(&mut self, root: &mut egui::Ui, board: &Board, now: Duration) -> Vec<Wish> {
        let mut wishes = Vec::new();
        let acts = keys::pressed(root.ctx());
        if acts.iter().any(|act| act.takes_over()) {
            self.demo = None;
        }
        for act in acts {
            self.act(act, board, &mut wishes);
        }
        let order = self.demo.as_mut().and_then(|demo| demo.order(board, now));
        wishes.extend(order.map(Wish::Order));
        let window = root.max_rect();
        let look = Look::of(window.size(), self.dark, self.presenter);
        self.dress(root, look);
        let (picture, places) = layout::places(window, &look, self.wanted(board));
        let with_figures = places.iter().filter(|(panel, _)| panel.has_figures());
        self.figures = with_figures.map(|(_, place)| *place).collect();
        root.painter().rect_filled(window, 0.0, look.ink.paper);
        root.painter().rect_filled(picture, 0.0, look.ink.panel);
        for (which, place) in places {
            let (id, look) = (format!("{which:?}"), &look);
            let order =
                panel(root, look, place, &id, |ui, inside| self.panel(which, ui, look, inside, board, now));
            wishes.extend(order.map(Wish::Order));
        }
        wishes.extend(self.arrange.due(root.ctx(), now).map(Wish::Order));
        wishes.extend(self.pane.draw(root, &look, picture, board).into_iter().map(Wish::Order));
        notices::draw(root, &look, picture, board);
        if self.help {
            help::draw(root, &look, window);
        }
        if let Some(demo) = self.demo.as_ref().filter(|_| board.state != State::Paused) {
            root.ctx().request_repaint_after(demo.rest(now));
        }
        wishes
    }

    /// Draws a panel; returns what was ordered there.
    fn panel(
        &mut self,
        which: Panel,
        ui: &mut egui::Ui,
        look: &Look,
        inside: egui::Rect,
        board: &Board,
        now: Duration,
    ) -> Option<Order> {
        match which {
            Panel::Head => caption::head(ui, look, inside, board),
            Panel::Numbers => return self.numbers.draw(ui, look, inside, board).map(Order::Show),
            Panel::Strip => strip::draw(ui, look, inside, board),
            Panel::Spread => spread::draw(ui, look, inside, board),
            Panel::Waves => self.waves.draw(ui, look, inside, board),
            Panel::Caption => caption::draw(ui, look, inside, board, self.demo.is_some()),
            Panel::Knobs => self.arrange.draw(ui, look, board, now),
        }
        None
    }

    fn wanted(&self, board: &Board) -> Wanted {
        Wanted {
            hidden: self.hidden,
            knobs: self.arrange.is_any(),
            timelines: board.timelines.len(),
            untraced: board.untraced.is_some(),
        }
    }

    /// Fonts and colours of widgets, where they are to be others than in the last frame.
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

    fn act(&mut self, act: Act, board: &Board, wishes: &mut Vec<Wish>) {
        let count = board.variants.len();
        let mut order = |order| wishes.push(Wish::Order(order));
        match act {
            Act::Variant(at) => {
                if let Some(at) = numbers::with_key(board, at + 1) {
                    order(Order::Show(at));
                }
            }
            Act::Walk(by) if count > 0 => order(Order::Show(stepped(board.current, by, count))),
            Act::Walk(_) => {}
            Act::Pause => order(Order::Pause(!board.paused)),
            Act::Step => order(Order::Step),
            Act::Split => {
                let rival = board.other.is_none().then(|| self.rival(board)).flatten();
                order(Order::Compare(rival));
            }
            Act::Rival => {
                self.rival = next_rival(board, self.rival(board));
                order(Order::Compare(self.rival));
            }
            Act::Reset => order(Order::Reset),
            Act::Waves => {
                self.traces = !(self.traces || !board.timelines.is_empty() || board.untraced.is_some());
                order(Order::Trace(self.traces));
            }
            Act::Record => order(Order::Record),
            Act::Demo => self.demo = if self.demo.is_some() { None } else { Some(Demo::default()) },
            Act::Presenter => self.presenter = !self.presenter,
            Act::Theme => {
                self.dark = !self.dark;
                wishes.push(Wish::Dark(self.dark));
            }
            Act::Panels => self.hidden = !self.hidden,
            Act::Help => self.help = !self.help,
            Act::FullScreen => wishes.push(Wish::FullScreen),
            Act::Screenshot => wishes.push(Wish::Screenshot),
            Act::Escape if self.help => self.help = false,
            Act::Escape => wishes.push(Wish::Windowed),
            Act::Quit => wishes.push(Wish::Quit),
        }
    }

    /// Who stands beside the current variant: the one that is there, the one that was, or the baseline, the
    /// bound or a neighbour, whichever is another.
    fn rival(&self, board: &Board) -> Option<usize> {
        let count = board.variants.len();
        let is_other = |at: &usize| *at < count && *at != board.current;
        let baseline = board.variants.iter().position(|entry| entry.is_baseline);
        let bound = board.variants.iter().position(|entry| entry.is_bound);
        let neighbour = (count > 1).then(|| stepped(board.current, 1, count));
        [board.other, self.rival, baseline, bound, neighbour].into_iter().flatten().find(is_other)
    }
}

/// So many further, round the end.
fn stepped(at: usize, by: isize, count: usize) -> usize {
    let step = by.unsigned_abs() % count;
    if by < 0 { (at + count - step) % count } else { (at + step) % count }
}

/// The next that is not the current one.
fn next_rival(board: &Board, rival: Option<usize>) -> Option<usize> {
    let count = board.variants.len();
    if board.other.is_none() {
        return rival;
    }
    let from = rival?;
    (1..count).map(|by| (from + by) % count).find(|at| *at != board.current)
}
