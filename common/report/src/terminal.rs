//! The terminal: Ctrl-C, the progress bar, width, and output.

use std::io::Write;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use record::error::EXIT_INTERRUPTED;

use crate::charset::Charset;
use crate::destination::Destination;
use crate::paper::wrapped;

/// Width in columns of a table that is written to a file.
pub const FILE_WIDTH: u16 = 140;

/// Makes a write beyond the file size limit (`ulimit -f`) fail like one on a full disk. Otherwise the signal SIGXFSZ
/// would end the process without a message.
pub fn bear_the_file_limit() {
    #[cfg(unix)]
    #[expect(unsafe_code, reason = "no safe crate ignores a signal")]
    // SAFETY: a signal that is ignored runs no code.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// On Ctrl-C, asks the run to stop after the current sample. A second Ctrl-C ends the process.
///
/// # Errors
/// If the handler cannot be installed, or one is installed already.
pub fn on_interrupt() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            leave_at_once(EXIT_INTERRUPTED);
        }
    })
    .context("listening for Ctrl-C")?;
    Ok(stop)
}

/// A progress bar on standard error, hidden if that is not a terminal.
#[must_use]
pub fn progress_bar() -> ProgressBar {
    // indicatif draws to standard error and hides itself where that is no terminal.
    let bar = ProgressBar::new(100);
    // Text that is too wide is cut: a line that wraps would be drawn again below itself.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {wide_msg}") {
        bar.set_style(match Charset::of_terminal() {
            Charset::Utf8 => style,
            Charset::Ascii => style.progress_chars("#-"),
        });
    }
    bar
}

/// The width of a terminal in columns, at least 60; [`FILE_WIDTH`] for a file.
#[must_use]
pub fn width_of(terminal: &console::Term) -> u16 {
    if terminal.is_term() { terminal.size().1.max(60) } else { FILE_WIDTH }
}

/// Ends the process without running destructors and exit handlers, which could wait forever in a driver whose queue
/// hangs or whose device is lost.
pub fn leave_at_once(code: u8) -> ! {
    let _ = std::io::stdout().flush();
    #[expect(unsafe_code, reason = "rustix ends a process with the signal of an abort alone")]
    // SAFETY: `_exit` has no preconditions.
    unsafe {
        libc::_exit(i32::from(code))
    }
}

/// Runs another program in place of this one. Where a program cannot become another one, this one waits for it and
/// returns its exit code.
///
/// # Errors
/// If it does not start.
pub fn become_program(command: &mut Command) -> Result<u8> {
    let starting = format!("starting {}", command.get_program().display());
    #[cfg(unix)]
    return Err(std::os::unix::process::CommandExt::exec(command)).context(starting);
    #[cfg(not(unix))]
    {
        let code = command.status().context(starting)?.code();
        Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(record::error::EXIT_FAILED))
    }
}

/// Writes a line to standard error. If that is closed, the error is ignored, since it cannot be reported.
pub fn say(line: &str) {
    let terminal = console::Term::stderr();
    let line = Charset::of_terminal().fit(line).into_owned();
    let line = if terminal.is_term() { wrapped(&line, width_of(&terminal)) } else { line };
    let _ = writeln!(std::io::stderr(), "{}", line.trim_end());
}

/// Prints to standard output. A reader that has closed the pipe is not an error.
///
/// # Errors
/// If standard output cannot be written to.
pub fn print(text: &str) -> Result<()> {
    Destination::Stdout.write(format!("{}\n", Charset::of_terminal().fit(text).trim_end()))
}

/// `text` wrapped to the width of the terminal; unchanged if standard output is a file.
#[must_use]
pub fn fitted(text: &str) -> String {
    let terminal = console::Term::stdout();
    if terminal.is_term() { wrapped(text, width_of(&terminal)) } else { text.to_owned() }
}
