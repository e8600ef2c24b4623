//! Counts how many workgroups of a kernel a device holds at once: no Vulkan call tells.

use anyhow::Result;
use common::{Buffer, Cmd, KernelBuilder, Lab};

/// Number of polls after which a workgroup of a counting kernel stops waiting for others to start. The last of
/// thousands of workgroups starts after a few µs, which is much sooner.
const PATIENCE: u32 = 1000;
/// Workgroups to start for counting: more than any GPU holds at once.
const GPU_WORKGROUPS: u32 = 16_384;
/// The same for a CPU device: more than it has threads.
const CPU_WORKGROUPS: u32 = 256;
/// Number of counts; the highest is used, because a delayed start lowers a count and nothing raises it.
const COUNTS: u32 = 3;

/// Adds unused shared memory to a kernel that calls `limit_residency` of `shaders/include/residency.glsl`.
pub fn padded(kernel: KernelBuilder<'_>, bytes: u32) -> KernelBuilder<'_> {
    match bytes {
        0 => kernel,
        _ => kernel.define("PADDED").constant("PADDING_WORDS", bytes / 4).shared_bytes(bytes.into()),
    }
}

/// Makes a [`padded`] kernel with so many bindings count its workgroups. One word is the least padding, which limits
/// nothing: shared memory has room for as many allocations as there can be workgroups.
pub fn counting(kernel: KernelBuilder<'_>, bindings: u32) -> KernelBuilder<'_> {
    let kernel = kernel.define_as("COUNT_RESIDENT", bindings);
    kernel.constant("PATIENCE", PATIENCE).constant("MOST_LOADS", 10 * PATIENCE)
}

/// Counts how many workgroups of a [`counting`] kernel are resident on the device at once. `dispatch` is given the
/// counters, which it binds last, and the number of workgroups.
///
/// # Errors
/// The kernel cannot be built, or submitting it fails.
pub fn count(lab: &mut Lab, dispatch: impl Fn(&Cmd, Buffer, [u32; 3])) -> Result<u32> {
    let groups = if lab.device().is_cpu() { CPU_WORKGROUPS } else { GPU_WORKGROUPS };
    let mut most = 0;
    for _ in 0..COUNTS {
        let counted =
            lab.tally("workgroups at a time", 2, |cmd, counters| dispatch(cmd, counters, [groups, 1, 1]))?;
        most = most.max(counted[1]);
    }
    Ok(most)
}
