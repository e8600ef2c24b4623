//! Animates a sample: the result of one frame becomes the input of the next. The benchmark's own input is restored
//! after each frame.

use std::cell::RefCell;

use anyhow::{Context, Result};
use bench::drive::session::Session;
use bench::lab::{Animation, Check, Pull};
use vulkan::gpu::Gpu;
use vulkan::handles::Buffer;
use vulkan::memory::Place;

use super::painted;
use crate::messages::{Drag, Picture, View};

/// Moves an input from frame to frame.
pub(super) struct Animator<'l> {
    gpu: &'l Gpu,
    animation: &'l Animation,
    staging: Buffer,
    motion: RefCell<Motion>,
}

/// The input of the next frame, and the result of the last one.
struct Motion {
    input: Vec<u32>,
    result: Vec<u32>,
}

impl<'l> Animator<'l> {
    pub fn new(gpu: &'l Gpu, animation: &'l Animation) -> Result<Self> {
        animation.simulation.restart();
        let begin = animation.simulation.begin().to_vec();
        let staging = gpu.buffer("moved input", size_of_val(&*begin) as u64, Place::Upload)?;
        let motion = Motion { input: begin, result: Vec::new() };
        Ok(Self { gpu, animation, staging, motion: RefCell::new(motion) })
    }

    /// Whether a variant produces the animated result.
    pub fn moves(&self, session: &Session<'_>, variant: usize) -> bool {
        session.pictured(variant).is_some_and(|check| self.is_of(check))
    }

    fn is_of(&self, check: &Check) -> bool {
        check.set == self.animation.set && check.index == self.animation.index
    }

    /// Gives the animated input to the next sample.
    pub fn put_in(&self) -> Result<()> {
        self.fill(&self.motion.borrow().input)
    }

    /// Restores the benchmark's input, and counts the words of the result that differ from the CPU reference for
    /// the animated input.
    pub fn take_out(&self, session: &Session<'_>, variant: usize) -> Result<u64> {
        let simulation = &self.animation.simulation;
        let check = session.pictured(variant).context("a result to move")?;
        let readback = session.readback.context("no buffer to read a result through")?;
        let words = simulation.begin().len();
        let result = session.look_at_result(check, 0, readback, |result| result[..words].to_vec());
        self.fill(simulation.begin())?;
        let result = result?;
        let mut motion = self.motion.borrow_mut();
        let wrong = differing(&simulation.reference(&motion.input), &result, check);
        motion.result = result;
        Ok(wrong)
    }

    /// Computes the input of the next frame from the last result.
    pub fn move_on(&self, drag: Option<Drag>) {
        let mut motion = self.motion.borrow_mut();
        if motion.result.is_empty() {
            return;
        }
        let pull = drag.map(|Drag { from, to }| Pull { from, to });
        motion.input = self.animation.simulation.next(&motion.input, &motion.result, pull);
    }

    /// The picture of the last result.
    pub fn picture(&self, view: View, wrong: u64) -> Option<Picture> {
        let (simulation, motion) = (&self.animation.simulation, self.motion.borrow());
        if view.pixels.contains(&0) || motion.result.is_empty() {
            return None;
        }
        let painted = simulation.paint(&motion.result);
        let picture = painted::picture(&painted, simulation.size(), view, simulation.caption().into());
        Some(Picture { wrong, can_drag: true, ..picture })
    }

    fn fill(&self, words: &[u32]) -> Result<()> {
        self.gpu.write(self.staging, words)?;
        self.gpu.run_once("moving an input", |cmd| {
            cmd.full_barrier();
            cmd.copy_buffer(self.staging, self.animation.input, size_of_val(words) as u64);
        })
    }
}

fn differing(expected: &[u32], actual: &[u32], check: &Check) -> u64 {
    let words = expected.len().min(actual.len());
    let elements = u32::try_from(words * 4 / check.element.bytes as usize).unwrap_or(u32::MAX);
    check.element.count(&expected[..words], &actual[..words], elements)
}
