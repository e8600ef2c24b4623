//! `suite self-test`.

use anyhow::{Result, bail};

/// Test on the device that times are to be trusted
#[derive(clap::Args, Clone, Debug)]
pub struct SelfTest {}

impl SelfTest {
    /// Does it; returns the exit code.
    ///
    /// # Errors
    /// What hindered it.
    pub fn run(&self) -> Result<u8> {
        bail!("not built yet")
    }
}
