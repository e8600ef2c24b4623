//! Parses durations given in seconds and reports mistakes on the command line.

use std::time::Duration;

use record::error::{EXIT_FAILED, EXIT_RIGHT};

use crate::Charset;
use crate::terminal::{print, say};

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
