//! `suite report`.

use anyhow::{Result, bail};

/// Make one page (HTML, Markdown) and pictures of records
#[derive(clap::Args, Clone, Debug)]
pub struct Report {}

impl Report {
    /// Does it; returns the exit code.
    ///
    /// # Errors
    /// What hindered it.
    pub fn run(&self) -> Result<u8> {
        bail!("not built yet")
    }
}
