//! The user's wish to end a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use record::error::EXIT_INTERRUPTED;
use report::terminal::leave_at_once;

/// How often the user has asked a run to end: once lets the sample under way write what it has, twice kills it
/// and keeps what it had written.
#[derive(Debug, Default)]
pub struct Stop(AtomicUsize);

impl Stop {
    /// Listens for Ctrl-C. The third leaves at once, whatever the suite itself waits for.
    ///
    /// # Errors
    /// Where the system does not let it listen.
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

    /// Asks; returns how often that has been done.
    pub fn ask(&self) -> usize {
        self.0.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }

    /// The run is to end.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// And without waiting for the sample under way.
    pub fn is_urgent(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 1
    }
}
