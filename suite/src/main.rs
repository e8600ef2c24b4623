//! `suite`: runs all samples and keeps their records, reports on them, compares them, and repeats them.

mod card;
mod child;
mod cite;
mod collect;
mod compare;
mod dev;
mod export;
#[cfg(test)]
mod fuzz;
mod list;
mod portable;
mod replay;
mod report;
mod run;
mod samples;
#[cfg(test)]
mod scripted;
mod self_test;
mod stop;
mod verify;

use std::process::ExitCode;

use ::report::arguments::{Printed, help_template, refuse, version};
use ::report::terminal::{bear_the_file_limit, leave_at_once, say};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use record::error::{EXIT_RIGHT, exit_code, one_line};
use record::fault;

/// Runs all samples, or those named, and ends with a line per sample on what was found
///
/// Without a command it is `suite run`.
#[derive(Debug, Parser)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    printed: Printed,
}

const EXAMPLES: &str = "# measure all samples, 5 minutes
share # the same, and a folder to send
compare BEFORE AFTER # what became faster or slower?
report RESULTS OTHERS # one page of several devices
";

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Run),
    List(list::List),
    Share(run::Share),
    Report(report::Report),
    Replay(replay::Replay),
    Compare(compare::Compare),
    Verify(verify::Verify),
    Export(export::Export),
    Cite(cite::Cite),
    Card(card::Card),
    SelfTest(self_test::SelfTest),
    Dev(dev::Dev),
}

impl Command {
    fn run(&self) -> anyhow::Result<u8> {
        fault::arm()?;
        match self {
            Self::Run(run) => run.run(),
            Self::List(_) => list::List::run(),
            Self::Share(share) => share.run(),
            Self::Report(report) => report.run(),
            Self::Replay(replay) => replay.run(),
            Self::Compare(compare) => compare.run(),
            Self::Verify(verify) => verify.run(),
            Self::Export(export) => export.run(),
            Self::Cite(cite) => cite.run(),
            Self::Card(card) => card.run(),
            Self::SelfTest(test) => test.run(),
            Self::Dev(dev) => dev.run(),
        }
    }
}

impl Cli {
    fn run(self) -> anyhow::Result<u8> {
        if self.printed.print(command())? {
            return Ok(EXIT_RIGHT);
        }
        self.command.unwrap_or_else(|| Command::Run(run::Run::default())).run()
    }
}

fn command() -> clap::Command {
    Cli::command()
        .name("suite")
        .version(version(option_env!("HOTLAP_COMMIT"), option_env!("HOTLAP_DIRTY")))
        .help_template(help_template("suite", EXAMPLES))
}

fn main() -> ExitCode {
    bear_the_file_limit();
    let parsed = command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = parsed.unwrap_or_else(|error| refuse("suite", &error));
    let code = cli.run().unwrap_or_else(|error| {
        say(&format!("suite: {}", one_line(&error)));
        exit_code(&error)
    });
    if code != EXIT_RIGHT {
        leave_at_once(code);
    }
    ExitCode::SUCCESS
}
