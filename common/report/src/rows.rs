//! The table of a record: one row per variant, and footnotes.

use record::stats::Summary;
use record::{Promise, Record, Row};

use super::charset::{BLANK, Charset};
use super::cross;
use super::footnotes;
use super::format::{self, RacyForm};
use super::paper::Paper;
use super::percent_of_limit;
use super::table::{Column, Side, Table};
use super::timestamp_resolution;

/// The rows of `record` as a table of at most `width` terminal columns, one line per variant in the sample's order,
/// with footnotes below. Ends with a newline.
///
/// A record with a matrix is shown as cross tables instead. A narrow table leaves columns out and says which. Names
/// are never cut, so a name that is wider than `width` makes the table wider.
#[must_use]
pub fn table(record: &Record, width: u16) -> String {
    table_in(Charset::Utf8, record, width)
}

/// Like [`table()`], in the characters of `charset`.
#[must_use]
pub fn table_in(charset: Charset, record: &Record, width: u16) -> String {
    let mut paper = Paper::new(charset, width);
    let left_out = match &record.matrix {
        Some(matrix) => {
            cross::tables(&mut paper, record, matrix, false);
            Vec::new()
        }
        None => paper.table(&rows(record)),
    };
    for group in footnotes::groups(record, paper.so_far(), &left_out) {
        paper.gap();
        group.iter().for_each(|line| paper.line(line));
    }
    paper.text()
}

/// All rows with everything that was measured, counted and declared. Where room is short, the least important
/// columns are left out first; the content of those that are left out early is repeated below the table.
#[must_use]
pub fn rows(record: &Record) -> Table {
    let rows = &record.rows;
    let [coarse, coarse_pipelined] =
        [timestamp_resolution::isolated(record), timestamp_resolution::pipelined(record)];
    // If all rows have the same promise, a footnote says so instead of a column.
    let mixed = rows.iter().any(|row| row.promise != Promise::Law);
    let column = |side, head: &str, of: &dyn Fn(&Row) -> Option<String>| {
        Column::new(side, head, rows.iter().map(of).collect::<Vec<_>>())
    };
    let pipelined =
        |coarse| move |row: &Row| row.pipelined_us.map(|time| format::uncertain(&time, false, coarse));
    let racy = |form| move |row: &Row| row.racy.map(|racy| format::racy_as(racy, form)).filter(|_| mixed);
    let each = |of: &dyn Fn(&Row) -> Option<String>| rows.iter().map(of).collect::<Vec<_>>();
    let to = |name: Option<&String>| format!("÷ {}", name.map_or("", String::as_str));
    let (bound, baseline) = (record.bound.as_ref(), record.baseline.as_ref());
    let baseline = baseline.filter(|_| baseline != bound);
    let ratio = |ratio: Option<Summary>| ratio.map(|ratio| format::ratio(&ratio));
    let ((rate, rates), (prediction, predictions)) =
        (percent_of_limit::rates(record), percent_of_limit::predictions(record));
    let shares = percent_of_limit::shares(record)
        .into_iter()
        .map(|share| share.map(|share| percent_of_limit::cell(&share)));

    let mut table = Table::new("Variant", rows.iter().map(|row| row.variant.clone()))
        .with_words(rows.iter().map(|row| format::status(&row.status)).collect());
    table.push(column(Side::Points, &format!("Isolated{BLANK}µs"), &|row| {
        Some(format::uncertain(row.isolated_us.as_ref()?, row.near_floor, coarse))
    }));
    let medians = |row: &Row| Some(format::time(row.pipelined_us.as_ref()?, false));
    table.push_used(
        column(Side::Points, "Pipelined µs", &pipelined(coarse_pipelined)).or(6, each(&medians)).goes(12),
    );
    table.push_used(
        column(Side::Points, &to(bound), &|row| ratio(row.to_bound.filter(|_| bound.is_some()))).goes(14),
    );
    table.push_used(
        column(Side::Points, &to(baseline), &|row| ratio(row.to_baseline.filter(|_| baseline.is_some())))
            .goes(13),
    );
    table.push_used(Column::new(Side::Right, "of limit", shares).goes(11));
    table.push_used(Column::new(Side::Right, rate, rates).goes(10));
    table.push_used(Column::new(Side::Right, prediction, predictions).goes(5));
    let short = column(Side::Left, "Racy texels", &racy(RacyForm::Long)).or(2, each(&racy(RacyForm::Short)));
    table.push_used(short.or(9, each(&racy(RacyForm::Stacked))));
    let lawful = |row: &Row| mixed.then(|| format::lawful(&row.promise).to_owned());
    table.push_used(column(Side::Left, "Lawful", &lawful).goes(4));
    table.push_used(column(Side::Left, "Published", &format::published).goes(3));
    table
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
        for (width, charset) in (44..=200).flat_map(|w| [(w, Charset::Utf8), (w, Charset::Ascii)]) {
            let text = table_in(charset, &record, width);
            assert!(charset == Charset::Utf8 || text.is_ascii(), "{text}");
            let widest = text.lines().map(columns).max().unwrap();
            assert!(widest <= usize::from(width), "{widest} columns at {width}\n{text}");
            for row in &record.rows {
                assert!(text.lines().any(|l| l.split(' ').next() == Some(&row.variant)), "{width}\n{text}");
            }
        }
    }

    #[test]
    fn a_record_without_rows_has_a_table() {
        let mut record = fixture::cpu();
        record.rows.clear();
        assert!(table(&record, 80).contains("Variant"));
    }
}
