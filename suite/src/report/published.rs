//! Compares published figures with those measured here.

use record::stats::Summary;
use record::{Published, Record, Row};
use report::{Side, Table, format};

use super::records::measured;

/// A table with one row per published figure; `None` if there is none.
pub fn published(record: &Record) -> Option<Table> {
    let rows: Vec<(&Row, &Published)> =
        record.rows.iter().filter_map(|row| Some((row, row.published.as_ref()?))).collect();
    let table = Table::of(
        &rows,
        &[
            ("Variant", Side::Left, &|(row, _)| row.label().to_owned()),
            ("Published", Side::Right, &|(_, p)| format::trimmed((p.value * 1e4).round() / 1e4)),
            ("Measured here", Side::Left, &|(row, _)| here(record, row).unwrap_or_else(str::to_owned)),
            ("Unit", Side::Left, &|(_, p)| p.unit.clone()),
            ("On", Side::Left, &|(_, p)| p.device.clone()),
            ("Source", Side::Left, &|(_, p)| p.source.clone()),
        ],
    );
    (!rows.is_empty()).then_some(table)
}

/// The corresponding ratio of this run's times, or the reason why there is none.
fn here(record: &Record, row: &Row) -> Result<String, &'static str> {
    let unit = &row.published.as_ref().ok_or("–")?.unit;
    let pipelined = unit.starts_with("pipelined time over");
    if !pipelined && !unit.starts_with("time over") {
        return Err("another unit: not compared");
    }
    let row = measured(record, &row.variant).ok_or("no time here")?;
    // The divisor of a source is the variant whose published figure is 1. If there is none, it is the baseline.
    let one = |other: &&Row| other.published.as_ref().is_some_and(|p| p.unit == *unit && p.value == 1.0);
    let divisor = match record.rows.iter().find(one) {
        Some(other) => &other.variant,
        None => record.baseline.as_ref().ok_or("nothing here to divide by")?,
    };
    let ratio = if pipelined {
        of_medians(row.pipelined_us, measured(record, divisor).and_then(|other| other.pipelined_us))
    } else if Some(divisor) == record.bound.as_ref() {
        row.to_bound.map(|ratio| format::ratio(&ratio))
    } else if Some(divisor) == record.baseline.as_ref() {
        row.to_baseline.map(|ratio| format::ratio(&ratio))
    } else {
        of_medians(row.isolated_us, measured(record, divisor).and_then(|other| other.isolated_us))
    };
    let what = if pipelined { "back-to-back " } else { "" };
    ratio
        .map(|ratio| format!("{ratio} ({what}times {})", record.label(divisor)))
        .ok_or("no time here to divide by")
}

/// The ratio of two medians, which are not paired by rounds.
fn of_medians(time: Option<Summary>, divisor: Option<Summary>) -> Option<String> {
    Some(format::hundredths(time?.median / divisor?.median)).filter(|text| !text.contains(['N', 'i']))
}
