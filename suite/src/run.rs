//! `suite run`.

use anyhow::{Result, bail};

/// Measure all samples, or some, and keep their records
#[derive(clap::Args, Clone, Debug)]
pub struct Run {}

impl Run {
    /// Does it; returns the exit code.
    ///
    /// # Errors
    /// What hindered it.
    pub fn run(&self) -> Result<u8> {
        bail!("not built yet")
    }
}
