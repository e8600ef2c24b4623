//! Views of a run's record.

use std::path::Path;

use anyhow::{Context, Result};
use common::record::{Promise, Record, Row, Status};
use common::report::read_json;

/// The record in a file.
pub fn read_record(path: &Path) -> Result<Record> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    read_json(&text).with_context(|| format!("reading {}", path.display()))
}

/// The rows whose figures are figures.
pub fn ran(record: &Record) -> impl Iterator<Item = &Row> {
    record.rows.iter().filter(|row| row.status == Status::Ok)
}

/// The variant promises to be right by the memory model.
pub fn is_lawful(row: &Row) -> bool {
    row.promise == Promise::Law
}
