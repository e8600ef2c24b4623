//! What the engine keeps between frames: the board as it was last shown, and what was ordered.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Error, Result};
use bench::lab::Experiment;
use record::error::one_line;
use record::is_limit;

use crate::link::{About, Board, Drag, Entry, Figures, Frame, Notice, Order, State, View};

/// Frames that the strip shows.
const STRIP: usize = 240;
/// News are read by then.
const NEWS: Duration = Duration::from_secs(6);

/// Why a run over a lab ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    /// The stage has gone.
    pub quit: bool,
    /// The figures are to be forgotten, or shaders are others now.
    pub anew: bool,
    /// What is wanted is not what runs.
    pub change: bool,
}

/// What the sample is declared with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Terms {
    /// As a command line has them.
    pub arguments: Vec<String>,
    /// Kernels note their waves.
    pub traced: bool,
}

/// What is shown, and how.
#[derive(Default)]
pub(super) struct Scene {
    pub board: Board,
    pub view: View,
    pub drag: Option<Drag>,
    /// What the reader must know whatever the lab is.
    pub warning: Option<String>,
    /// When the last news came.
    news: Option<Instant>,
    /// The board has something that was not shown yet.
    pub dirty: bool,
    /// A frame is wanted though it is paused.
    pub step: bool,
    /// The picture is to be drawn anew, of the same result.
    pub look: bool,
    /// A record is wanted.
    pub record: bool,
    pub ends: Ends,
    /// What runs.
    pub terms: Terms,
    /// What shall run.
    pub wanted: Terms,
    /// Shaders that were saved and not built since.
    pub pending: BTreeSet<String>,
    strip: VecDeque<Frame>,
}

impl Scene {
    pub fn new(board: Board) -> Self {
        Self { board, ..Self::default() }
    }

    /// Shows the variants of a lab that was just declared; the one that was shown stays, where it still is
    /// there.
    pub fn set(&mut self, lab: &Experiment, terms: Terms) {
        let shown = |at: Option<usize>, board: &Board| {
            let name = board.variants.get(at?)?.name.clone();
            lab.variants.iter().position(|variant| variant.name == name)
        };
        // What limits the device is not what a sample is about.
        let first = lab.variants.iter().position(|variant| !is_limit(&variant.name)).unwrap_or(0);
        let current = shown(Some(self.board.current), &self.board).unwrap_or(first);
        let other = shown(self.board.other, &self.board).filter(|&other| other != current);
        self.board = Board {
            variants: lab.variants.iter().map(|variant| entry(lab, variant)).collect(),
            current,
            other,
            settings: Arc::new(lab.report.settings.clone()),
            timelines: Arc::new([]),
            untraced: lab.untraced(),
            source: lab.report.source.as_deref().map(Into::into),
            ..self.board.clone()
        };
        (self.wanted, self.terms) = (terms.clone(), terms);
        self.forget();
    }

    /// Forgets all figures.
    pub fn forget(&mut self) {
        self.strip.clear();
        self.board.frames = Arc::new([]);
        self.board.figures = Arc::new(Figures::default());
        self.board.timelines = Arc::new([]);
    }

    pub fn obey(&mut self, order: Order) {
        let is_one = |at: usize| at < self.board.variants.len();
        match order {
            Order::Show(at) if is_one(at) => {
                // Whoever walks onto the rival flips the two.
                let last = std::mem::replace(&mut self.board.current, at);
                self.board.other = self.board.other.map(|other| if other == at { last } else { other });
                self.step = true;
            }
            Order::Compare(other) => {
                self.board.other = other.filter(|&other| is_one(other) && other != self.board.current);
                self.step = true;
            }
            Order::Show(_) => {}
            Order::Pause(paused) => self.board.paused = paused,
            Order::Step => self.step = true,
            Order::Reset => self.ends.anew = true,
            Order::Look(view) => {
                // Two results have no room at once: for the cursor alone they are not sampled anew.
                let is_cursor = (view.pixels, view.at) == (self.view.pixels, self.view.at);
                self.look |= view != self.view && !(is_cursor && self.board.other.is_some());
                self.view = view;
            }
            Order::Arrange(arguments) => (self.wanted.arguments, self.ends.change) = (arguments, true),
            Order::Trace(traced) => (self.wanted.traced, self.ends.change) = (traced, true),
            Order::Record => self.record = true,
            Order::Tell(became) => self.hear(became.map_err(Error::msg)),
            Order::Drag(drag) => {
                self.drag = drag;
                self.step = true;
            }
            Order::Quit => self.ends.quit = true,
        }
        self.dirty = true;
    }

    /// The run under way is to end.
    pub fn has_ended(&self) -> bool {
        self.ends != Ends::default()
    }

    /// Says what the lab warns of.
    pub fn caution(&mut self, notes: &[String]) {
        let all: Vec<&str> = self.warning.iter().chain(notes).map(String::as_str).collect();
        self.tell(About::Caution, (!all.is_empty()).then(|| all.join("\n")));
    }

    /// Says what became of something that was asked for.
    pub fn hear(&mut self, became: Result<String>) {
        match became {
            Ok(news) => self.tell(About::News, Some(news)),
            Err(error) => self.tell(About::Trouble, Some(one_line(&error))),
        }
    }

    /// Lets news go that are old by now.
    pub fn forget_news(&mut self) {
        if self.news.is_some_and(|at| at.elapsed() >= NEWS) {
            self.news = None;
            self.tell(About::News, None);
            self.tell(About::Trouble, None);
        }
    }

    /// Adds a frame to the strip.
    pub fn add(&mut self, frame: Frame) {
        if self.strip.len() == STRIP {
            self.strip.pop_front();
        }
        self.strip.push_back(frame);
        self.board.frames = self.strip.iter().copied().collect();
        self.board.frame += 1;
    }

    /// Says something in place of what was said about the same before; nothing where there is nothing to say.
    pub fn tell(&mut self, about: About, text: Option<String>) {
        let mut notices: Vec<Notice> =
            self.board.notices.iter().filter(|notice| notice.about != about).cloned().collect();
        if matches!(about, About::News | About::Trouble) && text.is_some() {
            self.news = Some(Instant::now());
        }
        notices.extend(text.map(|text| Notice { about, text }));
        self.board.notices = notices.into();
        self.dirty = true;
    }

    pub fn state(&self) -> State {
        if self.board.paused { State::Paused } else { State::Running }
    }
}

fn entry(lab: &Experiment, variant: &bench::variant::Variant) -> Entry {
    Entry {
        name: variant.name.clone(),
        caption: variant.caption.clone(),
        promise: variant.promise.clone(),
        is_baseline: lab.report.baseline.contains(&variant.name),
        is_bound: lab.report.bound.contains(&variant.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::example;

    #[test]
    fn whoever_walks_onto_the_rival_flips_the_two() {
        let mut scene = Scene::new(example::board(4, [8, 8]));
        let mut shown = |orders: Vec<Order>| {
            orders.into_iter().for_each(|order| scene.obey(order));
            (scene.board.current, scene.board.other)
        };
        assert_eq!(shown(vec![Order::Show(1), Order::Compare(Some(2))]), (1, Some(2)));
        assert_eq!(shown(vec![Order::Show(2)]), (2, Some(1)));
        assert_eq!(shown(vec![Order::Show(3)]), (3, Some(1)));
        assert_eq!(shown(vec![Order::Show(4)]), (3, Some(1)), "there is no fifth");
    }
}
