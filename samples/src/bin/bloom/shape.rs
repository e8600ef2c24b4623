//! How large a workgroup is, and how much of an image it takes.

use common::record::DeviceFacts;
use common::{Extent, Workgroup};

use samples::tile_flags::shape::room;

const WIDTH: u32 = 32;
const HEIGHT: u32 = 8;
/// An H200 takes 1920x1080 20 % longer with 16: too few tiles are left.
const MOST_ROWS: u32 = 8;

/// What a pass in a dispatch of its own is cut into: the fastest of five shapes on an H200, for 1920x1080, with barriers.
pub fn workgroup_for(facts: &DeviceFacts) -> Workgroup {
    let height = HEIGHT.min(facts.max_workgroup_invocations / WIDTH).max(1);
    Workgroup { width: WIDTH, height, rows: 1 }
}

/// A tile of the full level where all passes go in one dispatch: as many rows as leave each workgroup that a device
/// holds at once one tile. A tile takes 2 to 3 microseconds beside its texels (ticket, look, flag), so that more of them
/// cost: on an H200 and 1920x1080 13 % with half the rows.
pub fn tile_for(facts: &DeviceFacts, size: Extent) -> Workgroup {
    let workgroup = workgroup_for(facts);
    let held = u64::from(room(facts).iter().product::<u32>());
    let texels = u64::from(size.width) * u64::from(size.height);
    let rows = u32::try_from(texels / held.max(1)).unwrap_or(u32::MAX);
    Workgroup { rows: rows.clamp(1, MOST_ROWS).next_power_of_two(), ..workgroup }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_as_many_as_workgroups_at_once() {
        let facts = samples::recorded("1152-12-passes").unwrap().device;
        let chosen = [[320, 180], [1280, 720], [1920, 1080], [3840, 2160]]
            .map(|[width, height]| tile_for(&facts, Extent { width, height }).to_string());
        assert_eq!(chosen, ["32x8", "32x8x4", "32x8x8", "32x8x8"]);
    }
}
