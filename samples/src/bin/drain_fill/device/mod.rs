//! The buffers of `drain_fill`, and the settings that its kernels share.

mod cold;
mod waves;

use anyhow::Result;
use common::{Buffer, BufferSet, Buffers, Kernel, KernelBuilder, Lab, Rep};

use crate::reference::{self, UNWRITTEN};
use crate::sizes::{Work, share_of};
pub use cold::{Code, Constants, PLACES};
use samples::in_rows;
pub use waves::{Loops, Tiles, in_waves, started};

/// A kernel with the workgroup size used where the size is not under test.
fn kernel<'l>(lab: &'l Lab, work: Work, name: &str) -> KernelBuilder<'l> {
    lab.kernel(&format!("drain_fill/{name}.comp")).workgroup([work.lanes(), 1, 1])
}

/// The kernel of a pass. With `clears`, it reads what the clear before it wrote.
fn pass(lab: &Lab, work: Work, clears: bool) -> Kernel {
    let kernel = kernel(lab, work, "pass").constant("STEPS", work.steps);
    if clears { kernel.define("AFTER_CLEAR") } else { kernel }.build()
}

/// A chain of passes over a share of the items; the passes alternate between two buffers.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    state: Buffers,
    /// In a chain with clears, the buffer that a clear writes and the next pass reads.
    cleared: Option<Buffers>,
    /// Kernel of a pass.
    pub pass: Kernel,
    /// Kernel of a clear.
    pub clear: Kernel,
    /// Items per pass.
    pub items: u32,
    /// Workgroups per pass.
    pub groups: [u32; 3],
}

impl Chain {
    /// Allocates the buffers and declares the expected result.
    ///
    /// # Errors
    /// The device's memory is too small.
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

    /// The buffers that a pass reads and writes, and in a chain with clears the cleared one.
    pub fn bindings(&self, rep: Rep, pass: u32) -> Vec<Buffer> {
        let [previous, next] = [pass, pass + 1].map(|generation| self.state.get(rep.index, generation % 2));
        [previous, next].into_iter().chain(self.cleared(rep)).collect()
    }

    /// The buffer that a clear writes, in a chain with clears.
    pub fn cleared(&self, rep: Rep) -> Option<Buffer> {
        self.cleared.map(|buffers| buffers.get(rep.index, 0))
    }
}

/// Independent passes over a share of the items, each with its own result.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    /// One result per pass.
    pub results: Buffers,
    /// Items per pass.
    pub items: u32,
    /// Workgroups per pass.
    pub groups: [u32; 3],
}

impl Apart {
    /// Allocates the results; `reference` gives the expected result of each pass.
    ///
    /// # Errors
    /// The device's memory is too small.
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

/// Independent passes that all start from one input buffer: the kernel, the input, and the results.
///
/// # Errors
/// The device's memory is too small.
pub fn from_one(lab: &mut Lab, work: Work, share: u32) -> Result<(Kernel, Buffer, Apart)> {
    let apart = Apart::new(lab, work, share, move |items, pass| {
        reference::passed(items, pass..pass + 1, work.steps, false)
    })?;
    let begun = lab.input_buffer("items of passes apart", move || reference::begun(apart.items));
    Ok((pass(lab, work, false), begun, apart))
}

/// Whether anything was recorded before this pass.
pub fn follows(rep: Rep, pass: u32) -> bool {
    rep.index > 0 || pass > 0
}
