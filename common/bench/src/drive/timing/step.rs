//! Progress and results of a run, for its watcher.

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

/// The next step of a run. The watcher may end the run instead.
pub struct Step<'s> {
    /// What the run does in this step.
    pub phase: Phase,
    /// The variant that is next.
    pub variant: &'s str,
    /// Rows that have enough samples.
    pub rows_done: usize,
    /// Rounds completed.
    pub rounds: u32,
    /// Spent share of the budget, or of the fixed number of samples; 0 to 1.
    pub spent: f64,
    /// Duration of the run, without the observer's time between samples.
    pub elapsed: Duration,
    pub(super) so_far: &'s dyn Fn() -> SoFar,
}

impl Step<'_> {
    /// The measurements so far, in the form of a record.
    #[must_use]
    pub fn so_far(&self) -> SoFar {
        (self.so_far)()
    }
}

/// The measurements up to some moment.
#[derive(Clone, Debug)]
pub struct SoFar {
    /// How times were taken.
    pub method: Method,
    /// One per variant.
    pub rows: Vec<Row>,
    /// Sentences that a reader of this run must know.
    pub notes: Vec<String>,
}

/// The measurements of one run.
#[derive(Debug)]
pub struct Measured {
    /// How times were taken.
    pub method: Method,
    /// One per variant.
    pub rows: Vec<Row>,
    /// The sample's conclusions beside the headline.
    pub verdict: Option<String>,
    /// Race maps, if the run counted them.
    pub maps: Vec<RaceMap>,
    /// The sample's own picture, if it paints one instead.
    pub painting: Option<Painting>,
    /// Traces of the first [`MOST_DRAWN`](record::trace::MOST_DRAWN) variants with their names, if waves were
    /// traced.
    pub traces: Vec<(String, Trace)>,
    /// Sentences that a reader of this run must know.
    pub notes: Vec<String>,
    /// How it ended.
    pub ended: Ended,
    /// The failure that ended the run; it determines the exit code.
    pub error: Option<anyhow::Error>,
}

/// The phases of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Takes a first sample of each variant, which shows whether it runs at all. For a user this is part of
    /// measuring.
    #[serde(rename = "measuring")]
    Probing,
    /// Takes samples.
    Measuring,
    /// Traces the waves of each variant.
    Tracing,
}

/// Called before each step; ends the run by breaking.
pub(super) type Watch<'w> = dyn FnMut(&Step<'_>) -> ControlFlow<()> + 'w;

/// The context from which steps are reported.
#[derive(Clone, Copy)]
pub(super) struct Told<'t, 'l> {
    pub lab: &'l Lab,
    pub uses: &'t Uses<'l>,
}

impl Told<'_, '_> {
    /// Converts the engine's rows to those of a record.
    pub fn so_far(self, engine: &[measure::Row], method: Method, plan: &Plan) -> SoFar {
        let rows = rows::rows(self.lab, engine, &method, self.uses);
        let notes = notes::notes(self.lab, plan, &rows);
        SoFar { method, rows, notes }
    }
}
