//! All islands of a run, their expected results, and a note about the residuals.

use anyhow::{Result, ensure};
use clap::value_parser;
use rayon::prelude::*;

use crate::cells;
use crate::island::{Island, MOST_PARTICLES};
use crate::lattice::Lattice;
use crate::momentum;
use crate::packing::Packed;
use crate::reference::{Solved, Solver, residuals};
use crate::shapes::{self, Shape};

/// Most islands times particles times iterations: the CPU reference takes half a minute for them on 16 cores.
const MOST_MOVES: u64 = 2_000_000_000;

/// Is a solver's state worth keeping in shared memory, and what do its registers cost?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--live --gravity # watch cloth fall\n\
    --particles 64..1024*2 # from which size does a large workgroup win?")]
pub struct Args {
    /// What the islands are made of
    #[arg(long, value_enum, default_value = "cloth")]
    pub shape: Shape,
    /// Islands [default: 4096, on a CPU 8]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=65535))]
    pub islands: Option<u32>,
    /// Particles of an island, which one workgroup must hold
    #[arg(long, value_name = "N", default_value_t = MOST_PARTICLES, value_parser = value_parser!(u32).range(2..=MOST_PARTICLES.into()))]
    pub particles: u32,
    /// Projections per constraint [default: 16, on a CPU 4]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1000))]
    pub iterations: Option<u32>,
    /// Part of an error that one projection takes away, up to 1
    #[arg(long, value_name = "PART", default_value = "1", value_parser = stiffness, allow_hyphen_values = true)]
    pub stiffness: f32,
    /// Let particles fall one step
    ///
    /// A floor stops them, and the highest of each island stays in place.
    #[arg(long)]
    pub gravity: bool,
}

fn stiffness(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(stiffness) if (0.001..=1.0).contains(&stiffness) => Ok(stiffness),
        _ => Err("a stiffness is a number from 0.001 to 1".into()),
    }
}

impl Args {
    /// Number of islands, on a CPU device or on a GPU.
    pub fn islands(&self, is_cpu: bool) -> u32 {
        self.islands.unwrap_or(if is_cpu { 8 } else { 4096 })
    }
}

/// The islands of a run.
#[derive(Debug)]
pub struct Scene {
    /// Number of islands, and of particles in each.
    pub sizes: [u32; 2],
    /// The input buffers of the kernels.
    pub packed: Packed,
    /// The expected result of each island.
    pub solved: Vec<Solved>,
    /// The islands.
    pub islands: Vec<Island>,
    /// Whether islands are cloths.
    pub is_cloth: bool,
    /// How the particles of each island are numbered.
    pub lattice: Lattice,
    /// The solver's settings.
    pub solver: Solver,
    /// A constraint is open while its residual is larger than this length.
    pub tolerance: f32,
}

impl Scene {
    /// Creates the islands and solves them with the CPU reference.
    ///
    /// # Errors
    /// The CPU reference would take minutes, or does not conserve momentum in the first island.
    pub fn new(args: &Args, is_cpu: bool) -> Result<Self> {
        let count = args.islands(is_cpu);
        let iterations = args.iterations.unwrap_or(if is_cpu { 4 } else { 16 });
        let &Args { shape, particles, stiffness, gravity, .. } = args;
        let solver = Solver { iterations, gravity };
        let moves = u64::from(count) * u64::from(particles) * u64::from(iterations);
        ensure!(
            moves <= MOST_MOVES,
            "{count} islands of {particles} particles in {iterations} iterations would keep the CPU reference busy for minutes: \
             their product may be {MOST_MOVES} at most"
        );
        let island = |number| {
            let mut island = shapes::island(shape, number, particles, stiffness);
            if gravity {
                island.hang();
            }
            island
        };
        let islands: Vec<Island> = (0..count).into_par_iter().map(island).collect();
        let packed = Packed::new(&islands);
        let solved = solver.reference(&islands);
        momentum::check(&solver, &islands[0])?;
        Ok(Self {
            sizes: [count, particles],
            packed,
            solved,
            islands,
            is_cloth: shape == Shape::Cloth,
            lattice: shape.lattice(particles),
            solver,
            tolerance: shape.tolerance(),
        })
    }

    /// The constraints of all islands, cell by cell, for the kernels of cells.
    pub fn cells(&self) -> Vec<u32> {
        let words = |island| cells::words(&self.lattice, island);
        self.islands.par_iter().flat_map_iter(words).collect()
    }

    /// Number of constraints in all islands.
    pub fn constraints(&self) -> u64 {
        self.packed.constraints.len() as u64 / 2
    }

    /// A note on the mean residual before and after solving.
    pub fn about_residuals(&self) -> String {
        let sum = |(island, particles): (&Island, &Solved)| -> f64 {
            residuals(&island.constraints, particles).map(f64::from).sum()
        };
        // Without constraints there is no error either; avoid dividing by 0.
        let constraints = (self.constraints() as f64).max(1.0);
        let before = self.islands.par_iter().map(|island| sum((island, &island.particles))).sum::<f64>();
        let after = self.islands.par_iter().zip(&self.solved).map(sum).sum::<f64>();
        format!(
            "Residual, the mean error of a constraint's length: {:.4} at first, {:.4} at the end.",
            before / constraints,
            after / constraints
        )
    }
}
