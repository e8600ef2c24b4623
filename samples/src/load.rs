//! How a pass in its own dispatch loads its texels, and the workgroup shapes for it.

use common::{Access, Scope, Stage, Workgroup};

/// The way in which a pass reads a texel's neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// Each invocation reads the storage image or buffer that the previous pass wrote.
    Stored,
    /// Each invocation reads it through a sampled view.
    Sampled,
    /// Each workgroup first copies what its tile reads into shared memory.
    Staged,
}

impl Load {
    /// All ways to load.
    pub const ALL: [Self; 3] = [Self::Stored, Self::Sampled, Self::Staged];

    /// Suffix of a variant's name.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Stored => "",
            Self::Sampled => "_sampled",
            Self::Staged => "_staged",
        }
    }

    /// The scope to which a barrier before a pass must make stores visible.
    pub fn scope(self) -> Scope {
        let access =
            if self == Self::Sampled { Access::SHADER_SAMPLED_READ } else { Access::SHADER_STORAGE_READ };
        (Stage::COMPUTE_SHADER, access)
    }
}

/// A workgroup of `width` x `height` invocations with `rows` rows per invocation.
pub const fn shape(width: u32, height: u32, rows: u32) -> Workgroup {
    Workgroup { width, height, rows }
}
