//! What the engine keeps between frames: the last published snapshot, and what commands have requested.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Error, Result};
use bench::lab::Experiment;
use record::error::one_line;
use record::{Matrix, Row, Shows, is_limit};

use crate::messages::{About, Command, Drag, Entry, Figures, Frame, Notice, Snapshot, State, View};

/// Number of frames in the strip.
const STRIP: usize = 240;
/// Number of times that are kept of each variant when shaders are reloaded: enough to see 1 %.
const KEPT: usize = 256;
/// How long news stay on the screen.
const NEWS: Duration = Duration::from_secs(6);

/// Why a run over a lab ends; several reasons may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EndReason {
    /// The display has quit.
    pub quit: bool,
    /// The figures are to be reset, or shaders have changed.
    pub anew: bool,
    /// The requested declaration differs from the running one.
    pub change: bool,
}

/// What is shown, and how.
#[derive(Default)]
pub(super) struct EngineState {
    pub snapshot: Snapshot,
    pub view: View,
    pub drag: Option<Drag>,
    /// A warning that holds for every lab.
    pub warning: Option<String>,
    /// When the last news arrived.
    news: Option<Instant>,
    /// The snapshot has changes that were not published yet.
    pub dirty: bool,
    /// Take one frame although sampling is paused.
    pub step: bool,
    /// Draw the picture again from the same result.
    pub look: bool,
    /// Write a record.
    pub record: bool,
    pub ends: EndReason,
    /// The sample's own arguments of the running lab, written as on the command line.
    pub arguments: Vec<String>,
    /// The arguments that were requested.
    pub wanted: Vec<String>,
    /// Whether the user wants the waves large, once a key has said so.
    traces: Option<bool>,
    /// Why this device cannot trace waves.
    untraceable: Option<String>,
    /// Shaders that were saved and have not been built successfully since.
    pub pending: BTreeSet<String>,
    strip: VecDeque<Frame>,
}

impl EngineState {
    pub fn new(snapshot: Snapshot) -> Self {
        Self { snapshot, ..Self::default() }
    }

    /// Puts the variants of a newly declared lab into the snapshot. The shown and the compared variant stay
    /// selected if the lab still has them.
    pub fn set(&mut self, lab: &Experiment, arguments: Vec<String>) {
        let shown = |at: Option<usize>, snapshot: &Snapshot| {
            let name = snapshot.variants.get(at?)?.name.clone();
            lab.variants.iter().position(|variant| variant.name == name)
        };
        // Start with one of the sample's own variants, not with one that measures a device limit.
        let first = lab.variants.iter().position(|variant| !is_limit(&variant.name)).unwrap_or(0);
        let current = shown(Some(self.snapshot.current), &self.snapshot).unwrap_or(first);
        let other = shown(self.snapshot.other, &self.snapshot).filter(|&other| other != current);
        self.untraceable = lab.untraceable();
        if counts_trials(lab.report.shown_matrix()) {
            // Its matrix is in the place of waves.
            self.untraceable = None;
        }
        // Of a sample that moves, the picture is the subject.
        let traces = self.traces.unwrap_or(lab.report.animation.is_none()) && self.untraceable.is_none();
        self.snapshot = Snapshot {
            variants: lab.variants.iter().map(|variant| entry(lab, variant)).collect(),
            current,
            other,
            settings: Arc::new(lab.report.settings.clone()),
            traces,
            before: Arc::default(),
            source: lab.report.source.as_deref().map(Into::into),
            ..self.snapshot.clone()
        };
        (self.wanted, self.arguments) = (arguments.clone(), arguments);
        self.forget();
    }

    /// Keeps the newest times of each variant, to compare those of the reloaded shaders with them. A variant that
    /// was reloaded again before it had an interval keeps its older ones.
    pub fn keep(&mut self) {
        let figures = Arc::clone(&self.snapshot.figures);
        let before = Arc::make_mut(&mut self.snapshot.before);
        let has_interval = |row: &&Row| row.isolated_us.is_some_and(|time| time.median_95.is_some());
        for row in figures.rows().iter().filter(has_interval) {
            let times = row.samples.iter().rev().take(KEPT).map(|sample| sample.one_us);
            before.insert(row.variant.clone(), times.collect());
        }
    }

    /// Discards all figures.
    pub fn forget(&mut self) {
        self.strip.clear();
        self.snapshot.frames = Arc::new([]);
        self.snapshot.figures = Arc::new(Figures::default());
        (self.snapshot.timelines, self.snapshot.untraced) = (Arc::new([]), None);
    }

    pub fn obey(&mut self, command: Command) {
        let is_one = |at: usize| at < self.snapshot.variants.len();
        match command {
            Command::Show(at) if is_one(at) => {
                // Selecting the compared variant swaps the two.
                let last = std::mem::replace(&mut self.snapshot.current, at);
                self.snapshot.other = self.snapshot.other.map(|other| if other == at { last } else { other });
                self.step = true;
            }
            Command::Compare(other) => {
                self.snapshot.other = other.filter(|&other| is_one(other) && other != self.snapshot.current);
                self.step = true;
            }
            Command::Show(_) => {}
            Command::Pause(paused) => self.snapshot.paused = paused,
            Command::Step => self.step = true,
            Command::Reset => (self.ends.anew, self.snapshot.before) = (true, Arc::default()),
            Command::Look(view) => {
                // A split needs both results, and they do not exist at the same time. A cursor move alone is not
                // worth sampling both again.
                let is_cursor = (view.pixels, view.at) == (self.view.pixels, self.view.at);
                self.look |= view != self.view && !(is_cursor && self.snapshot.other.is_some());
                self.view = view;
            }
            Command::Arrange(arguments) => (self.wanted, self.ends.change) = (arguments, true),
            Command::Trace(true) if self.untraceable.is_some() => {
                self.tell(About::Trouble, self.untraceable.clone());
            }
            Command::Trace(traces) => {
                (self.traces, self.snapshot.traces, self.step) = (Some(traces), traces, true);
            }
            Command::Record => self.record = true,
            Command::Tell(became) => self.hear(became.map_err(Error::msg)),
            Command::Drag(drag) => {
                self.drag = drag;
                self.step = true;
            }
            Command::Quit => self.ends.quit = true,
        }
        self.dirty = true;
    }

    /// Whether the current run is to end.
    pub fn has_ended(&self) -> bool {
        self.ends != EndReason::default()
    }

    /// Shows the lab's warnings.
    pub fn caution(&mut self, notes: &[String]) {
        let all: Vec<&str> = self.warning.iter().chain(notes).map(String::as_str).collect();
        self.tell(About::Caution, (!all.is_empty()).then(|| all.join("\n")));
    }

    /// Shows the outcome of a request.
    pub fn hear(&mut self, became: Result<String>) {
        match became {
            Ok(news) => self.tell(About::News, Some(news)),
            Err(error) => self.tell(About::Trouble, Some(one_line(&error))),
        }
    }

    /// Removes news that are older than `NEWS`.
    pub fn forget_news(&mut self) {
        if self.news.is_some_and(|at| at.elapsed() >= NEWS) {
            self.news = None;
            self.tell(About::News, None);
            self.tell(About::Trouble, None);
        }
    }

    /// Appends a frame to the strip.
    pub fn add(&mut self, frame: Frame) {
        if self.strip.len() == STRIP {
            self.strip.pop_front();
        }
        self.strip.push_back(frame);
        self.snapshot.frames = self.strip.iter().copied().collect();
        self.snapshot.frame += 1;
    }

    /// Replaces the notice about the same topic; `None` only removes it.
    pub fn tell(&mut self, about: About, text: Option<String>) {
        let mut notices: Vec<Notice> =
            self.snapshot.notices.iter().filter(|notice| notice.about != about).cloned().collect();
        if matches!(about, About::News | About::Trouble) && text.is_some() {
            self.news = Some(Instant::now());
        }
        notices.extend(text.map(|text| Notice { about, text }));
        self.snapshot.notices = notices.into();
        self.dirty = true;
    }

    pub fn state(&self) -> State {
        if self.snapshot.paused { State::Paused } else { State::Running }
    }
}

/// Whether a sample's matrix shows in how many trials each variant was wrong.
pub(super) fn counts_trials(matrix: Option<&Matrix>) -> bool {
    matrix.is_some_and(|matrix| matrix.shows == Shows::Races)
}

fn entry(lab: &Experiment, variant: &bench::variant::Variant) -> Entry {
    Entry {
        label: variant.label.clone(),
        name: variant.name.clone(),
        caption: variant.caption.clone(),
        promise: variant.promise.clone(),
        cell: variant.cell.clone().filter(|_| counts_trials(lab.report.shown_matrix())),
        is_baseline: lab.report.baseline.contains(&variant.name),
        is_bound: lab.report.bound.contains(&variant.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::example;

    #[test]
    fn a_reload_keeps_the_times_and_a_reset_drops_them() {
        let mut state = EngineState::new(example::snapshot(9, [8, 8]));
        state.keep();
        state.forget();
        // Nothing was measured in between.
        state.keep();
        let before = Arc::clone(&state.snapshot.before);
        assert_eq!(before["full_barrier"].len(), 240);
        assert!(!before.contains_key("late_acquire"), "it has no times");
        state.obey(Command::Reset);
        assert!(state.snapshot.before.is_empty());
    }

    #[test]
    fn whoever_walks_onto_the_rival_flips_the_two() {
        let mut state = EngineState::new(example::snapshot(4, [8, 8]));
        let mut shown = |commands: Vec<Command>| {
            commands.into_iter().for_each(|command| state.obey(command));
            (state.snapshot.current, state.snapshot.other)
        };
        assert_eq!(shown(vec![Command::Show(1), Command::Compare(Some(2))]), (1, Some(2)));
        assert_eq!(shown(vec![Command::Show(2)]), (2, Some(1)));
        assert_eq!(shown(vec![Command::Show(3)]), (3, Some(1)));
        assert_eq!(shown(vec![Command::Show(4)]), (3, Some(1)), "there is no fifth");
    }
}
