//! What a run tells whoever watches it.

use std::ops::ControlFlow;
use std::time::Duration;

use record::trace::Trace;
use record::{Ended, Method, Painting, RaceMap, Row};
use serde::Serialize;

use super::notes;
use crate::drive::rows;
use crate::drive::uses::Uses;
use crate::lab::Lab;
use crate::measure::{self, Plan};

/// What a run is about to do, told to who watches it and may end it.
pub struct Step<'s> {
    /// Sampling or tracing.
    pub phase: Phase,
    /// The variant that is next.
    pub variant: &'s str,
    /// Rows that have enough samples.
    pub rows_done: usize,
    /// Rounds completed.
    pub rounds: u32,
    /// Share of the budget, or of a fixed number of samples, that is spent; 0 to 1.
    pub spent: f64,
    /// Time that the run has taken, without what came between its samples.
    pub elapsed: Duration,
    pub(super) so_far: &'s dyn Fn() -> SoFar,
}

impl Step<'_> {
    /// What was measured until now, as a record would have it.
    #[must_use]
    pub fn so_far(&self) -> SoFar {
        (self.so_far)()
    }
}

/// What was measured until some moment.
#[derive(Clone, Debug)]
pub struct SoFar {
    /// How times were taken.
    pub method: Method,
    /// One per variant.
    pub rows: Vec<Row>,
    /// What the reader must know of this run, in sentences.
    pub notes: Vec<String>,
}

/// What the driver hands to the record.
#[derive(Debug)]
pub struct Measured {
    /// How times were taken.
    pub method: Method,
    /// One per variant.
    pub rows: Vec<Row>,
    /// What the sample concludes from them.
    pub verdict: Option<String>,
    /// Where texels differed, where that was asked for.
    pub maps: Vec<RaceMap>,
    /// The sample's own picture instead, where it has one.
    pub painting: Option<Painting>,
    /// What the waves of the first [`MOST_DRAWN`](record::trace::MOST_DRAWN) variants told, by their names, where they were asked.
    pub traces: Vec<(String, Trace)>,
    /// What the reader must know of this run, in sentences.
    pub notes: Vec<String>,
    /// How it ended.
    pub ended: Ended,
    /// The failure that ended it, with its exit code.
    pub error: Option<anyhow::Error>,
}

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Takes a first sample of each variant, which shows whether it runs at all. To others it measures.
    #[serde(rename = "measuring")]
    Probing,
    /// Takes samples.
    Measuring,
    /// Lets waves note when they ran.
    Tracing,
}

/// Sees each step, and ends the run by breaking.
pub(super) type Watch<'w> = dyn FnMut(&Step<'_>) -> ControlFlow<()> + 'w;

/// What steps are told from.
#[derive(Clone, Copy)]
pub(super) struct Told<'t, 'l> {
    pub lab: &'l Lab,
    pub uses: &'t Uses<'l>,
}

impl Told<'_, '_> {
    /// What a record would hold of these rows of the engine.
    pub fn so_far(self, engine: &[measure::Row], method: Method, plan: &Plan) -> SoFar {
        let rows = rows::rows(self.lab, engine, &method, self.uses);
        let notes = notes::notes(self.lab, plan, &rows);
        SoFar { method, rows, notes }
    }
}
