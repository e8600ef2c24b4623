//! Where the texels of a variant's image differed from the CPU reference.

/// How often, over all samples of a run, counted in bins.
#[derive(Clone, Debug, PartialEq)]
pub struct RaceMap {
    /// The variant's name.
    pub variant: String,
    /// Texels of the image.
    pub size: [u32; 2],
    /// Columns and rows of bins.
    pub bins: [u32; 2],
    /// How often a texel of each bin differed, row by row.
    pub counts: Vec<u32>,
    /// Images that were compared: one in each repetition of each sample.
    pub trials: u64,
}
