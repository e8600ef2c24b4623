//! CPU reference of all kernels in `shaders/group_physics/`: the solver and the list of open constraints, written from
//! the formulas of [`arithmetic`](crate::arithmetic).

use rayon::prelude::*;

use crate::arithmetic::{correction_of, difference, residual, squared};
use crate::island::{Constraint, Island};

/// The distance that gravity moves each particle in a step.
const FALL: f32 = 0.25;
/// With gravity, the height of the floor.
pub const FLOOR: f32 = -20.0;

/// Words of an island's list: the number of open constraints, then the first of them.
pub const LIST_WORDS: u32 = 64;
/// Fills the list after the last open constraint.
const NOT_LISTED: u32 = u32::MAX;

/// An island's particles at the end: x, y, z in its own coordinates, and the squared distance that each has moved.
pub type Solved = Vec<[f32; 4]>;

/// The settings of the solver.
#[derive(Clone, Copy, Debug)]
pub struct Solver {
    /// How often every constraint is projected.
    pub iterations: u32,
    /// Whether particles fall onto a floor.
    pub gravity: bool,
}

impl Solver {
    /// The distance that each particle falls in the step that is solved; 0 without gravity.
    pub fn fall(&self) -> f32 {
        if self.gravity { FALL } else { 0.0 }
    }

    /// Solves all islands.
    pub fn reference(&self, islands: &[Island]) -> Vec<Solved> {
        islands.par_iter().map(|island| self.solve(island)).collect()
    }

    /// Solves an island.
    pub fn solve(&self, island: &Island) -> Solved {
        self.solve_watched(island, |_, _, _| ())
    }

    /// Projects one colour after the other, and shows `watch` where the pair of each projection was and where it is.
    /// Constraints of one colour share no particle, so their order does not matter.
    pub fn solve_watched(
        &self,
        island: &Island,
        mut watch: impl FnMut(&Constraint, [[f32; 3]; 2], [[f32; 3]; 2]),
    ) -> Solved {
        let start = island.in_world();
        let inverse_masses: Vec<f32> = island.particles.iter().map(|particle| particle[3]).collect();
        let mut positions = start.clone();
        for (position, &inverse_mass) in positions.iter_mut().zip(&inverse_masses) {
            position[1] -= if inverse_mass > 0.0 { self.fall() } else { 0.0 };
        }
        for _ in 0..self.iterations {
            for constraint in &island.constraints {
                let [i, j] = constraint.pair.map(usize::from);
                let before = [positions[i], positions[j]];
                project(&mut positions, &inverse_masses, constraint);
                watch(constraint, before, [positions[i], positions[j]]);
            }
            if self.gravity {
                for position in &mut positions {
                    position[1] = position[1].max(FLOOR);
                }
            }
        }
        let result = positions.iter().zip(&start).map(|(&position, &start)| {
            let [x, y, z] = island.frame.to_local(position);
            [x, y, z, squared(difference(position, start))]
        });
        result.collect()
    }
}

fn project(positions: &mut [[f32; 3]], inverse_masses: &[f32], constraint: &Constraint) {
    let (i, j) = (usize::from(constraint.pair[0]), usize::from(constraint.pair[1]));
    let (a, b) = (inverse_masses[i], inverse_masses[j]);
    let d = difference(positions[i], positions[j]);
    let correction = correction_of(squared(d), a + b, constraint);
    for axis in 0..3 {
        positions[i][axis] -= d[axis] * (correction * a);
        positions[j][axis] += d[axis] * (correction * b);
    }
}

/// The remaining error of each constraint, as a length, for these particles.
pub fn residuals<'i>(
    constraints: &'i [Constraint],
    particles: &'i [[f32; 4]],
) -> impl Iterator<Item = f32> + 'i {
    constraints.iter().map(|constraint| {
        let [a, b] = constraint.pair.map(|i| particles[usize::from(i)]).map(|[x, y, z, _]| [x, y, z]);
        residual(squared(difference(a, b)), constraint)
    })
}

/// The result words of all islands.
pub fn results(solved: &[Solved]) -> Vec<u32> {
    let words = |island: &Solved| island.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
    solved.par_iter().flat_map_iter(words).collect()
}

/// The list words of all islands: a constraint is open while its residual is larger than `tolerance`.
pub fn lists(islands: &[Island], solved: &[Solved], tolerance: f32) -> Vec<u32> {
    islands.par_iter().zip(solved).flat_map_iter(|(island, solved)| list(island, solved, tolerance)).collect()
}

fn list(island: &Island, solved: &Solved, tolerance: f32) -> Vec<u32> {
    let residuals = (0..).zip(residuals(&island.constraints, solved));
    let open: Vec<u32> = residuals.filter(|(_, left)| *left > tolerance).map(|(at, _)| at).collect();
    let count = u32::try_from(open.len()).unwrap_or(u32::MAX);
    let listed = open.into_iter().chain(std::iter::repeat(NOT_LISTED));
    [count].into_iter().chain(listed).take(LIST_WORDS as usize).collect()
}
