//! The engine of the window. It runs the benchmark on a lab repeatedly and draws frames between its samples.

mod animator;
mod change;
mod compose;
mod layer;
mod painted;
mod program;
mod replay;
mod result_view;
mod shown_run;
mod state;
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
use self::layer::LayerMessages;
pub use self::program::{Program, Timing, Wanted};
pub use self::replay::Replay;
use self::shown_run::ShownRun;
use self::state::EngineState;
use self::watcher::Watcher;
use super::handoff::Handoff;
use super::messages::{About, Snapshot, State};

/// Number of sample pairs that a row keeps. Older pairs reflect the room's temperature more than the variant.
const NEWEST: usize = 1024;
/// How often commands are polled while nothing can be measured.
const IDLE: Duration = Duration::from_millis(100);

/// The engine behind a window.
pub struct Engine<'e> {
    handoff: &'e Arc<Handoff>,
    program: &'e dyn Program,
    wanted: &'e Wanted,
    watcher: Option<Watcher>,
    layer: LayerMessages,
    /// The lab to show after the current run has ended.
    next: RefCell<Option<Next>>,
}

/// A declared lab, and the arguments that it was declared with.
struct DeclaredLab {
    lab: Experiment,
    arguments: Vec<String>,
}

impl<'e> Engine<'e> {
    /// Runs until the display quits. Returns the exit code.
    ///
    /// # Errors
    /// The device cannot be opened or tested, the first lab cannot be declared, a queue hangs, or the
    /// device is lost.
    pub fn run(handoff: &'e Arc<Handoff>, program: &'e dyn Program, wanted: &'e Wanted) -> Result<u8> {
        let gpu = Gpu::open(&wanted.open)?;
        handoff.allow(gpu.timeout);
        let Some(gpu) = program.certify(gpu)? else { return Ok(EXIT_RIGHT) };
        let gpu = Rc::new(gpu);
        let mut engine = Self {
            handoff,
            program,
            wanted,
            watcher: None,
            layer: LayerMessages::default(),
            next: RefCell::default(),
        };
        let code = engine.all(&gpu)?;
        if let Some(gpu) = Rc::into_inner(gpu) {
            engine.layer.report(gpu.close());
        }
        Ok(if engine.layer.is_silent() { code } else { EXIT_FAILED })
    }

    /// Runs one lab after another until the display quits. Returns the exit code.
    fn all(&mut self, gpu: &Rc<Gpu>) -> Result<u8> {
        let wanted = self.wanted;
        let state = RefCell::new(EngineState::new(Snapshot {
            sample: wanted.sample.name,
            device: Arc::new(gpu.facts.clone()),
            ..Snapshot::default()
        }));
        // Watch before the first kernel is compiled, so that files saved during that compile are noticed.
        match Watcher::of(&Library::find()) {
            Ok(watcher) => self.watcher = watcher,
            Err(error) => {
                state.borrow_mut().warning =
                    Some(format!("Saved shaders are not seen: {}.", one_line(&error)));
            }
        }
        let mut declared = self.begin(gpu, &state)?;
        loop {
            if let Some(code) = self.play(&declared, &state)? {
                return Ok(code);
            }
            let (ends, next) = (std::mem::take(&mut state.borrow_mut().ends), self.next.take());
            declared = match next {
                Some(next) => self.adopt(gpu, &state, next),
                None if ends.change => self.replace(gpu, &state, declared)?,
                None => {
                    state.borrow_mut().forget();
                    continue;
                }
            };
            // The new lab was built from the saved shaders, so none is pending.
            state.borrow_mut().pending.clear();
        }
    }

    /// Measures a lab until a command ends the run. Returns the exit code if that command was to quit.
    fn play(&self, declared: &DeclaredLab, state: &RefCell<EngineState>) -> Result<Option<u8>> {
        let gpu = &declared.lab.gpu;
        gpu.prepare_once()?;
        let mark = gpu.mark();
        if let Err(error) = self.play_on(&declared.lab, state) {
            if is_fatal(gpu, &error) {
                return Err(error);
            }
            self.stand_still(&declared.lab, &mut state.borrow_mut(), one_line(&error))?;
        }
        // Read the layer's last messages while this lab exists: only its variants can explain them.
        self.layer.hear(&declared.lab, &mut state.borrow_mut());
        let code = if state.borrow().ends.quit {
            self.next.take().into_iter().for_each(|next| gpu.free_all(next.objects));
            Some(self.program.leave(state.borrow().snapshot.figures.record.as_deref())?)
        } else {
            None
        };
        gpu.release(&mark);
        Ok(code)
    }

    fn play_on(&self, lab: &Experiment, state: &RefCell<EngineState>) -> Result<()> {
        let show = ShownRun::new(self, lab, state)?;
        let options =
            BenchOptions { seed: self.wanted.seed, newest: Some(NEWEST), ..BenchOptions::default() };
        let measured = timing::measure(lab, &options, &mut |step| show.watch(step), Some(&show))?;
        let last = Arc::clone(&state.borrow().snapshot.figures);
        let (method, rows, notes) = (measured.method, measured.rows, measured.notes);
        show.take(SoFar { method, rows, notes }, last.rounds, last.measured);
        if let Some(error) = measured.error {
            return Err(error);
        }
        if state.borrow().has_ended() {
            return Ok(());
        }
        let mut session = Session::new(lab)?;
        session.dry_run()?;
        show.stand(&mut session)
    }

    /// Shows why nothing can be measured, until a command or a saved shader changes that.
    fn stand_still(&self, lab: &Experiment, state: &mut EngineState, reason: String) -> Result<()> {
        let failed = State::Failed(reason.into());
        state.dirty = true;
        while !state.has_ended() {
            state.forget_news();
            if std::mem::take(&mut state.dirty) {
                state.snapshot.state = failed.clone();
                self.handoff.publish(state.snapshot.clone());
            }
            self.handoff.await_commands(IDLE);
            for command in self.handoff.commands() {
                state.obey(command);
            }
            self.prepare(lab, state)?;
            if state.has_ended() {
                break;
            }
            if std::mem::take(&mut state.record) {
                self.write(state);
            }
            if self.reload(lab, state) {
                // The failure may be a kernel that did not compile before.
                state.ends.anew |= state.pending.is_empty();
            }
        }
        Ok(())
    }

    /// Rebuilds the kernels whose shaders were saved since the last call. Returns false if no shader was saved. If
    /// one does not compile, the last good kernels stay in use.
    fn reload(&self, lab: &Experiment, state: &mut EngineState) -> bool {
        let saved = self.watcher.as_ref().map(Watcher::saved).unwrap_or_default();
        if saved.is_empty() {
            return false;
        }
        state.pending.extend(saved);
        self.building(state, "compiling the shader that was saved");
        let began = Instant::now();
        let rebuilt = lab.gpu.rebuild(&lab.shaders, &state.pending);
        match rebuilt {
            Err(error) => state.tell(About::Shader, Some(format!("{error:#}"))),
            Ok(0) => {
                state.tell(About::Shader, None);
                state.pending.clear();
            }
            Ok(kernels) => {
                let names: Vec<&str> = state.pending.iter().map(String::as_str).collect();
                let news = format!(
                    "{} saved: {kernels} kernel{} built in {} ms",
                    names.join(", "),
                    if kernels == 1 { "" } else { "s" },
                    began.elapsed().as_millis()
                );
                state.tell(About::News, Some(news));
                state.tell(About::Shader, None);
                state.snapshot.reloads += 1;
                state.keep();
                state.ends.anew = true;
                state.pending.clear();
            }
        }
        self.built(state);
        true
    }

    /// Publishes the state "building", with what is being built.
    fn building(&self, state: &mut EngineState, what: &str) {
        state.snapshot.state = State::Building(what.into());
        self.handoff.publish(state.snapshot.clone());
    }

    /// Publishes the state after a build.
    fn built(&self, state: &mut EngineState) {
        state.snapshot.state = state.state();
        self.handoff.publish(state.snapshot.clone());
    }

    /// Writes a record of the current figures and reports where, or why it failed.
    fn write(&self, state: &mut EngineState) {
        let record = state.snapshot.figures.record.clone();
        let record = record.context("nothing is measured yet that a record could hold");
        state.hear(record.and_then(|record| self.program.write(&record)));
    }
}

/// Whether the device can take no more work: a queue hangs, or the device is lost.
fn is_fatal(gpu: &Gpu, error: &anyhow::Error) -> bool {
    gpu.is_busy() || matches!(error.downcast_ref::<Halt>(), Some(Halt::Hung { .. } | Halt::DeviceLost(_)))
}
