//! The buffers of a scene on the device, and the kernels that read them.

use std::rc::Rc;

use anyhow::Result;
use common::{Binding, Buffer, BufferSet, Buffers, Format, KernelBuilder, Lab, Rep};

use crate::arithmetic::SEED;
use crate::packing::Packed;
use crate::reference;
use crate::scene::Scene;
use crate::tricks::{BALLOT, LEAN, SMALL, shared_bytes};

/// Number of constraints that kernels without a loop load ahead. With more, `fat` needs over 52 registers on GCN;
/// with four it spills.
const PREFETCH: u32 = 2;

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
    /// Number of constraints in all islands.
    pub constraints: u64,
    /// The solver's settings.
    pub solver: reference::Solver,
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
    /// Residuals at the end.
    pub reports: Buffers,
    /// Particles in world coordinates, for kernels that work in memory.
    pub state: Buffers,
}

impl Outputs {
    /// Allocates the buffers for this number of islands and particles.
    ///
    /// # Errors
    /// The device's memory is too small.
    pub fn new(lab: &mut Lab, islands: u32, particles: u32) -> Result<Self> {
        let words = 4 * islands * particles;
        Ok(Self {
            results: lab.output("result", BufferSet::new(1, words, UNWRITTEN))?,
            reports: lab.output("report", BufferSet::new(1, islands * reference::REPORT_WORDS, UNWRITTEN))?,
            state: lab.output("state", BufferSet::new(1, words, UNWRITTEN))?,
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
    /// Matrices from island to world coordinates.
    pub frames: Buffer,
    /// `bounds` through a typed view, which GCN cannot read with scalar loads.
    pub typed_bounds: Binding,
    /// `frames` through a typed view.
    pub typed_frames: Binding,
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
        let typed_bounds = lab.texel_buffer(bounds, Format::R32_UINT);
        let typed_frames = lab.texel_buffer(frames, Format::R32G32B32A32_SFLOAT);
        Self { particles, constraints, bounds, frames, typed_bounds, typed_frames }
    }
}

impl OnDevice {
    /// Uploads a scene and declares the expected results.
    pub fn new(lab: &mut Lab, scene: &Rc<Scene>, islands: u32, particles: u32, outputs: Outputs) -> Self {
        let inputs = Inputs::new(lab, scene);
        let of = Rc::clone(scene);
        lab.expect(outputs.results, 0, move || reference::results(&of.outcome));
        let of = Rc::clone(scene);
        lab.expect(outputs.reports, 0, move || reference::reports(&of.outcome));
        Self {
            islands,
            particles,
            colours: scene.packed.colours,
            widest: scene.packed.widest,
            constraints: scene.constraints(),
            solver: scene.solver,
            inputs,
            outputs,
        }
    }

    /// `island.comp` for groups of `group` threads.
    pub fn kernel<'l>(&self, lab: &'l Lab, group: u32, switches: &[&str]) -> KernelBuilder<'l> {
        // The two halves of a group take turns if each has enough threads for every colour.
        let turns = if group / 2 >= self.widest { 2 } else { 1 };
        let kernel = lab
            .kernel("group_physics/island.comp")
            .workgroup([group, 1, 1])
            .constant("PARTICLES", self.particles)
            .constant("COLOURS", self.colours)
            .constant("PREFETCH", PREFETCH)
            .constant("TURNS", turns)
            .constant("ROUNDS", self.widest.div_ceil(group / turns).max(1))
            .constant("SEED", SEED)
            .constant("GRAVITY", self.solver.gravity.into())
            .constant("FALL", reference::FALL.to_bits())
            .constant("FLOOR", reference::FLOOR.to_bits())
            .constant("ITERATIONS", self.solver.iterations)
            .constant("TOLERANCE", self.solver.tolerance.to_bits())
            .constant("SUM_SCALE", reference::SUM_SCALE.to_bits())
            .constant("REPORT_WORDS", reference::REPORT_WORDS)
            .constant("REPORT_HEAD", reference::REPORT_HEAD)
            .constant("NOT_LISTED", reference::NOT_LISTED)
            .shared_bytes(shared_bytes(switches, group, [self.particles, self.colours, turns]));
        switches.iter().fold(kernel, |kernel, switch| kernel.define(switch))
    }

    /// The bindings of `island.comp`.
    pub fn bindings(&self, switches: &[&str], rep: Rep) -> [Binding; 6] {
        let Inputs { particles, constraints, bounds, frames, typed_bounds, typed_frames } = self.inputs;
        let raw = switches.contains(&"RAW");
        let [bounds, frames] =
            if raw { [bounds.into(), frames.into()] } else { [typed_bounds, typed_frames] };
        let Outputs { results, reports, .. } = self.outputs;
        let [results, reports] = [results, reports].map(|buffers| buffers.get(rep.index, 0).into());
        [particles.into(), constraints.into(), bounds, frames, results, reports]
    }

    /// Number of projections in all iterations.
    pub fn projections(&self) -> u64 {
        self.constraints * u64::from(self.solver.iterations)
    }

    /// Bytes of all inputs and results.
    pub fn bytes(&self) -> u64 {
        let of_island = 32 * self.particles + 4 * (self.colours + 1) + 64 + 4 * reference::REPORT_WORDS;
        u64::from(self.islands) * u64::from(of_island) + 8 * self.constraints
    }
}

/// The switches of `lean` that the device supports.
pub fn lean(lab: &Lab) -> Vec<&'static str> {
    LEAN.into_iter().filter(|&switch| lab.device().ballot || switch != BALLOT).collect()
}

/// What the device lacks for a kernel with these switches; `None` if it can run it.
pub fn lacking(lab: &Lab, switches: &[&str]) -> Option<String> {
    let facts = lab.device();
    let lacks = |switch, has: bool, what| {
        (switches.contains(&switch) && !has)
            .then(|| format!("{} has no {what} in compute shaders", facts.name))
    };
    lacks(BALLOT, facts.ballot, "ballots of subgroups").or(lacks(
        SMALL,
        facts.int16 && facts.float16,
        "16-bit integers and floats",
    ))
}
