//! What comes behind the window: every checked image is compared with the CPU twin, on the device.

use std::ptr;

use anyhow::Result;
use vulkan::cmd::CommandBuffer;
use vulkan::handles::{Binding, Buffer};

use super::session::Session;
use crate::lab::{Check, Shown};
use crate::tracy;

/// What the device counted behind a sample.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// Elements that differ, over all repetitions.
    pub wrong: u64,
    /// Index of the first, in the order check, repetition.
    pub first: Option<u64>,
    /// The repetitions do not have the same number of them.
    pub uneven: bool,
}

/// The buffer that a result stands in, row by row: its own or, for an image, `flat`.
fn laid_out(cmd: &CommandBuffer<'_>, check: &Check, repetition: u32, flat: Buffer) -> Option<Buffer> {
    match check.set.get(repetition, check.index) {
        Binding::Image(image) => {
            cmd.copy_image_to_buffer(image, flat);
            cmd.full_barrier();
            Some(flat)
        }
        Binding::Buffer(buffer) => Some(buffer),
        Binding::Sampled(_) | Binding::Texels(_) | Binding::Uniform(_) | Binding::Part(..) => None,
    }
}

impl<'l> Session<'l> {
    /// What is looked at of a variant's results: what the sample shows, else the first that is no count of what
    /// must not happen.
    pub fn pictured(&self, variant: usize) -> Option<&'l Check> {
        let shown = self.lab.report.shown.as_ref();
        let is_shown = |check: &&Check| shown.is_some_and(|s| s.set == check.set && s.index == check.index);
        let results = || self.checks(variant).filter(|check| check.counts.is_none());
        results().find(is_shown).or_else(|| results().next())
    }

    /// Records what brings a result of the last sample into a buffer, row by row.
    pub fn lay_out(&self, cmd: &CommandBuffer<'_>, check: &Check) -> Option<Buffer> {
        laid_out(cmd, check, 0, self.flat?)
    }
}

impl Session<'_> {
    pub(super) fn verify(&self, cmd: &CommandBuffer<'_>, variant: usize, repetitions: u32) {
        if let Some(clock) = self.clock() {
            clock.end(cmd);
        }
        let (Some(flat), Some(counters), Some(seen)) = (self.flat, self.counters, self.seen) else { return };
        cmd.region(format_args!("verify"), || {
            let mut slot = 0;
            let mapped = self.pictured(variant);
            for check in self.checks(variant) {
                for repetition in 0..repetitions {
                    cmd.full_barrier();
                    let Some(actual) = laid_out(cmd, check, repetition, flat) else { continue };
                    let groups = check.element.quads(check.elements).div_ceil(128).min(4096);
                    let push = check.element.push(check.elements, slot);
                    cmd.dispatch(self.compare, &[check.expected, actual, counters], &push, [groups, 1, 1]);
                    if let Some(maps) =
                        self.maps.as_ref().filter(|_| mapped.is_some_and(|m| ptr::eq(m, check)))
                    {
                        maps.record(cmd, variant, check.expected, actual);
                    }
                    slot += 1;
                }
            }
            cmd.full_barrier();
            cmd.copy_buffer(counters, seen, 8 * u64::from(slot));
            cmd.host_barrier();
        });
    }

    /// Sum of the counters and index of the first wrong element, in the order check, repetition.
    pub(super) fn counts(&self, variant: usize, repetitions: u32) -> Result<Counted> {
        let Some(seen) = self.seen else { return Ok(Counted::default()) };
        let mut each = vec![0; repetitions as usize];
        let words = self.lab.gpu.read(seen)?;
        let mut slots = words.chunks_exact(2);
        let (mut wrong, mut first, mut before) = (0, None, 0);
        for check in self.checks(variant) {
            for repetition in 0..repetitions {
                if let Some(&[count, index]) = slots.next() {
                    wrong += u64::from(count);
                    each[repetition as usize] += u64::from(count);
                    if count > 0 {
                        // Counters start at 0, so the device keeps the complement's maximum.
                        let here =
                            before + u64::from(repetition) * u64::from(check.elements) + u64::from(!index);
                        first.get_or_insert(here);
                    }
                }
            }
            before += u64::from(check.elements) * u64::from(self.lab.repetitions());
        }
        let uneven = each.iter().any(|n| *n != each[0]);
        Ok(Counted { wrong, first, uneven })
    }

    /// Reads the checked images of the last sample back and counts on the CPU, for comparison with
    /// what the device counted.
    pub fn count_on_cpu(&self, variant: usize, repetitions: u32) -> Result<u64> {
        let _span = tracy::span("check on the CPU");
        let Some(readback) = self.readback else { return Ok(0) };
        let mut wrong = 0;
        for check in self.checks(variant) {
            for repetition in 0..repetitions {
                let read = |actual: &[u32]| check.element.count(&check.reference, actual, check.elements);
                wrong += self.look_at_result(check, repetition, readback, read)?;
            }
        }
        Ok(wrong)
    }

    /// Looks at the words of a result, through a buffer that the CPU can read.
    pub fn look_at_result<T>(
        &self,
        check: &Check,
        repetition: u32,
        readback: Buffer,
        look: impl FnOnce(&[u32]) -> T,
    ) -> Result<T> {
        let result = check.set.get(repetition, check.index);
        self.lab.gpu.run_once("a read-back", |cmd| {
            match result {
                Binding::Image(image) => cmd.copy_image_to_buffer(image, readback),
                Binding::Buffer(buffer) => {
                    cmd.copy_buffer(buffer, readback, 4 * check.reference.len() as u64)
                }
                Binding::Sampled(_) | Binding::Texels(_) | Binding::Uniform(_) | Binding::Part(..) => {}
            }
            cmd.host_barrier();
        })?;
        self.lab.gpu.look(readback, look)
    }

    /// Runs a variant once more and paints its result; nothing where it does not make it.
    pub fn paint(&mut self, variant: usize, shown: &Shown) -> Result<Option<Vec<[u8; 3]>>> {
        let here = |check: &&Check| check.set == shown.set && check.index == shown.index;
        let (Some(check), Some(readback)) = (self.checks(variant).find(here), self.readback) else {
            return Ok(None);
        };
        self.sample(Some(variant), 1)?;
        let words = check.reference.len();
        self.look_at_result(check, 0, readback, |result| (shown.paint)(&result[..words])).map(Some)
    }
}
