//! The terminal: Ctrl-C, the progress line, how wide it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use super::leave_at_once;
use crate::error::EXIT_INTERRUPTED;
use crate::measure::Progress;
use crate::report::Charset;

/// Columns of a table that goes into a file.
pub(super) const FILE_WIDTH: u16 = 140;

/// Ctrl-C asks the run to end after the sample under way; a second one ends the process.
pub(super) fn on_interrupt() -> Result<Arc<AtomicBool>> {
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

pub(super) fn progress_bar() -> ProgressBar {
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

pub(super) fn show(bar: &ProgressBar, progress: Progress) {
    if !bar.is_hidden() {
        bar.set_position(percent(progress.spent));
        bar.set_message(format!(
            "round {}, {} rows settled, {} % of the budget",
            progress.rounds,
            progress.rows_done,
            percent(progress.spent)
        ));
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share between 0 and 1")]
fn percent(share: f64) -> u64 {
    (share * 100.0) as u64
}

pub(super) fn width_of(terminal: &console::Term) -> u16 {
    if terminal.is_term() { terminal.size().1.max(60) } else { FILE_WIDTH }
}
