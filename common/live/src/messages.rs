//! What the engine and the display tell each other. The engine measures on a thread of its own and owns
//! the device; the display owns the window.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use record::trace::{Trace, TraceFigures};
use record::{DeviceFacts, Promise, Record, Row};

/// What the display asks the engine for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Shows this variant, by its position in [`Snapshot::variants`].
    Show(usize),
    /// Shows this one beside it, or none.
    Compare(Option<usize>),
    /// Stops sampling, or goes on.
    Pause(bool),
    /// Takes one frame while paused.
    Step,
    /// Forgets every figure.
    Reset,
    /// Draws this part of the picture from the next frame on.
    Look(View),
    /// Declares the sample anew with these arguments, as a command line has them: `--size`, `64x64`.
    Arrange(Vec<String>),
    /// Traces waves, or no more.
    Trace(bool),
    /// Writes a record.
    Record,
    /// Holds what is at one place of the picture at another, both in texels; `None` lets it go.
    Drag(Option<Drag>),
    /// Says what became of something on the display.
    Tell(Result<String, String>),
    /// Ends.
    Quit,
}

/// A pointer that pulls something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Where it took hold, in texels of the picture.
    pub from: [f32; 2],
    /// Where it is now.
    pub to: [f32; 2],
}

/// The part of the picture that is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// Pixels of the screen that it fills; zeros draw nothing.
    pub pixels: [u32; 2],
    /// The texel in the middle; `None` shows the whole picture, as large as it can be.
    pub at: Option<Focus>,
    /// The texel under the cursor, where it is on the picture.
    pub cursor: Option<[u32; 2]>,
}

/// Where a view looks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Focus {
    /// In texels.
    pub centre: [f32; 2],
    /// Pixels of the screen a texel.
    pub scale: f32,
}

impl Focus {
    /// On the whole of a picture, as large as it can be.
    pub fn whole(picture: [u32; 2], size: [u32; 2]) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "sides of images and screens")]
        let [[width, height], [columns, rows]] = [picture, size].map(|sides| sides.map(|side| side as f32));
        Self { centre: [width / 2.0, height / 2.0], scale: (columns / width).min(rows / height) }
    }
}

/// What the engine shows: everything that the display draws, at one moment. A clone is cheap.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Name of the sample.
    pub sample: &'static str,
    /// What is measured on.
    pub device: Arc<DeviceFacts>,
    /// What the engine does.
    pub state: State,
    /// It is to wait, whatever it does at the moment.
    pub paused: bool,
    /// What can be shown, in the sample's order.
    pub variants: Arc<[Entry]>,
    /// The one that is shown.
    pub current: usize,
    /// The one beside it.
    pub other: Option<usize>,
    /// The engine's figures, renewed some times a second; one row a variant.
    pub figures: Arc<Figures>,
    /// The last frames, the newest last.
    pub frames: Arc<[Frame]>,
    /// The result of the variant that is shown.
    pub picture: Option<Arc<Picture>>,
    /// Where waves are traced: the current variant, then the other.
    pub timelines: Arc<[Timeline]>,
    /// Why there are none, where they were asked for.
    pub untraced: Option<String>,
    /// The arguments as the sample uses them.
    pub settings: Arc<BTreeMap<String, String>>,
    /// What the reader must know, newest last.
    pub notices: Arc<[Notice]>,
    /// Where the sample comes from: document and slide.
    pub source: Option<Arc<str>>,
    /// Times that shaders were reloaded.
    pub reloads: u32,
    /// Frames so far.
    pub frame: u64,
}

/// What the engine does.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum State {
    /// Compiles kernels and computes the CPU reference; the picture is the last one.
    Building(Arc<str>),
    /// Takes samples.
    #[default]
    Running,
    /// Waits.
    Paused,
    /// Measures nothing, for this reason, until a shader is saved or something is ordered.
    Failed(Arc<str>),
}

/// A variant as it is announced.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// One sentence: what it shows.
    pub caption: String,
    /// What it promises about its own correctness.
    pub promise: Promise,
    /// Ratios are to it.
    pub is_baseline: bool,
    /// No correct one can beat it.
    pub is_bound: bool,
}

/// What was measured so far.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// The record as it would be written now; `None` before the first sample.
    pub record: Option<Arc<Record>>,
    /// Rounds completed.
    pub rounds: u32,
    /// Time that went into samples since the figures were begun.
    pub measured: Duration,
}

impl Figures {
    /// One row a variant; none before the first sample.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        self.record.as_ref().map_or(&[], |record| &record.rows)
    }
}

/// One frame's own sample of the variant that was shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Position of the variant.
    pub variant: usize,
    /// Between the timestamps, in microseconds; `None` where they were no times.
    pub us: Option<f64>,
    /// Elements that differed from the CPU reference.
    pub wrong: u64,
}

/// A picture of a result.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Columns and rows of pixels.
    pub size: [u32; 2],
    /// Red, green, blue and alpha, row by row.
    pub pixels: Vec<u8>,
    /// What was asked for.
    pub view: View,
    /// Sides of the whole picture in texels.
    pub whole: [u32; 2],
    /// What is shown where: the focus that was used.
    pub focus: Focus,
    /// Texels that glow: how many differ from the CPU reference in this result.
    pub wrong: u64,
    /// The same of the result that has the right half, where one has.
    pub wrong_beside: Option<u64>,
    /// What the texel under the cursor holds.
    pub texel: Option<Texel>,
    /// What the picture shows.
    pub caption: Arc<str>,
    /// Something in it can be dragged.
    pub can_drag: bool,
}

/// A texel of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Texel {
    /// Column and row.
    pub at: [u32; 2],
    /// What it holds, in words.
    pub value: String,
    /// What the CPU reference has there, where that is something else.
    pub expected: Option<String>,
}

/// The waves of one variant.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Position of the variant.
    pub variant: usize,
    /// Its waves.
    pub trace: Arc<Trace>,
    /// What they show.
    pub figures: Arc<TraceFigures>,
}

/// A message over the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// What it is about.
    pub about: About,
    /// What it says, one or more lines.
    pub text: String,
}

/// What a notice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// A shader that cannot be built: file, line and message. Goes away with the next that can.
    Shader,
    /// A value that the sample refuses. Goes away with the next that it takes.
    Knob,
    /// Something went well: shaders reloaded, a file written.
    News,
    /// Something that was asked for could not be done.
    Trouble,
    /// The validation layer.
    Layer,
    /// What the reader of the figures must know: a CPU device's times prove nothing, and the like.
    Caution,
}
