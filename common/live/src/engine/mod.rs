//! What measures for the window: the benchmark's own run over a lab, again and again, and between its samples
//! the frames that are shown.

mod animator;
mod change;
mod compose;
mod easel;
mod layer;
mod painted;
mod program;
mod scene;
mod show;
#[cfg(test)]
mod tests;
mod texel;
mod watcher;
mod waves;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bench::drive::session::Session;
use bench::drive::timing::{self, BenchOptions, SoFar};
use bench::lab::Experiment;
use record::error::{EXIT_FAILED, EXIT_RIGHT, Halt, one_line};
use vulkan::gpu::Gpu;
use vulkan::source::Library;

use self::change::Next;
use self::layer::Layer;
pub use self::program::{Program, Taken, Wanted};
use self::scene::{Scene, Terms};
use self::show::Show;
use self::watcher::Watcher;
use super::desk::Desk;
use super::link::{About, Board, State};

/// Pairs that a row keeps: after so many an older figure says more of the room's temperature than of the row.
const NEWEST: usize = 1024;
/// Between two looks at orders while nothing else can be done.
const IDLE: Duration = Duration::from_millis(100);

/// The engine behind a window.
pub struct Engine<'e> {
    desk: &'e Arc<Desk>,
    program: &'e dyn Program,
    wanted: &'e Wanted,
    watcher: Option<Watcher>,
    layer: Layer,
    /// What is shown once the run under way has ended.
    next: RefCell<Option<Next>>,
}

/// A lab that was declared.
struct Act {
    lab: Experiment,
    terms: Terms,
}

impl<'e> Engine<'e> {
    /// Runs until the stage quits. Returns the exit code.
    ///
    /// # Errors
    /// What hinders it from beginning; a queue that hangs, a lost device.
    pub fn run(desk: &'e Arc<Desk>, program: &'e dyn Program, wanted: &'e Wanted) -> Result<u8> {
        let gpu = Gpu::open(&wanted.open)?;
        desk.allow(gpu.timeout);
        let Some(gpu) = program.certify(gpu)? else { return Ok(EXIT_RIGHT) };
        let gpu = Rc::new(gpu);
        let mut engine =
            Self { desk, program, wanted, watcher: None, layer: Layer::default(), next: RefCell::default() };
        let code = engine.all(&gpu)?;
        if let Some(gpu) = Rc::into_inner(gpu) {
            engine.layer.report(gpu.close());
        }
        Ok(if engine.layer.is_silent() { code } else { EXIT_FAILED })
    }

    /// One lab after another, until the stage quits. Returns the exit code.
    fn all(&mut self, gpu: &Rc<Gpu>) -> Result<u8> {
        let wanted = self.wanted;
        let scene = RefCell::new(Scene::new(Board {
            sample: wanted.sample.name,
            device: Arc::new(gpu.facts.clone()),
            ..Board::default()
        }));
        // Before the first kernel: what is saved while that compiles is another text.
        match Watcher::of(&Library::find()) {
            Ok(watcher) => self.watcher = watcher,
            Err(error) => {
                scene.borrow_mut().warning =
                    Some(format!("Saved shaders are not seen: {}.", one_line(&error)));
            }
        }
        let mut act = self.begin(gpu, &scene)?;
        loop {
            if let Some(code) = self.play(&act, &scene)? {
                return Ok(code);
            }
            let (ends, next) = (std::mem::take(&mut scene.borrow_mut().ends), self.next.take());
            act = match next {
                Some(next) => self.adopt(gpu, &scene, next),
                None if ends.change => self.replace(gpu, &scene, act)?,
                None => {
                    scene.borrow_mut().forget();
                    continue;
                }
            };
            // What is declared is built of what was saved.
            scene.borrow_mut().pending.clear();
        }
    }

    /// Measures a lab until something else is ordered. Returns the exit code where that is the end.
    fn play(&self, act: &Act, scene: &RefCell<Scene>) -> Result<Option<u8>> {
        let gpu = &act.lab.gpu;
        gpu.prepare_once()?;
        let mark = gpu.mark();
        if let Err(error) = self.play_on(&act.lab, scene) {
            if is_fatal(gpu, &error) {
                return Err(error);
            }
            self.stand_still(&act.lab, &mut scene.borrow_mut(), one_line(&error))?;
        }
        // Only this lab's variants explain what was said of its last samples.
        self.layer.hear(&act.lab, &mut scene.borrow_mut());
        let code = if scene.borrow().ends.quit {
            self.next.take().into_iter().for_each(|next| gpu.free_all(next.objects));
            Some(self.program.leave(scene.borrow().board.figures.record.as_deref())?)
        } else {
            None
        };
        gpu.release(&mark);
        Ok(code)
    }

    fn play_on(&self, lab: &Experiment, scene: &RefCell<Scene>) -> Result<()> {
        let show = Show::new(self, lab, scene)?;
        let options = BenchOptions {
            cold: self.wanted.cold,
            seed: self.wanted.seed,
            newest: Some(NEWEST),
            ..BenchOptions::default()
        };
        let measured = timing::measure(lab, &options, &mut |step| show.watch(step), Some(&show))?;
        let last = Arc::clone(&scene.borrow().board.figures);
        let (method, rows, notes) = (measured.method, measured.rows, measured.notes);
        show.take(SoFar { method, rows, notes }, last.rounds, last.measured);
        if let Some(error) = measured.error {
            return Err(error);
        }
        if scene.borrow().has_ended() {
            return Ok(());
        }
        let mut session = Session::new(lab)?;
        session.dry_run()?;
        show.stand(&mut session)
    }

    /// Shows why nothing can be measured until something else is ordered or a shader is saved.
    fn stand_still(&self, lab: &Experiment, scene: &mut Scene, reason: String) -> Result<()> {
        let failed = State::Failed(reason.into());
        scene.dirty = true;
        while !scene.has_ended() {
            scene.forget_news();
            if std::mem::take(&mut scene.dirty) {
                scene.board.state = failed.clone();
                self.desk.publish(scene.board.clone());
            }
            self.desk.await_orders(IDLE);
            for order in self.desk.orders() {
                scene.obey(order);
            }
            self.prepare(lab, scene)?;
            if scene.has_ended() {
                break;
            }
            if std::mem::take(&mut scene.record) {
                self.write(scene);
            }
            if self.reload(lab, scene) {
                // What failed may be a kernel that is not there yet.
                scene.ends.anew |= scene.pending.is_empty();
            }
        }
        Ok(())
    }

    /// Builds the kernels anew that shaders concern which were saved since the last look; false where there are none.
    /// Where one has an error, the last good kernels go on.
    fn reload(&self, lab: &Experiment, scene: &mut Scene) -> bool {
        let saved = self.watcher.as_ref().map(Watcher::saved).unwrap_or_default();
        if saved.is_empty() {
            return false;
        }
        scene.pending.extend(saved);
        self.building(scene, "compiling the shader that was saved");
        let began = Instant::now();
        let rebuilt = lab.gpu.rebuild(&lab.shaders, &scene.pending);
        match rebuilt {
            Err(error) => scene.tell(About::Shader, Some(format!("{error:#}"))),
            Ok(0) => {
                scene.tell(About::Shader, None);
                scene.pending.clear();
            }
            Ok(kernels) => {
                let names: Vec<&str> = scene.pending.iter().map(String::as_str).collect();
                let news = format!(
                    "{} saved: {kernels} kernel{} built in {} ms",
                    names.join(", "),
                    if kernels == 1 { "" } else { "s" },
                    began.elapsed().as_millis()
                );
                scene.tell(About::News, Some(news));
                scene.tell(About::Shader, None);
                scene.board.reloads += 1;
                scene.ends.anew = true;
                scene.pending.clear();
            }
        }
        self.built(scene);
        true
    }

    /// Says what takes long.
    fn building(&self, scene: &mut Scene, what: &str) {
        scene.board.state = State::Building(what.into());
        self.desk.publish(scene.board.clone());
    }

    /// It took long, and is there.
    fn built(&self, scene: &mut Scene) {
        scene.board.state = scene.state();
        self.desk.publish(scene.board.clone());
    }

    /// Writes the record of the figures, and says where.
    fn write(&self, scene: &mut Scene) {
        let record = scene.board.figures.record.clone();
        let record = record.context("nothing is measured yet that a record could hold");
        scene.hear(record.and_then(|record| self.program.write(&record)));
    }
}

/// Nothing more can be asked of the device.
fn is_fatal(gpu: &Gpu, error: &anyhow::Error) -> bool {
    gpu.is_busy() || matches!(error.downcast_ref::<Halt>(), Some(Halt::Hung { .. } | Halt::DeviceLost(_)))
}
