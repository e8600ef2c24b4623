//! What the engine keeps between frames: the board as it was last shown, and what was ordered.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::lab::Lab;
use crate::live::link::{About, Board, Drag, Entry, Figures, Frame, Notice, Order, State, View};
use crate::record::is_limit;

/// Frames that the strip shows.
const STRIP: usize = 240;
/// News are read by then.
const NEWS: Duration = Duration::from_secs(6);

/// Why a run over a lab ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Restart {
    /// The stage has gone.
    Quit,
    /// The figures are to be forgotten, or shaders are others now.
    Anew,
    /// The sample is to be declared anew.
    Arrange(Vec<String>),
    /// Kernels are to note their waves, or no more: so they are all built anew.
    Trace(bool),
}

impl Restart {
    fn weight(&self) -> u8 {
        match self {
            Self::Anew => 0,
            Self::Trace(_) => 1,
            Self::Arrange(_) => 2,
            Self::Quit => 3,
        }
    }
}

/// What is shown, and how.
pub(super) struct Scene {
    pub board: Board,
    pub view: View,
    pub drag: Option<Drag>,
    /// What the stage warns of.
    warning: Option<String>,
    /// What the lab warns of.
    cautions: Vec<String>,
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
    pub restart: Option<Restart>,
    /// Kernels note their waves.
    pub traced: bool,
    strip: VecDeque<Frame>,
}

impl Scene {
    pub fn new(board: Board) -> Self {
        Self {
            board,
            view: View::default(),
            drag: None,
            warning: None,
            cautions: Vec::new(),
            news: None,
            dirty: false,
            step: false,
            look: false,
            record: false,
            restart: None,
            traced: false,
            strip: VecDeque::new(),
        }
    }

    /// Shows the variants of a lab that was just declared; the one that was shown stays, where it still is
    /// there.
    pub fn set(&mut self, lab: &Lab, arguments: Vec<String>) {
        let shown = |at: Option<usize>, board: &Board| {
            let name = board.variants.get(at?)?.name.clone();
            lab.position(&name)
        };
        // What limits the device is not what a sample is about.
        let first = lab.variants.iter().position(|variant| !is_limit(&variant.name)).unwrap_or(0);
        let current = shown(Some(self.board.current), &self.board).unwrap_or(first);
        let other = shown(self.board.other, &self.board).filter(|&other| other != current);
        self.board = Board {
            variants: lab.variants.iter().map(|variant| entry(lab, variant)).collect(),
            current,
            other,
            settings: Arc::new(lab.settings.clone()),
            arguments: arguments.into(),
            timelines: Arc::new([]),
            untraced: lab.untraced(),
            source: lab.source.as_deref().map(Into::into),
            ..self.board.clone()
        };
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
                self.board.current = at;
                self.board.other = self.board.other.filter(|&other| other != at);
                self.step = true;
            }
            Order::Compare(other) => {
                self.board.other = other.filter(|&other| is_one(other) && other != self.board.current);
                self.step = true;
            }
            Order::Show(_) => {}
            Order::Pause(paused) => self.board.paused = paused,
            Order::Step => self.step = true,
            Order::Reset => self.ask(Restart::Anew),
            Order::Look(view) => {
                // Two results have no room at once: for the cursor alone they are not sampled anew.
                let is_cursor = (view.pixels, view.at) == (self.view.pixels, self.view.at);
                self.look |= view != self.view && !(is_cursor && self.board.other.is_some());
                self.view = view;
            }
            Order::Arrange(arguments) => self.ask(Restart::Arrange(arguments)),
            Order::Trace(traced) => self.ask(Restart::Trace(traced)),
            Order::Record => self.record = true,
            Order::Tell(news) => self.tell(About::News, Some(news)),
            Order::Drag(drag) => {
                self.drag = drag;
                self.step = true;
            }
            Order::Warn(warning) => {
                self.warning = Some(warning);
                self.warn();
            }
            Order::Quit => self.ask(Restart::Quit),
        }
        self.dirty = true;
    }

    /// Ends the run for the weightiest of the reasons.
    pub fn ask(&mut self, restart: Restart) {
        if self.restart.as_ref().is_none_or(|asked| asked.weight() <= restart.weight()) {
            self.restart = Some(restart);
        }
    }

    /// Takes over what the lab warns of.
    pub fn caution(&mut self, cautions: Vec<String>) {
        self.cautions = cautions;
        self.warn();
    }

    fn warn(&mut self) {
        let all: Vec<&str> = self.warning.iter().chain(&self.cautions).map(String::as_str).collect();
        self.tell(About::Caution, (!all.is_empty()).then(|| all.join("\n")));
    }

    /// Lets news go that are old by now.
    pub fn forget_news(&mut self) {
        if self.news.is_some_and(|at| at.elapsed() >= NEWS) {
            self.tell(About::News, None);
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
        if about == About::News {
            self.news = text.is_some().then(Instant::now);
        }
        notices.extend(text.map(|text| Notice { about, text }));
        self.board.notices = notices.into();
        self.dirty = true;
    }

    pub fn state(&self) -> State {
        if self.board.paused { State::Paused } else { State::Running }
    }
}

fn entry(lab: &Lab, variant: &crate::Variant) -> Entry {
    let is = |reference: &Option<String>| reference.as_ref() == Some(&variant.name);
    Entry {
        name: variant.name.clone(),
        caption: variant.caption.clone(),
        promise: variant.promise.clone(),
        is_baseline: is(&lab.baseline),
        is_bound: is(&lab.bound),
    }
}
