//! Packs islands into the words that kernels read.

use rayon::prelude::*;
use samples::half;

use crate::island::{Constraint, Island};

/// Islands in the layout of the kernels' input buffers.
#[derive(Clone, Debug)]
pub struct Packed {
    /// x, y, z and inverse mass of each particle, island after island.
    pub particles: Vec<u32>,
    /// Two words per constraint: the two indices, then rest length and stiffness as 16-bit floats. The rest length
    /// is negative for a contact.
    pub constraints: Vec<u32>,
    /// For each island, the start of its colours in `constraints`, and the end. An island with fewer colours than
    /// another has empty ones.
    pub bounds: Vec<u32>,
    /// For each island, the rows of a 4x4 matrix.
    pub frames: Vec<u32>,
    /// Most colours of any island, at least one.
    pub colours: u32,
    /// Number of constraints in the largest colour of any island.
    pub widest: u32,
}

impl Packed {
    /// Packs islands of equal size.
    pub fn new(islands: &[Island]) -> Self {
        let colours = islands.iter().map(|island| island.bounds.len() - 1).max().unwrap_or(0).max(1);
        let mut bounds = Vec::new();
        let mut first = 0;
        for island in islands {
            let end = island.bounds[island.bounds.len() - 1];
            bounds.extend((0..=colours).map(|c| first + island.bounds.get(c).copied().unwrap_or(end)));
            first += end;
        }
        let widths = islands.iter().flat_map(|island| island.bounds.windows(2).map(|b| b[1] - b[0]));
        let all = islands.par_iter();
        let particles = all.clone().flat_map_iter(|island| island.particles.as_flattened());
        let constraints = all.flat_map_iter(|island| island.constraints.iter().flat_map(words_of));
        Self {
            particles: particles.map(|x| x.to_bits()).collect(),
            constraints: constraints.collect(),
            frames: islands.iter().flat_map(|island| island.frame.words()).collect(),
            colours: u32::try_from(colours).unwrap_or(u32::MAX),
            widest: widths.max().unwrap_or(0),
            bounds,
        }
    }
}

fn words_of(constraint: &Constraint) -> [u32; 2] {
    let (i, j) = (u32::from(constraint.pair[0]), u32::from(constraint.pair[1]));
    [i | j << 16, length_word(constraint)]
}

/// Rest length, negative for a contact, and stiffness as 16-bit floats.
pub fn length_word(constraint: &Constraint) -> u32 {
    let [rest, stiffness] = [constraint.rest, constraint.stiffness].map(half::nearest);
    rest | u32::from(constraint.contact) << 15 | stiffness << 16
}
