//! All islands of a run, their expected results, and a note about the residuals.

use anyhow::{Result, ensure};
use rayon::prelude::*;

use crate::island::Island;
use crate::packing::Packed;
use crate::reference::{Report, SUM_SCALE, Solved, Solver};
use crate::shapes::{self, Shape};

/// Most islands times particles times iterations: the CPU reference takes half a minute for them on 16 cores.
const MOST_MOVES: u64 = 2_000_000_000;

/// The islands of a run.
#[derive(Debug)]
pub struct Scene {
    /// The input buffers of the kernels.
    pub packed: Packed,
    /// The expected result of each island.
    pub outcome: Vec<Solved>,
    /// The islands.
    pub islands: Vec<Island>,
    /// The solver's settings.
    pub solver: Solver,
}

impl Scene {
    /// Creates the islands and solves them with the CPU reference.
    ///
    /// # Errors
    /// The CPU reference would take minutes.
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

    /// Number of constraints in all islands.
    pub fn constraints(&self) -> u64 {
        self.packed.constraints.len() as u64 / 2
    }

    /// A note on the mean residual before and after solving.
    pub fn about_residuals(&self) -> String {
        let before = |island: &Island| self.solver.report(&island.in_world(), &island.constraints);
        let before: Vec<Report> = self.islands.par_iter().map(before).collect();
        let mean = |reports: &mut dyn Iterator<Item = &Report>| {
            let sum: f64 = reports.map(|report| f64::from(report.sum) / f64::from(SUM_SCALE)).sum();
            // Without constraints there is no error either; avoid dividing by 0.
            sum / (self.constraints() as f64).max(1.0)
        };
        let after = mean(&mut self.outcome.iter().map(|island| &island.report));
        let before = mean(&mut before.iter());
        format!(
            "Residual, the mean error of a constraint's length: {before:.4} at first, {after:.4} at the end."
        )
    }
}
