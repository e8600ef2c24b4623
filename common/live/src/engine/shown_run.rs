//! A benchmark run that is shown: what happens between its samples.

use std::cell::{Cell, RefCell};
use std::mem::take;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use bench::drive::session::{BadNotes, BadStamps, Session};
use bench::drive::timing::{Observer, SoFar, Step};
use bench::lab::Experiment;
use record::error::NoRoom;

use super::animator::Animator;
use super::result_view::ResultView;
use super::state::EngineState;
use super::waves::Waves;
use super::{Engine, Timing, compose};
use crate::messages::{Figures, Frame, Picture};

/// Time for samples between two frames; at least one sample is taken. It grows with the time that a frame takes,
/// so that half of the time goes into the figures.
const SLICE: Duration = Duration::from_millis(12);
/// Upper limit of that time; with fewer frames the picture would seem frozen.
const LONGEST_SLICE: Duration = Duration::from_millis(50);
/// Interval between updates of the figures: summarizing a hundred rows takes milliseconds.
const FIGURES: Duration = Duration::from_millis(250);
/// Longest time to wait for the display to draw.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often files and commands are polled while nothing is measured.
const IDLE: Duration = Duration::from_millis(100);

/// A run over one lab.
pub(super) struct ShownRun<'e> {
    engine: &'e Engine<'e>,
    lab: &'e Experiment,
    result_view: ResultView<'e>,
    animator: Option<Animator<'e>>,
    state: &'e RefCell<EngineState>,
    began: SystemTime,
    slice: Cell<Instant>,
    frame_took: Cell<Duration>,
    figures: Cell<Option<Instant>>,
    waves: Waves<'e>,
}

impl Observer for ShownRun<'_> {
    fn between_samples(&self, session: &mut Session<'_>) -> Result<()> {
        self.attend(session)?;
        let length = self.frame_took.get().clamp(SLICE, LONGEST_SLICE);
        let is_due = self.slice.get().elapsed() >= length || self.state.borrow().snapshot.paused;
        if is_due && !self.state.borrow().has_ended() {
            let began = Instant::now();
            self.frame(session)?;
            self.frame_took.set(began.elapsed());
            self.wait_while_paused(session)?;
            self.slice.set(Instant::now());
        }
        Ok(())
    }
}

impl<'e> ShownRun<'e> {
    pub fn new(engine: &'e Engine<'e>, lab: &'e Experiment, state: &'e RefCell<EngineState>) -> Result<Self> {
        let now = Instant::now();
        // Backdated, so that the first frame comes before the first sample.
        let slice = Cell::new(now.checked_sub(LONGEST_SLICE).unwrap_or(now));
        let result_view = ResultView::new(lab)?;
        let (figures, waves) = (Cell::default(), Waves::new(lab));
        let animator =
            lab.report.animation.as_ref().map(|animation| Animator::new(&lab.gpu, animation)).transpose()?;
        Ok(Self {
            engine,
            lab,
            result_view,
            animator,
            state,
            began: SystemTime::now(),
            slice,
            frame_took: Cell::default(),
            figures,
            waves,
        })
    }

    /// Updates the figures a few times per second, and breaks when a command ends the run.
    pub fn watch(&self, step: &Step<'_>) -> ControlFlow<()> {
        let is_due = self.figures.get().is_none_or(|at| at.elapsed() >= FIGURES);
        if is_due || self.state.borrow().record {
            self.take(step.so_far(), step.rounds, step.elapsed);
            self.figures.set(Some(Instant::now()));
            self.record();
        }
        if self.state.borrow().has_ended() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Writes a record of the figures so far, if a command asked for one.
    fn record(&self) {
        let mut state = self.state.borrow_mut();
        if take(&mut state.record) {
            self.engine.write(&mut state);
        }
    }

    /// Puts new figures into the snapshot, once a row has any.
    pub fn take(&self, so_far: SoFar, rounds: u32, measured: Duration) {
        let is_any = so_far.rows.iter().any(|row| !row.is_pending());
        let mut state = self.state.borrow_mut();
        let record = is_any.then(|| {
            let taken = Timing { began: self.began, measured };
            Arc::new(self.engine.program.record(self.lab, &state.arguments, so_far, taken))
        });
        state.snapshot.figures = Arc::new(Figures { record, rounds, measured });
    }

    /// Shows frames without measuring until a command ends the run; for a lab in which no row can be measured.
    pub fn stand(&self, session: &mut Session<'_>) -> Result<()> {
        while !self.state.borrow().has_ended() {
            self.attend(session)?;
            self.record();
            self.frame(session)?;
            self.wait_while_paused(session)?;
            self.engine.handoff.await_commands(IDLE);
        }
        Ok(())
    }

    /// Handles commands and saved shaders. After a reload, shows a frame with the new kernels before the run ends.
    fn attend(&self, session: &mut Session<'_>) -> Result<()> {
        let reloads = self.state.borrow().snapshot.reloads;
        self.listen()?;
        if self.state.borrow().snapshot.reloads == reloads {
            return Ok(());
        }
        self.waves.put_off();
        self.frame(session)
    }

    /// Takes commands, and rebuilds kernels whose shaders were saved.
    fn listen(&self) -> Result<()> {
        // An ending run still takes a few samples. Commands and saved files that arrive during them are for the
        // next run.
        if self.state.borrow().has_ended() {
            return Ok(());
        }
        let mut state = self.state.borrow_mut();
        for command in self.engine.handoff.commands() {
            state.obey(command);
        }
        self.engine.prepare(self.lab, &mut state)?;
        if !state.has_ended() {
            self.engine.reload(self.lab, &mut state);
        }
        Ok(())
    }

    fn wait_while_paused(&self, session: &mut Session<'_>) -> Result<()> {
        let goes_on = || {
            let state = self.state.borrow();
            !state.snapshot.paused || state.has_ended()
        };
        while !goes_on() {
            self.engine.handoff.await_commands(IDLE);
            self.attend(session)?;
            self.record();
            let (step, look, dirty) = {
                let mut state = self.state.borrow_mut();
                state.forget_news();
                (take(&mut state.step), take(&mut state.look), take(&mut state.dirty))
            };
            if step {
                self.frame(session)?;
            } else if look {
                self.redrawn(session)?;
            } else if dirty {
                self.present();
            }
        }
        Ok(())
    }

    /// Samples the shown variant and draws its picture.
    fn frame(&self, session: &mut Session<'_>) -> Result<()> {
        self.composed(session, true)
    }

    /// Samples and draws as [`Self::frame`] does. With `is_step` false, the animation does not advance and the
    /// strip gets no frame.
    fn composed(&self, session: &mut Session<'_>, is_step: bool) -> Result<()> {
        let (current, other, traces) = {
            let mut state = self.state.borrow_mut();
            (state.step, state.look) = (false, false);
            let traces = state.snapshot.traces && !state.snapshot.has_matrix();
            (state.snapshot.current, state.snapshot.other, traces)
        };
        // Trace before sampling: a trace leaves its own result, and the picture must show the sample's.
        let traced = if traces { self.waves.timelines(session, current, other)? } else { None };
        if let Some((timelines, untraced)) = traced {
            let mut state = self.state.borrow_mut();
            (state.snapshot.timelines, state.snapshot.untraced) = (timelines.into(), untraced);
        }
        // Sample the compared variant first, so that the last result on the device is that of the shown one.
        let beside = match other {
            Some(other) => self.shot(session, other)?.and_then(|(_, picture)| picture),
            None => None,
        };
        let (shown, picture) = self.shot(session, current)?.unzip();
        if let (Some(_), Some(animator), true) = (shown, &self.animator, is_step) {
            animator.move_on(self.state.borrow().drag);
        }
        let picture = match (picture.flatten(), beside) {
            (Some(picture), Some(beside)) => Some(compose::halves(picture, &beside)),
            (picture, _) => picture,
        };
        let mut state = self.state.borrow_mut();
        if let Some(frame) = shown.filter(|_| is_step) {
            state.add(frame);
        }
        state.snapshot.picture = picture.map(Arc::new);
        drop(state);
        self.present();
        Ok(())
    }

    /// The picture of a variant's last result.
    fn drawn(&self, session: &Session<'_>, frame: Frame) -> Result<Option<Picture>> {
        let view = self.state.borrow().view;
        let picture = match self.result_view.draw(session, frame.variant, frame.wrong, view) {
            Err(error) if error.is::<NoRoom>() => {
                self.state.borrow_mut().hear(Err(error));
                None
            }
            drawn => drawn?,
        };
        Ok(picture.map(|picture| Picture { wrong: frame.wrong, ..picture }))
    }

    /// Redraws the shown result for another view.
    fn redrawn(&self, session: &mut Session<'_>) -> Result<()> {
        let (last, current, other, view) = {
            let EngineState { snapshot, view, .. } = &*self.state.borrow();
            (snapshot.frames.last().copied(), snapshot.current, snapshot.other, *view)
        };
        let last = last.filter(|frame| frame.variant == current && other.is_none());
        let Some(frame) = last else { return self.composed(session, false) };
        let picture = match self.animator.as_ref().filter(|animator| animator.moves(session, frame.variant)) {
            Some(animator) => animator.picture(view, frame.wrong),
            None => self.drawn(session, frame)?,
        };
        self.state.borrow_mut().snapshot.picture = picture.map(Arc::new);
        self.present();
        Ok(())
    }

    /// Takes one sample and draws its picture; `None` if the variant does not run on this device.
    fn shot(&self, session: &mut Session<'_>, variant: usize) -> Result<Option<(Frame, Option<Picture>)>> {
        let Some(animator) = self.animator.as_ref().filter(|animator| animator.moves(session, variant))
        else {
            let Some(frame) = self.sample(session, variant)? else { return Ok(None) };
            return Ok(Some((frame, self.drawn(session, frame)?)));
        };
        if session.left_out(variant).is_some() {
            return Ok(None);
        }
        animator.put_in()?;
        let sampled = self.sample(session, variant);
        if self.lab.gpu.is_busy() {
            return sampled.map(|_| None);
        }
        // Restore the benchmark's own input even if the sample failed.
        let moved = animator.take_out(session, variant);
        let Some(frame) = sampled? else { return Ok(None) };
        let (view, wrong) = (self.state.borrow().view, moved?);
        Ok(Some((Frame { wrong, ..frame }, animator.picture(view, wrong))))
    }

    /// Takes one sample; `None` if the variant does not run on this device.
    fn sample(&self, session: &mut Session<'_>, variant: usize) -> Result<Option<Frame>> {
        if session.left_out(variant).is_some() {
            return Ok(None);
        }
        match session.sample(Some(variant), 1) {
            Ok(reading) => Ok(Some(Frame { variant, us: Some(reading.gpu_us), wrong: reading.wrong })),
            // The figures say why; here it only has no time.
            Err(error) if error.is::<BadStamps>() || error.is::<BadNotes>() => {
                Ok(Some(Frame { variant, us: None, wrong: 0 }))
            }
            Err(error) => Err(error),
        }
    }

    /// Publishes the snapshot. Waits for the display to draw it in two cases: a script counts frames and would
    /// miss some, or the device is the CPU, whose cores also draw.
    fn present(&self) {
        let snapshot = {
            let mut state = self.state.borrow_mut();
            self.engine.layer.hear(self.lab, &mut state);
            state.forget_news();
            state.dirty = false;
            state.snapshot.state = state.state();
            state.snapshot.clone()
        };
        let number = self.engine.handoff.publish(snapshot);
        if self.engine.wanted.in_step || self.lab.device().is_cpu() {
            self.engine.handoff.await_drawn(number, PATIENCE);
        }
    }
}
