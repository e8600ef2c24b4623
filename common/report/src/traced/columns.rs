//! The columns of the tables of traces.

use std::collections::BTreeSet;

use record::number::significant;
use record::trace::{DispatchFigures, counted};
use record::{Row, Traced};

use super::super::charset::ABSENT;
use super::super::timeline::words::{HEAVY, extent, mean_overlap};
use super::taken::Taken;
use crate::format::{percent, signed_percent as signed};
use crate::table::{Column, Side, Table};

/// A table with one row per variant.
pub(super) fn variants(rows: &[&Row]) -> Table {
    let figures = |head: &str, of: &dyn Fn(&Taken<'_>) -> String| {
        Column::new(
            Side::Points,
            head,
            rows.iter().map(|row| Taken::of(row).as_ref().map(of)).collect::<Vec<_>>(),
        )
    };
    let time = |head, of: fn(&Taken<'_>) -> f64| figures(head, &|t| significant(of(t)));
    let columns = [
        figures("Span µs", &|t| {
            let mark = if t.is_coarse() { "~" } else { "" };
            format!("{mark}{}", significant(t.figures.whole.span_us()))
        }),
        time("Fill µs", |t| t.figures.whole.fill_us),
        time("Steady µs", |t| t.figures.whole.steady_us),
        time("Drain µs", |t| t.figures.whole.drain_us),
        time("Gaps µs", |t| t.figures.gaps_us),
        figures("Idle", &|t| percent(t.figures.whole.idle)),
        figures("Overlap next", &|t| match t.figures.overlapping() {
            (_, 0) => ABSENT.into(),
            (some, all) => format!("{some} of {all}"),
        }),
        figures("Overlap µs", &|t| absent_or(mean_overlap(t.figures).map(|(us, _)| significant(us)))),
        figures("Overlap %", &|t| absent_or(mean_overlap(t.figures).map(|(_, share)| percent(share)))),
        figures("Estimate µs", &|t| significant(t.figures.estimate_us)),
        figures("Back\u{a0}to\u{a0}back µs", &|t| {
            absent_or(t.row.pipelined_us.map(|s| significant(s.median)))
        }),
        figures("Off by", &|t| absent_or(t.error().map(signed))),
        figures("Tracing added", &|t| {
            let mark = |overhead: f64| if overhead.abs() > HEAVY { "!" } else { "" };
            absent_or(t.overhead.map(|overhead| mark(overhead).to_owned() + &signed(overhead)))
        }),
        figures("Waves", &|t| count(t.figures.whole.waves)),
        figures("Peak in flight", &|t| count(t.figures.whole.peak)),
        figures("Mean in flight", &|t| significant(t.figures.whole.mean)),
        figures("Waves /µs", &|t| absent_or(t.figures.whole.launch_rate.map(significant))),
        figures("First fill", &|t| percent(t.figures.whole.first_fill / t.figures.whole.waves)),
    ];
    let refused = |row: &&Row| match row.trace.as_ref()? {
        Traced::Refused { reason } => Some(format!("no trace: {reason}")),
        Traced::Ok { .. } => None,
    };
    let mut table = Table::new("", rows.iter().map(|row| row.label().to_owned()))
        .with_words(rows.iter().map(refused).collect())
        .apart(1);
    columns.into_iter().for_each(|column| table.push_used(column));
    table
}

/// A table with one row per dispatch; `kernels` are the numbered kernels.
pub(super) fn dispatches(dispatches: &[DispatchFigures], kernels: &[&str]) -> Table {
    let figures = |head: &str, of: &dyn Fn(&DispatchFigures) -> String| {
        Column::new(Side::Points, head, dispatches.iter().map(of).collect::<Vec<_>>())
    };
    let time = |head, of: fn(&DispatchFigures) -> f64| figures(head, &|d| significant(of(d)));
    let number = |d: &DispatchFigures| kernels.iter().position(|kernel| *kernel == d.kernel).unwrap_or(0) + 1;
    let units: BTreeSet<&str> = dispatches.iter().map(|d| counted(d.groups)).collect();
    let units = units.into_iter().rev().collect::<Vec<_>>().join(", ");
    let columns = [
        time("Begin µs", |d| d.phases.begin_us),
        time("Span µs", |d| d.phases.span_us()),
        figures("Overlaps next µs", &|d| absent_or(d.overlap.map(|o| minus(significant(o.us))))),
        figures("Overlaps next %", &|d| absent_or(d.overlap.map(|o| percent(o.share)))),
        time("Fill µs", |d| d.phases.fill_us),
        time("Steady µs", |d| d.phases.steady_us),
        time("Drain µs", |d| d.phases.drain_us),
        figures("Idle", &|d| percent(d.phases.idle)),
        figures("Waves", &|d| count(d.phases.waves)),
        figures("Peak in flight", &|d| count(d.phases.peak)),
        time("Wave µs", |d| d.wave_us),
        figures("Waves /µs", &|d| absent_or(d.phases.launch_rate.map(significant))),
        figures(&units, &|d| extent(d.groups)),
        figures("Kernel", &|d| number(d).to_string()),
    ];
    let mut table = Table::new("No.", (1..=dispatches.len()).map(|at| at.to_string())).apart(1);
    table.columns[0].side = Side::Right;
    let used = columns.into_iter().take(if kernels.len() == 1 { 13 } else { 14 });
    used.for_each(|column| table.push_used(column));
    table
}

fn absent_or(figure: Option<String>) -> String {
    figure.unwrap_or_else(|| ABSENT.into())
}

/// A count of waves, rounded: counts scaled up from a sample may not be whole.
fn count(waves: f64) -> String {
    format!("{waves:.0}")
}

fn minus(figure: String) -> String {
    figure.replace('-', "−")
}
