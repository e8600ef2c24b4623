//! Chooses the size of a tile and the number of workgroups in flight.

use common::record::DeviceFacts;
use common::{Extent, Workgroup};

/// Size of a workgroup's tile, and number of workgroups that take tickets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Workgroup size and rows per invocation; together they make a tile.
    pub workgroup: Workgroup,
    /// Number of workgroups that take tickets in a loop; with `None` there is one workgroup per ticket.
    pub in_flight: Option<u32>,
}

/// Values for devices that do not report them.
const MULTIPROCESSORS: u32 = 64;
const INVOCATIONS_EACH: u32 = 2048;

/// Number of multiprocessors, and of invocations that each can hold.
pub fn room(facts: &DeviceFacts) -> [u32; 2] {
    match facts.multiprocessors {
        Some(all) => [all.count.max(1), all.simds * all.subgroups_per_simd * facts.subgroup_size],
        None => [MULTIPROCESSORS, INVOCATIONS_EACH],
    }
}

/// A good shape for a device and an image size.
///
/// Measured on an H200 (132 multiprocessors, 12 passes, radius 2 and 8). With few texels per multiprocessor, a
/// pass takes as long as one tile from its first poll to its flag, so a tile has one texel per invocation. With
/// more texels, tiles of 32x32 texels and 256 invocations were within 6 % of the best of 16 shapes. When a
/// multiprocessor holds only a fraction of its tiles of a pass, taking tickets in a loop saves 7 to 15 %, because
/// the next tile's flags are polled before the current tile is computed.
pub fn shape_for(facts: &DeviceFacts, size: Extent) -> Shape {
    let [multiprocessors, invocations] = room(facts);
    // Every device supports workgroups of 128 invocations.
    let height = |width: u32, wanted: u32| wanted.min(facts.max_workgroup_invocations / width).max(1);
    let each = u64::from(size.width) * u64::from(size.height) / u64::from(multiprocessors);
    let shape = |width, wanted, rows| Workgroup { width, height: height(width, wanted), rows };
    match each {
        0..4096 => Shape { workgroup: shape(32, 16, 1), in_flight: None },
        4096..16_384 => Shape { workgroup: shape(32, 8, 4), in_flight: None },
        _ => {
            let workgroup = shape(64, 8, 4);
            let resident = invocations / (workgroup.width * workgroup.height);
            Shape { workgroup, in_flight: Some(multiprocessors * resident.max(1)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_grow_with_the_image() {
        let facts = crate::recorded("1152-12-passes").unwrap().device;
        for (side, tile, loops) in
            [(64, "32x16", false), (512, "32x16", false), (1152, "32x8x4", false), (2048, "64x8x4", true)]
        {
            let Shape { workgroup, in_flight } = shape_for(&facts, Extent::square(side));
            assert_eq!((&*workgroup.to_string(), in_flight), (tile, loops.then_some(528)));
        }
    }
}
