//! `suite list`.

use std::process::Command;

use anyhow::{Context, Result};
use record::error::EXIT_RIGHT;
use report::terminal::print;

use crate::samples::Samples;

/// List the samples, each with the question that it answers
#[derive(clap::Args, Clone, Debug)]
pub struct List {}

impl List {
    /// Runs the command and returns its exit code.
    ///
    /// # Errors
    /// If a sample is not built or does not start.
    pub fn run() -> Result<u8> {
        let samples = Samples::ready()?;
        for name in Samples::names() {
            print(&format!("{name:22} {}", question(&samples, name)?))?;
        }
        Ok(EXIT_RIGHT)
    }
}

/// The first line of a sample's help.
fn question(samples: &Samples, name: &str) -> Result<String> {
    let help = Command::new(samples.binary(name)?).arg("-h").output();
    let help = help.with_context(|| format!("running {name} -h"))?;
    let text = String::from_utf8_lossy(&help.stdout);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}
