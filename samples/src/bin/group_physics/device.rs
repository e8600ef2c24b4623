//! A scene in buffers of the device, and the kernels that read them.

use std::rc::Rc;

use anyhow::Result;
use common::{Binding, Buffer, BufferSet, Buffers, Format, KernelBuilder, Lab, Rep};

use crate::arithmetic::SEED;
use crate::packing::Packed;
use crate::reference;
use crate::scene::Scene;
use crate::tricks::{BALLOT, LEAN, SMALL, shared_bytes};

/// Constraints that kernels without a loop load ahead of time: with more of them `fat` is beyond 52
/// registers on GCN, and with four it spills.
const PREFETCH: u32 = 2;

/// No kernel writes it: no float is this NaN, no count so large.
const UNWRITTEN: u32 = 0xFFFF_DEAD;

/// The buffers of a scene, and what is in them.
#[derive(Clone, Copy, Debug)]
pub struct OnDevice {
    /// How many there are.
    pub islands: u32,
    /// In each.
    pub particles: u32,
    /// Of the island that has most.
    pub colours: u32,
    /// Constraints of the largest colour of an island.
    pub widest: u32,
    /// Of all islands.
    pub constraints: u64,
    /// What is done to them.
    pub solver: reference::Solver,
    /// What kernels only read.
    pub inputs: Inputs,
    /// What they write.
    pub outputs: Outputs,
}

/// What kernels write.
#[derive(Clone, Copy, Debug)]
pub struct Outputs {
    /// Particles at the end.
    pub results: Buffers,
    /// Residuals at the end.
    pub reports: Buffers,
    /// Particles in the world, for what works in memory.
    pub state: Buffers,
}

impl Outputs {
    /// Of so many islands of so many particles.
    ///
    /// # Errors
    /// More than the device's memory.
    pub fn new(lab: &mut Lab, islands: u32, particles: u32) -> Result<Self> {
        let words = 4 * islands * particles;
        Ok(Self {
            results: lab.output("result", BufferSet::new(1, words, UNWRITTEN))?,
            reports: lab.output("report", BufferSet::new(1, islands * reference::REPORT_WORDS, UNWRITTEN))?,
            state: lab.output("state", BufferSet::new(1, words, UNWRITTEN))?,
        })
    }
}

/// What kernels only read, as [`Packed`] has it.
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    /// Positions and inverse masses.
    pub particles: Buffer,
    /// All islands' constraints.
    pub constraints: Buffer,
    /// Where each colour of each island begins among them.
    pub bounds: Buffer,
    /// Matrices into the world.
    pub frames: Buffer,
    /// `bounds` through a view with a format, which scalar loads of GCN cannot read.
    pub typed_bounds: Binding,
    /// `frames` through one.
    pub typed_frames: Binding,
}

impl Inputs {
    fn new(lab: &mut Lab, scene: &Rc<Scene>) -> Self {
        let mut input = |name: &str, of: fn(&Packed) -> &Vec<u32>| {
            let scene = Rc::clone(scene);
            lab.input_buffer(name, move || match &of(&scene.packed)[..] {
                // Spheres that do not touch have no constraints, and a buffer cannot be empty.
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
    /// Uploads a scene and says what must come out.
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

    /// `island.comp` for groups of so many threads.
    pub fn kernel<'l>(&self, lab: &'l Lab, group: u32, switches: &[&str]) -> KernelBuilder<'l> {
        // Two halves take turns where each has threads enough for every colour.
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

    /// What `island.comp` takes.
    pub fn bindings(&self, switches: &[&str], rep: Rep) -> [Binding; 6] {
        let Inputs { particles, constraints, bounds, frames, typed_bounds, typed_frames } = self.inputs;
        let raw = switches.contains(&"RAW");
        let [bounds, frames] =
            if raw { [bounds.into(), frames.into()] } else { [typed_bounds, typed_frames] };
        let Outputs { results, reports, .. } = self.outputs;
        let [results, reports] = [results, reports].map(|buffers| buffers.get(rep.index, 0).into());
        [particles.into(), constraints.into(), bounds, frames, results, reports]
    }

    /// How often a constraint is projected in all.
    pub fn projections(&self) -> u64 {
        self.constraints * u64::from(self.solver.iterations)
    }

    /// Bytes of all inputs and results.
    pub fn bytes(&self) -> u64 {
        let of_island = 32 * self.particles + 4 * (self.colours + 1) + 64 + 4 * reference::REPORT_WORDS;
        u64::from(self.islands) * u64::from(of_island) + 8 * self.constraints
    }
}

/// The switches of `lean`, as far as the device has what they need.
pub fn lean(lab: &Lab) -> Vec<&'static str> {
    LEAN.into_iter().filter(|&switch| lab.device().ballot || switch != BALLOT).collect()
}

/// What the device lacks for a kernel with these switches.
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
