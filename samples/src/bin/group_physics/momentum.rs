//! What an island that nothing holds may not gain: momentum.

use crate::island::Island;
use crate::reference::Solved;

/// An island's gain of momentum, as the sum of masses times ways: a step of time is 1.
#[derive(Clone, Copy, Debug)]
pub struct Drift {
    /// The largest of the three axes'.
    pub gained: f64,
    /// What rounding alone may add up to.
    pub bound: f64,
}

/// The drift of an island without gravity, from its result.
///
/// A projection gives both particles the same momentum with opposite signs, but for rounding: each
/// coordinate is rounded once, by half a unit in the last place of the largest one, and the correction
/// by a 2^-22th of itself; a correction is less than the island's extent. The way back into the
/// island's coordinates rounds once more.
pub fn drift(island: &Island, solved: &Solved, iterations: u32) -> Drift {
    let mass = |i: usize| 1.0 / f64::from(island.particles[i][3]);
    let mut gained = [0.0; 3];
    let mut largest = 0_f32;
    let mut corrected = 0_f64;
    for (i, (before, after)) in island.particles.iter().zip(&solved.particles).enumerate() {
        for axis in 0..3 {
            gained[axis] += mass(i) * (f64::from(after[axis]) - f64::from(before[axis]));
        }
        // In the world it lies at most 8 further out along each axis.
        largest = after[..3].iter().chain(&before[..3]).fold(largest, |far, x| far.max(x.abs() + 8.0));
        corrected = corrected.max(f64::from(after[3]).sqrt());
    }
    // Particles swing about where they end: what one projection moves one of them by is less than twice
    // the longest way of all and a unit.
    let correction = (2.0 * corrected + 1.0) * 2f64.powi(-22);
    let place = f64::from(f32::from_bits(largest.to_bits() + 1) - largest) / 2.0;
    let projected: f64 =
        island.constraints.iter().map(|c| mass(c.pair[0].into()) + mass(c.pair[1].into())).sum();
    let all: f64 = (0..island.particles.len()).map(mass).sum();
    let bound = projected * f64::from(iterations) * (place + correction) + all * place;
    Drift { gained: gained.into_iter().map(f64::abs).fold(0.0, f64::max), bound }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    use crate::reference::Solver;
    use crate::shapes::{Shape, island};

    #[test]
    fn free_islands_gain_none_and_a_push_shows() {
        let solver = Solver { iterations: 4, gravity: false, tolerance: 0.01 };
        for &shape in Shape::value_variants() {
            let islands: Vec<_> = (0..3).map(|i| island(shape, i, 1024, 0.9)).collect();
            for (island, mut solved) in islands.iter().zip(solver.reference(&islands)) {
                let Drift { gained, bound } = drift(island, &solved, 4);
                assert!(gained < bound && bound < 0.5, "{shape:?}: {gained} of {bound}");
                // One particle in a thousand, half a unit off.
                solved.particles[7][1] += 0.5 / island.particles[7][3].recip() + 0.5;
                assert!(drift(island, &solved, 4).gained > bound, "{shape:?}");
            }
        }
    }
}
