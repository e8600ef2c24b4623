//! How a pass that is a dispatch of its own loads the crosses of its texels, and in which shapes.

use common::{Access, Binding, Image, KernelBuilder, Lab, Scope, Stage, Workgroup};

/// Where a texel's neighbours are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// The storage image, each texel for itself.
    Stored,
    /// A sampled view, each texel for itself.
    Sampled,
    /// Shared memory, which a workgroup fills with its tile at once.
    Staged,
}

const fn shape(width: u32, height: u32, rows: u32) -> Workgroup {
    Workgroup { width, height, rows }
}

/// Shapes among which one was the fastest unsynchronised one on an H200 at each of 512x512 to 4096x4096.
const SHAPES: [Workgroup; 10] = [
    shape(8, 8, 1),
    shape(8, 8, 2),
    shape(8, 8, 4),
    shape(16, 16, 1),
    shape(16, 16, 2),
    shape(16, 16, 4),
    shape(32, 8, 1),
    shape(32, 8, 2),
    shape(32, 8, 4),
    shape(32, 4, 4),
];
/// The same through shared memory, with barriers and without.
const STAGED: [Workgroup; 6] =
    [shape(32, 8, 2), shape(32, 4, 4), shape(32, 4, 8), shape(32, 8, 4), shape(64, 4, 4), shape(64, 8, 4)];

impl Load {
    /// Workgroups that are tried.
    #[must_use]
    pub fn shapes(self) -> &'static [Workgroup] {
        if self == Self::Staged { &STAGED } else { &SHAPES }
    }

    /// What a variant's name ends in.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Stored => "",
            Self::Sampled => "_sampled",
            Self::Staged => "_staged",
        }
    }

    /// For captions and cross tables.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Stored => "storage image",
            Self::Sampled => "sampled view",
            Self::Staged => "shared memory",
        }
    }

    /// The kernel of one pass.
    pub fn kernel(self, lab: &Lab, workgroup: Workgroup, radius: u32) -> KernelBuilder<'_> {
        let kernel = match self {
            Self::Stored => lab.kernel("chain/step.comp"),
            Self::Sampled => lab.kernel("chain/step.comp").define("SAMPLED"),
            Self::Staged => {
                let kernel = samples::tile_flags::cut(lab.kernel("chain/staged.comp"), workgroup, radius);
                let kernel = kernel.constant("MULTIPLIER", samples::chain::MULTIPLIER);
                return kernel.shared_bytes(samples::tile_flags::staged_bytes(workgroup, radius));
            }
        };
        let kernel = kernel.workgroup(workgroup.invocations()).constant("ROWS", workgroup.rows);
        kernel.constant("RADIUS", radius).constant("MULTIPLIER", samples::chain::MULTIPLIER)
    }

    /// What the kernel reads, as it binds it.
    #[must_use]
    pub fn binding(self, image: Image) -> Binding {
        if self == Self::Sampled { image.sampled() } else { image.into() }
    }

    /// What a barrier in front of a pass makes stores visible to.
    #[must_use]
    pub fn scope(self) -> Scope {
        let access =
            if self == Self::Sampled { Access::SHADER_SAMPLED_READ } else { Access::SHADER_STORAGE_READ };
        (Stage::COMPUTE_SHADER, access)
    }
}
