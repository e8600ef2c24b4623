//! Cross tables: rows of a record at the positions that their [`Cell`]s name.

use record::stats::{Summary, none_seen_bound};
use record::{Cell, Matrix, Promise, Racy, Record, Row, Shows, Status};

use super::charset::{ABSENT, BLANK};
use super::format::{self, count};
use super::names::distinct;
use super::paper::Paper;
use super::rows::against;
use super::table::{Column, Side, Table};

/// Writes the tables one below the other, in the order in which their titles first occur. Cells that are `brief` have
/// one line and no marks.
pub(super) fn tables(paper: &mut Paper, record: &Record, matrix: &Matrix, brief: bool) {
    let cells: Vec<(&Row, &Cell)> =
        record.rows.iter().filter_map(|row| Some((row, row.cell.as_ref()?))).collect();
    for (at, title) in distinct(cells.iter().map(|(_, cell)| cell.table.as_str())).into_iter().enumerate() {
        let of_table: Vec<_> = cells.iter().filter(|(_, cell)| cell.table == title).copied().collect();
        if at > 0 {
            paper.gap();
        }
        paper.line(title);
        paper.table(&table(record, matrix, &of_table, brief));
    }
}

fn table(record: &Record, matrix: &Matrix, cells: &[(&Row, &Cell)], brief: bool) -> Table {
    let heads = distinct(cells.iter().map(|(_, cell)| cell.row.as_str()));
    let side = if matrix.shows == Shows::Races { Side::Left } else { Side::Right };
    let corner = match (matrix.shows, record.reference()) {
        (Shows::Times, _) if record.method.repetitions > 1 => "µs, alone / back to back".to_owned(),
        (Shows::Ratios, Some(reference)) => against(record.label(reference)),
        _ => matrix.corner.clone(),
    };
    let mut table =
        Table::new(&corner.replace(' ', &BLANK.to_string()), heads.iter().map(|head| (*head).to_owned()))
            .apart(if brief { 2 } else { 3 });
    for column in distinct(cells.iter().map(|(_, cell)| cell.column.as_str())) {
        let cell = |head: &&str| {
            let found = cells.iter().find(|(_, cell)| cell.row == *head && cell.column == column);
            found.map_or_else(String::new, |(row, _)| text(record, row, matrix.shows, brief))
        };
        table.push(Column::new(side, column, heads.iter().map(cell)));
    }
    table
}

/// The text of a cell. A count of races is never a bare `0` or `none`.
fn text(record: &Record, row: &Row, shows: Shows, brief: bool) -> String {
    if row.status != Status::Ok {
        return row.status.word().into();
    }
    match shows {
        Shows::Ratios => ratio(record.to_reference(row)),
        Shows::Times if record.method.repetitions > 1 => times(row),
        Shows::Times => median(row.isolated_us),
        Shows::PerUnit => each(row).unwrap_or_else(|| ABSENT.into()),
        Shows::Metric => metric(row).unwrap_or_else(|| ABSENT.into()),
        Shows::Races if brief => row.racy.map_or_else(|| ABSENT.into(), trials),
        Shows::Races => row.racy.map_or_else(|| ABSENT.into(), |racy| races(racy, &row.promise)),
    }
}

fn ratio(ratio: Option<Summary>) -> String {
    let Some(ratio) = ratio else { return ABSENT.into() };
    format::ratio(&ratio)
}

/// The time alone and the time back to back, if it was measured.
fn times(row: &Row) -> String {
    format!("{} / {}", median(row.isolated_us), median(row.pipelined_us))
}

fn median(time: Option<Summary>) -> String {
    time.map_or_else(|| ABSENT.into(), |time| format::significant(time.median))
}

/// The time per unit of work in ns, and in cycles where the clock is known.
fn each(row: &Row) -> Option<String> {
    let each = row.per_unit(row.isolated_us?.median)?;
    let cycles = each.cycles.map_or_else(|| ABSENT.into(), format::significant);
    Some(format!("{} / {cycles}", format::significant(each.ns)))
}

/// The figure that the kernels told, in the unit that the table's title names.
fn metric(row: &Row) -> Option<String> {
    Some(format::significant(row.metric.as_ref()?.figure.median))
}

/// In how many trials anything was wrong.
fn trials(Racy { samples, racy_samples, .. }: Racy) -> String {
    format!("{racy_samples} of {samples}")
}

fn races(racy: Racy, promise: &Promise) -> String {
    let Racy { samples, racy_samples, median, max, .. } = racy;
    if let Promise::Fault { elements } = promise {
        return format!("{elements} as seeded\nin {racy_samples} of {samples}");
    }
    if racy_samples == 0 {
        return none_seen(samples);
    }
    format!("{}, max {max}\nin {racy_samples} of {samples}", count(median))
}

/// No trial was wrong: with the largest share that may still be, in two lines.
pub(super) fn none_seen(samples: usize) -> String {
    let bound = rounded_up(100.0 * none_seen_bound(samples));
    let trials = if samples == 1 { "trial" } else { "trials" };
    format!("none seen in {samples}\n{trials} (<{BLANK}{bound}{BLANK}%)")
}

/// Rounded up: to a whole number from 10 on, to one decimal below.
pub(super) fn rounded_up(value: f64) -> String {
    if value >= 10.0 {
        format!("{:.0}", value.ceil())
    } else {
        format!("{:.1}", (value * 10.0).ceil() / 10.0)
    }
}

#[cfg(test)]
mod tests {
    use record::{Metric, Work, fixture};

    use super::*;
    use crate::charset::width;
    use crate::table;

    #[test]
    fn widths() {
        for room in [120, 60] {
            insta::assert_snapshot!(format!("ratios_{room}"), table(&fixture::ratios(), room));
            insta::assert_snapshot!(format!("races_{room}"), table(&fixture::races(), room));
        }
    }

    #[test]
    fn without_a_bound_ratios_are_to_the_baseline() {
        let mut record = fixture::ratios();
        (record.bound, record.baseline) = (None, record.bound);
        for row in &mut record.rows {
            (row.to_bound, row.to_baseline) = (None, row.to_bound);
        }
        assert_eq!(table(&record, 120), table(&fixture::ratios(), 120));
        record.bound = Some("full_barrier".into());
        assert!(!table(&record, 120).contains("1.71"), "ratios to the baseline below the bound's name");
    }

    #[test]
    fn times_are_alone_and_back_to_back() {
        let mut record = fixture::ratios();
        record.matrix = Some(Matrix { corner: "µs".into(), shows: Shows::Times });
        record.rows[0].isolated_us = Summary::of(&[12.0; 3]);
        record.rows[0].pipelined_us = Summary::of(&[10.5; 3]);
        record.rows[1].pipelined_us = None;
        assert_eq!(times(&record.rows[0]), "12.00 / 10.50");
        assert!(times(&record.rows[1]).ends_with("/ –"));
        let text = table(&record, 120);
        assert!(text.contains("12.00 / 10.50") && text.contains("alone / back to back"), "{text}");
        record.method.repetitions = 1;
        let text = table(&record, 120);
        assert!(text.contains("12.00") && !text.contains('/'), "{text}");
    }

    #[test]
    fn a_unit_of_work_takes_nanoseconds_and_clocks() {
        let mut record = fixture::ratios();
        record.matrix = Some(Matrix { corner: "ns / clocks per load".into(), shows: Shows::PerUnit });
        let row = &mut record.rows[0];
        row.isolated_us = Summary::of(&[12.0; 3]);
        row.clock_mhz = Summary::of(&[2000.0; 3]);
        assert_eq!(each(row), None, "it declares no work");
        row.declared.work = Some(Work { count: 100, unit: "loads".into() });
        assert_eq!(each(row).unwrap(), "120.0 / 240.0");
        row.clock_mhz = None;
        assert_eq!(each(row).unwrap(), "120.0 / –");
        let text = table(&record, 120);
        assert!(text.contains("120.0 / –") && text.contains("ns / clocks per load"), "{text}");
    }

    #[test]
    fn what_kernels_tell_is_shown_in_the_unit_of_the_table() {
        let mut record = fixture::ratios();
        record.matrix = Some(Matrix { corner: String::new(), shows: Shows::Metric });
        let figure = Summary::of(&[-5.25; 3]).unwrap();
        record.rows[0].metric = Some(Metric { unit: "% of the time".into(), figure });
        assert_eq!(metric(&record.rows[1]), None);
        let text = table(&record, 120);
        assert!(text.contains("-5.25") && text.contains('–'), "{text}");
        record.matrix = None;
        let text = table(&record, 140);
        assert!(text.contains("figure") && text.contains("-5.25"), "{text}");
        assert!(text.contains("% of the time"), "{text}");
    }

    #[test]
    fn every_width_fits_and_holds_every_head() {
        for record in [fixture::ratios(), fixture::races()] {
            for room in 60..=160 {
                let text = table(&record, room);
                let widest = text.lines().map(width).max().unwrap();
                assert!(widest <= usize::from(room), "{widest} columns at {room}\n{text}");
                for cell in record.rows.iter().filter_map(|row| row.cell.as_ref()) {
                    for head in [&cell.table, &cell.row, &cell.column] {
                        let mut words = head.split(' ');
                        assert!(words.all(|word| text.contains(word)), "no {head} at {room}\n{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_bound_is_never_rounded_below_itself() {
        assert_eq!(rounded_up(1.486_7), "1.5");
        assert_eq!(rounded_up(1.41), "1.5");
        assert_eq!(rounded_up(0.299_1), "0.3");
        assert_eq!(rounded_up(13.9), "14");
        assert_eq!(rounded_up(95.0), "95");
    }
}
