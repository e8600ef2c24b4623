//! All islands of a run, what must become of them, and what a reader is told about that.

use anyhow::{Result, ensure};
use rayon::prelude::*;

use crate::island::Island;
use crate::packing::Packed;
use crate::reference::{Report, SUM_SCALE, Solved, Solver};
use crate::shapes::{self, Shape};

/// Islands times particles times iterations that the CPU reference solves: half a minute on 16 cores.
const MOST_MOVES: u64 = 2_000_000_000;

/// What a run solves.
#[derive(Debug)]
pub struct Scene {
    /// What kernels read.
    pub packed: Packed,
    /// What must come out of each island.
    pub outcome: Vec<Solved>,
    /// What is solved.
    pub islands: Vec<Island>,
    /// What is done to the islands.
    pub solver: Solver,
}

impl Scene {
    /// Makes so many islands of so many particles, and solves them.
    ///
    /// # Errors
    /// More than the CPU reference solves in a minute.
    pub fn new(shape: Shape, islands: u32, particles: u32, stiffness: f32, solver: Solver) -> Result<Self> {
        let moves = u64::from(islands) * u64::from(particles) * u64::from(solver.iterations);
        ensure!(
            moves <= MOST_MOVES,
            "{islands} islands of {particles} particles in {} iterations would keep the CPU reference busy for minutes: \
             their product may be {MOST_MOVES} at most",
            solver.iterations
        );
        let island = |number| {
            let mut island = shapes::island(shape, number, particles, stiffness);
            if solver.gravity {
                island.hang();
            }
            island
        };
        let islands: Vec<Island> = (0..islands).into_par_iter().map(island).collect();
        let packed = Packed::new(&islands);
        let outcome = solver.reference(&islands);
        Ok(Self { packed, outcome, islands, solver })
    }

    /// Constraints of all islands.
    pub fn constraints(&self) -> u64 {
        self.packed.constraints.len() as u64 / 2
    }

    /// How far the solver has come.
    pub fn about_residuals(&self) -> String {
        let before = |island: &Island| self.solver.report(&island.in_world(), &island.constraints);
        let before: Vec<Report> = self.islands.par_iter().map(before).collect();
        let mean = |reports: &mut dyn Iterator<Item = &Report>| {
            let sum: f64 = reports.map(|report| f64::from(report.sum) / f64::from(SUM_SCALE)).sum();
            // Without any constraint there is no error either.
            sum / (self.constraints() as f64).max(1.0)
        };
        let after = mean(&mut self.outcome.iter().map(|island| &island.report));
        let before = mean(&mut before.iter());
        format!(
            "Residual, the mean error of a constraint's length: {before:.4} at first, {after:.4} at the end."
        )
    }
}
