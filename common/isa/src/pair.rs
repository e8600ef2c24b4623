//! Variants that do the same work but are written differently, for a comparison of their machine code.

use anyhow::Result;
use record::{Published, published};

/// Two variants that differ in how the same work is written.
#[derive(Clone, Debug, PartialEq)]
pub struct CodePair {
    /// Their names.
    pub variants: [String; 2],
    /// The VGPRs that a source gives for each.
    pub published: Option<[Published; 2]>,
}

impl CodePair {
    /// Sets the VGPRs that a source gives for the two: the file below `results/published/`, and the keys.
    ///
    /// # Errors
    /// If the source or a key does not exist.
    pub fn published(&mut self, source: &str, [one, other]: [&str; 2]) -> Result<()> {
        self.published = Some([published::find(source, one)?, published::find(source, other)?]);
        Ok(())
    }
}
