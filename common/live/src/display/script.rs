//! What the command line asks of the display.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use report::{Destination, Theme};

use crate::knobs::Knob;

/// How often the display checks whether the user has ended the program.
pub(super) const GLANCE: Duration = Duration::from_millis(200);

/// Options of the display, from the command line.
#[derive(Debug)]
pub struct Script {
    /// Name of the sample.
    pub sample: &'static str,
    /// Number of frames after which to end.
    pub frames: Option<u64>,
    /// Draw off-screen, without a window.
    pub is_headless: bool,
    /// Where to write the last frame.
    pub screenshot: Option<Destination>,
    /// Initial size of the window in logical pixels; off-screen a logical pixel is a pixel.
    pub size: [u32; 2],
    /// Show the variants one after another.
    pub demo: bool,
    /// Names of keys to press automatically.
    pub press: Vec<String>,
    /// Light or dark theme.
    pub theme: Theme,
    /// The sample's own arguments.
    pub knobs: Vec<Knob>,
    /// File for the line that tells tests what is shown.
    pub progress: Option<PathBuf>,
    /// Set when the user presses Ctrl-C.
    pub stop: Arc<AtomicBool>,
}
