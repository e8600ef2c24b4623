//! Lets the user stop the self-test.

use anyhow::Result;

/// Returns true when the user wants to stop.
#[derive(Clone, Copy)]
pub(super) struct Stop<'a>(pub &'a dyn Fn() -> bool);

impl Stop<'_> {
    /// # Errors
    /// [`Stopped`] if the user wants to stop.
    pub fn ask(self) -> Result<()> {
        if (self.0)() { Err(Stopped.into()) } else { Ok(()) }
    }
}

/// The user stopped the self-test.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
pub(super) struct Stopped;
