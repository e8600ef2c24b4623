//! Requests of the user to end a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use record::error::EXIT_INTERRUPTED;
use report::terminal::leave_at_once;

/// How often the user has asked a run to end: after the first request the current sample writes its results, after
/// the second it is killed and its interim results are kept.
#[derive(Debug, Default)]
pub struct Stop(AtomicUsize);

impl Stop {
    /// Handles Ctrl-C. The third one ends the suite immediately.
    ///
    /// # Errors
    /// If the handler cannot be installed.
    pub fn on_interrupt() -> Result<Arc<Self>> {
        let stop = Arc::new(Self::default());
        let asked = Arc::clone(&stop);
        ctrlc::set_handler(move || {
            if asked.ask() > 2 {
                leave_at_once(EXIT_INTERRUPTED);
            }
        })
        .context("listening for Ctrl-C")?;
        Ok(stop)
    }

    /// Adds a request; returns the number of requests.
    pub fn ask(&self) -> usize {
        self.0.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }

    /// Whether the run is to end.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Whether it is to end without waiting for the current sample.
    pub fn is_urgent(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 1
    }
}
