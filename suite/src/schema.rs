//! `suite schema`.

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
    /// Does it; returns the exit code.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn run(&self) -> Result<u8> {
        self.to.write(record::schema::schema()?)?;
        Ok(EXIT_RIGHT)
    }
}
