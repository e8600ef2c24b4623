//! The terminal: Ctrl-C, the progress line, how wide it is.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use record::error::EXIT_INTERRUPTED;

use crate::charset::Charset;
use crate::destination::Destination;
use crate::paper::wrapped;

/// Columns of a table that goes into a file.
pub const FILE_WIDTH: u16 = 140;

/// A file that reaches the size limit of the process (`ulimit -f`) is an error of the write, as a full disk is;
/// the signal that comes with it would end the process without a word.
pub fn bear_the_file_limit() {
    #[cfg(unix)]
    #[expect(unsafe_code, reason = "no safe crate ignores a signal")]
    // SAFETY: a signal that is ignored runs no code.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Ctrl-C asks the run to end after the sample under way; a second one ends the process.
///
/// # Errors
/// Where the system lets nobody listen, or somebody listens already.
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

/// A bar on standard error, hidden where that is no terminal.
#[must_use]
pub fn progress_bar() -> ProgressBar {
    // indicatif draws to standard error and hides itself where that is no terminal.
    let bar = ProgressBar::new(100);
    // What is too wide is cut off: a line that wraps would be drawn anew below itself.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {wide_msg}") {
        bar.set_style(match Charset::of_terminal() {
            Charset::Utf8 => style,
            Charset::Ascii => style.progress_chars("#-"),
        });
    }
    bar
}

/// Columns of a terminal; of a file, [`FILE_WIDTH`].
#[must_use]
pub fn width_of(terminal: &console::Term) -> u16 {
    if terminal.is_term() { terminal.size().1.max(60) } else { FILE_WIDTH }
}

/// Ends the process without destructors and exit handlers: a driver whose queue hangs or whose device
/// is lost could wait in them for ever.
pub fn leave_at_once(code: u8) -> ! {
    let _ = std::io::stdout().flush();
    #[expect(unsafe_code, reason = "rustix ends a process with the signal of an abort alone")]
    // SAFETY: `_exit` has no preconditions.
    unsafe {
        libc::_exit(i32::from(code))
    }
}

/// A line on standard error. Nobody is left to tell when that is closed.
pub fn say(line: &str) {
    let terminal = console::Term::stderr();
    let line = Charset::of_terminal().fit(line).into_owned();
    let line = if terminal.is_term() { wrapped(&line, width_of(&terminal)) } else { line };
    let _ = writeln!(std::io::stderr(), "{}", line.trim_end());
}

/// Prints to standard output; a reader that has gone is no error.
///
/// # Errors
/// Where it cannot be written.
pub fn print(text: &str) -> Result<()> {
    Destination::Stdout.write(format!("{}\n", Charset::of_terminal().fit(text).trim_end()))
}

/// In lines that the terminal does not break; a file keeps them whole.
#[must_use]
pub fn fitted(text: &str) -> String {
    let terminal = console::Term::stdout();
    if terminal.is_term() { wrapped(text, width_of(&terminal)) } else { text.to_owned() }
}
