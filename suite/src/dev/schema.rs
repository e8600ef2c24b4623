//! `suite dev schema`: writes the JSON schema of records.

use anyhow::Result;
use record::error::EXIT_RIGHT;
use report::Destination;

/// Write the JSON schema of records
#[derive(clap::Args, Clone, Debug)]
pub struct Schema {
    /// The file that takes it; - is the standard output
    #[arg(value_name = "FILE", default_value = "-")]
    to: Destination,
}

impl Schema {
    /// Runs the command and returns its exit code.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn run(&self) -> Result<u8> {
        self.to.write(record::schema::schema()?)?;
        Ok(EXIT_RIGHT)
    }
}
