//! Replaces the running lab by another. The new lab is declared between two samples while the old one still
//! exists, so that a value that the sample refuses costs none of the figures.

use std::cell::RefCell;
use std::mem::forget;
use std::rc::Rc;

use anyhow::{Error, Result};
use bench::lab::Experiment;
use record::error::{NoRoom, one_line};
use vulkan::gpu::{Arena, Gpu};

use super::state::EngineState;
use super::{DeclaredLab, Engine, is_fatal};
use crate::messages::About;

const BUILDING: &str = "compiling kernels and computing what must come out";

/// A declared lab and its objects, which are not yet in the device's tables.
pub(super) struct Next {
    declared: DeclaredLab,
    pub objects: Arena,
}

impl Engine<'_> {
    /// Declares the first lab.
    pub(super) fn begin(&self, gpu: &Rc<Gpu>, state: &RefCell<EngineState>) -> Result<DeclaredLab> {
        self.building(&mut state.borrow_mut(), BUILDING);
        let arguments = self.wanted.arguments.clone();
        let lab = self.declared(gpu, &arguments, 0)?;
        Ok(shown(&mut state.borrow_mut(), DeclaredLab { lab, arguments }))
    }

    /// Declares the requested lab while the current one still exists, and then ends the current run. If the sample
    /// refuses, the request is dropped and the reason shown. If memory has no room for both labs,
    /// [`Engine::replace`] does the change after the run, unless a shader is broken: then the old lab could not be
    /// declared again.
    ///
    /// # Errors
    /// A queue hangs, or the device is lost.
    pub(super) fn prepare(&self, lab: &Experiment, state: &mut EngineState) -> Result<()> {
        if !state.ends.change {
            return Ok(());
        }
        let arguments = state.wanted.clone();
        if arguments == state.arguments {
            state.ends.change = false;
            state.tell(About::Knob, None);
            return Ok(());
        }
        self.building(state, BUILDING);
        let gpu = &lab.gpu;
        let aside = gpu.set_aside();
        let declared = self.declared(gpu, &arguments, lab.claimed);
        let objects = gpu.set_aside();
        gpu.put_back(aside);
        match declared {
            Ok(lab) => {
                self.next.replace(Some(Next { declared: DeclaredLab { lab, arguments }, objects }));
            }
            // Objects that a hung queue may still use are neither freed nor reused.
            Err(error) if gpu.is_busy() => {
                forget(objects);
                return Err(error);
            }
            Err(error) => {
                gpu.free_all(objects);
                if is_fatal(gpu, &error) {
                    return Err(error);
                }
                if !state.pending.is_empty() || !error.is::<NoRoom>() {
                    state.ends.change = false;
                    refuse(state, &error);
                }
            }
        }
        self.built(state);
        Ok(())
    }

    /// Switches to the lab that [`Engine::prepare`] has declared.
    pub(super) fn adopt(&self, gpu: &Gpu, state: &RefCell<EngineState>, next: Next) -> DeclaredLab {
        gpu.put_back(next.objects);
        shown(&mut state.borrow_mut(), next.declared)
    }

    /// Declares the requested lab after the old one was released, for labs that do not fit into memory together.
    /// If the sample refuses, the old lab is declared again, without its figures.
    ///
    /// # Errors
    /// A queue hangs, the device is lost, or the old lab cannot be declared again.
    pub(super) fn replace(
        &self,
        gpu: &Rc<Gpu>,
        state: &RefCell<EngineState>,
        last: DeclaredLab,
    ) -> Result<DeclaredLab> {
        self.building(&mut state.borrow_mut(), BUILDING);
        let (last, wanted) = (last.arguments, state.borrow().wanted.clone());
        gpu.free_all(gpu.set_aside());
        let (declared, refusal) = match self.declared(gpu, &wanted, 0) {
            Ok(lab) => (DeclaredLab { lab, arguments: wanted }, None),
            Err(error) if is_fatal(gpu, &error) => return Err(error),
            Err(error) => {
                gpu.free_all(gpu.set_aside());
                let lab = self.declared(gpu, &last, 0)?;
                (DeclaredLab { lab, arguments: last }, Some(error))
            }
        };
        let mut state = state.borrow_mut();
        let declared = shown(&mut state, declared);
        if let Some(error) = refusal {
            refuse(&mut state, &error);
        }
        Ok(declared)
    }

    /// Declares a lab while another one occupies `reserved_elsewhere` bytes of device memory.
    fn declared(&self, gpu: &Rc<Gpu>, arguments: &[String], reserved_elsewhere: u64) -> Result<Experiment> {
        let mut lab = Experiment::new(Rc::clone(gpu), &self.wanted.lab);
        lab.reserved_elsewhere = reserved_elsewhere;
        self.program.declare(&mut lab, arguments)?;
        Ok(lab)
    }
}

/// Puts a newly declared lab into the snapshot.
fn shown(state: &mut EngineState, declared: DeclaredLab) -> DeclaredLab {
    state.set(&declared.lab, declared.arguments.clone());
    state.tell(About::Knob, None);
    state.tell(About::Shader, None);
    state.caution(&declared.lab.report.notes);
    declared
}

/// Drops a request and shows why it was refused.
fn refuse(state: &mut EngineState, error: &Error) {
    state.wanted = state.arguments.clone();
    state.tell(About::Knob, Some(one_line(error)));
}
