//! `suite`: runs all samples and keeps their records, reports on them, compares them, and repeats them.

mod child;
mod collect;
mod compare;
mod export;
#[cfg(test)]
mod fuzz;
mod readme;
mod report;
mod run;
mod samples;
mod schema;
#[cfg(test)]
mod scripted;
mod self_test;
mod stop;
mod verify;

use std::process::ExitCode;

use ::report::arguments::refuse;
use ::report::terminal::{bear_the_file_limit, leave_at_once, say};
use clap::{Parser, Subcommand};
use record::error::{EXIT_RIGHT, exit_code, one_line};
use record::fault;

#[derive(Debug, Parser)]
#[command(
    name = "suite",
    version,
    arg_required_else_help = false,
    about = "Hot Lap's suite: runs all samples, reports, compares and verifies"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Run),
    Report(report::Report),
    Compare(compare::Compare),
    Verify(verify::Verify),
    Export(export::Export),
    Readme(readme::Readme),
    Schema(schema::Schema),
    SelfTest(self_test::SelfTest),
}

impl Command {
    fn run(&self) -> anyhow::Result<u8> {
        fault::arm()?;
        match self {
            Self::Run(run) => run.run(),
            Self::Report(report) => report.run(),
            Self::Compare(compare) => compare.run(),
            Self::Verify(verify) => verify.run(),
            Self::Export(export) => export.run(),
            Self::Readme(readme) => readme.run(),
            Self::Schema(schema) => schema.run(),
            Self::SelfTest(test) => test.run(),
        }
    }
}

fn main() -> ExitCode {
    bear_the_file_limit();
    let cli = Cli::try_parse().unwrap_or_else(|error| refuse("suite", &error));
    let code = cli.command.run().unwrap_or_else(|error| {
        say(&format!("suite: {}", one_line(&error)));
        exit_code(&error)
    });
    if code != EXIT_RIGHT {
        leave_at_once(code);
    }
    ExitCode::SUCCESS
}
