//! `suite readme`.

use anyhow::{Result, bail};

/// Put the tables and pictures of records into README.md
#[derive(clap::Args, Clone, Debug)]
pub struct Readme {}

impl Readme {
    /// Does it; returns the exit code.
    ///
    /// # Errors
    /// What hindered it.
    pub fn run(&self) -> Result<u8> {
        bail!("not built yet")
    }
}
