//! What the display is asked for.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use report::{Destination, Theme};

use crate::knobs::Knob;

/// Between two looks at whether the user has ended the program.
pub(super) const GLANCE: Duration = Duration::from_millis(200);

/// What the command line asks of the display.
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
    /// The sample's own arguments.
    pub knobs: Vec<Knob>,
    /// Where a line tells what is shown, for the tests.
    pub progress: Option<PathBuf>,
    /// Set by Ctrl-C.
    pub stop: Arc<AtomicBool>,
}
