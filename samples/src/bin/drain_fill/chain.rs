//! Buffers, images and kernels of the passes and clears.

use std::cell::LazyCell;
use std::rc::Rc;

use anyhow::Result;
use common::{
    Access, Binding, BufferSet, Buffers, Extent, Format, ImageSet, Images, Kernel, KernelBuilder, Lab, Pass,
    Scope, Stage,
};
use samples::machine::Machine;
use samples::steps::{LANES, UNWRITTEN, begun, first, painted};
use samples::{STORES, in_rows};

use crate::reference::passed;

/// How much work there is.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Sides of the whole area.
    pub size: Extent,
    /// Items of the whole area.
    pub items: u32,
    /// Passes per chain.
    pub passes: u32,
    /// Steps per item and pass.
    pub steps: u32,
}

impl Work {
    /// Items in a part of the area, at least one.
    pub fn part(self, share: u32) -> u32 {
        (self.items / share).max(1)
    }
}

/// The share of a pass's waves, of `wave` lanes each, that fit on the device at once, at most 1: the talk's first-fill
/// waves, which start with cold caches.
pub fn first_fill(machine: Machine, wave: u32, items: u32) -> f64 {
    let waves = items.div_ceil(LANES) * LANES.div_ceil(wave);
    (f64::from(machine.slots()) / f64::from(waves)).min(1.0)
}

fn kernel<'l>(lab: &'l Lab, path: &str) -> KernelBuilder<'l> {
    lab.kernel(path).workgroup([LANES, 1, 1])
}

fn groups(items: u32) -> [u32; 3] {
    in_rows(items.div_ceil(LANES))
}

/// A clear, and what it clears.
#[derive(Clone, Copy, Debug)]
pub enum Clear {
    /// A kernel stores a word per invocation.
    Kernel(Kernel, Buffers),
    /// `vkCmdFillBuffer`.
    Buffer(Buffers),
    /// `vkCmdClearColorImage`.
    Image(Images),
}

impl Clear {
    /// Each kind of clear, of as many words as a pass has `items`.
    ///
    /// # Errors
    /// The device's memory is too small.
    pub fn all(lab: &mut Lab, items: u32, work: Work) -> Result<[Self; 3]> {
        let last = first(work.passes - 1);
        let by_kernel = lab.output("cleared by a kernel", BufferSet::new(1, items, UNWRITTEN))?;
        lab.expect(by_kernel, 0, move || vec![last; items as usize]);
        let filled = lab.output("filled buffer", BufferSet::new(1, items, UNWRITTEN))?;
        lab.expect(filled, 0, move || vec![last; items as usize]);
        let size = [work.size.width, items.div_ceil(work.size.width)];
        let image = lab.output("cleared image", ImageSet::new(1, size, Format::R32_UINT, [UNWRITTEN; 4]))?;
        lab.expect(image, 0, move || vec![last; (size[0] * size[1]) as usize]);
        let clear = kernel(lab, "drain_fill/clear.comp").build();
        Ok([Self::Kernel(clear, by_kernel), Self::Buffer(filled), Self::Image(image)])
    }

    /// Suffix of a variant's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kernel(..) => "clear",
            Self::Buffer(_) => "fill_buffer",
            Self::Image(_) => "clear_image",
        }
    }

    /// The scope of its stores. `CLEAR` would be enough as a stage, but layer 1.3.239 takes `vkCmdFillBuffer` for a
    /// copy.
    pub fn scope(self) -> Scope {
        match self {
            Self::Kernel(..) => STORES,
            Self::Buffer(_) | Self::Image(_) => (Stage::ALL_TRANSFER, Access::TRANSFER_WRITE),
        }
    }

    /// What a pass of this repetition reads.
    fn cleared(self, repetition: u32) -> Binding {
        match self {
            Self::Kernel(_, buffers) | Self::Buffer(buffers) => buffers.get(repetition, 0).into(),
            Self::Image(images) => images.get(repetition, 0).into(),
        }
    }
}

/// A chain of passes over a part of the area; the passes alternate between two buffers.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    state: Buffers,
    clear: Option<Clear>,
    /// Kernel of a pass.
    pub kernel: Kernel,
    /// Items per pass.
    pub items: u32,
    /// Workgroups per pass.
    pub groups: [u32; 3],
}

impl Chain {
    /// Allocates the buffers and declares the expected result. A pass reads what `clear` wrote before it.
    ///
    /// # Errors
    /// The device's memory is too small.
    pub fn new(lab: &mut Lab, work: Work, share: u32, clear: Option<Clear>) -> Result<Self> {
        let items = work.part(share);
        let state = lab.output(&format!("state of 1/{share}"), BufferSet::new(2, items, UNWRITTEN))?;
        lab.seed(state, 0, move || begun(items));
        let right = Rc::new(LazyCell::new(move || passed(items, work.passes, work.steps, clear.is_some())));
        let expected = Rc::clone(&right);
        lab.expect(state, work.passes % 2, move || expected.to_vec());
        if share == 1 {
            let caption = "the result of the last pass, which is noise; wrong items are red";
            let paint = move |words: &[u32]| painted(&right, words);
            lab.report.show(state, work.passes % 2, work.size.sides(), caption, paint);
        }
        let kernel = kernel(lab, "drain_fill/pass.comp").constant("STEPS", work.steps);
        let kernel = match clear {
            None => kernel,
            Some(Clear::Image(_)) => kernel.define("CLEARED_IMAGE"),
            Some(_) => kernel.define("CLEARED_BUFFER"),
        };
        Ok(Self { state, clear, kernel: kernel.build(), items, groups: groups(items) })
    }

    /// The buffers that a pass reads and writes, and what was cleared before it.
    pub fn bindings(&self, pass: Pass) -> Vec<Binding> {
        let state = |generation: u32| self.state.get(pass.rep.index, generation % 2).into();
        let cleared = self.clear.map(|clear| clear.cleared(pass.rep.index));
        [state(pass.index), state(pass.index + 1)].into_iter().chain(cleared).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_talks_first_fill() {
        let vega: Machine = "64x4x10".parse().unwrap();
        let percent = |share: u32| (1000.0 * first_fill(vega, 64, 2560 * 1440 / share)).round() / 10.0;
        // The talk gives 4.4, 17 and 71.
        assert_eq!([1, 4, 16, 64].map(percent), [4.4, 17.8, 71.1, 100.0]);
    }
}
