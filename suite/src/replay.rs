//! `suite replay`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use record::read_record;
use report::terminal::become_program;

use crate::collect::find;
use crate::run::ALWAYS_TRACED;
use crate::samples::Samples;

/// Show a record in a window, without the device that it was measured on
///
/// Figures, samples and waves are the record's; nothing is measured. Page Down shows the next sample of the same run.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  suite replay RECORD                              what a sample found, with its waves
  suite replay RUN                                 all samples of a run, pipelined_events first
  suite replay RECORD -- --theme dark              arguments of --live; --help lists them")]
pub struct Replay {
    /// Record, or the folder of a run
    #[arg(value_name = "RECORD")]
    record: PathBuf,
    /// Arguments of the window
    #[arg(last = true, value_name = "ARGUMENTS")]
    arguments: Vec<String>,
}

impl Replay {
    /// Runs the sample's program in place of this one, and returns its exit code where a program cannot be replaced.
    ///
    /// # Errors
    /// If there is no record, or the sample is not built or does not start.
    pub fn run(&self) -> Result<u8> {
        let files = find(std::slice::from_ref(&self.record))?;
        let is_first = |file: &&PathBuf| file.parent().is_some_and(|run| run.ends_with(ALWAYS_TRACED));
        let file = files.iter().find(is_first).or(files.first()).context("no record is there")?;
        let program = Samples::ready()?.binary(&read_record(file)?.sample)?;
        let mut command = Command::new(program);
        command.args(["--live", "--replay"]).arg(file).args(&self.arguments);
        become_program(&mut command)
    }
}
