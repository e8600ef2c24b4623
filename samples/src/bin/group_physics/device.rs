//! The buffers of a scene on the device, and the kernels that read them.

use std::rc::Rc;

use anyhow::Result;
use common::{Binding, Buffer, BufferSet, Buffers, Format, Kernel, KernelBuilder, Lab, Rep};

use crate::arithmetic::SEED;
use crate::cells;
use crate::motion::Motion;
use crate::packing::Packed;
use crate::picture::Picture;
use crate::reference::{self, FLOOR, LIST_WORDS};
use crate::scene::Scene;
use crate::tricks::{Switch, shared_bytes};

/// Threads per workgroup that lists constraints.
const LISTING: u32 = 1024;

/// Initial word. No kernel writes it: no result is this NaN, and no count is as large.
const UNWRITTEN: u32 = 0xFFFF_DEAD;

/// The buffers of a scene, and its sizes.
#[derive(Clone, Copy, Debug)]
pub struct OnDevice {
    /// Number of islands.
    pub islands: u32,
    /// Particles per island.
    pub particles: u32,
    /// Most colours of any island.
    pub colours: u32,
    /// Number of constraints in the largest colour of any island.
    pub widest: u32,
    /// Whether islands are cloths.
    pub is_cloth: bool,
    /// Particles in a row of an island, cells of a colour, and [`Lattice::starts`](crate::lattice::Lattice::starts).
    pub side: u32,
    pub cells: u32,
    pub starts: [u32; 3],
    /// Number of constraints in all islands.
    pub constraints: u64,
    /// The solver's settings.
    pub solver: reference::Solver,
    /// A constraint is open while its residual is larger than this length.
    pub tolerance: f32,
    /// Buffers that kernels only read.
    pub inputs: Inputs,
    /// Buffers that kernels write.
    pub outputs: Outputs,
}

/// Buffers that kernels write.
#[derive(Clone, Copy, Debug)]
pub struct Outputs {
    /// Particles at the end.
    pub results: Buffers,
    /// Particles in world coordinates, for kernels that work in memory.
    pub state: Buffers,
    /// Lists of open constraints.
    pub lists: Buffers,
}

impl Outputs {
    /// Allocates the buffers for this number of islands and particles.
    ///
    /// # Errors
    /// The device's memory is too small.
    pub fn new(lab: &mut Lab, islands: u32, particles: u32) -> Result<Self> {
        let mut output =
            |name: &str, each: u32| lab.output(name, BufferSet::new(1, islands * each, UNWRITTEN));
        Ok(Self {
            results: output("result", 4 * particles)?,
            state: output("state", 4 * particles)?,
            lists: output("list", LIST_WORDS)?,
        })
    }
}

/// Buffers that kernels only read, with the contents of [`Packed`].
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    /// Positions and inverse masses.
    pub particles: Buffer,
    /// Constraints of all islands.
    pub constraints: Buffer,
    /// Start of each colour of each island in `constraints`.
    pub bounds: Buffer,
    /// Constraints of all islands by cell; only for a cloth.
    pub cells: Buffer,
    /// Matrices from island to world coordinates.
    pub frames: Buffer,
    /// `frames` through a typed view, which GCN cannot read with scalar loads.
    pub typed_frames: Binding,
    /// The CPU reference's particles at the end.
    pub solved: Buffer,
}

impl Inputs {
    fn new(lab: &mut Lab, scene: &Rc<Scene>) -> Self {
        let mut input = |name: &str, of: fn(&Packed) -> &Vec<u32>| {
            let scene = Rc::clone(scene);
            lab.input_buffer(name, move || match &of(&scene.packed)[..] {
                // Without contacts there are no constraints, and a buffer must not be empty.
                [] => vec![0; 2],
                words => words.to_vec(),
            })
        };
        let particles = input("particles", |packed| &packed.particles);
        let constraints = input("constraints", |packed| &packed.constraints);
        let bounds = input("bounds", |packed| &packed.bounds);
        let frames = input("frames", |packed| &packed.frames);
        let typed_frames = lab.texel_buffer(frames, Format::R32G32B32A32_SFLOAT);
        let of = Rc::clone(scene);
        let solved = lab.input_buffer("solved", move || reference::results(&of.solved));
        let of = Rc::clone(scene);
        let cells = lab.input_buffer("cells", move || of.cells());
        Self { particles, constraints, bounds, cells, frames, typed_frames, solved }
    }
}

impl OnDevice {
    /// Uploads a scene, and declares the expected results and how they are shown.
    pub fn new(lab: &mut Lab, scene: &Rc<Scene>, outputs: Outputs) -> Self {
        let Outputs { results, lists, .. } = outputs;
        let inputs = Inputs::new(lab, scene);
        let of = Rc::clone(scene);
        lab.expect(results, 0, move || reference::results(&of.solved));
        let of = Rc::clone(scene);
        lab.expect(lists, 0, move || reference::lists(&of.islands, &of.solved, of.tolerance));
        let picture = Picture::of(&scene.islands);
        let caption = "the first islands, solved: constraints that are too long red, too short blue";
        lab.report.show(results, 0, picture.size(), caption, move |words| picture.paint(words));
        lab.report.animate(inputs.particles, results, 0, Motion::new(&scene.islands, scene.solver));
        Self {
            islands: scene.sizes[0],
            particles: scene.sizes[1],
            colours: scene.packed.colours,
            widest: scene.packed.widest,
            is_cloth: scene.is_cloth,
            side: scene.lattice.sides[0],
            cells: cells::cells(&scene.lattice),
            starts: scene.lattice.starts(),
            constraints: scene.constraints(),
            solver: scene.solver,
            tolerance: scene.tolerance,
            inputs,
            outputs,
        }
    }

    /// `solve.comp` for workgroups of `threads` threads.
    pub fn solve(&self, lab: &Lab, threads: u32, switches: &[Switch]) -> Kernel {
        lab.kernel("group_physics/solve.comp")
            .workgroup([threads, 1, 1])
            .constant("PARTICLES", self.particles)
            .constant("COLOURS", self.colours)
            .constant("ROUNDS", self.widest.div_ceil(threads).max(1))
            .constant("SEED", SEED)
            .constant("FALL", self.solver.fall().to_bits())
            .constant("FLOOR", FLOOR.to_bits())
            .constants(switches.iter().copied())
            .shared_bytes(shared_bytes(switches, self.particles, self.colours))
            .build()
    }

    /// The bindings of `solve.comp`.
    pub fn bindings(&self, rep: Rep) -> [Binding; 6] {
        let Inputs { particles, constraints, bounds, frames, typed_frames, .. } = self.inputs;
        let results = self.outputs.results.get(rep.index, 0).into();
        [particles.into(), constraints.into(), bounds.into(), frames.into(), typed_frames, results]
    }

    /// `solve_kept.comp` for workgroups of `threads` threads.
    pub fn solve_kept(&self, lab: &Lab, threads: u32) -> Kernel {
        self.in_workgroup(lab.kernel("group_physics/solve_kept.comp"))
            .workgroup([threads, 1, 1])
            .constant("PARTICLES", self.particles)
            .constant("SEED", SEED)
            .constant("COLOURS", self.colours)
            .constant("ROUNDS", self.widest.div_ceil(threads).max(1))
            .build()
    }

    /// `solve_cells.comp`.
    pub fn solve_cells(&self, lab: &Lab) -> Kernel {
        self.in_workgroup(self.of_cells(lab, "group_physics/solve_cells.comp", self.cells)).build()
    }

    /// A kernel with `island.glsl`.
    fn in_workgroup<'l>(&self, kernel: KernelBuilder<'l>) -> KernelBuilder<'l> {
        kernel
            .constant("FALL", self.solver.fall().to_bits())
            .constant("FLOOR", FLOOR.to_bits())
            .shared_bytes(16 * u64::from(self.particles))
    }

    /// A kernel with a thread per cell, from the shader at `path`.
    pub fn of_cells<'l>(&self, lab: &'l Lab, path: &str, threads: u32) -> KernelBuilder<'l> {
        let [odd_x, odd_y, odd_x_and_y] = self.starts;
        lab.kernel(path)
            .workgroup([threads, 1, 1])
            .constant("PARTICLES", self.particles)
            .constant("SIDE", self.side)
            .constant("ODD_X", odd_x)
            .constant("ODD_Y", odd_y)
            .constant("ODD_X_AND_Y", odd_x_and_y)
            .constant("SEED", SEED)
    }

    /// A kernel that lists open constraints, from the shader at `path`.
    pub fn list_open(&self, lab: &Lab, path: &str) -> Kernel {
        lab.kernel(path)
            .workgroup([LISTING, 1, 1])
            .constant("PARTICLES", self.particles)
            .constant("TOLERANCE", self.tolerance.to_bits())
            .constant("LIST_WORDS", LIST_WORDS)
            .constant("SEED", SEED)
            .build()
    }

    /// Number of projections in all iterations.
    pub fn projections(&self) -> u64 {
        self.constraints * u64::from(self.solver.iterations)
    }

    /// Bytes of all inputs and results of a solve.
    pub fn bytes(&self) -> u64 {
        let of_island = 32 * self.particles + 4 * (self.colours + 1) + 64;
        u64::from(self.islands) * u64::from(of_island) + 8 * self.constraints
    }
}
