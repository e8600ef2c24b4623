//! Variants that are the same work in other words, whose machine code is to be compared.

use anyhow::{Result, ensure};
use record::{Published, published};

use super::Lab;

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

impl Lab {
    /// Has `--code` say which of two variants costs fewer registers on each chip.
    pub fn compares_code(&mut self, variants: [&str; 2]) -> &mut CodePair {
        let at = self.code_pairs.len();
        self.code_pairs.push(CodePair { variants: variants.map(str::to_owned), published: None });
        &mut self.code_pairs[at]
    }

    pub(super) fn validate_code_pairs(&self) -> Result<()> {
        for name in self.code_pairs.iter().flat_map(|pair| &pair.variants) {
            ensure!(
                self.position(name).is_some(),
                "{name}, whose code is compared, is no variant of the sample"
            );
        }
        Ok(())
    }
}
