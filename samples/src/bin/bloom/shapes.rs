//! Workgroups of a bloom's passes.

use common::record::DeviceFacts;
use common::{Extent, Workgroup};
use samples::machine::Machine;

const WIDTH: u32 = 32;
const HEIGHT: u32 = 8;
/// On an H200, 1920x1080 takes 20 % longer with 16, because too few tiles are left.
const MOST_ROWS: u32 = 8;

/// Invocations that a device holds at once, if it does not report that.
const RESIDENT: u32 = 64 * 2048;

/// The workgroup of a pass in its own dispatch: the fastest of five shapes on an H200 for 1920x1080 with barriers.
pub fn workgroup_for(facts: &DeviceFacts) -> Workgroup {
    let height = HEIGHT.min(facts.max_workgroup_invocations / WIDTH).max(1);
    Workgroup { width: WIDTH, height, rows: 1 }
}

/// The tile of the full level for all passes in one dispatch. It has as many rows as give one tile to each
/// workgroup that the device holds at once. A tile costs 2 to 3 µs in addition to its texels (ticket, poll, flag),
/// so more tiles cost time: 13 % with half the rows on an H200 at 1920x1080.
pub fn tile_for(facts: &DeviceFacts, size: Extent) -> Workgroup {
    let workgroup = workgroup_for(facts);
    let held = facts.multiprocessors.map_or(RESIDENT, |all| Machine(all).slots() * facts.subgroup_size);
    let texels = u64::from(size.width) * u64::from(size.height);
    let rows = u32::try_from(texels / u64::from(held.max(1))).unwrap_or(u32::MAX);
    Workgroup { rows: rows.clamp(1, MOST_ROWS).next_power_of_two(), ..workgroup }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_as_many_as_workgroups_at_once() {
        let facts = samples::recorded("2026-11-26-nvidia-h200/pipelined_events").unwrap().device;
        let chosen = [[320, 180], [1280, 720], [1920, 1080], [3840, 2160]]
            .map(|[width, height]| tile_for(&facts, Extent { width, height }).to_string());
        assert_eq!(chosen, ["32x8", "32x8x4", "32x8x8", "32x8x8"]);
    }
}
