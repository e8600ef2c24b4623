//! Whether the user wants the self-test to go on.

use anyhow::Result;

/// Whether to go on.
#[derive(Clone, Copy)]
pub(super) struct Stop<'a>(pub &'a dyn Fn() -> bool);

impl Stop<'_> {
    /// # Errors
    /// [`Stopped`].
    pub fn ask(self) -> Result<()> {
        if (self.0)() { Err(Stopped.into()) } else { Ok(()) }
    }
}

/// The user asked for the end.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
pub(super) struct Stopped;
