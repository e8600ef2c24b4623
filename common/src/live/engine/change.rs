//! Another lab in place of the one that runs. It is declared beside it, between two samples: a value that the
//! sample refuses costs none of the figures.

use std::cell::RefCell;
use std::mem::forget;
use std::rc::Rc;

use anyhow::{Error, Result};

use super::scene::{Restart, Scene};
use super::{Act, Engine, is_fatal};
use crate::error::{NoRoom, one_line};
use crate::gpu::{Arena, Gpu};
use crate::lab::Lab;
use crate::live::link::About;

const BUILDING: &str = "compiling kernels and computing what must come out";

/// A lab that was declared, and its objects, which are not in the device's tables yet.
pub(super) struct Next {
    act: Act,
    pub objects: Arena,
    /// Its kernels note their waves.
    traces: bool,
}

impl Engine<'_> {
    /// Declares the first lab.
    pub(super) fn begin(&self, gpu: &Rc<Gpu>, scene: &RefCell<Scene>) -> Result<Act> {
        self.building(&mut scene.borrow_mut(), BUILDING);
        let (arguments, traced) = (self.wanted.arguments.clone(), self.wanted.traced);
        let lab = self.declared(gpu, &arguments, traced, 0)?;
        self.desk.take_device();
        Ok(shown(&mut scene.borrow_mut(), Act { lab, arguments, traced }))
    }

    /// Declares what is ordered beside the lab that runs, which then ends. Where the sample refuses, the order is
    /// forgotten and the reason told; where there is no room for two, it is left to [`Engine::replace`].
    ///
    /// # Errors
    /// A queue that hangs, a lost device.
    pub(super) fn prepare(&self, lab: &Lab, scene: &mut Scene) -> Result<()> {
        // A run takes some samples more before it ends.
        if self.next.borrow().is_some() {
            return Ok(());
        }
        let (arguments, traced) = match &scene.restart {
            Some(Restart::Arrange(arguments)) => (arguments.clone(), scene.traced),
            Some(Restart::Trace(traced)) => (scene.board.arguments.to_vec(), *traced),
            _ => return Ok(()),
        };
        if arguments[..] == scene.board.arguments[..] && traced == scene.traced {
            scene.restart = None;
            scene.tell(About::Knob, None);
            return Ok(());
        }
        self.building(scene, BUILDING);
        let gpu = &lab.gpu;
        let (aside, traces) = (gpu.set_aside(), gpu.traces.take());
        let declared = self.declared(gpu, &arguments, traced, lab.claimed);
        let (objects, traces) = (gpu.set_aside(), gpu.traces.replace(traces));
        gpu.put_back(aside);
        self.desk.take_device();
        scene.board.state = scene.state();
        match declared {
            Ok(lab) => {
                let act = Act { lab, arguments, traced };
                self.next.replace(Some(Next { act, objects, traces }));
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
                if !error.is::<NoRoom>() {
                    scene.restart = None;
                    refuse(scene, traced, &error);
                }
            }
        }
        Ok(())
    }

    /// Takes the lab over that was declared beside the last.
    pub(super) fn adopt(&self, gpu: &Gpu, scene: &RefCell<Scene>, next: Next) -> Act {
        gpu.put_back(next.objects);
        gpu.traces.set(next.traces);
        shown(&mut scene.borrow_mut(), next.act)
    }

    /// Declares a lab where there is no room for two: the last one goes first, and comes back, without its figures,
    /// where the sample refuses.
    ///
    /// # Errors
    /// A queue that hangs, a lost device; the last one does not come back.
    pub(super) fn replace(
        &self,
        gpu: &Rc<Gpu>,
        scene: &RefCell<Scene>,
        last: Act,
        arguments: Vec<String>,
        traced: bool,
    ) -> Result<Act> {
        self.building(&mut scene.borrow_mut(), BUILDING);
        let last = (last.arguments, last.traced);
        gpu.free_all(gpu.set_aside());
        let declared = self.declared(gpu, &arguments, traced, 0);
        let (lab, (arguments, traced), refusal) = match declared {
            Ok(lab) => (lab, (arguments, traced), None),
            Err(error) if is_fatal(gpu, &error) => return Err(error),
            Err(error) => {
                gpu.free_all(gpu.set_aside());
                (self.declared(gpu, &last.0, last.1, 0)?, last, Some((traced, error)))
            }
        };
        self.desk.take_device();
        let mut scene = scene.borrow_mut();
        let act = shown(&mut scene, Act { lab, arguments, traced });
        if let Some((traced, error)) = refusal {
            refuse(&mut scene, traced, &error);
        }
        Ok(act)
    }

    /// Lets the sample declare itself, while another lab takes `crowd` bytes of the device.
    fn declared(&self, gpu: &Rc<Gpu>, arguments: &[String], traced: bool, crowd: u64) -> Result<Lab> {
        let mut lab = Lab::new(Rc::clone(gpu), &self.wanted.lab);
        lab.crowd = crowd;
        gpu.traces.set(false);
        if traced {
            lab.trace_waves();
            lab.ensure_traces()?;
        }
        self.program.declare(&mut lab, arguments)?;
        Ok(lab)
    }
}

/// Shows a lab that was just declared.
fn shown(scene: &mut Scene, act: Act) -> Act {
    scene.set(&act.lab, act.arguments.clone());
    scene.traced = act.traced;
    scene.tell(About::Knob, None);
    scene.tell(About::Shader, None);
    scene.caution(act.lab.notes.clone());
    act
}

/// Says why what was ordered is not shown.
fn refuse(scene: &mut Scene, wants_traces: bool, error: &Error) {
    if wants_traces && !scene.traced {
        scene.board.untraced = Some(one_line(error));
        scene.dirty = true;
    } else {
        scene.tell(About::Knob, Some(one_line(error)));
    }
}
