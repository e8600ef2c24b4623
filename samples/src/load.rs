//! How a pass that is a dispatch of its own loads its texels, and in workgroups of which shape.

use common::{Access, Scope, Stage, Workgroup};

/// Where a texel's neighbours are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// What the pass before stored, as it stored it, each texel for itself.
    Stored,
    /// A sampled view of that, each texel for itself.
    Sampled,
    /// Shared memory, which a workgroup fills with what its tile reads.
    Staged,
}

impl Load {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Stored, Self::Sampled, Self::Staged];

    /// What a variant's name ends in.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Stored => "",
            Self::Sampled => "_sampled",
            Self::Staged => "_staged",
        }
    }

    /// What a barrier in front of a pass makes stores visible to.
    pub fn scope(self) -> Scope {
        let access =
            if self == Self::Sampled { Access::SHADER_SAMPLED_READ } else { Access::SHADER_STORAGE_READ };
        (Stage::COMPUTE_SHADER, access)
    }
}

/// A workgroup of so many invocations, each of which loops over so many rows.
pub const fn shape(width: u32, height: u32, rows: u32) -> Workgroup {
    Workgroup { width, height, rows }
}
