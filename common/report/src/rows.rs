//! The table of all that is known of each variant, and footnotes: for `-v` and for pages.

use record::stats::Summary;
use record::{Metric, Record, Row};

use super::charset::{BLANK, Charset};
use super::cross;
use super::footnotes;
use super::format;
use super::paper::Paper;
use super::percent_of_limit;
use super::table::{Column, Side, Table};
use super::timestamp_resolution;

/// The rows of `record` as a table of at most `width` terminal columns, one line per variant in the sample's order,
/// with footnotes below. Ends with a newline.
///
/// A record with a matrix is shown as cross tables instead. Columns that do not fit follow in further tables. Labels are
/// never cut, so a label that is wider than `width` makes the table wider.
#[must_use]
pub fn table(record: &Record, width: u16) -> String {
    table_in(Charset::Utf8, record, width)
}

/// Like [`table()`], in the characters of `charset`.
#[must_use]
pub fn table_in(charset: Charset, record: &Record, width: u16) -> String {
    let mut paper = Paper::new(charset, width);
    match &record.matrix {
        Some(matrix) => cross::tables(&mut paper, record, matrix, false),
        None => paper.table(&rows(record)),
    }
    for group in footnotes::groups(record, paper.so_far()) {
        paper.gap();
        group.iter().for_each(|line| paper.line(line));
    }
    paper.text()
}

/// All rows with everything that was measured, counted and declared.
#[must_use]
pub fn rows(record: &Record) -> Table {
    let rows = &record.rows;
    let [coarse, coarse_pipelined] =
        [timestamp_resolution::isolated(record), timestamp_resolution::pipelined(record)];
    // If all rows have the same promise, a footnote says so instead of a column.
    let mixed = rows.iter().any(|row| !row.promise.must_be_right());
    let column = |side, head: &str, of: &dyn Fn(&Row) -> Option<String>| {
        Column::new(side, head, rows.iter().map(of).collect::<Vec<_>>())
    };
    let (bound, baseline) = (record.bound.as_ref(), record.baseline.as_ref());
    let baseline = baseline.filter(|_| baseline != bound);
    let ratios = |name: Option<&String>, of: fn(&Row) -> Option<Summary>| {
        let label = record.label(name?);
        Some(column(Side::Points, &against(label), &|row| Some(format::ratio(&of(row)?))))
    };
    let ((rate, rates), (prediction, predictions)) =
        (percent_of_limit::rates(record), percent_of_limit::predictions(record));
    let shares = percent_of_limit::shares(record)
        .into_iter()
        .map(|share| share.map(|share| percent_of_limit::cell(&share)));

    let mut table = Table::new("", rows.iter().map(|row| row.label().to_owned()))
        .with_words(rows.iter().map(|row| format::status(&row.status)).collect());
    table.push(column(Side::Points, &format!("alone,{BLANK}µs"), &|row| {
        Some(format::uncertain(row.isolated_us.as_ref()?, coarse))
    }));
    table.push_used(column(Side::Points, &format!("back to back,{BLANK}µs"), &|row| {
        Some(format::uncertain(row.pipelined_us.as_ref()?, coarse_pipelined))
    }));
    ratios(bound, |row| row.to_bound).into_iter().for_each(|column| table.push_used(column));
    ratios(baseline, |row| row.to_baseline).into_iter().for_each(|column| table.push_used(column));
    table.push_used(Column::new(Side::Right, format!("of{BLANK}limit"), shares));
    table.push_used(Column::new(Side::Right, rate, rates));
    table.push_used(Column::new(Side::Right, prediction, predictions));
    table.push_used(column(Side::Left, "figure", &|row| {
        let Metric { unit, figure } = row.metric.as_ref()?;
        Some(format!("{} {unit}", format::significant(figure.median)))
    }));
    table.push_used(column(Side::Left, "wrong pixels", &|row| row.racy.map(format::racy).filter(|_| mixed)));
    let correct = |row: &Row| mixed.then(|| format::correct(&row.promise).to_owned());
    table.push_used(column(Side::Left, "correct", &correct));
    table.push_used(column(Side::Left, "published", &format::published));
    table
}

/// The heading of ratios to the variant with this label.
#[must_use]
pub fn against(label: &str) -> String {
    format!("times {label}")
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;
    use crate::charset::width as columns;

    fn drawn(width: u16) -> String {
        table(&fixture::record(), width)
    }

    #[test]
    fn widths() {
        for width in [140, 80, 60] {
            insta::assert_snapshot!(format!("columns_{width}"), drawn(width));
        }
        let ascii = table_in(Charset::Ascii, &fixture::record(), 100);
        insta::assert_snapshot!("columns_100_in_ascii", ascii);
    }

    #[test]
    fn a_cpu_device_that_was_interrupted() {
        insta::assert_snapshot!(table(&fixture::cpu(), 80));
    }

    #[test]
    fn every_width_fits_and_holds_every_name() {
        let record = fixture::record();
        for (width, charset) in (60..=200).flat_map(|w| [(w, Charset::Utf8), (w, Charset::Ascii)]) {
            let text = table_in(charset, &record, width);
            assert!(charset == Charset::Utf8 || text.is_ascii(), "{text}");
            let widest = text.lines().map(columns).max().unwrap();
            assert!(widest <= usize::from(width), "{widest} columns at {width}\n{text}");
            for row in &record.rows {
                assert!(text.lines().any(|l| l.starts_with(row.label())), "{width}\n{text}");
            }
        }
    }

    #[test]
    fn a_record_without_rows_has_a_table() {
        let mut record = fixture::cpu();
        record.rows.clear();
        assert!(table(&record, 80).contains("alone"));
    }
}
