//! Views of a run's record.

pub use record::read_record;

use record::{Promise, Record, Row, Status};

/// The rows whose figures are figures.
pub fn ran(record: &Record) -> impl Iterator<Item = &Row> {
    record.rows.iter().filter(|row| row.status == Status::Ok)
}

/// The variant promises to be right by the memory model.
pub fn is_lawful(row: &Row) -> bool {
    row.promise == Promise::Law
}
