//! The picture of a result, as the sample paints it.

/// What a sample painted from a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Painting {
    /// The variant whose result it is.
    pub variant: String,
    /// What it shows, in words.
    pub caption: String,
    /// Columns and rows.
    pub size: [u32; 2],
    /// Red, green and blue, row by row.
    pub pixels: Vec<[u8; 3]>,
}
