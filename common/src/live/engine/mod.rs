//! What measures for the window: the benchmark's own run over a lab, again and again, and between its samples
//! the frames that are shown.

mod animator;
mod compose;
mod easel;
mod layer;
mod painted;
mod scene;
mod show;
mod texel;
mod watcher;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use self::layer::Layer;
use self::scene::{Restart, Scene};
use self::show::Show;
use self::watcher::Watcher;
use super::desk::Desk;
use super::link::{About, Board, Figures, State};
use crate::drive::bench::{self, BenchOptions};
use crate::drive::session::Session;
use crate::error::{EXIT_FAILED, EXIT_RIGHT, Halt, one_line};
use crate::gpu::{Gpu, OpenOptions};
use crate::host::Sample;
use crate::lab::{Lab, LabOptions};
use crate::record::{Method, Row};

/// Pairs that a row keeps: after so many an older figure says more of the room's temperature than of the row.
const NEWEST: usize = 1024;
/// Between two looks at orders while nothing else can be done.
const IDLE: Duration = Duration::from_millis(100);

/// What the program around the engine does for it.
pub(crate) trait Program: Send {
    /// Tests the device, where that is asked for; nothing where the user ended it.
    fn certify(&self, gpu: Gpu) -> Result<Option<Gpu>>;
    /// Lets the sample declare itself with these arguments of its own, and leaves what is wanted.
    fn declare(&self, lab: &mut Lab, arguments: &[String]) -> Result<()>;
    /// Writes a record and says where.
    fn record(&self, lab: &Lab, arguments: &[String], taken: Taken) -> Result<String>;
    /// Writes what the window leaves behind, where that was asked for.
    fn leave(&self, lab: &Lab, arguments: &[String], taken: Option<Taken>) -> Result<()>;
}

/// What a record is made of.
#[derive(Debug)]
pub(crate) struct Taken {
    pub method: Method,
    pub rows: Vec<Row>,
    /// Since the figures were begun.
    pub measured: Duration,
}

impl Taken {
    /// What figures have so far.
    fn of(figures: &Figures) -> Option<Self> {
        let Figures { method, rows, measured, .. } = figures;
        Some(Self { method: method.clone()?, rows: rows.clone(), measured: *measured })
    }
}

/// What to run.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub sample: Sample,
    pub open: OpenOptions,
    pub lab: LabOptions,
    /// The sample's own arguments.
    pub arguments: Vec<String>,
    pub cold: bool,
    pub seed: u64,
    pub traced: bool,
}

/// The engine behind a window.
pub(crate) struct Engine<'e> {
    desk: &'e Desk,
    program: &'e dyn Program,
    wanted: &'e Wanted,
    watcher: Option<Watcher>,
    layer: Layer,
}

/// A lab that was declared.
struct Act {
    lab: Lab,
    arguments: Vec<String>,
    traced: bool,
}

impl<'e> Engine<'e> {
    /// Runs until the stage quits. Returns the exit code.
    ///
    /// # Errors
    /// What hinders it from beginning; a queue that hangs, a lost device.
    pub fn run(desk: &'e Desk, program: &'e dyn Program, wanted: &'e Wanted) -> Result<u8> {
        desk.take_device();
        let gpu = Gpu::open(&wanted.open)?;
        desk.allow(gpu.timeout());
        let Some(gpu) = program.certify(gpu)? else { return Ok(EXIT_RIGHT) };
        let gpu = Rc::new(gpu);
        let mut engine = Self { desk, program, wanted, watcher: None, layer: Layer::default() };
        engine.all(&gpu)?;
        if let Some(gpu) = Rc::into_inner(gpu) {
            engine.layer.report(gpu.close());
        }
        Ok(if engine.layer.is_silent() { EXIT_RIGHT } else { EXIT_FAILED })
    }

    /// One lab after another, until the stage quits.
    fn all(&mut self, gpu: &Rc<Gpu>) -> Result<()> {
        let wanted = self.wanted;
        let scene = RefCell::new(Scene::new(blank(gpu, wanted)));
        let mut act = self.arrange(gpu, &scene, wanted.arguments.clone(), wanted.traced)?;
        match Watcher::of(&act.lab.shaders) {
            Ok(watcher) => self.watcher = watcher,
            Err(error) => scene.borrow_mut().tell(About::News, Some(one_line(&error))),
        }
        let pending = RefCell::default();
        loop {
            scene.borrow_mut().restart = None;
            self.play(&act, &scene, &pending)?;
            // Only this lab's variants explain what was said of its last samples.
            self.layer.hear(&act.lab, &mut scene.borrow_mut());
            let restart = scene.borrow_mut().restart.take();
            let (arguments, traced) = match restart {
                Some(Restart::Quit) => return self.leave(&act, &scene.borrow()),
                Some(Restart::Arrange(arguments)) => (arguments, act.traced),
                Some(Restart::Trace(traced)) => (act.arguments.clone(), traced),
                Some(Restart::Anew) | None => {
                    scene.borrow_mut().forget();
                    continue;
                }
            };
            let is_traces = traced != act.traced;
            if !is_traces && arguments == act.arguments {
                continue;
            }
            match self.arrange(gpu, &scene, arguments, traced) {
                Ok(new) => act = new,
                Err(error) if is_fatal(gpu, &error) => return Err(error),
                Err(error) if is_traces => scene.borrow_mut().board.untraced = Some(one_line(&error)),
                Err(error) => scene.borrow_mut().tell(About::Knob, Some(one_line(&error))),
            }
        }
    }

    /// Declares the sample anew. Where it refuses, everything stays as it was.
    fn arrange(
        &self,
        gpu: &Rc<Gpu>,
        scene: &RefCell<Scene>,
        arguments: Vec<String>,
        traced: bool,
    ) -> Result<Act> {
        self.building(&mut scene.borrow_mut(), "compiling kernels and computing what must come out");
        let (aside, traces) = (gpu.set_aside(), gpu.traces.take());
        let declared = self.declared(gpu, &arguments, traced);
        if gpu.is_busy() {
            // What a hung queue may still use is neither freed nor used again.
            std::mem::forget(aside);
            return declared.map(|lab| Act { lab, arguments, traced });
        }
        let lab = match declared {
            Ok(lab) => lab,
            Err(error) => {
                gpu.put_back(aside);
                gpu.traces.set(traces);
                self.desk.take_device();
                return Err(error);
            }
        };
        gpu.free_all(aside);
        self.desk.take_device();
        let mut scene = scene.borrow_mut();
        scene.set(&lab, arguments.clone());
        scene.tell(About::Knob, None);
        scene.tell(About::Shader, None);
        scene.caution(lab.notes.clone());
        Ok(Act { lab, arguments, traced })
    }

    fn declared(&self, gpu: &Rc<Gpu>, arguments: &[String], traced: bool) -> Result<Lab> {
        let mut lab = Lab::new(Rc::clone(gpu), &self.wanted.lab);
        if traced {
            lab.trace_waves();
            lab.ensure_traces()?;
        }
        self.program.declare(&mut lab, arguments)?;
        Ok(lab)
    }

    /// Measures a lab until something else is ordered.
    fn play(&self, act: &Act, scene: &RefCell<Scene>, pending: &RefCell<BTreeSet<String>>) -> Result<()> {
        let gpu = &act.lab.gpu;
        gpu.prepare_once()?;
        let mark = gpu.mark();
        let played = self.play_on(&act.lab, scene, pending);
        if let Err(error) = &played {
            if is_fatal(gpu, error) {
                return played;
            }
            self.stand_still(&act.lab, scene, pending, one_line(error));
        }
        gpu.release(&mark);
        Ok(())
    }

    fn play_on(&self, lab: &Lab, scene: &RefCell<Scene>, pending: &RefCell<BTreeSet<String>>) -> Result<()> {
        let show = Show::new(self, lab, scene, pending)?;
        let options = BenchOptions {
            cold: self.wanted.cold,
            seed: self.wanted.seed,
            newest: Some(NEWEST),
            ..BenchOptions::default()
        };
        let measured = bench::measure_between(lab, &options, &mut |step| show.watch(step), Some(&show))?;
        let rounds = scene.borrow().board.figures.rounds;
        show.take(measured.method, measured.rows, rounds);
        if let Some(error) = measured.error {
            return Err(error);
        }
        if scene.borrow().restart.is_some() {
            return Ok(());
        }
        let mut session = Session::new(lab)?;
        session.rehearse()?;
        show.stand(&mut session)
    }

    /// Shows why nothing can be measured until something else is ordered or a shader is saved.
    fn stand_still(
        &self,
        lab: &Lab,
        scene: &RefCell<Scene>,
        pending: &RefCell<BTreeSet<String>>,
        reason: String,
    ) {
        let failed = State::Failed(reason.into());
        let mut scene = scene.borrow_mut();
        self.desk.leave_device();
        scene.dirty = true;
        while scene.restart.is_none() {
            scene.forget_news();
            if std::mem::take(&mut scene.dirty) {
                scene.board.state = failed.clone();
                self.desk.publish(scene.board.clone());
            }
            self.desk.await_orders(IDLE);
            for order in self.desk.orders() {
                scene.obey(order);
            }
            if std::mem::take(&mut scene.record) {
                scene.tell(About::News, Some("nothing is measured that a record could hold".into()));
            }
            let saved = self.saved();
            if !saved.is_empty() {
                let mut pending = pending.borrow_mut();
                pending.extend(saved);
                self.reload(lab, &mut scene, &mut pending);
                self.desk.leave_device();
                if pending.is_empty() {
                    // What failed may be a kernel that is not there yet.
                    scene.ask(Restart::Anew);
                }
            }
        }
        self.desk.take_device();
    }

    /// Shaders that were saved since the last look.
    fn saved(&self) -> BTreeSet<String> {
        self.watcher.as_ref().map(Watcher::saved).unwrap_or_default()
    }

    /// Builds the kernels anew that these shaders concern. Where one has an error, the last good ones go on.
    fn reload(&self, lab: &Lab, scene: &mut Scene, pending: &mut BTreeSet<String>) {
        self.building(scene, "compiling the shader that was saved");
        let began = Instant::now();
        let rebuilt = lab.gpu.rebuild(&lab.shaders, pending);
        self.desk.take_device();
        match rebuilt {
            Err(error) => scene.tell(About::Shader, Some(format!("{error:#}"))),
            Ok(0) => {
                scene.tell(About::Shader, None);
                pending.clear();
            }
            Ok(kernels) => {
                let names: Vec<&str> = pending.iter().map(String::as_str).collect();
                let news = format!(
                    "{} saved: {kernels} kernel{} built in {} ms",
                    names.join(", "),
                    if kernels == 1 { "" } else { "s" },
                    began.elapsed().as_millis()
                );
                scene.tell(About::News, Some(news));
                scene.tell(About::Shader, None);
                scene.board.reloads += 1;
                scene.ask(Restart::Anew);
                pending.clear();
            }
        }
        scene.board.state = scene.state();
    }

    /// Says what takes long, and lets the stage draw meanwhile.
    fn building(&self, scene: &mut Scene, what: &str) {
        scene.board.state = State::Building(what.into());
        self.desk.leave_device();
        self.desk.publish(scene.board.clone());
    }

    /// Writes what is to stay of the last figures.
    fn leave(&self, act: &Act, scene: &Scene) -> Result<()> {
        self.program.leave(&act.lab, &act.arguments, Taken::of(&scene.board.figures))
    }

    fn record(&self, lab: &Lab, scene: &Scene) -> Result<String> {
        let taken =
            Taken::of(&scene.board.figures).context("nothing is measured yet that a record could hold")?;
        self.program.record(lab, &scene.board.arguments, taken)
    }
}

/// Nothing more can be asked of the device.
fn is_fatal(gpu: &Gpu, error: &anyhow::Error) -> bool {
    gpu.is_busy() || matches!(error.downcast_ref::<Halt>(), Some(Halt::Hung { .. } | Halt::DeviceLost(_)))
}

/// A board before anything is known but the device.
fn blank(gpu: &Gpu, wanted: &Wanted) -> Board {
    Board {
        sample: wanted.sample.name,
        device: Arc::new(gpu.facts.clone()),
        state: State::Building("opening".into()),
        paused: false,
        variants: Arc::new([]),
        current: 0,
        other: None,
        figures: Arc::new(Figures::default()),
        frames: Arc::new([]),
        picture: None,
        timelines: Arc::new([]),
        untraced: None,
        settings: Arc::default(),
        arguments: wanted.arguments.clone().into(),
        notices: Arc::new([]),
        source: None,
        reloads: 0,
        frame: 0,
    }
}
