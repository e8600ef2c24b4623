//! What a row reaches of the device's own limits, which were measured beside it.

use super::figure::{BLANK, significant};
use crate::record::{COPY_LIMIT, FMA_LIMIT, Record, Row, Status};

/// What the bytes or operations of a row cost, against what they cost the device's own kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Share {
    /// 1 where the row is as fast as the limit.
    pub share: f64,
    /// `copy` or `FMA`.
    pub of: &'static str,
}

/// The limit that a row comes closest to.
pub(super) fn share(record: &Record, row: &Row) -> Option<Share> {
    let bytes = part(record, row, copy_of(row), |row| row.declared.bytes);
    let flops = part(record, row, FMA_LIMIT, |row| row.declared.flops);
    let shares =
        [bytes.map(|share| Share { share, of: "copy" }), flops.map(|share| Share { share, of: "FMA" })];
    shares.into_iter().flatten().max_by(|a, b| a.share.total_cmp(&b.share))
}

/// The copy that a row is set against.
fn copy_of(row: &Row) -> &str {
    row.declared.limit.as_deref().unwrap_or(COPY_LIMIT)
}

fn part(record: &Record, row: &Row, limit: &str, of: fn(&Row) -> Option<u64>) -> Option<f64> {
    let limit = record.rows.iter().find(|row| row.variant == limit)?;
    Some(rate(row, of)? / rate(limit, of)?)
}

/// What a row does in a microsecond of its isolated time.
#[expect(clippy::cast_precision_loss, reason = "a rate is shown with four digits")]
fn rate(row: &Row, of: fn(&Row) -> Option<u64>) -> Option<f64> {
    let time = row.isolated_us.as_ref().filter(|_| row.status == Status::Ok)?;
    Some(of(row)? as f64 / time.median)
}

impl Share {
    pub(super) fn cell(self) -> String {
        format!("{:.0}{BLANK}%{BLANK}{}", 100.0 * self.share, self.of)
    }
}

/// How much of its work a row gets done in a second: `12.3 G`.
#[expect(clippy::cast_precision_loss, reason = "a rate is shown with four digits")]
pub(super) fn per_second(row: &Row) -> Option<String> {
    let time = row.isolated_us.as_ref().filter(|_| row.status == Status::Ok)?;
    let work = row.declared.work.as_ref()?;
    Some(with_prefix(work.count as f64 / time.median * 1e6))
}

/// What the limits are, in one line; nothing where the record has none.
pub(super) fn limits(record: &Record) -> Option<String> {
    let line = |row: &Row| {
        let time = row.isolated_us.as_ref().filter(|_| row.status == Status::Ok)?.median;
        let bytes = rate(row, |row| row.declared.bytes).map(|rate| format!("{}B/s", with_prefix(rate * 1e6)));
        let flops =
            rate(row, |row| row.declared.flops).map(|rate| format!("{}FLOP/s", with_prefix(rate * 1e6)));
        Some(format!("{} {} ({} µs)", row.variant, bytes.or(flops)?, significant(time)))
    };
    let limits =
        record.rows.iter().filter(|row| row.variant.starts_with(COPY_LIMIT) || row.variant == FMA_LIMIT);
    let lines: Vec<String> = limits.filter_map(line).collect();
    (!lines.is_empty()).then(|| {
        format!(
            "of limit: bytes or operations that the variant declares, in its isolated time, against the device's own \
             kernels in this run: {}. More than 100{BLANK}% is possible where caches hold the data or memory is compressed.",
            lines.join(", ")
        )
    })
}

/// Four digits and a prefix of the SI, with a blank that does not break.
fn with_prefix(value: f64) -> String {
    let prefixes = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let found = prefixes.iter().find(|(unit, _)| value >= *unit);
    let (unit, prefix) = found.copied().unwrap_or((1.0, ""));
    format!("{}{BLANK}{prefix}", significant(value / unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Declared, Predicted, Work};
    use crate::report::{fixture, table};
    use crate::stats::Summary;

    /// A run with limits: a copy of 1 GB in 250 µs, and variants that move, compute and do something.
    fn record() -> Record {
        let mut record = fixture::record();
        let declare = |row: &mut Row, name: &str, time: f64, declared: Declared| {
            name.clone_into(&mut row.variant);
            row.isolated_us = Summary::of(&[time; 12]);
            row.status = Status::Ok;
            row.declared = declared;
        };
        let bytes = |bytes| Declared { bytes: Some(bytes), ..Declared::default() };
        let flops = |flops| Declared { flops: Some(flops), ..Declared::default() };
        let [copy, fma, both, work, volume, ..] = &mut record.rows[..] else { unreachable!() };
        declare(copy, COPY_LIMIT, 250.0, bytes(1_000_000_000));
        declare(fma, FMA_LIMIT, 100.0, flops(5_000_000_000));
        declare(both, "blurred", 500.0, Declared { flops: Some(1_000_000_000), ..bytes(900_000_000) });
        let solved = Some(Work { count: 12_345_678, unit: "constraints".into() });
        let predicted = Some(Predicted { what: "VMEM ops a tile".into(), value: 9.125 });
        declare(work, "solved", 2000.0, Declared { work: solved, predicted, ..flops(1_000_000) });
        declare(volume, "volume", 125.0, Declared { limit: Some("copy_limit_3d".into()), ..bytes(1) });
        record
    }

    fn shares(record: &Record) -> Vec<Option<String>> {
        record.rows[..5].iter().map(|row| share(record, row).map(|s| s.cell().replace(BLANK, " "))).collect()
    }

    #[test]
    fn a_limit_reaches_itself_and_the_others_a_part() {
        let cells = ["100 % copy", "100 % FMA", "45 % copy", "0 % FMA"].map(|cell| Some(cell.to_owned()));
        // There is no copy of volumes in this run.
        assert_eq!(shares(&record()), [&cells[..], &[None]].concat());
    }

    #[test]
    fn a_limit_that_was_wrong_is_none() {
        let mut record = record();
        record.rows[0].status = Status::Wrong { elements: 1, first: "texel (0, 0)".into() };
        assert_eq!(shares(&record)[0], None);
        assert!(!limits(&record).unwrap().contains(COPY_LIMIT));
    }

    #[test]
    fn columns_of_shares_and_rates() {
        for (width, name) in [(150, "wide"), (100, "narrow")] {
            insta::assert_snapshot!(name, table(&record(), width));
        }
    }
}
