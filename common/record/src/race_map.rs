//! Positions at which a variant's image differed from the CPU reference.

/// Number of differences over all samples of a run, counted in bins.
#[derive(Clone, Debug, PartialEq)]
pub struct RaceMap {
    /// The variant's name.
    pub variant: String,
    /// Width and height of the image in texels.
    pub size: [u32; 2],
    /// Columns and rows of bins.
    pub bins: [u32; 2],
    /// Number of differences in each bin, row by row.
    pub counts: Vec<u32>,
    /// Number of images that were compared: one per repetition of each sample.
    pub trials: u64,
}
