//! Hands the regions of a trace's buffer to a variant's dispatches, one after the other.

use super::plan::Region;
use crate::gpu::Buffer;
use crate::kernel::Kernel;

/// A traced recording that is being made.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub buffer: Buffer,
    pub regions: Vec<Region>,
    handed_out: usize,
}

impl Recorder {
    pub fn new(buffer: Buffer, regions: Vec<Region>) -> Self {
        Self { buffer, regions, handed_out: 0 }
    }

    /// The region of a dispatch, where it is the next that was planned; the runner's own kernels, which
    /// compare results, are not.
    pub fn next(&mut self, kernel: Kernel, groups: [u32; 3]) -> Option<(Buffer, Region)> {
        let region = *self.regions.get(self.handed_out)?;
        let is_planned = region.planned.kernel == kernel && region.planned.groups == groups;
        self.handed_out += usize::from(is_planned);
        is_planned.then_some((self.buffer, region))
    }

    /// Every planned dispatch was recorded.
    pub fn is_complete(&self) -> bool {
        self.handed_out == self.regions.len()
    }
}
