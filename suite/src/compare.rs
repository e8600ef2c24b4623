//! `suite compare`.

use anyhow::{Result, bail};

/// Compare the records of two runs
#[derive(clap::Args, Clone, Debug)]
pub struct Compare {}

impl Compare {
    /// Does it; returns the exit code.
    ///
    /// # Errors
    /// What hindered it.
    pub fn run(&self) -> Result<u8> {
        bail!("not built yet")
    }
}
