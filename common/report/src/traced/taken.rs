//! The trace of a row with its row.

use record::trace::TraceFigures;
use record::{Row, Traced};

use crate::timeline::words::is_coarse;

/// A row whose waves were traced.
pub(super) struct Taken<'r> {
    pub row: &'r Row,
    pub figures: &'r TraceFigures,
    pub overhead: Option<f64>,
}

impl<'r> Taken<'r> {
    pub(super) fn of(row: &'r Row) -> Option<Self> {
        match &row.trace {
            Some(Traced::Ok { figures, overhead }) => Some(Self { row, figures, overhead: *overhead }),
            _ => None,
        }
    }

    /// Relative error of the estimate against the measured time back to back.
    pub(super) fn error(&self) -> Option<f64> {
        Some(self.figures.estimate_us / self.row.pipelined_us?.median - 1.0)
    }

    /// Whether the span is so short that the resolution of the clock matters.
    pub(super) fn is_coarse(&self) -> bool {
        is_coarse(self.figures)
    }
}
