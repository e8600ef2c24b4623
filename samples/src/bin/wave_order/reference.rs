//! What each invocation computes.

use samples::noted::{Rounds, mixed};

/// Sides of the image: 8x8 tiles of 8x8 texels.
pub const SIDES: [u32; 2] = [64, 64];

/// What the invocations of a workgroup compute from eight chains.
pub fn chains(invocations: u32, rounds: u32) -> Vec<u32> {
    let rounds = Rounds::new(rounds);
    (0..invocations).map(|own| (own..own + 8).fold(0, |all, x| all ^ rounds.of(x))).collect()
}

/// Whether a texel is 1. The others are 0, so that they add up without rounding.
const fn is_one([x, y]: [u32; 2]) -> bool {
    mixed(y * SIDES[0] + x) >> 31 == 1
}

/// The image, four texels in a word.
pub fn texels() -> Vec<u32> {
    let bytes: Vec<u8> =
        (0..SIDES[0] * SIDES[1]).map(|at| 255 * u8::from(is_one([at % SIDES[0], at / SIDES[0]]))).collect();
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// What the invocations of a workgroup compute from texels of eight tiles, and what the next one has brought into the cache. A round
/// reads one texel of each tile, and the next one that below and to the right.
pub fn fetches(invocations: u32, rounds: u32) -> Vec<u32> {
    let sum = |own: u32, [x, y]: [u32; 2]| {
        let texel = |i: u32| [x + (own + i) % 8, y + (own / 8 + i) % 8];
        // The same texels again after eight rounds.
        let times = |i: u32| rounds / 8 + u32::from(i < rounds % 8);
        (0..8).map(|i| times(i) * u32::from(is_one(texel(i)))).sum::<u32>()
    };
    let warmed = |own: u32| {
        let texels = (own..SIDES[0] * SIDES[1]).step_by(invocations as usize);
        texels.map(|at| u32::from(is_one([at % SIDES[0], at / SIDES[0]]))).sum::<u32>()
    };
    let of = |own: u32| {
        let result = (0..8).fold(0, |all, tile| all ^ sum(own, [tile % 4 * 8, tile / 4 * 32]));
        result + warmed((own + 1) % invocations)
    };
    (0..invocations).map(of).collect()
}

/// What workgroups read of their shared memory of `room` words.
pub fn read_back(workgroups: u32, lanes: u32, room: u32) -> Vec<u32> {
    let read = |group: u32| (0..lanes).map(move |own| group + (own * 331 + group) % room);
    (0..workgroups).flat_map(read).collect()
}

/// Which of the workgroups that fill the device end early.
pub const fn is_short(group: u32) -> bool {
    mixed(group).is_multiple_of(2)
}
