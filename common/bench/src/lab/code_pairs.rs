//! Declares variants whose machine code is to be compared.

use anyhow::{Result, ensure};
use isa::CodePair;

use super::Lab;

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
