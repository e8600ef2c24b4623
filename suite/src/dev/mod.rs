//! `suite dev`: what maintainers of the project need.

pub mod readme;
pub mod schema;

use anyhow::Result;
use clap::{Args, Subcommand};

/// For maintainers: tables of the pages, schema of records
#[derive(Args, Clone, Debug)]
pub struct Dev {
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Debug, Subcommand)]
enum Command {
    Readme(readme::Readme),
    Schema(schema::Schema),
}

impl Dev {
    /// Runs the command and returns its exit code.
    ///
    /// # Errors
    /// Those of the command.
    pub fn run(&self) -> Result<u8> {
        match &self.command {
            Command::Readme(readme) => readme.run(),
            Command::Schema(schema) => schema.run(),
        }
    }
}
