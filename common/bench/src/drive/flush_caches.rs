//! `--cold`: empties the caches before each sample.

use anyhow::Result;
use vulkan::cmd::CommandBuffer;
use vulkan::handles::{Buffer, Kernel};
use vulkan::memory::Place;

use crate::lab::Lab;

/// Size of each of the two buffers: twice the largest GPU cache known (256 MiB). Vulkan does not report cache
/// sizes.
const BYTES: u64 = 512 << 20;
/// Size on a CPU device, where times mean nothing.
const BYTES_ON_CPU: u64 = 16 << 20;
/// Workgroups of the reading kernel.
const GROUPS: u32 = 4096;

/// Fills one buffer and then reads another: the fill evicts all other data, the read evicts the dirty lines of the
/// fill.
pub(super) struct CacheFlush {
    kernel: Kernel,
    filled: Buffer,
    read: Buffer,
    sink: Buffer,
    pub bytes: u64,
}

impl CacheFlush {
    /// # Errors
    /// Not enough memory.
    pub fn new(lab: &Lab) -> Result<Self> {
        let wanted = if lab.device().is_cpu() { BYTES_ON_CPU } else { BYTES };
        // Each buffer is bound as a whole, and both must leave memory for the sample's images.
        let bytes = wanted.min(lab.gpu.limits.storage_buffer).min(lab.device().device_memory / 16) & !15;
        let kernel = lab.kernel("lab/evict.comp").build_for_runner()?;
        let buffer = |name, bytes| lab.gpu.buffer(name, bytes, Place::Device);
        let (filled, read) = (buffer("filled", bytes)?, buffer("read", bytes)?);
        lab.gpu.run_once("filling the buffer that empties the caches", |cmd| cmd.fill_buffer(read, 0))?;
        Ok(Self { kernel, filled, read, sink: buffer("sink", 16)?, bytes })
    }

    pub fn record(&self, cmd: &CommandBuffer<'_>) {
        cmd.region(format_args!("empty the caches"), || {
            cmd.full_barrier();
            cmd.fill_buffer(self.filled, 0);
            cmd.full_barrier();
            cmd.dispatch(self.kernel, &[self.read, self.sink], &(), [GROUPS, 1, 1]);
        });
    }
}
