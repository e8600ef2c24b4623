//! A run that is shown: what comes between its samples.

use std::cell::{Cell, RefCell};
use std::mem::take;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use bench::drive::session::{BadStamps, Session};
use bench::drive::timing::{Pulse, SoFar, Step};
use bench::lab::Experiment;
use record::error::NoRoom;

use super::animator::Animator;
use super::easel::Easel;
use super::scene::Scene;
use super::waves::Waves;
use super::{Engine, Taken, compose};
use crate::link::{Figures, Frame, Picture};

/// Samples are taken for so long between two frames, and at least one; longer where a frame itself takes longer,
/// so that half of the time goes into the figures.
const SLICE: Duration = Duration::from_millis(12);
/// The longest such time: fewer frames would look like none.
const LONGEST_SLICE: Duration = Duration::from_millis(50);
/// Figures are worked out anew after so long: summaries of a hundred rows take milliseconds.
const FIGURES: Duration = Duration::from_millis(250);
/// A stage that draws nothing for so long is not waited for.
const PATIENCE: Duration = Duration::from_millis(500);
/// Between two looks at files and orders while nothing is measured.
const IDLE: Duration = Duration::from_millis(100);

/// A run over one lab.
pub(super) struct Show<'e> {
    engine: &'e Engine<'e>,
    lab: &'e Experiment,
    easel: Easel<'e>,
    animator: Option<Animator<'e>>,
    scene: &'e RefCell<Scene>,
    began: SystemTime,
    slice: Cell<Instant>,
    frame_took: Cell<Duration>,
    figures: Cell<Option<Instant>>,
    waves: Waves<'e>,
}

impl Pulse for Show<'_> {
    fn beat(&self, session: &mut Session<'_>) -> Result<()> {
        self.attend(session)?;
        let length = self.frame_took.get().clamp(SLICE, LONGEST_SLICE);
        let is_due = self.slice.get().elapsed() >= length || self.scene.borrow().board.paused;
        if is_due && !self.scene.borrow().has_ended() {
            let began = Instant::now();
            self.frame(session)?;
            self.frame_took.set(began.elapsed());
            self.wait_while_paused(session)?;
            self.slice.set(Instant::now());
        }
        Ok(())
    }
}

impl<'e> Show<'e> {
    pub fn new(engine: &'e Engine<'e>, lab: &'e Experiment, scene: &'e RefCell<Scene>) -> Result<Self> {
        let now = Instant::now();
        // The first frame comes before the first sample.
        let slice = Cell::new(now.checked_sub(LONGEST_SLICE).unwrap_or(now));
        let easel = Easel::new(lab)?;
        let (figures, waves) = (Cell::default(), Waves::new(lab));
        let animator =
            lab.report.animation.as_ref().map(|animation| Animator::new(&lab.gpu, animation)).transpose()?;
        Ok(Self {
            engine,
            lab,
            easel,
            animator,
            scene,
            began: SystemTime::now(),
            slice,
            frame_took: Cell::default(),
            figures,
            waves,
        })
    }

    /// Takes the figures over, some times a second; ends the run where that is ordered.
    pub fn watch(&self, step: &Step<'_>) -> ControlFlow<()> {
        let is_due = self.figures.get().is_none_or(|at| at.elapsed() >= FIGURES);
        if is_due || self.scene.borrow().record {
            self.take(step.so_far(), step.rounds, step.elapsed);
            self.figures.set(Some(Instant::now()));
            self.record();
        }
        if self.scene.borrow().has_ended() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Writes a record of the figures so far, where one is wanted.
    fn record(&self) {
        let mut scene = self.scene.borrow_mut();
        if take(&mut scene.record) {
            self.engine.write(&mut scene);
        }
    }

    /// Takes figures over, once there are some.
    pub fn take(&self, so_far: SoFar, rounds: u32, measured: Duration) {
        let is_any = so_far.rows.iter().any(|row| !row.is_pending());
        let mut scene = self.scene.borrow_mut();
        let record = is_any.then(|| {
            let taken = Taken { began: self.began, measured };
            Arc::new(self.engine.program.record(self.lab, &scene.terms.arguments, so_far, taken))
        });
        scene.board.figures = Arc::new(Figures { record, rounds, measured });
    }

    /// Frames without samples, until something else is ordered: for a lab of which no row can be measured.
    pub fn stand(&self, session: &mut Session<'_>) -> Result<()> {
        while !self.scene.borrow().has_ended() {
            self.attend(session)?;
            self.record();
            self.frame(session)?;
            self.wait_while_paused(session)?;
            self.engine.desk.await_orders(IDLE);
        }
        Ok(())
    }

    /// Listens; what was saved and built is seen before the run ends for it.
    fn attend(&self, session: &mut Session<'_>) -> Result<()> {
        let reloads = self.scene.borrow().board.reloads;
        self.listen()?;
        if self.scene.borrow().board.reloads == reloads {
            return Ok(());
        }
        self.waves.put_off();
        self.frame(session)
    }

    /// Takes orders, and builds the kernels anew whose shaders were saved.
    fn listen(&self) -> Result<()> {
        // A run takes some samples more before it ends: what is ordered or saved meanwhile is for the next.
        if self.scene.borrow().has_ended() {
            return Ok(());
        }
        let mut scene = self.scene.borrow_mut();
        for order in self.engine.desk.orders() {
            scene.obey(order);
        }
        self.engine.prepare(self.lab, &mut scene)?;
        if !scene.has_ended() {
            self.engine.reload(self.lab, &mut scene);
        }
        Ok(())
    }

    fn wait_while_paused(&self, session: &mut Session<'_>) -> Result<()> {
        let goes_on = || {
            let scene = self.scene.borrow();
            !scene.board.paused || scene.has_ended()
        };
        while !goes_on() {
            self.engine.desk.await_orders(IDLE);
            self.attend(session)?;
            self.record();
            let (step, look, dirty) = {
                let mut scene = self.scene.borrow_mut();
                scene.forget_news();
                (take(&mut scene.step), take(&mut scene.look), take(&mut scene.dirty))
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

    /// A sample of its own of the variant that is shown, and its picture.
    fn frame(&self, session: &mut Session<'_>) -> Result<()> {
        self.composed(session, true)
    }

    /// As [`Show::frame`]; one that is no step of what is shown leaves what moves where it is, and the strip.
    fn composed(&self, session: &mut Session<'_>, is_step: bool) -> Result<()> {
        let (current, other) = {
            let mut scene = self.scene.borrow_mut();
            (scene.step, scene.look) = (false, false);
            (scene.board.current, scene.board.other)
        };
        // Before the samples whose results are drawn: a traced one leaves its own.
        if let Some((timelines, untraced)) = self.waves.timelines(session, current, other)? {
            let mut scene = self.scene.borrow_mut();
            (scene.board.timelines, scene.board.untraced) = (timelines.into(), untraced);
        }
        // The one beside it first, so that what was sampled last is what is shown.
        let beside = match other {
            Some(other) => self.shot(session, other)?.and_then(|(_, picture)| picture),
            None => None,
        };
        let (shown, picture) = self.shot(session, current)?.unzip();
        if let (Some(_), Some(animator), true) = (shown, &self.animator, is_step) {
            animator.move_on(self.scene.borrow().drag);
        }
        let picture = match (picture.flatten(), beside) {
            (Some(picture), Some(beside)) => Some(compose::halves(picture, &beside)),
            (picture, _) => picture,
        };
        let mut scene = self.scene.borrow_mut();
        if let Some(frame) = shown.filter(|_| is_step) {
            scene.add(frame);
        }
        scene.board.picture = picture.map(Arc::new);
        drop(scene);
        self.present();
        Ok(())
    }

    /// The picture of a variant's last result.
    fn drawn(&self, session: &Session<'_>, frame: Frame) -> Result<Option<Picture>> {
        let view = self.scene.borrow().view;
        let picture = match self.easel.draw(session, frame.variant, frame.wrong, view) {
            Err(error) if error.is::<NoRoom>() => {
                self.scene.borrow_mut().hear(Err(error));
                None
            }
            drawn => drawn?,
        };
        Ok(picture.map(|picture| Picture { wrong: frame.wrong, ..picture }))
    }

    /// The picture of the result that is shown, for another view.
    fn redrawn(&self, session: &mut Session<'_>) -> Result<()> {
        let (last, current, other, view) = {
            let Scene { board, view, .. } = &*self.scene.borrow();
            (board.frames.last().copied(), board.current, board.other, *view)
        };
        let last = last.filter(|frame| frame.variant == current && other.is_none());
        let Some(frame) = last else { return self.composed(session, false) };
        let picture = match self.animator.as_ref().filter(|animator| animator.moves(session, frame.variant)) {
            Some(animator) => animator.picture(view, frame.wrong),
            None => self.drawn(session, frame)?,
        };
        self.scene.borrow_mut().board.picture = picture.map(Arc::new);
        self.present();
        Ok(())
    }

    /// One sample and its picture; nothing where the variant does not run here.
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
        // Whatever became of it, the rounds must find their own input.
        let moved = animator.take_out(session, variant);
        let Some(frame) = sampled? else { return Ok(None) };
        let (view, wrong) = (self.scene.borrow().view, moved?);
        Ok(Some((Frame { wrong, ..frame }, animator.picture(view, wrong))))
    }

    /// One sample; nothing where the variant does not run here.
    fn sample(&self, session: &mut Session<'_>, variant: usize) -> Result<Option<Frame>> {
        if session.left_out(variant).is_some() {
            return Ok(None);
        }
        match session.sample(Some(variant), 1) {
            Ok(reading) => Ok(Some(Frame { variant, us: Some(reading.gpu_us), wrong: reading.wrong })),
            Err(error) if error.is::<BadStamps>() => Ok(Some(Frame { variant, us: None, wrong: 0 })),
            Err(error) => Err(error),
        }
    }

    /// Shows the board. Waits for the stage to have drawn it where a script counts frames, which would miss some, and
    /// where the cores that draw are those that are measured.
    fn present(&self) {
        let board = {
            let mut scene = self.scene.borrow_mut();
            self.engine.layer.hear(self.lab, &mut scene);
            scene.forget_news();
            scene.dirty = false;
            scene.board.state = scene.state();
            scene.board.clone()
        };
        let number = self.engine.desk.publish(board);
        if self.engine.wanted.in_step || self.lab.device().is_cpu() {
            self.engine.desk.await_drawn(number, PATIENCE);
        }
    }
}
