//! The wall of shared memory: how many workgroups a multiprocessor holds, by what each of them declares. Vulkan tells how much
//! a workgroup may declare, but not how much there is for all.

use anyhow::Result;
use common::Lab;
use samples::residency::{count, counting, padded};

/// What workgroups declare, in bytes: whole shares of 48 KiB, and a little more than some of them.
const DECLARED: [u32; 9] = [4096, 8192, 12_288, 16_384, 16_640, 24_576, 24_832, 32_768, 49_152];

/// Counts the workgroups at a time for each size that the device allows, and words it.
///
/// # Errors
/// A kernel cannot be built or run.
pub fn resident(lab: &mut Lab) -> Result<String> {
    let (most, machines) = (lab.device().max_shared_memory, lab.device().multiprocessors);
    let mut told = Vec::new();
    for bytes in DECLARED.into_iter().filter(|&bytes| bytes <= most) {
        let kernel = counting(padded(lab.kernel("sgemm/resident.comp"), bytes), 0).build();
        let resident =
            count(lab, |cmd, counters, groups| cmd.dispatch(kernel, &[counters], &[0_u32], groups))?;
        // Rounded: a multiprocessor that one workgroup reaches late is none that holds fewer.
        let each = machines.map_or(resident, |of| (resident + of.count / 2) / of.count.max(1));
        told.push(format!("{each} with {} KiB", f64::from(bytes) / 1024.0));
    }
    let place = if machines.is_some() { "multiprocessor" } else { "device" };
    Ok(format!("Workgroups that a {place} holds, by the shared memory of each: {}.", told.join(", ")))
}
