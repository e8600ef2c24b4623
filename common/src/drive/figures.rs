//! What a sample may conclude its verdict from: the figures of a finished run.

use std::fmt;

use crate::facts::{DeviceFacts, Kind};
use crate::record::{Row, Status};
use crate::stats::Summary;

/// The rows of a run.
pub struct Figures<'r> {
    device: &'r DeviceFacts,
    rows: &'r [Row],
}

impl fmt::Debug for Figures<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Figures").field("rows", &self.rows.len()).finish_non_exhaustive()
    }
}

impl<'r> Figures<'r> {
    /// Of these rows, measured on `device`.
    #[must_use]
    pub fn new(device: &'r DeviceFacts, rows: &'r [Row]) -> Self {
        Self { device, rows }
    }

    /// The device is software: its times mean nothing.
    #[must_use]
    pub fn on_cpu(&self) -> bool {
        self.device.kind == Kind::Cpu
    }

    /// A variant that has figures.
    #[must_use]
    pub fn row(&self, variant: &str) -> Option<&'r Row> {
        self.rows.iter().find(|row| row.variant == variant && row.status == Status::Ok)
    }

    /// By how many microseconds the isolated time of `variant` exceeds that of `other`, paired by
    /// rounds, so that what moved both cancels.
    #[must_use]
    pub fn difference_us(&self, variant: &str, other: &str) -> Option<Summary> {
        let (ours, theirs) = (&self.row(variant)?.samples, &self.row(other)?.samples);
        let mut theirs = theirs.iter().peekable();
        let mut differences = Vec::new();
        for sample in ours {
            while theirs.next_if(|t| t.round < sample.round).is_some() {}
            if let Some(other) = theirs.next_if(|t| t.round == sample.round) {
                differences.push(sample.one_us - other.one_us);
            }
        }
        Summary::of(&differences)
    }
}
