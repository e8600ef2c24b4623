//! `suite`: runs all samples and keeps their records, makes pages and pictures of records, compares
//! them, runs them again.

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
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use common::cli::terminal::{leave_at_once, say};
use common::error::{EXIT_RIGHT, exit_code, one_line};

#[derive(Debug, Parser)]
#[command(
    name = "suite",
    version,
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

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.command {
        Command::Run(run) => run.run(),
        Command::Report(report) => report.run(),
        Command::Compare(compare) => compare.run(),
        Command::Verify(verify) => verify.run(),
        Command::Export(export) => export.run(),
        Command::Readme(readme) => readme.run(),
        Command::Schema(schema) => schema.run(),
        Command::SelfTest(test) => test.run(),
    };
    let code = done.unwrap_or_else(|error| {
        say(&format!("suite: {}", one_line(&error)));
        exit_code(&error)
    });
    if code != EXIT_RIGHT {
        leave_at_once(code);
    }
    ExitCode::SUCCESS
}
