//! CPU reference of all kernels in `shaders/group_physics/`: the solver, written from the formulas of
//! [`arithmetic`](crate::arithmetic).

use rayon::prelude::*;

use crate::arithmetic::{difference, gain, residual, squared};
use crate::island::{Constraint, Island};

/// With gravity, the distance that each particle falls in the one step that is solved.
pub const FALL: f32 = 0.25;
/// With gravity, the height of the floor.
pub const FLOOR: f32 = -20.0;

/// Words per report of an island.
pub const REPORT_WORDS: u32 = 64;
/// Words before the list: the largest residual as a float, the sum of all residuals in units of 1/[`SUM_SCALE`],
/// each rounded down, and the number of open constraints.
pub const REPORT_HEAD: u32 = 3;
/// Residuals are summed as integers, because float sums depend on the order.
pub const SUM_SCALE: f32 = 4096.0;
/// Fills the report's list after the last open constraint.
pub const NOT_LISTED: u32 = u32::MAX;

/// The settings of the solver.
#[derive(Clone, Copy, Debug)]
pub struct Solver {
    /// How often every constraint is projected.
    pub iterations: u32,
    /// Whether particles fall onto a floor.
    pub gravity: bool,
    /// A constraint is open while its residual is larger than this length.
    pub tolerance: f32,
}

/// The expected result of an island.
#[derive(Clone, Debug)]
pub struct Solved {
    /// x, y, z of each particle in the island's coordinates, and the squared distance that it moved.
    pub particles: Vec<[f32; 4]>,
    /// The remaining errors.
    pub report: Report,
}

/// The residuals of an island.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The largest residual, a length.
    pub worst: f32,
    /// Sum of all residuals in units of 1/[`SUM_SCALE`].
    pub sum: u32,
    /// Open constraints, by their position in the island's sorted list.
    pub open: Vec<u32>,
}

impl Solver {
    /// The expected result of each island.
    pub fn reference(&self, islands: &[Island]) -> Vec<Solved> {
        islands.par_iter().map(|island| self.solve(island)).collect()
    }

    /// Projects one colour after the other. Constraints of one colour share no particle, so their order does not
    /// matter.
    fn solve(&self, island: &Island) -> Solved {
        let start = island.in_world();
        let inverse_masses: Vec<f32> = island.particles.iter().map(|particle| particle[3]).collect();
        let mut positions = start.clone();
        if self.gravity {
            for (position, &inverse_mass) in positions.iter_mut().zip(&inverse_masses) {
                position[1] -= if inverse_mass > 0.0 { FALL } else { 0.0 };
            }
        }
        for _ in 0..self.iterations {
            for constraint in &island.constraints {
                project(&mut positions, &inverse_masses, constraint);
            }
            if self.gravity {
                for position in &mut positions {
                    position[1] = position[1].max(FLOOR);
                }
            }
        }
        let report = self.report(&positions, &island.constraints);
        let particles = positions.iter().zip(&start).map(|(&position, &start)| {
            let [x, y, z] = island.frame.to_local(position);
            [x, y, z, squared(difference(position, start))]
        });
        Solved { particles: particles.collect(), report }
    }

    /// The residuals of constraints for these particle positions.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as the kernels round: down")]
    pub fn report(&self, positions: &[[f32; 3]], constraints: &[Constraint]) -> Report {
        let mut report = Report::default();
        for (at, constraint) in (0..).zip(constraints) {
            let [i, j] = constraint.pair;
            let apart = difference(positions[usize::from(i)], positions[usize::from(j)]);
            let residual = residual(squared(apart), constraint);
            report.worst = report.worst.max(residual);
            report.sum = report.sum.wrapping_add((residual * SUM_SCALE) as u32);
            if residual > self.tolerance {
                report.open.push(at);
            }
        }
        report
    }
}

fn project(positions: &mut [[f32; 3]], inverse_masses: &[f32], constraint: &Constraint) {
    let (i, j) = (usize::from(constraint.pair[0]), usize::from(constraint.pair[1]));
    let (a, b) = (inverse_masses[i], inverse_masses[j]);
    let d = difference(positions[i], positions[j]);
    let gain = gain(squared(d), a + b, constraint);
    for axis in 0..3 {
        positions[i][axis] -= d[axis] * (gain * a);
        positions[j][axis] += d[axis] * (gain * b);
    }
}

impl Report {
    /// The words as a kernel writes them: the open constraints that fit, in order.
    #[allow(clippy::cast_possible_truncation, reason = "constraints of an island count in 16 bits")]
    fn words(&self) -> impl Iterator<Item = u32> {
        let head = [self.worst.to_bits(), self.sum, self.open.len() as u32];
        let listed = self.open.iter().copied().chain(std::iter::repeat(NOT_LISTED));
        head.into_iter().chain(listed).take(REPORT_WORDS as usize)
    }
}

/// The result words of all islands.
pub fn results(islands: &[Solved]) -> Vec<u32> {
    let words = |island: &Solved| island.particles.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
    islands.par_iter().flat_map_iter(words).collect()
}

/// The report words of all islands.
pub fn reports(islands: &[Solved]) -> Vec<u32> {
    islands.iter().flat_map(|island| island.report.words()).collect()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;
    use crate::shapes::{Shape, island};

    /// The momentum that an island gains, as the sum of masses times movements; 0 except for rounding if nothing
    /// is fixed.
    #[test]
    fn free_islands_gain_no_momentum() {
        let solver = Solver { iterations: 4, gravity: false, tolerance: 0.01 };
        for &shape in Shape::value_variants() {
            let island = island(shape, 0, 1024, 0.9);
            let solved = solver.solve(&island);
            for axis in 0..3 {
                let gained = island.particles.iter().zip(&solved.particles).map(|(before, after)| {
                    (f64::from(after[axis]) - f64::from(before[axis])) / f64::from(before[3])
                });
                let gained: f64 = gained.sum();
                assert!(gained.abs() < 2e-3, "{shape:?}: {gained}");
            }
        }
    }
}
