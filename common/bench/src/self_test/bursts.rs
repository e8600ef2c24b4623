//! Submits of the self-test outside the measuring engine: the kernel between two timestamps.

use anyhow::Result;
use ash::vk;
use vulkan::gpu::Gpu;
use vulkan::handles::{Buffer, Kernel};
use vulkan::memory::Place;

use super::work::{MOST_GROUPS, Size, push};
use crate::chains::LANES;
use crate::counter::Counter;
use crate::lab::Lab;

/// Timestamps in a row: enough to determine their resolution, few enough for one submit.
const ROW: u32 = 128;

/// The kernel, its output and the timestamps.
pub(super) struct Bursts {
    kernel: Kernel,
    /// The kernel's output buffer, of any size.
    results: Buffer,
    pub stamps: vk::QueryPool,
}

impl Bursts {
    pub fn new(lab: &Lab, kernel: Kernel) -> Result<Self> {
        let results = lab.gpu.buffer("sums", 4 * u64::from(MOST_GROUPS * LANES), Place::Device)?;
        Ok(Self { kernel, results, stamps: lab.gpu.timestamps(ROW)? })
    }

    /// The timestamps around one dispatch.
    pub fn stamps_around(&self, gpu: &Gpu, size: Size) -> Result<[u64; 2]> {
        gpu.run_once("the self-test's kernel", |cmd| {
            cmd.reset_query_pool(self.stamps, 2);
            cmd.write_timestamp2(self.stamps, 0);
            cmd.execution_barrier();
            cmd.dispatch(self.kernel, &[self.results], &push(size.steps()), [size.groups, 1, 1]);
            cmd.execution_barrier();
            cmd.write_timestamp2(self.stamps, 1);
        })?;
        gpu.read_stamps(self.stamps)
    }

    /// Duration of one dispatch in microseconds; `None` for timestamps that do not give a time.
    pub fn us(&self, gpu: &Gpu, size: Size) -> Result<Option<f64>> {
        Ok(interval_us(gpu, self.stamps_around(gpu, size)?))
    }

    /// A row of timestamps with no work between them.
    pub fn row(&self, gpu: &Gpu) -> Result<Vec<u64>> {
        gpu.run_once("a row of timestamps", |cmd| {
            cmd.reset_query_pool(self.stamps, ROW);
            (0..ROW).for_each(|at| cmd.write_timestamp2(self.stamps, at));
        })?;
        Ok(gpu.read_stamps::<{ ROW as usize }>(self.stamps)?.to_vec())
    }
}

/// Microseconds between two raw timestamps; `None` if they do not give a time.
pub(super) fn interval_us(gpu: &Gpu, stamps: [u64; 2]) -> Option<f64> {
    Counter::of(&gpu.facts).us(stamps).ok()
}
