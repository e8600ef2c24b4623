//! What the command lines of the samples and of the suite share: examples, version, completions, man pages, and how
//! mistakes are reported.

use std::time::Duration;

use anyhow::{Context, Result};
use clap::Command;
use clap_complete::Shell;
use record::error::{EXIT_FAILED, EXIT_RIGHT};

use crate::terminal::{print, say};
use crate::{Charset, Destination};

/// Arguments that print something about the program itself.
#[derive(clap::Args, Clone, Debug)]
pub struct Printed {
    /// Print the completions for a shell
    #[arg(long, value_name = "SHELL", hide_short_help = true)]
    completions: Option<Shell>,
    /// Print the man page
    #[arg(long, hide_short_help = true)]
    man: bool,
}

impl Printed {
    /// Prints what is asked for; `false` if nothing is.
    ///
    /// # Errors
    /// If the standard output cannot be written.
    pub fn print(&self, mut command: Command) -> Result<bool> {
        let mut text = Vec::new();
        if let Some(shell) = self.completions {
            let name = command.get_name().to_owned();
            clap_complete::generate(shell, &mut command, name, &mut text);
        } else if self.man {
            clap_mangen::Man::new(command).render(&mut text).context("writing the man page")?;
        } else {
            return Ok(false);
        }
        Destination::Stdout.write(text).map(|()| true)
    }
}

/// Version and commit of a build: `0.1.0 (6453456, with changes)`.
#[must_use]
pub fn version(commit: Option<&str>, dirty: Option<&str>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let changed = if dirty == Some("true") { ", with changes" } else { "" };
    commit.map_or_else(|| version.to_owned(), |commit| format!("{version} ({:.7}{changed})", commit))
}

/// A template for clap's help that shows examples above the options. Each line of `lines` is an example: arguments,
/// `#`, and what they are good for.
#[must_use]
pub fn help_template(program: &str, lines: &str) -> String {
    let examples = lines.lines().filter_map(|line| line.split_once('#'));
    let examples: Vec<_> = examples
        .map(|(arguments, purpose)| (format!("{program} {}", arguments.trim()), purpose.trim()))
        .collect();
    let longest = examples.iter().map(|(call, _)| call.len()).max().unwrap_or(0);
    let shown: String =
        examples.iter().map(|(call, purpose)| format!("  {call:longest$}  {purpose}\n")).collect();
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\nExamples:\n{shown}\n{{all-args}}{{after-help}}"
    )
}

/// Parses a number of seconds.
///
/// # Errors
/// If the text is not a number, or the number is outside 0.001 to 86400.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("'{text}' is not a number of seconds"))?;
    if !(0.001..=86_400.0).contains(&seconds) {
        return Err(format!("{text} s is out of range: 0.001 to 86400"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Ends the program: prints help and version as clap does, or the mistake on one line of the standard error, with
/// the exit code of a failure.
pub fn refuse(program: &str, error: &clap::Error) -> ! {
    if !error.use_stderr() {
        if Charset::of_terminal() == Charset::Utf8 {
            error.exit();
        }
        // clap would print its own characters and colours.
        let printed = print(&error.to_string());
        std::process::exit(if printed.is_ok() { EXIT_RIGHT } else { EXIT_FAILED }.into());
    }
    say(&format!("{program}: {} (--help lists what there is)", in_one_line(error)));
    std::process::exit(EXIT_FAILED.into());
}

/// The message of a command-line mistake on one line, without clap's usage and advice.
#[must_use]
pub fn in_one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let said = lines.filter(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    let said: Vec<&str> = said.map(|line| line.trim_start_matches("error: ")).collect();
    said.join("; ").replace(":; ", ": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_a_range() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["0", "-1", "nan", "inf", "1e9", "soon", ""] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
