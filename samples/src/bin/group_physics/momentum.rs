//! Checks that the CPU reference conserves momentum: a constraint moves its two particles by amounts that their masses
//! balance, so a projection changes their momentum by its rounding and no more.
//!
//! Kernels are compared with the CPU reference bit by bit. That cannot find a mistake that both share, such as a wrong
//! mass.

use anyhow::{Result, ensure};

use crate::island::Island;
use crate::reference::Solver;

/// Solves an island and checks each projection.
///
/// # Errors
/// A projection gains momentum that its rounding does not explain.
pub fn check(solver: &Solver, island: &Island) -> Result<()> {
    let [gained, rounding] = most_gained(solver, island, &island.particles);
    ensure!(
        gained <= rounding,
        "the CPU reference lets a projection gain momentum: {gained:.1e}, where rounding explains {rounding:.1e}"
    );
    Ok(())
}

/// The momentum that the worst projection gains along an axis, for the inverse masses of `particles`, and what rounding
/// explains of it.
fn most_gained(solver: &Solver, island: &Island, particles: &[[f32; 4]]) -> [f64; 2] {
    let mut most = [0.0, 0.0];
    solver.solve_watched(island, |constraint, before, after| {
        let inverse_masses = constraint.pair.map(|i| f64::from(particles[usize::from(i)][3]));
        for axis in 0..3 {
            let [gained, rounding] =
                momentum(inverse_masses, before.map(|at| at[axis]), after.map(|at| at[axis]));
            if gained - rounding > most[0] - most[1] {
                most = [gained, rounding];
            }
        }
    });
    most
}

/// The momentum that a pair gains along one axis, and the most that rounding explains of it.
fn momentum(inverse_masses: [f64; 2], before: [f32; 2], after: [f32; 2]) -> [f64; 2] {
    let moved = [0, 1].map(|end| f64::from(after[end]) - f64::from(before[end]));
    // A particle that is fixed in place takes up any momentum, as long as it stays there.
    if inverse_masses.contains(&0.0) {
        let stays = [0, 1].iter().all(|&end| inverse_masses[end] > 0.0 || moved[end] == 0.0);
        return if stays { [0.0, 0.0] } else { [f64::INFINITY, 0.0] };
    }
    let sum = |of: [f64; 2]| of[0] / inverse_masses[0] + of[1] / inverse_masses[1];
    [sum(moved).abs(), sum([0, 1].map(|end| rounding(moved[end], after[end])))]
}

/// The most that rounding changes a movement: two products by 2^-24 of it each, and the new coordinate by half a unit
/// in the last place.
fn rounding(moved: f64, after: f32) -> f64 {
    let size = after.abs();
    let last_place = f64::from(f32::from_bits(size.to_bits() + 1)) - f64::from(size);
    0.5 * last_place + (moved.abs() + last_place) * 2.0_f64.powi(-23)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;
    use crate::shapes::{Shape, island};

    const SOLVER: Solver = Solver { iterations: 4, gravity: false };

    #[test]
    fn projections_gain_no_momentum() {
        for &shape in Shape::value_variants() {
            for number in 0..32 {
                let mut island = island(shape, number, [2, 3, 77, 1024][number as usize % 4], 0.9);
                check(&SOLVER, &island).unwrap();
                island.hang();
                check(&Solver { gravity: true, ..SOLVER }, &island).unwrap();
            }
        }
    }

    /// One wrong mass among 1024. A kernel that has it, too, agrees with the CPU reference.
    #[test]
    fn a_wrong_mass_is_found() {
        for &shape in Shape::value_variants() {
            for particle in [0, 100, 500, 1023] {
                let right = island(shape, 0, 1024, 0.9);
                let mut wrong = right.clone();
                wrong.particles[particle][3] *= 2.0;
                let [gained, rounding] = most_gained(&SOLVER, &wrong, &right.particles);
                assert!(gained > 100.0 * rounding, "{shape:?} {particle}: {gained}, {rounding}");
            }
        }
    }
}
