//! The samples of a record as CSV.

use anyhow::{Context, Result, anyhow};
use serde::Deserialize;

use crate::{Record, Row, Sample};

const COLUMNS: [&str; 18] = [
    "variant",
    "round",
    "repetitions",
    "one_us",
    "many_us",
    "one_wrong",
    "many_wrong",
    "record_us",
    "submit_us",
    "bytes",
    "flops",
    "work",
    "work_unit",
    "one_mhz",
    "many_mhz",
    "outlier",
    "metric",
    "metric_unit",
];

/// One line per kept sample, in the order of the variants, with times in microseconds and all digits. A cell is
/// empty if nothing was measured. Every line repeats what the variant declares about one repetition, so that rates
/// can be computed from this file alone. The first line names the columns.
///
/// # Errors
/// Only if memory runs out.
pub fn csv(record: &Record) -> Result<String> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for row in &record.rows {
        for sample in &row.samples {
            writer.write_record(cells(row, record.method.repetitions, sample))?;
        }
    }
    let bytes = writer.into_inner().context("cannot finish the CSV text")?;
    String::from_utf8(bytes).context("the CSV text is not UTF-8")
}

fn cells(row: &Row, repetitions: u32, sample: &Sample) -> [String; COLUMNS.len()] {
    let or_empty = |cell: Option<String>| cell.unwrap_or_default();
    let declared = &row.declared;
    let work = declared.work.as_ref();
    [
        row.variant.clone(),
        sample.round.to_string(),
        repetitions.to_string(),
        sample.one_us.to_string(),
        or_empty(sample.many_us.map(|x| x.to_string())),
        sample.one_wrong.to_string(),
        or_empty(sample.many_wrong.map(|x| x.to_string())),
        or_empty(sample.record_us.map(|x| x.to_string())),
        or_empty(sample.submit_us.map(|x| x.to_string())),
        or_empty(declared.bytes.map(|x| x.to_string())),
        or_empty(declared.flops.map(|x| x.to_string())),
        or_empty(work.map(|work| work.count.to_string())),
        or_empty(work.map(|work| work.unit.clone())),
        or_empty(sample.one_mhz.map(|x| x.to_string())),
        or_empty(sample.many_mhz.map(|x| x.to_string())),
        or_empty(row.isolated_us.map(|all| u8::from(all.is_outlier(sample.one_us)).to_string())),
        or_empty(sample.metric.map(|x| x.to_string())),
        or_empty(row.metric.as_ref().map(|metric| metric.unit.clone())),
    ]
}

/// The column that assigns a line to a row. The other columns are fields of the sample or follow from them.
#[derive(Deserialize)]
struct Line<'t> {
    variant: &'t str,
}

/// Adds the samples that [`csv()`] wrote to `rows`.
///
/// # Errors
/// If a line belongs to no row, or a cell is missing or not a number. The message names line and column.
pub(crate) fn read_samples(text: &[u8], rows: &mut [Row]) -> Result<()> {
    let mut reader = ::csv::Reader::from_reader(text);
    let heads = reader.headers()?.clone();
    let mut cells = ::csv::StringRecord::new();
    // The lines of a row are adjacent, in the order of the rows.
    let mut at = 0;
    while reader.read_record(&mut cells)? {
        let sample: Sample = cells.deserialize(Some(&heads))?;
        let line: Line<'_> = cells.deserialize(Some(&heads))?;
        if rows.get(at).is_none_or(|row| row.variant != line.variant) {
            let number = cells.position().map_or(0, ::csv::Position::line);
            at += rows[at..]
                .iter()
                .position(|row| row.variant == line.variant)
                .ok_or_else(|| anyhow!("line {number}: the record has no row '{}'", line.variant))?;
        }
        rows[at].samples.push(sample);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn lines(record: &Record) -> Vec<::csv::StringRecord> {
        let text = csv(record).unwrap();
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        assert_eq!(reader.headers().unwrap(), COLUMNS.as_slice());
        reader.records().map(Result::unwrap).collect()
    }

    #[test]
    fn every_line_has_what_its_variant_declares() {
        let record = fixture::limits();
        for line in lines(&record) {
            let row = record.rows.iter().find(|row| row.variant == line[0]).unwrap();
            let declared = &row.declared;
            assert_eq!((line[9].parse().ok(), line[10].parse().ok()), (declared.bytes, declared.flops));
            let work = declared.work.as_ref();
            assert_eq!(line[11].parse().ok(), work.map(|work| work.count));
            assert_eq!(&line[12], work.map_or("", |work| &work.unit));
        }
    }

    /// The tests of `files` check that the fields of a sample are read back by column name.
    #[test]
    fn every_line_has_what_it_needs_to_stand_alone() {
        let record = fixture::record();
        let read = lines(&record);
        let kept = record.rows.iter().flat_map(|row| row.samples.iter().map(|s| (row.variant.as_str(), s)));
        assert_eq!(read.len(), kept.clone().count());
        for (line, (variant, sample)) in read.iter().zip(kept) {
            assert_eq!((&line[0], line[1].parse()), (variant, Ok(sample.round)));
            assert_eq!(line[2].parse(), Ok(record.method.repetitions));
            assert!(["0", "1"].contains(&&line[15]));
        }
        assert!(read.iter().any(|line| line[4].is_empty() && line[6].is_empty()));
    }
}
