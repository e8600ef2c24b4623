//! The picture of a result, with the colours that the sample chose.

/// A picture that a sample made of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Painting {
    /// The variant whose result it is.
    pub variant: String,
    /// A description of what it shows.
    pub caption: String,
    /// Columns and rows.
    pub size: [u32; 2],
    /// Red, green and blue, row by row.
    pub pixels: Vec<[u8; 3]>,
}
