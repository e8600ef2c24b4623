//! The share of the device's own limits that each row reaches, and the work and predictions that it declares. The
//! limits are measured in the same run.

use record::figures::{Figures, Share};
use record::number::significant;
use record::{Limit, Record, Row, Status, is_limit};

use super::charset::BLANK;
use super::format::trimmed;

/// The share of a limit that each row reaches; `None` if the run has no limit for the row.
pub(super) fn shares(record: &Record) -> Vec<Option<Share>> {
    let figures = Figures::new(&record.rows);
    record.rows.iter().map(|row| figures.share_of_limit(&row.variant)).collect()
}

/// `92 % copy`.
pub(super) fn cell(share: &Share) -> String {
    let of = match share.limit {
        Limit::Copy => "copy",
        Limit::Fma => "FMA",
    };
    format!("{}{BLANK}%{BLANK}{of}", percent(share))
}

/// A whole number from 10 on; smaller shares have a decimal, so that they are not shown as none.
fn percent(share: &Share) -> String {
    let percent = 100.0 * share.share.median;
    let digits = if percent >= 9.95 { 0 } else { 1 };
    if percent < 0.05 { "<0.1".into() } else { format!("{percent:.digits$}") }
}

/// Explains the shares in one paragraph; `None` if the record has no limit. `listed` says that the table has no
/// column for the shares, so the paragraph lists them.
pub(super) fn legend(record: &Record, listed: bool) -> Option<String> {
    let limits: Vec<String> = record.rows.iter().filter_map(limit).collect();
    if limits.is_empty() {
        return None;
    }
    let mut text = format!(
        "of limit: the time that the suite's own kernel (the faster copy, or multiply-adds) takes for what the variant \
         declares to move or compute, over the variant's time alone, within rounds. In this run {}.",
        limits.join(", ")
    );
    let shares = shares(record);
    let own: Vec<(&str, Share)> = record
        .rows
        .iter()
        .zip(&shares)
        .filter(|(row, _)| !is_limit(&row.variant))
        .filter_map(|(row, share)| Some((row.label(), (*share)?)))
        .collect();
    if listed && !own.is_empty() {
        text += &format!(" Reached: {}.", reached(&own, record.matrix.is_some()));
    }
    if own.iter().any(|(_, share)| share.share.median > 1.005) {
        text += &format!(
            " More than 100{BLANK}% is no error: caches may hold the data, or memory be compressed, or the variant \
             move less than it declares."
        );
    }
    Some(text)
}

/// Every share, or only the smallest and the largest of each limit if `ends_only`, for tables of dozens of variants.
fn reached(own: &[(&str, Share)], ends_only: bool) -> String {
    let named = |(name, share): &(&str, Share)| format!("{name} {}", cell(share));
    if !ends_only {
        return own.iter().map(named).collect::<Vec<_>>().join(", ");
    }
    let ends = [Limit::Copy, Limit::Fma].into_iter().filter_map(|limit| {
        let of = || own.iter().filter(move |(_, share)| share.limit == limit);
        let by_share = |a: &&(&str, Share), b: &&(&str, Share)| a.1.share.median.total_cmp(&b.1.share.median);
        let (least, most) = (of().min_by(by_share)?, of().max_by(by_share)?);
        Some(if least.0 == most.0 { named(least) } else { format!("{} to {}", named(least), named(most)) })
    });
    ends.collect::<Vec<_>>().join(", ")
}

/// `copy_limit 4.210 TB/s (2.147 GB in 510.1 µs)`.
#[expect(clippy::cast_precision_loss, reason = "shown with four digits")]
fn limit(row: &Row) -> Option<String> {
    let time = time(row).filter(|_| is_limit(&row.variant))?;
    let cost = row.declared.costs().next()?;
    let unit = match cost.limit {
        Limit::Copy => "B",
        Limit::Fma => "FLOP",
    };
    let amount = cost.amount as f64;
    Some(format!(
        "{} {}{unit}/s ({}{unit} in {}{BLANK}µs)",
        row.label(),
        with_prefix(amount / time * 1e6),
        with_prefix(amount),
        significant(time)
    ))
}

/// Median time alone in microseconds of a row that has figures.
fn time(row: &Row) -> Option<f64> {
    Some(row.isolated_us.filter(|_| row.status == Status::Ok)?.median)
}

/// The heading of the column of work per second, and one cell per row: `12.35 M`. If rows have different units, each
/// cell names its unit.
#[expect(clippy::cast_precision_loss, reason = "a rate is shown with four digits")]
pub(super) fn rates(record: &Record) -> (String, Vec<Option<String>>) {
    let rate = |row: &Row| {
        let work = row.declared.work.as_ref()?;
        Some((with_prefix(work.count as f64 / time(row)? * 1e6), work.unit.clone()))
    };
    let (unit, cells) = with_unit_once(record, "Work", rate);
    (unit + "/s", cells)
}

/// The heading of the column of model predictions, and one cell per row.
pub(super) fn predictions(record: &Record) -> (String, Vec<Option<String>>) {
    with_unit_once(record, "Predicted", |row| {
        let predicted = row.declared.predicted.as_ref()?;
        Some((trimmed(predicted.value), predicted.what.clone()))
    })
}

/// A figure per row with its unit. If all rows share the unit, it is the heading; otherwise the heading is `mixed`
/// and each cell names its unit.
fn with_unit_once(
    record: &Record,
    mixed: &str,
    of: impl Fn(&Row) -> Option<(String, String)>,
) -> (String, Vec<Option<String>>) {
    let cells: Vec<_> = record.rows.iter().map(of).collect();
    let mut units = cells.iter().flatten().map(|(_, unit)| unit);
    let first = units.next().cloned().unwrap_or_default();
    if units.all(|unit| *unit == first) {
        return (first, cells.into_iter().map(|cell| Some(cell?.0)).collect());
    }
    let with_unit = |(figure, unit): (String, String)| format!("{}{BLANK}{unit}", figure.trim_end());
    (mixed.into(), cells.into_iter().map(|cell| cell.map(with_unit)).collect())
}

/// Four significant digits with an SI prefix, separated by a non-breaking blank.
fn with_prefix(value: f64) -> String {
    let prefixes = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let found = prefixes.iter().find(|(unit, _)| value >= *unit);
    let (unit, prefix) = found.copied().unwrap_or((1.0, ""));
    format!("{}{BLANK}{prefix}", significant(value / unit))
}

#[cfg(test)]
mod tests {
    use record::{COPY_LIMIT, Matrix, Predicted, Shows, Work, fixture};

    use super::*;
    use crate::{Charset, table, table_in};

    /// The cells with plain blanks instead of non-breaking ones.
    fn plain(cells: impl IntoIterator<Item = String>) -> Vec<String> {
        cells.into_iter().map(|text| text.replace(BLANK, " ")).collect()
    }

    fn drawn(width: u16) -> String {
        table(&fixture::limits(), width)
    }

    #[test]
    fn widths() {
        for width in [80, 60] {
            insta::assert_snapshot!(format!("limits_{width}"), drawn(width));
        }
        insta::assert_snapshot!("limits_100_in_ascii", table_in(Charset::Ascii, &fixture::limits(), 100));
    }

    #[test]
    fn every_width_fits_and_says_every_share() {
        for width in 60..=160 {
            let text = drawn(width);
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= usize::from(width), "{widest} columns at {width}\n{text}");
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for share in ["45 % copy", "75 % copy", "112 % copy", "80 % FMA", "More than 100 %"] {
                assert!(words.contains(share), "no {share} at {width}\n{text}");
            }
        }
    }

    #[test]
    fn a_limit_that_was_wrong_is_no_limit() {
        let mut record = fixture::limits();
        let copy = record.rows.iter_mut().find(|row| row.variant == COPY_LIMIT).unwrap();
        copy.status = Status::Wrong { elements: 1, first: "texel (0, 0)".into() };
        let text = legend(&record, true).unwrap();
        assert!(!text.contains("copy limit") && !text.contains("shared"), "{text}");
        assert!(text.contains("fma limit") && text.contains("solver"), "{text}");
        record.rows.retain(|row| !is_limit(&row.variant));
        assert_eq!(legend(&record, true), None);
        assert!(!table(&record, 140).contains("of limit"));
    }

    #[test]
    fn cross_tables_say_the_ends_of_what_was_reached() {
        let mut record = fixture::limits();
        record.matrix = Some(Matrix { corner: "µs".into(), shows: Shows::Times });
        let text = legend(&record, true).unwrap().replace(BLANK, " ");
        assert!(
            text.contains("Reached: direct 45 % copy to shared cached 112 % copy, solver 80 % FMA."),
            "{text}"
        );
    }

    #[test]
    fn small_shares_are_not_none() {
        let share =
            |median| Share { limit: Limit::Fma, share: record::stats::Summary::of(&[median]).unwrap() };
        let cells = plain([0.0001, 0.0123, 0.0994, 0.0996].map(|x| cell(&share(x))));
        assert_eq!(cells, ["<0.1 % FMA", "1.2 % FMA", "9.9 % FMA", "10 % FMA"]);
    }

    #[test]
    fn rows_that_do_different_things_say_which() {
        let mut record = fixture::limits();
        let of = |(head, cells): (String, Vec<Option<String>>)| (head, plain(cells.into_iter().flatten()));
        assert_eq!(of(rates(&record)), ("constraints/s".into(), vec!["246.9 G".into()]));
        record.rows[0].declared.work = Some(Work { count: 100, unit: "rays".into() });
        record.rows[0].declared.predicted = Some(Predicted { what: "loads".into(), value: 9.0 });
        let (head, cells) = of(rates(&record));
        assert_eq!(
            (head.as_str(), &cells[..]),
            ("Work/s", &["200.0 k rays", "246.9 G constraints"].map(String::from)[..])
        );
        let (head, cells) = of(predictions(&record));
        assert_eq!(head, "Predicted");
        assert_eq!(cells, ["9 loads", "56.25 border %", "13 border %"]);
    }

    #[test]
    fn prefixes_of_the_si() {
        let cells = plain([0.5, 999.9, 12_345.0, 4.25e12, 6.69e15].map(with_prefix));
        assert_eq!(cells, ["0.5000 ", "999.9 ", "12.35 k", "4.250 T", "6690 T"]);
    }
}
