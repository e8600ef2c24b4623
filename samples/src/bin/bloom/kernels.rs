//! The kernels of passes with one dispatch each, in three ways to load.

use common::{Access, Binding, Cmd, Format, Kernel, KernelBuilder, Lab, Rep, Scope, Stage, Workgroup};

use crate::device::Bloom;
use crate::pyramid::{Input, KINDS};
use crate::reference::{BRIGHTEST, THRESHOLD, weights};

/// Format of the uniform texel buffers.
const FORMAT: Format = Format::R16G16B16A16_UINT;

/// The way in which a pass reads a texel's neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// From the storage buffer that the previous pass wrote.
    Storage,
    /// Through a uniform texel buffer of it.
    Sampled,
    /// From shared memory, into which each workgroup first loads what its tile reads.
    Shared,
}

impl Load {
    /// All ways to load.
    pub const ALL: [Self; 3] = [Self::Storage, Self::Sampled, Self::Shared];

    /// Suffix of a variant's name.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Storage => "",
            Self::Sampled => "_sampled",
            Self::Shared => "_staged",
        }
    }

    /// The scope to which a barrier before a pass must make stores visible.
    pub fn scope(self) -> Scope {
        let access =
            if self == Self::Sampled { Access::SHADER_SAMPLED_READ } else { Access::SHADER_STORAGE_READ };
        (Stage::COMPUTE_SHADER, access)
    }
}

/// The kernels of all kinds of passes, and their bindings.
#[derive(Clone, Debug)]
pub struct Kernels {
    load: Load,
    workgroup: Workgroup,
    /// The kernels, in the order of [`KINDS`].
    kernels: [Kernel; KINDS.len()],
    /// Uniform texel buffers of the scene, then of each pass in each repetition.
    views: Vec<Binding>,
}

impl Kernels {
    /// Kernels for the passes of a bloom.
    pub fn new(lab: &mut Lab, bloom: &Bloom, load: Load, workgroup: Workgroup) -> Self {
        let kernels = KINDS.map(|kind| {
            let kernel = cut(lab.kernel("bloom/pass.comp"), workgroup, bloom.radius);
            let kernel = with_formulas(kernel, bloom.radius);
            let kernel = match load {
                Load::Storage => kernel,
                Load::Sampled => kernel.define("SAMPLED"),
                Load::Shared => kernel.define("SHARED").shared_bytes(shared_bytes(workgroup, bloom.radius)),
            };
            kernel.constant("KIND", kind as u32).build()
        });
        let mut views = Vec::new();
        if load == Load::Sampled {
            views.push(lab.texel_buffer(bloom.scene, FORMAT));
            for repetition in 0..bloom.planes.repetitions() {
                for pass in 0..bloom.count {
                    views.push(lab.texel_buffer(bloom.plane(pass, repetition), FORMAT));
                }
            }
        }
        Self { load, workgroup, kernels, views }
    }

    /// Records the dispatch of a pass.
    pub fn dispatch(&self, cmd: &Cmd, bloom: &Bloom, rep: Rep, pass: u32) {
        let of = bloom.passes[pass as usize];
        let read = |input: Input| match (self.load, input) {
            (Load::Sampled, Input::Scene) => self.views[0],
            (Load::Sampled, Input::Pass(pass)) => self.views[(1 + rep.index * bloom.count + pass) as usize],
            _ => bloom.buffer(input, rep.index).into(),
        };
        // A pass without a second input binds the first one twice, because Vulkan requires a binding.
        let bindings =
            [read(of.input), read(of.second_input.unwrap_or(of.input)), bloom.plane(pass, rep.index).into()];
        let [width, height] = self.workgroup.tile();
        let groups = [of.size.width.div_ceil(width), of.size.height.div_ceil(height), 1];
        let sizes = [of.size, of.input_size].map(|size| [size.width, size.height]);
        cmd.dispatch(self.kernels[of.kind as usize], &bindings, &sizes, groups);
    }
}

/// Sets what `shaders/include/cut.glsl` asks for.
pub fn cut(kernel: KernelBuilder<'_>, workgroup: Workgroup, radius: u32) -> KernelBuilder<'_> {
    kernel.workgroup(workgroup.invocations()).constants([("ROWS", workgroup.rows), ("RADIUS", radius)])
}

/// Sets what `shaders/bloom/formulas.glsl` asks for.
pub fn with_formulas(kernel: KernelBuilder<'_>, radius: u32) -> KernelBuilder<'_> {
    let constants =
        [("MIDDLE", weights(radius)[0]), ("THRESHOLD", THRESHOLD.into()), ("BRIGHTEST", BRIGHTEST.into())];
    kernel.constants(constants)
}

/// Bytes of shared memory for what a tile reads.
fn shared_bytes(workgroup: Workgroup, radius: u32) -> u64 {
    let [width, height] = workgroup.tile().map(u64::from);
    let border = 2 * u64::from(radius);
    let half = (width.div_ceil(2) + 2) * (height.div_ceil(2) + 2);
    8 * ((width + border) * height).max(width * (height + border)).max(half)
}
