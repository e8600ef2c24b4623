//! `suite verify`.

use anyhow::{Result, bail};

/// Run a record again and judge it
#[derive(clap::Args, Clone, Debug)]
pub struct Verify {}

impl Verify {
    /// Does it; returns the exit code.
    ///
    /// # Errors
    /// What hindered it.
    pub fn run(&self) -> Result<u8> {
        bail!("not built yet")
    }
}
