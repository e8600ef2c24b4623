//! The messages between the engine and the display. The engine measures on its own thread and owns the device; the
//! display owns the window.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use record::trace::{Trace, TraceFigures};
use record::{Cell, DeviceFacts, Promise, Record, Row, Status};

/// A command from the display to the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Show the variant at this position in [`Snapshot::variants`].
    Show(usize),
    /// Compare the shown variant with this one in the right half of the picture; `None` ends the comparison.
    Compare(Option<usize>),
    /// Stop sampling (`true`), or resume it (`false`).
    Pause(bool),
    /// Take one frame while paused.
    Step,
    /// Discard all figures and measure again.
    Reset,
    /// Draw this part of the picture from the next frame on.
    Look(View),
    /// Declare the sample again with these arguments, written as on the command line: `--size`, `64x64`.
    Arrange(Vec<String>),
    /// Start tracing waves, or stop it and show the picture large.
    Trace(bool),
    /// Write a record of the figures so far.
    Record,
    /// Drag something in the picture to another place; `None` releases it.
    Drag(Option<Drag>),
    /// Report the outcome of something that the display did, such as writing a screenshot.
    Tell(Result<String, String>),
    /// End the engine.
    Quit,
}

/// A drag with the pointer, in texels of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Where the drag began.
    pub from: [f32; 2],
    /// Where the pointer is.
    pub to: [f32; 2],
}

/// The part of the picture that is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// Size of the drawn area in screen pixels; with a zero nothing is drawn.
    pub pixels: [u32; 2],
    /// Centre and scale of the view; `None` shows the whole picture as large as it fits.
    pub at: Option<Focus>,
    /// The texel under the cursor, if the cursor is over the picture.
    pub cursor: Option<[u32; 2]>,
}

/// Centre and scale of a view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Focus {
    /// The texel at the centre of the view.
    pub centre: [f32; 2],
    /// Screen pixels per texel.
    pub scale: f32,
}

impl Focus {
    /// The focus that shows a whole picture as large as it fits into `size` pixels.
    pub fn whole(picture: [u32; 2], size: [u32; 2]) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "sides of images and screens")]
        let [[width, height], [columns, rows]] = [picture, size].map(|sides| sides.map(|side| side as f32));
        Self { centre: [width / 2.0, height / 2.0], scale: (columns / width).min(rows / height) }
    }
}

/// Everything that the display draws, at one moment. The engine publishes it; a clone is cheap.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Name of the sample.
    pub sample: &'static str,
    /// The device that is measured.
    pub device: Arc<DeviceFacts>,
    /// What is shown in place of a measurement: `record of 2026-11-26`.
    pub recorded: Option<Arc<str>>,
    /// What the engine is doing.
    pub state: State,
    /// Whether the user has paused sampling; `state` may still be `Building` or `Failed`.
    pub paused: bool,
    /// All variants that can be shown, in the sample's order.
    pub variants: Arc<[Entry]>,
    /// Position of the shown variant.
    pub current: usize,
    /// Position of the variant that it is compared with.
    pub other: Option<usize>,
    /// The engine's figures, updated a few times per second; one row per variant.
    pub figures: Arc<Figures>,
    /// Times in µs, by variant, that were taken before the shaders in use were saved.
    pub before: Arc<BTreeMap<String, Vec<f64>>>,
    /// The latest frames, oldest first.
    pub frames: Arc<[Frame]>,
    /// The picture of the shown variant's result.
    pub picture: Option<Arc<Picture>>,
    /// Whether the waves are large, or the matrix of a sample that counts trials; else the picture. Large waves are traced.
    pub traces: bool,
    /// Traced waves: the shown variant first, then the compared one.
    pub timelines: Arc<[Timeline]>,
    /// Why one of them is missing.
    pub untraced: Option<String>,
    /// The sample's settings: the argument values in use.
    pub settings: Arc<BTreeMap<String, String>>,
    /// Messages for the reader, newest last.
    pub notices: Arc<[Notice]>,
    /// Where the sample comes from: document and slide.
    pub source: Option<Arc<str>>,
    /// How often shaders were reloaded.
    pub reloads: u32,
    /// Number of frames so far.
    pub frame: u64,
}

impl Snapshot {
    /// Whether the sample counts trials, which a matrix shows in place of times and waves.
    #[must_use]
    pub fn has_matrix(&self) -> bool {
        self.variants.iter().any(|entry| entry.cell.is_some())
    }
}

/// What the engine does.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum State {
    /// Compiling kernels and computing the CPU reference; the previous picture stays.
    Building(Arc<str>),
    /// Taking samples.
    #[default]
    Running,
    /// Paused by the user.
    Paused,
    /// Measuring nothing, for this reason, until a shader is saved or a command arrives.
    Failed(Arc<str>),
}

/// A variant in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its id.
    pub name: String,
    /// Its name for readers.
    pub label: String,
    /// What the variant shows, in one sentence.
    pub caption: String,
    /// The variant's correctness class.
    pub promise: Promise,
    /// Where it stands in the matrix of a sample that counts trials.
    pub cell: Option<Cell>,
    /// Whether this variant is the usual way, to which ratios refer.
    pub is_baseline: bool,
    /// Whether this variant marks the time that no correct variant can beat.
    pub is_bound: bool,
}

/// The figures measured so far.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// The record as it would be written at this moment; `None` before the first sample.
    pub record: Option<Arc<Record>>,
    /// Rounds completed.
    pub rounds: u32,
    /// Time spent on samples since the figures were last reset.
    pub measured: Duration,
}

impl Figures {
    /// One row per variant; none before the first sample.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        self.record.as_ref().map_or(&[], |record| &record.rows)
    }

    /// Whether a variant is wrong or has failed.
    pub fn is_any_wrong(&self) -> bool {
        self.rows().iter().any(|row| matches!(row.status, Status::Wrong { .. } | Status::Error { .. }))
    }
}

/// The sample taken for one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Position of the variant.
    pub variant: usize,
    /// Time between the timestamps in µs; `None` where the timestamps were invalid.
    pub us: Option<f64>,
    /// Number of elements that differ from the CPU reference.
    pub wrong: u64,
}

/// A picture of a result.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Columns and rows of pixels.
    pub size: [u32; 2],
    /// Red, green, blue and alpha, row by row.
    pub pixels: Vec<u8>,
    /// The view that this picture was drawn for.
    pub view: View,
    /// Size of the whole picture in texels.
    pub whole: [u32; 2],
    /// The focus that was used to draw `pixels`.
    pub focus: Focus,
    /// Number of texels in this result that differ from the CPU reference; they are drawn glowing.
    pub wrong: u64,
    /// The same count for the variant in the right half, if two are compared.
    pub wrong_beside: Option<u64>,
    /// The texel under the cursor.
    pub texel: Option<Texel>,
    /// What the picture shows.
    pub caption: Arc<str>,
    /// Whether the user can drag something in the picture.
    pub can_drag: bool,
}

/// A texel of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Texel {
    /// Column and row.
    pub at: [u32; 2],
    /// Its value as text.
    pub value: String,
    /// The CPU reference's value, if it differs.
    pub expected: Option<String>,
}

/// The waves of one variant.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Position of the variant.
    pub variant: usize,
    /// Its waves.
    pub trace: Arc<Trace>,
    /// Figures computed from the trace.
    pub figures: Arc<TraceFigures>,
    /// Left, top, width and height of each part of the picture in texels, and when it was computed. Empty where the sample
    /// names none.
    pub tiles: Arc<[([u32; 4], f64)]>,
}

/// A message to the reader, shown over the picture or beside the figures it concerns.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Topic of the message; a new message replaces an older one on the same topic.
    pub about: About,
    /// The text, one or more lines.
    pub text: String,
}

/// Topic of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// A shader that does not compile: file, line and message. Removed after the next successful build.
    Shader,
    /// An argument value that the sample refuses. Removed after the next accepted value.
    Knob,
    /// Good news: shaders reloaded, a file written.
    News,
    /// Something that the user asked for could not be done.
    Trouble,
    /// A message of the validation layer.
    Layer,
    /// A caution on how to read the figures, for example that a CPU device's times say nothing about a GPU.
    Caution,
}
