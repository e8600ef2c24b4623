//! Submits of the self-test's own, outside the engine: the kernel between two timestamps.

use anyhow::Result;
use ash::vk;
use vulkan::gpu::Gpu;
use vulkan::handles::{Buffer, Kernel};
use vulkan::memory::Place;

use super::work::{LANES, Size, push};
use crate::drive::interval;
use crate::lab::Lab;

/// Timestamps of a row: enough to tell their step, few enough for one submit.
const ROW: u32 = 128;

/// What takes them.
pub(super) struct Bursts {
    kernel: Kernel,
    /// Where the kernel writes; of the largest size that was asked for so far.
    results: Option<(Buffer, u32)>,
    pub stamps: vk::QueryPool,
}

impl Bursts {
    pub fn new(lab: &Lab, kernel: Kernel) -> Result<Self> {
        let stamps = lab.gpu.timestamps(ROW)?;
        Ok(Self { kernel, results: None, stamps })
    }

    /// The timestamps around one dispatch.
    pub fn stamps_around(&mut self, gpu: &Gpu, size: Size) -> Result<[u64; 2]> {
        let results = self.results(gpu, size.groups)?;
        gpu.run_once("the self-test's kernel", |cmd| {
            cmd.reset_query_pool(self.stamps, 2);
            cmd.write_timestamp2(self.stamps, 0);
            cmd.execution_barrier();
            cmd.dispatch(self.kernel, &[results], &push(size.steps()), [size.groups, 1, 1]);
            cmd.execution_barrier();
            cmd.write_timestamp2(self.stamps, 1);
        })?;
        gpu.read_stamps(self.stamps)
    }

    /// Microseconds of one dispatch; none where the timestamps are no time.
    pub fn us(&mut self, gpu: &Gpu, size: Size) -> Result<Option<f64>> {
        let stamps = self.stamps_around(gpu, size)?;
        Ok(interval_us(gpu, stamps))
    }

    /// Timestamps with nothing in between.
    pub fn row(&self, gpu: &Gpu) -> Result<Vec<u64>> {
        gpu.run_once("a row of timestamps", |cmd| {
            cmd.reset_query_pool(self.stamps, ROW);
            (0..ROW).for_each(|at| cmd.write_timestamp2(self.stamps, at));
        })?;
        Ok(gpu.read_stamps::<{ ROW as usize }>(self.stamps)?.to_vec())
    }

    fn results(&mut self, gpu: &Gpu, groups: u32) -> Result<Buffer> {
        if let Some((results, room)) = self.results {
            if room >= groups {
                return Ok(results);
            }
            gpu.free(results);
        }
        let results = gpu.buffer("sums", 4 * u64::from(groups * LANES), Place::Device)?;
        self.results = Some((results, groups));
        Ok(results)
    }
}

/// Microseconds between two raw timestamps; none where they are no time.
pub(super) fn interval_us(gpu: &Gpu, [begin, end]: [u64; 2]) -> Option<f64> {
    interval::microseconds(begin, end, gpu.facts.timestamp_bits, gpu.facts.timestamp_period_ns).ok()
}
