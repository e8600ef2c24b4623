//! Wave timelines: when each wave of a variant began and ended, and on which multiprocessor.
//!
//! A wave is what Vulkan calls a subgroup. Times are microseconds from the first wave's begin.

mod curve;
mod lanes;
mod parts;
mod phases;
mod stretches;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use curve::Curve;
pub use lanes::pack;
pub use parts::{Part, PartWaves, Parts};
pub use phases::{DispatchFigures, Overlap, PARTS, Phases, TraceFigures};
pub use stretches::Stretch;

/// Timelines show so many variants, one above the other: of more, none would be large enough to be read.
pub const MOST_DRAWN: usize = 4;

/// What one variant's waves told, in one submit.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The dispatches, in the order in which they were recorded.
    pub dispatches: Vec<Dispatch>,
    /// What the waves are sorted by.
    pub lanes: Lanes,
    /// From one timestamp to the other, around the commands of the same submit.
    pub stamps_us: f64,
    /// Smallest step of the clock that was seen.
    pub step_us: f64,
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

/// The waves of a dispatch, or of a part of one whose kernel names its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Dispatch {
    /// Its kernel, by its path below `shaders/`, with its macros.
    pub kernel: String,
    /// Workgroups, x, y, z.
    pub groups: [u32; 3],
    /// Of so many neighbouring workgroups, or units of a kernel that names its parts, one was recorded, drawn at
    /// random; 1 records all.
    pub one_in: u32,
    /// Waves that a recorded one stands for, on average.
    pub weight: f64,
    /// Those that were recorded, by their begin.
    pub waves: Vec<Wave>,
    /// Which part of the dispatch it is; none of one that is whole.
    pub part: Option<PartWaves>,
}

/// A wave; of a kernel that names its parts, what a wave did of one unit, whose begin is when the wave began or was
/// done with the unit before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// When its first instruction ran.
    pub begin_us: f64,
    /// When its last instruction was reached; its stores may still be on their way.
    pub end_us: f64,
    /// See [`Lanes`].
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
