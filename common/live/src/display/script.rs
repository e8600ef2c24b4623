//! What the command line asks of the display.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use report::{Destination, Theme};

use super::talk::Talk;
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
    /// Begin with large text for an audience.
    pub presenter: bool,
    /// Begin with the full screen.
    pub full_screen: bool,
    /// Where the window opens, in pixels; `None` leaves it to the system.
    pub at: Option<[i32; 2]>,
    /// The record that is shown in place of a measurement.
    pub replay: Option<PathBuf>,
    /// The talk that the window follows.
    pub talk: Option<Talk>,
    /// Names of all samples, in their order.
    pub samples: Vec<&'static str>,
    /// The sample's own arguments.
    pub knobs: Vec<Knob>,
    /// File for the line that tells tests what is shown.
    pub progress: Option<PathBuf>,
    /// Set when the user presses Ctrl-C.
    pub stop: Arc<AtomicBool>,
}

impl Script {
    /// The arguments with which another sample goes on, or shows a record.
    pub fn arguments(&self, replay: Option<&Path>) -> Vec<String> {
        let [width, height] = self.size;
        let mut arguments = vec![format!("--window={width}x{height}")];
        arguments.extend(match self.theme {
            Theme::Auto => None,
            Theme::Dark => Some("--theme=dark".to_owned()),
            Theme::Light => Some("--theme=light".to_owned()),
        });
        arguments.extend(replay.map(|record| format!("--replay={}", record.display())));
        arguments.extend(self.at.map(|[x, y]| format!("--at={x},{y}")));
        arguments.extend(self.frames.map(|frames| format!("--frames={frames}")));
        let press = self.press.join(",");
        arguments.extend((!press.is_empty()).then(|| format!("--press={press}")));
        let flags =
            [("--demo", self.demo), ("--presenter", self.presenter), ("--full-screen", self.full_screen)];
        arguments.extend(flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag.to_owned()));
        arguments
    }
}
