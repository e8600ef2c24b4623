//! The buffers of `drain_fill`, and what its kernels have in common.

mod cold;
mod waves;

use anyhow::Result;
use common::{Buffer, BufferSet, Buffers, Kernel, KernelBuilder, Lab, Rep};

use crate::reference::{self, UNWRITTEN};
use crate::sizes::{Work, share_of};
pub use cold::{Code, Constants, PLACES};
use samples::in_rows;
pub use waves::{Loops, Tiles, in_waves, started};

/// A kernel in workgroups whose size is not the question.
fn kernel<'l>(lab: &'l Lab, work: Work, name: &str) -> KernelBuilder<'l> {
    lab.kernel(&format!("drain_fill/{name}.comp")).workgroup([work.lanes(), 1, 1])
}

/// A pass; behind a clear it reads what that left.
fn pass(lab: &Lab, work: Work, clears: bool) -> Kernel {
    let kernel = kernel(lab, work, "pass").constant("STEPS", work.steps);
    if clears { kernel.define("AFTER_CLEAR") } else { kernel }.build()
}

/// A chain of passes over a share of the items, in two buffers in turn.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    state: Buffers,
    /// What a clear writes and the pass behind it reads, in a chain with clears.
    cleared: Option<Buffers>,
    /// The pass.
    pub pass: Kernel,
    /// The clear.
    pub clear: Kernel,
    /// Of a pass.
    pub items: u32,
    /// Of a pass.
    pub groups: [u32; 3],
}

impl Chain {
    /// Says what must come out of it.
    ///
    /// # Errors
    /// More than the device's memory.
    pub fn new(lab: &mut Lab, work: Work, share: u32, clears: bool) -> Result<Self> {
        let items = share_of(work.items, share);
        let state = lab.output(&format!("state of 1/{share}"), BufferSet::new(2, items, UNWRITTEN))?;
        lab.seed(state, 0, move || reference::begun(items));
        lab.expect(state, work.passes % 2, move || {
            reference::passed(items, 0..work.passes, work.steps, clears)
        });
        let mut cleared = None;
        if clears {
            let buffers = lab.output("cleared", BufferSet::new(1, items, UNWRITTEN))?;
            lab.expect(buffers, 0, move || vec![reference::first(work.passes - 1); items as usize]);
            cleared = Some(buffers);
        }
        let pass = pass(lab, work, clears);
        let clear = kernel(lab, work, "clear").build();
        Ok(Self { state, cleared, pass, clear, items, groups: in_rows(work.workgroups(items)) })
    }

    /// What a pass reads and writes, and behind a clear what that wrote.
    pub fn bindings(&self, rep: Rep, pass: u32) -> Vec<Buffer> {
        let [previous, next] = [pass, pass + 1].map(|generation| self.state.get(rep.index, generation % 2));
        [previous, next].into_iter().chain(self.cleared(rep)).collect()
    }

    /// What a clear writes.
    pub fn cleared(&self, rep: Rep) -> Option<Buffer> {
        self.cleared.map(|buffers| buffers.get(rep.index, 0))
    }
}

/// Passes over a share of the items that do not need each other, each with a result of its own.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    /// One a pass.
    pub results: Buffers,
    /// Of a pass.
    pub items: u32,
    /// Of a pass.
    pub groups: [u32; 3],
}

impl Apart {
    /// Passes that leave each what `reference` says.
    ///
    /// # Errors
    /// More than the device's memory.
    pub fn new(
        lab: &mut Lab,
        work: Work,
        share: u32,
        reference: impl Fn(u32, u32) -> Vec<u32> + Copy + 'static,
    ) -> Result<Self> {
        let items = share_of(work.items, share);
        let results = lab.output("results of passes apart", BufferSet::new(work.passes, items, UNWRITTEN))?;
        for pass in 0..work.passes {
            lab.expect(results, pass, move || reference(items, pass));
        }
        Ok(Self { results, items, groups: in_rows(work.workgroups(items)) })
    }
}

/// The pass, in a kernel that begins each from one buffer, and what they write.
///
/// # Errors
/// More than the device's memory.
pub fn from_one(lab: &mut Lab, work: Work, share: u32) -> Result<(Kernel, Buffer, Apart)> {
    let apart = Apart::new(lab, work, share, move |items, pass| {
        reference::passed(items, pass..pass + 1, work.steps, false)
    })?;
    let begun = lab.input_buffer("items of passes apart", move || reference::begun(apart.items));
    Ok((pass(lab, work, false), begun, apart))
}

/// Something was recorded before this pass of a repetition.
pub fn follows(rep: Rep, pass: u32) -> bool {
    rep.index > 0 || pass > 0
}
