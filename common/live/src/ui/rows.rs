//! Looks up what the record says about a variant, for all panels.

use egui::Color32;
use record::judge::{Shift, shift};
use record::stats::Summary;
use record::{Row, Status, Value};
use report::format;

use super::look::Look;
use crate::messages::Snapshot;

/// The record's row of a variant, if there is one yet.
pub(super) fn row(snapshot: &Snapshot, at: usize) -> Option<&Row> {
    let name = &snapshot.variants.get(at)?.name;
    let rows = snapshot.figures.rows();
    rows.get(at).filter(|row| row.variant == *name).or_else(|| rows.iter().find(|row| row.variant == *name))
}

/// The status text shown instead of figures; none for a row that was not sampled yet.
pub(super) fn said_of(row: &Row) -> Option<String> {
    if row.is_pending() { None } else { format::status(&row.status) }
}

/// `before 48.8 µs, now 37.6 µs: −23 %`: what saving a shader has changed, once that has an interval.
pub(super) fn change(snapshot: &Snapshot, at: usize) -> Option<String> {
    let row = row(snapshot, at)?;
    let before = snapshot.before.get(&row.variant)?;
    let now: Vec<f64> =
        row.samples.iter().rev().take(before.len().max(6)).map(|sample| sample.one_us).collect();
    let Shift { ratio, interval } = shift(before, &now)?;
    let is_apart = interval.low > 1.0 || interval.high < 1.0;
    let by = if is_apart { format::signed_percent(ratio - 1.0) } else { "no difference shown".to_owned() };
    let [before, now] =
        [Summary::of(before)?, row.isolated_us?].map(|time| Value::of(&time, 1.0, "µs").text());
    Some(format!("before {before}, now {now}: {by}"))
}

/// The uncertainty of the median, as in the table.
pub(super) fn spread(snapshot: &Snapshot, time: &Summary) -> Option<String> {
    format::isolated_error(snapshot.figures.record.as_ref()?, time)
}

/// The colour of a row's status. Wrong results and failures stand out; variants that could not run are faint.
pub(super) fn status_colour(row: &Row, look: &Look) -> Color32 {
    match row.status {
        Status::Wrong { .. } | Status::Error { .. } => look.ink.wrong,
        Status::Throttled { .. } => look.ink.rival,
        Status::Ok => look.ink.text,
        Status::Skipped { .. } | Status::Unsupported { .. } => look.ink.faint,
    }
}
