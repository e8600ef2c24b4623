//! CPU reference of `shaders/wave_launch/probes.comp`.

use rayon::prelude::*;
use samples::steps::{MULTIPLIER, first, stepped};

/// Cells of the scene.
pub const CELLS: u32 = 2048;
/// Neighbouring probes whose rays take the same way and have one length, as light probes cover parts of a picture. So
/// it is waves that differ, not the lanes of a wave of up to this size.
pub const REGION: u32 = 64;

/// For each cell, the next one: a way through all cells, in shuffled order, that ends where it begins.
pub fn scene() -> Vec<u32> {
    let mut way: Vec<u32> = (0..CELLS).collect();
    way.sort_by_key(|&cell| first(cell));
    let mut next = vec![0; way.len()];
    for (at, &cell) in way.iter().enumerate() {
        next[cell as usize] = way[(at + 1) % way.len()];
    }
    next
}

/// The result of each probe: its sums, mixed, after its number of rounds. In a round each sum takes in one more cell.
pub fn probed(rounds: &[u32], sums: u32) -> Vec<u32> {
    let scene = scene();
    let one = |(probe, &rounds): (u32, &u32)| {
        let mut cell = probe / REGION % CELLS;
        let mut held: Vec<u32> = (0..sums).map(|i| first(probe + i)).collect();
        for _ in 0..rounds {
            for sum in &mut held {
                cell = scene[cell as usize];
                *sum = stepped(*sum ^ cell, MULTIPLIER);
            }
        }
        held.iter().fold(0, |mixed, sum| stepped(mixed ^ sum, MULTIPLIER))
    };
    (0..u32::MAX).into_par_iter().zip(rounds).map(one).collect()
}
