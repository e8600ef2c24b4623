//! The display: a window, or the same picture off-screen. It draws the engine's snapshots and passes the user's
//! actions on.

mod drawer;
mod frames;
mod gif;
mod headless;
mod position;
mod raster;
mod script;
mod shot;
mod sibling;
mod talk;
mod window;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::Result;
use record::error::{EXIT_INTERRUPTED, EXIT_RIGHT};

use self::script::GLANCE;
pub use self::script::Script;
pub use self::sibling::{Ended, Next, own_folder};
pub use self::talk::Talk;
use super::handoff::Handoff;

/// Draws snapshots, in a window or off-screen.
pub struct Display {
    script: Script,
    /// The window's event loop; `None` when headless.
    events: Option<window::Events>,
}

impl Display {
    /// Opens the display.
    ///
    /// # Errors
    /// There is no display to open a window on.
    pub fn open(script: Script) -> Result<Self> {
        let events = if script.is_headless { None } else { Some(window::events()?) };
        Ok(Self { script, events })
    }

    /// Draws until the user or the script ends it. Returns how it ended.
    ///
    /// # Errors
    /// The window cannot show pictures, or the script's last frame or screenshot is missing.
    pub fn run(self, handoff: &Arc<Handoff>) -> Result<Ended> {
        let Self { script, events } = self;
        // Wait for the first snapshot: if the engine cannot start, no window opens.
        while !handoff.await_snapshot(0, GLANCE) {
            if script.stop.load(Ordering::Relaxed) {
                return Ok(Ended::with(EXIT_INTERRUPTED));
            }
            if handoff.is_over() {
                return Ok(Ended::with(EXIT_RIGHT));
            }
        }
        match events {
            Some(events) => window::run(events, handoff, script),
            None => headless::run(handoff, script),
        }
    }
}
