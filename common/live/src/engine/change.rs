//! Another lab in place of the one that runs. It is declared beside it, between two samples: a value that the
//! sample refuses costs none of the figures.

use std::cell::RefCell;
use std::mem::forget;
use std::rc::Rc;

use anyhow::{Error, Result};
use bench::lab::Experiment;
use record::error::{NoRoom, one_line};
use vulkan::gpu::{Arena, Gpu};

use super::scene::{Scene, Terms};
use super::{Act, Engine, is_fatal};
use crate::link::About;

const BUILDING: &str = "compiling kernels and computing what must come out";

/// A lab that was declared, and its objects, which are not in the device's tables yet.
pub(super) struct Next {
    act: Act,
    pub objects: Arena,
}

impl Engine<'_> {
    /// Declares the first lab.
    pub(super) fn begin(&self, gpu: &Rc<Gpu>, scene: &RefCell<Scene>) -> Result<Act> {
        self.building(&mut scene.borrow_mut(), BUILDING);
        let terms = Terms { arguments: self.wanted.arguments.clone(), traced: self.wanted.traced };
        let lab = self.declared(gpu, &terms, 0)?;
        Ok(shown(&mut scene.borrow_mut(), Act { lab, terms }))
    }

    /// Declares what is wanted beside the lab that runs, which then ends. Where the sample refuses, that is forgotten
    /// and the reason told; where there is no room for two, it is left to [`Engine::replace`], unless a shader
    /// is broken: then the last lab could not come back.
    ///
    /// # Errors
    /// A queue that hangs, a lost device.
    pub(super) fn prepare(&self, lab: &Experiment, scene: &mut Scene) -> Result<()> {
        if !scene.ends.change {
            return Ok(());
        }
        let terms = scene.wanted.clone();
        if terms == scene.terms {
            scene.ends.change = false;
            scene.board.untraced = lab.untraced();
            scene.tell(About::Knob, None);
            return Ok(());
        }
        self.building(scene, BUILDING);
        let gpu = &lab.gpu;
        let aside = gpu.set_aside();
        let declared = self.declared(gpu, &terms, lab.claimed);
        let objects = gpu.set_aside();
        gpu.put_back(aside);
        match declared {
            Ok(lab) => {
                self.next.replace(Some(Next { act: Act { lab, terms }, objects }));
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
                if !scene.pending.is_empty() || !error.is::<NoRoom>() {
                    scene.ends.change = false;
                    refuse(scene, &terms, &error);
                }
            }
        }
        self.built(scene);
        Ok(())
    }

    /// Takes the lab over that was declared beside the last.
    pub(super) fn adopt(&self, gpu: &Gpu, scene: &RefCell<Scene>, next: Next) -> Act {
        gpu.put_back(next.objects);
        shown(&mut scene.borrow_mut(), next.act)
    }

    /// Declares what is wanted where there is no room for two: the last lab goes first, and comes back, without its
    /// figures, where the sample refuses.
    ///
    /// # Errors
    /// A queue that hangs, a lost device; the last one does not come back.
    pub(super) fn replace(&self, gpu: &Rc<Gpu>, scene: &RefCell<Scene>, last: Act) -> Result<Act> {
        self.building(&mut scene.borrow_mut(), BUILDING);
        let (last, wanted) = (last.terms, scene.borrow().wanted.clone());
        gpu.free_all(gpu.set_aside());
        let (act, refusal) = match self.declared(gpu, &wanted, 0) {
            Ok(lab) => (Act { lab, terms: wanted }, None),
            Err(error) if is_fatal(gpu, &error) => return Err(error),
            Err(error) => {
                gpu.free_all(gpu.set_aside());
                let lab = self.declared(gpu, &last, 0)?;
                (Act { lab, terms: last }, Some((wanted, error)))
            }
        };
        let mut scene = scene.borrow_mut();
        let act = shown(&mut scene, act);
        if let Some((wanted, error)) = refusal {
            refuse(&mut scene, &wanted, &error);
        }
        Ok(act)
    }

    /// Lets the sample declare itself, while another lab takes `reserved_elsewhere` bytes of the device.
    fn declared(&self, gpu: &Rc<Gpu>, terms: &Terms, reserved_elsewhere: u64) -> Result<Experiment> {
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
fn shown(scene: &mut Scene, act: Act) -> Act {
    scene.set(&act.lab, act.terms.clone());
    scene.tell(About::Knob, None);
    scene.tell(About::Shader, None);
    scene.caution(&act.lab.report.notes);
    act
}

/// Says why what was wanted is not shown.
fn refuse(scene: &mut Scene, wanted: &Terms, error: &Error) {
    scene.wanted = scene.terms.clone();
    if wanted.traced && !scene.terms.traced {
        scene.board.untraced = Some(one_line(error));
        scene.dirty = true;
    } else {
        scene.tell(About::Knob, Some(one_line(error)));
    }
}
