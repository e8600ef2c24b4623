//! Which constraints can be solved at the same time.

use anyhow::{Result, ensure};

use crate::island::Constraint;

/// Colours at most: more would be more barriers than work.
pub const MOST_COLOURS: u32 = 64;

/// Sorts constraints by colour, and within a colour by particle, so that neighbouring threads read
/// neighbouring particles; returns where each colour begins, and the end. First fit: each constraint
/// takes the first colour that neither of its particles has.
///
/// # Errors
/// A particle in more constraints than there are colours.
pub fn colour(particles: usize, constraints: &mut Vec<Constraint>) -> Result<Vec<u32>> {
    let mut taken = vec![0_u64; particles];
    let mut coloured = Vec::with_capacity(constraints.len());
    for &constraint in constraints.iter() {
        let (i, j) = (usize::from(constraint.pair[0]), usize::from(constraint.pair[1]));
        let colour = (taken[i] | taken[j]).trailing_ones();
        ensure!(colour < MOST_COLOURS, "a particle is in more than {MOST_COLOURS} constraints");
        taken[i] |= 1 << colour;
        taken[j] |= 1 << colour;
        coloured.push((colour, constraint));
    }
    coloured.sort_by_key(|(colour, Constraint { pair: [i, j], .. })| (*colour, *i, *j));
    let colours = coloured.last().map_or(0, |(colour, _)| colour + 1);
    let begin = |colour| coloured.partition_point(|(other, _)| *other < colour);
    let bounds = (0..=colours).map(|colour| Ok(u32::try_from(begin(colour))?)).collect();
    *constraints = coloured.into_iter().map(|(_, constraint)| constraint).collect();
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_at_one_particle_are_refused() {
        let all = (1..100).map(|j| Constraint { pair: [0, j], rest: 1.0, stiffness: 1.0, contact: false });
        let error = colour(100, &mut all.collect()).unwrap_err().to_string();
        assert!(error.contains("more than 64 constraints"), "{error}");
    }
}
