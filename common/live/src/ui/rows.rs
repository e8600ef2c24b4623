//! What the record says of a variant, as all panels show it.

use egui::Color32;
use record::stats::Summary;
use record::{Row, Status};
use report::format;

use super::look::Look;
use crate::messages::Snapshot;

/// The row of a variant, where there is one yet.
pub(super) fn row(snapshot: &Snapshot, at: usize) -> Option<&Row> {
    let name = &snapshot.variants.get(at)?.name;
    let rows = snapshot.figures.rows();
    rows.get(at).filter(|row| row.variant == *name).or_else(|| rows.iter().find(|row| row.variant == *name))
}

/// What stands in place of figures; nothing for a row that is only not sampled yet.
pub(super) fn said_of(row: &Row) -> Option<String> {
    if row.is_pending() { None } else { format::status(&row.status) }
}

/// How far a median may be off, as the table has it.
pub(super) fn spread(snapshot: &Snapshot, time: &Summary) -> Option<String> {
    format::isolated_error(snapshot.figures.record.as_ref()?, time)
}

/// A wrong result and a failure stand out; what could not run does not.
pub(super) fn status_colour(row: &Row, look: &Look) -> Color32 {
    match row.status {
        Status::Wrong { .. } | Status::Error { .. } => look.ink.wrong,
        Status::Throttled { .. } => look.ink.rival,
        Status::Ok => look.ink.text,
        Status::Skipped { .. } | Status::Unsupported { .. } => look.ink.faint,
    }
}
