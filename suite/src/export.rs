//! `suite export`.

use anyhow::{Result, bail};

/// Write the rows of records as one CSV file
#[derive(clap::Args, Clone, Debug)]
pub struct Export {}

impl Export {
    /// Does it; returns the exit code.
    ///
    /// # Errors
    /// What hindered it.
    pub fn run(&self) -> Result<u8> {
        bail!("not built yet")
    }
}
