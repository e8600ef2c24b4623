//! Variants that are the same work in other words, whose machine code is to be compared.

use anyhow::Result;
use record::{Published, published};

/// Two variants that differ in how something is written.
#[derive(Clone, Debug, PartialEq)]
pub struct CodePair {
    /// Their names.
    pub variants: [String; 2],
    /// What a source says of each, in VGPRs.
    pub published: Option<[Published; 2]>,
}

impl CodePair {
    /// VGPRs that a source gives for each of the two: the file below `results/published/`, and the keys.
    ///
    /// # Errors
    /// A source or key that does not exist.
    pub fn published(&mut self, source: &str, [one, other]: [&str; 2]) -> Result<()> {
        self.published = Some([published::find(source, one)?, published::find(source, other)?]);
        Ok(())
    }
}
