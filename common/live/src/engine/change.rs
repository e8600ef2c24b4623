//! Another lab in place of the one that runs. It is declared beside it, between two samples: a value that the
//! sample refuses costs none of the figures.

use std::cell::RefCell;
use std::mem::forget;
use std::rc::Rc;

use anyhow::{Error, Result};
use bench::lab::Experiment;
use record::error::{NoRoom, one_line};
use vulkan::gpu::{Arena, Gpu};

use super::state::{Declaration, EngineState};
use super::{DeclaredLab, Engine, is_fatal};
use crate::messages::About;

const BUILDING: &str = "compiling kernels and computing what must come out";

/// A lab that was declared, and its objects, which are not in the device's tables yet.
pub(super) struct Next {
    declared: DeclaredLab,
    pub objects: Arena,
}

impl Engine<'_> {
    /// Declares the first lab.
    pub(super) fn begin(&self, gpu: &Rc<Gpu>, state: &RefCell<EngineState>) -> Result<DeclaredLab> {
        self.building(&mut state.borrow_mut(), BUILDING);
        let terms = Declaration { arguments: self.wanted.arguments.clone(), traced: self.wanted.traced };
        let lab = self.declared(gpu, &terms, 0)?;
        Ok(shown(&mut state.borrow_mut(), DeclaredLab { lab, terms }))
    }

    /// Declares what is wanted beside the lab that runs, which then ends. Where the sample refuses, that is forgotten
    /// and the reason told; where there is no room for two, it is left to [`Engine::replace`], unless a shader
    /// is broken: then the last lab could not come back.
    ///
    /// # Errors
    /// A queue that hangs, a lost device.
    pub(super) fn prepare(&self, lab: &Experiment, state: &mut EngineState) -> Result<()> {
        if !state.ends.change {
            return Ok(());
        }
        let terms = state.wanted.clone();
        if terms == state.terms {
            state.ends.change = false;
            state.snapshot.untraced = lab.untraced();
            state.tell(About::Knob, None);
            return Ok(());
        }
        self.building(state, BUILDING);
        let gpu = &lab.gpu;
        let aside = gpu.set_aside();
        let declared = self.declared(gpu, &terms, lab.claimed);
        let objects = gpu.set_aside();
        gpu.put_back(aside);
        match declared {
            Ok(lab) => {
                self.next.replace(Some(Next { declared: DeclaredLab { lab, terms }, objects }));
            }
            // What a hung queue may still use is neither freed nor used again.
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
                    refuse(state, &terms, &error);
                }
            }
        }
        self.built(state);
        Ok(())
    }

    /// Takes the lab over that was declared beside the last.
    pub(super) fn adopt(&self, gpu: &Gpu, state: &RefCell<EngineState>, next: Next) -> DeclaredLab {
        gpu.put_back(next.objects);
        shown(&mut state.borrow_mut(), next.declared)
    }

    /// Declares what is wanted where there is no room for two: the last lab goes first, and comes back, without its
    /// figures, where the sample refuses.
    ///
    /// # Errors
    /// A queue that hangs, a lost device; the last one does not come back.
    pub(super) fn replace(
        &self,
        gpu: &Rc<Gpu>,
        state: &RefCell<EngineState>,
        last: DeclaredLab,
    ) -> Result<DeclaredLab> {
        self.building(&mut state.borrow_mut(), BUILDING);
        let (last, wanted) = (last.terms, state.borrow().wanted.clone());
        gpu.free_all(gpu.set_aside());
        let (declared, refusal) = match self.declared(gpu, &wanted, 0) {
            Ok(lab) => (DeclaredLab { lab, terms: wanted }, None),
            Err(error) if is_fatal(gpu, &error) => return Err(error),
            Err(error) => {
                gpu.free_all(gpu.set_aside());
                let lab = self.declared(gpu, &last, 0)?;
                (DeclaredLab { lab, terms: last }, Some((wanted, error)))
            }
        };
        let mut state = state.borrow_mut();
        let declared = shown(&mut state, declared);
        if let Some((wanted, error)) = refusal {
            refuse(&mut state, &wanted, &error);
        }
        Ok(declared)
    }

    /// Lets the sample declare itself, while another lab takes `reserved_elsewhere` bytes of the device.
    fn declared(&self, gpu: &Rc<Gpu>, terms: &Declaration, reserved_elsewhere: u64) -> Result<Experiment> {
        let mut lab = Experiment::new(Rc::clone(gpu), &self.wanted.lab);
        lab.reserved_elsewhere = reserved_elsewhere;
        if terms.traced {
            lab.trace_waves()?;
        }
        self.program.declare(&mut lab, &terms.arguments)?;
        Ok(lab)
    }
}

/// Shows a lab that was just declared.
fn shown(state: &mut EngineState, declared: DeclaredLab) -> DeclaredLab {
    state.set(&declared.lab, declared.terms.clone());
    state.tell(About::Knob, None);
    state.tell(About::Shader, None);
    state.caution(&declared.lab.report.notes);
    declared
}

/// Says why what was wanted is not shown.
fn refuse(state: &mut EngineState, wanted: &Declaration, error: &Error) {
    state.wanted = state.terms.clone();
    if wanted.traced && !state.terms.traced {
        state.snapshot.untraced = Some(one_line(error));
        state.dirty = true;
    } else {
        state.tell(About::Knob, Some(one_line(error)));
    }
}
