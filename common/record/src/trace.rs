//! Wave timelines: when each wave of a variant began and ended, and on which multiprocessor.
//!
//! A wave is Vulkan's subgroup. Times are in microseconds from the begin of the first wave.

mod curve;
mod lanes;
mod parts;
mod phases;
mod stored;
mod stretches;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use curve::Curve;
pub use lanes::pack;
pub use parts::{Part, PartWaves, Parts};
pub use phases::{DispatchFigures, Overlap, PARTS, Phases, TraceFigures};
pub use stored::{STORED_WAVES, read_waves, waves};
pub use stretches::Stretch;

/// Most variants in a timeline, where they are drawn one below the other: with more, each would be too small to
/// read.
pub const MOST_DRAWN: usize = 4;

/// The waves of one variant in one submit.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The dispatches in the order of recording.
    pub dispatches: Vec<Dispatch>,
    /// The meaning of the waves' lanes.
    pub lanes: Lanes,
    /// Time between the timestamps around the commands of the same submit.
    pub stamps_us: f64,
    /// Smallest observed step of the clock.
    pub step_us: f64,
    /// The timestamps that the variant writes, by query; none where they are of another clock than the waves' times.
    pub time_stamps: Vec<TimeStamp>,
}

/// A timestamp that a variant writes among its commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeStamp {
    /// The stage of earlier commands that it waits for, as Vulkan names it.
    pub stage: String,
    /// When it was taken, from the begin of the first wave on.
    pub at_us: f64,
}

/// What a wave's lane stands for ([`Wave::lane`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lanes {
    /// The multiprocessor that the wave ran on, as the device told; so many there are.
    Multiprocessors(u32),
    /// Nothing that the device told: each wave took the lowest lane that was free when it began.
    Packed(u32),
}

/// The waves of a dispatch, or of one part of a dispatch whose kernel names its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Dispatch {
    /// The kernel's path below `shaders/`, with its macros.
    pub kernel: String,
    /// Number of workgroups in x, y, z. Of the pixel shader of a draw: width and height of its viewport, and 0; of the vertex
    /// shader: number of vertices, 0 and 0.
    pub groups: [u32; 3],
    /// One of this many neighbouring workgroups (or units, if the kernel names its parts) was recorded, chosen at
    /// random; 1 if all were.
    pub one_in: u32,
    /// Number of waves that a recorded one stands for, on average.
    pub weight: f64,
    /// The recorded waves, sorted by their begin.
    pub waves: Vec<Wave>,
    /// When the last wave of each workgroup ended, by its index. Empty where not all were recorded, where the kernel names its
    /// parts, and in stored traces.
    pub ends_us: Vec<f64>,
    /// The part of a dispatch that this is; `None` for a whole dispatch.
    pub part: Option<PartWaves>,
}

/// What [`Dispatch::groups`] counts.
#[must_use]
pub const fn counted(groups: [u32; 3]) -> &'static str {
    match groups {
        [_, 0, 0] => "Vertices",
        [_, _, 0] => "Pixels",
        _ => "Workgroups",
    }
}

/// A wave. If the kernel names its parts: the work of a wave on one unit, which begins with the wave or when the
/// wave has finished the previous unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// When its first instruction ran.
    pub begin_us: f64,
    /// When its last instruction was reached; its stores may not have completed yet.
    pub end_us: f64,
    /// Its lane, see [`Lanes`].
    pub lane: u32,
}

/// What became of a variant's trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Traced {
    /// It was taken.
    Ok {
        /// What it shows.
        figures: Box<TraceFigures>,
        /// By how much tracing made it longer, against untraced samples in between: 0.1 for ten per cent.
        overhead: Option<f64>,
    },
    /// It shows nothing that could be trusted.
    Refused {
        /// Why.
        reason: String,
    },
}
