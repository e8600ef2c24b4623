//! What is seen: a window, or the same picture off-screen. Draws the engine's boards and passes on what is
//! wished.

mod drawer;
mod headless;
mod position;
mod shot;
mod window;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;
use record::error::{EXIT_INTERRUPTED, EXIT_RIGHT};
use report::{Destination, Theme};

use super::desk::Desk;
use super::knobs::Knob;

/// Between two looks at whether the user has ended the program.
const GLANCE: Duration = Duration::from_millis(200);
/// A frame that takes longer to draw is none any more.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What the command line asks of the stage.
#[derive(Debug)]
pub struct Script {
    /// Name of the sample.
    pub sample: &'static str,
    /// End after so many frames.
    pub frames: Option<u64>,
    /// Without a window.
    pub is_headless: bool,
    /// Where the last frame goes.
    pub screenshot: Option<Destination>,
    /// Pixels of the window at its beginning.
    pub size: [u32; 2],
    /// Variants in turn.
    pub demo: bool,
    /// Names of keys that are pressed by themselves.
    pub press: Vec<String>,
    /// Light or dark.
    pub theme: Theme,
    /// The validation layer listens to what is drawn.
    pub validate: bool,
    /// The sample's own arguments.
    pub knobs: Vec<Knob>,
    /// Where a line tells what is shown, for the tests.
    pub progress: Option<PathBuf>,
    /// Set by Ctrl-C.
    pub stop: Arc<AtomicBool>,
}

/// What boards are drawn on.
pub struct Stage {
    script: Script,
    /// None without a window.
    events: Option<window::Events>,
}

impl Stage {
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
    /// Nothing that can draw, a lost device.
    pub fn run(self, desk: &Arc<Desk>) -> Result<u8> {
        let Self { script, events } = self;
        // The device that is measured on draws too, where it can: it must be known first.
        while !desk.await_board(0, GLANCE) {
            if script.stop.load(Ordering::Relaxed) {
                return Ok(EXIT_INTERRUPTED);
            }
            if desk.is_over() {
                return Ok(EXIT_RIGHT);
            }
        }
        match events {
            Some(events) => window::run(events, desk, script),
            None => headless::run(desk, script),
        }
    }
}
