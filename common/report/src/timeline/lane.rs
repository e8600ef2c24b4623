//! The input of a panel, and the reasons why a variant has none.

use anyhow::{Result, anyhow, ensure};
use record::trace::{Trace, TraceFigures};
use record::{Record, Row, Traced};

use crate::names::grouped;

/// One variant's panel.
#[derive(Clone, Copy, Debug)]
pub struct Lane<'t> {
    /// Its row of the record.
    pub row: &'t Row,
    /// Its waves.
    pub trace: &'t Trace,
    /// The figures derived from the trace.
    pub figures: &'t TraceFigures,
}

impl<'t> Lane<'t> {
    /// The panel of a variant, if the record has the figures of its trace.
    #[must_use]
    pub fn of(record: &'t Record, variant: &str, trace: &'t Trace) -> Option<Self> {
        let row = record.rows.iter().find(|row| row.variant == variant)?;
        let Some(Traced::Ok { figures, .. }) = &row.trace else { return None };
        Some(Self { row, trace, figures })
    }
}

/// Refuses traces that cannot be drawn correctly.
pub(super) fn checked(record: &Record, panels: &[Lane<'_>]) -> Result<()> {
    if panels.is_empty() {
        return Err(nothing_traced(&record.rows));
    }
    for Lane { row, trace, .. } in panels {
        let mut waves = trace.dispatches.iter().flat_map(|d| &d.waves);
        ensure!(
            waves.all(|w| w.begin_us >= 0.0 && w.end_us >= w.begin_us && w.end_us.is_finite()),
            "the trace of {} cannot be drawn: a wave ends before it begins, or begins before the first",
            row.variant
        );
    }
    Ok(())
}

/// The error of a run whose timeline would be empty.
pub fn nothing_traced(rows: &[Row]) -> anyhow::Error {
    anyhow!("there is no timeline to draw: no variant was traced{}", reasons(rows))
}

/// The reasons why variants have no panel, as a clause: each reason once, with the variants that it applies to.
fn reasons(rows: &[Row]) -> String {
    let reasons = grouped(refusals(rows));
    let told: Vec<String> =
        reasons.iter().map(|(reason, names)| format!("{}: {reason}", names.join(", "))).collect();
    if told.is_empty() {
        ": none of those that were chosen ran and was right; the table says why".into()
    } else {
        format!(": {}", told.join("; "))
    }
}

/// The reasons why the traces of rows cannot be trusted, and the names of these rows.
pub(crate) fn refusals(rows: &[Row]) -> impl Iterator<Item = (&str, &str)> {
    rows.iter().filter_map(|row| match &row.trace {
        Some(Traced::Refused { reason }) => Some((reason.as_str(), row.variant.as_str())),
        _ => None,
    })
}
