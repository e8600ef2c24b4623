//! What is seen: a window, or the same picture off-screen. Draws the engine's snapshots and passes on what is
//! wished.

mod drawer;
mod headless;
mod position;
mod raster;
mod script;
mod shot;
mod window;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::Result;
use record::error::{EXIT_INTERRUPTED, EXIT_RIGHT};

use self::script::GLANCE;
pub use self::script::Script;
use super::handoff::Handoff;

/// What snapshots are drawn on.
pub struct Display {
    script: Script,
    /// None without a window.
    events: Option<window::Events>,
}

impl Display {
    /// Finds the display.
    ///
    /// # Errors
    /// There is none.
    pub fn open(script: Script) -> Result<Self> {
        let events = if script.is_headless { None } else { Some(window::events()?) };
        Ok(Self { script, events })
    }

    /// Draws until the user or the script ends it. Returns the exit code.
    ///
    /// # Errors
    /// A window that takes no pictures, what a script asked for and did not get.
    pub fn run(self, handoff: &Arc<Handoff>) -> Result<u8> {
        let Self { script, events } = self;
        // What hinders the engine from beginning opens no window.
        while !handoff.await_snapshot(0, GLANCE) {
            if script.stop.load(Ordering::Relaxed) {
                return Ok(EXIT_INTERRUPTED);
            }
            if handoff.is_over() {
                return Ok(EXIT_RIGHT);
            }
        }
        match events {
            Some(events) => window::run(events, handoff, script),
            None => headless::run(handoff, script),
        }
    }
}
