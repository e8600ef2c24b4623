//! Cross tables: rows of a record at the places that their [`Cell`]s give them.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use record::number::significant;
use record::stats::{Summary, none_seen_bound};
use record::{Cell, Matrix, Promise, Racy, Record, Row, Shows, Status};

use super::charset::Charset;
use super::figure::{ABSENT, BLANK, count, hundredths, undecided, width};

/// The tables one below the other, in the order in which their titles come up, as lines. A table that
/// is wider than `room` becomes several, each with some of the columns.
pub(super) fn tables(charset: Charset, room: usize, record: &Record, matrix: &Matrix) -> Vec<String> {
    let cells: Vec<(&Row, &Cell)> =
        record.rows.iter().filter_map(|row| Some((row, row.cell.as_ref()?))).collect();
    let mut lines = Vec::new();
    for title in distinct(cells.iter().map(|(_, cell)| cell.table.as_str())) {
        let cells = cells.iter().filter(|(_, cell)| cell.table == title).copied().collect();
        let grid = Grid { charset, record, matrix, cells };
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(charset.fit_part(title).into_owned());
        lines.extend(grid.fitting(room));
    }
    lines
}

/// In the order of their first appearance.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut known = Vec::new();
    for name in names {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    known
}

/// One cross table.
struct Grid<'r> {
    charset: Charset,
    record: &'r Record,
    matrix: &'r Matrix,
    cells: Vec<(&'r Row, &'r Cell)>,
}

impl Grid<'_> {
    /// As many columns side by side as fit, at least one.
    fn fitting(&self, room: usize) -> Vec<String> {
        let columns = distinct(self.cells.iter().map(|(_, cell)| cell.column.as_str()));
        let mut lines: Vec<String> = Vec::new();
        let mut rest = &columns[..];
        while !rest.is_empty() {
            let fits = |n: &usize| self.draw(&rest[..*n]).iter().all(|line| width(line) <= room);
            let taken = (1..=rest.len()).rev().find(fits).unwrap_or(1);
            lines.extend(self.draw(&rest[..taken]));
            rest = &rest[taken..];
        }
        lines
    }

    fn draw(&self, columns: &[&str]) -> Vec<String> {
        let fit = |text: &str| self.charset.fit_part(text).into_owned();
        let mut table = Table::new();
        let rule = self.charset.rule();
        let style = LineStyle::none().fill(rule).junction(rule);
        table
            .load_style(TableStyle::new().top_border(style).header_separator(style).bottom_border(style))
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(std::iter::once(&self.matrix.corner.as_str()).chain(columns).map(|head| fit(head)));
        for head in distinct(self.cells.iter().map(|(_, cell)| cell.row.as_str())) {
            let texts = columns.iter().map(|column| {
                let found = self.cells.iter().find(|(_, cell)| cell.row == head && cell.column == *column);
                found.map_or_else(String::new, |(row, _)| fit(&text(self.record, row, self.matrix.shows)))
            });
            table.add_row(std::iter::once(fit(head)).chain(texts));
        }
        for index in 0..=columns.len() {
            if let Some(column) = table.column_mut(index) {
                column.set_padding((0, if index == columns.len() { 0 } else { 3 }));
                let figures = index > 0 && self.matrix.shows != Shows::Races;
                column.set_cell_alignment(if figures { CellAlignment::Right } else { CellAlignment::Left });
            }
        }
        table.lines().map(|line| line.replace(BLANK, " ").trim_end().to_owned()).collect()
    }
}

/// What a cell says; a bare `0` or `none` never.
fn text(record: &Record, row: &Row, shows: Shows) -> String {
    match &row.status {
        Status::Ok => {}
        Status::Skipped { .. } => return "skipped".into(),
        Status::Unsupported { .. } => return "unsupported".into(),
        Status::Throttled { .. } => return "throttled".into(),
        Status::Wrong { .. } => return "wrong".into(),
        Status::Error { .. } => return "error".into(),
    }
    match shows {
        Shows::Ratios => ratio(row, record.to_reference(row)),
        Shows::Times => times(row),
        Shows::Races => row.racy.map_or_else(|| ABSENT.into(), |racy| races(racy, &row.promise)),
    }
}

fn ratio(row: &Row, ratio: Option<Summary>) -> String {
    let Some(ratio) = ratio else { return ABSENT.into() };
    let mark = if undecided(&ratio) { "≈" } else { "" };
    // A blank in its place, so that digits stand below each other.
    let raced = if row.racy.is_some_and(|racy| racy.racy_samples > 0) { '!' } else { BLANK };
    format!("{mark}{}{raced}", hundredths(ratio.median))
}

/// Isolated, and pipelined where that was measured.
fn times(row: &Row) -> String {
    let mark = if row.near_floor { "~" } else { "" };
    let median = |summary: &Option<Summary>| {
        summary.as_ref().map_or_else(|| ABSENT.into(), |summary| significant(summary.median))
    };
    format!("{mark}{} / {}", median(&row.isolated_us), median(&row.pipelined_us))
}

fn races(racy: Racy, promise: &Promise) -> String {
    let Racy { samples, racy_samples, median, max, .. } = racy;
    if let Promise::Fault { elements } = promise {
        return format!("{elements} as seeded\nin {racy_samples} of {samples}");
    }
    if racy_samples == 0 {
        let bound = rounded_up(100.0 * none_seen_bound(samples));
        let trials = if samples == 1 { "trial" } else { "trials" };
        return format!("none seen in {samples}\n{trials} (<{BLANK}{bound}{BLANK}%)");
    }
    format!("{}, max {max}\nin {racy_samples} of {samples}", count(median))
}

/// To two significant digits, never below the value.
pub(super) fn rounded_up(value: f64) -> String {
    if value >= 10.0 {
        format!("{:.0}", value.ceil())
    } else {
        format!("{:.1}", (value * 10.0).ceil() / 10.0)
    }
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;
    use crate::{table, table_in};

    #[test]
    fn ratios_120() {
        insta::assert_snapshot!(table(&fixture::ratios(), 120));
    }

    #[test]
    fn ratios_60() {
        insta::assert_snapshot!(table(&fixture::ratios(), 60));
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
    fn times_are_isolated_and_pipelined() {
        let mut record = fixture::ratios();
        record.matrix = Some(Matrix { corner: "µs".into(), shows: Shows::Times });
        record.rows[0].isolated_us = Summary::of(&[12.0; 3]);
        record.rows[0].pipelined_us = Summary::of(&[10.5; 3]);
        record.rows[1].pipelined_us = None;
        record.rows[1].near_floor = true;
        assert_eq!(times(&record.rows[0]), "12.00 / 10.50");
        assert!(times(&record.rows[1]).starts_with('~') && times(&record.rows[1]).ends_with("/ –"));
        let text = table(&record, 120);
        assert!(
            text.contains("12.00 / 10.50") && text.contains("Cells: isolated / pipelined time"),
            "{text}"
        );
    }

    #[test]
    fn races_120() {
        insta::assert_snapshot!(table(&fixture::races(), 120));
    }

    #[test]
    fn races_60() {
        insta::assert_snapshot!(table(&fixture::races(), 60));
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
                        assert!(text.contains(head.as_str()), "no {head} at {room}\n{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_terminal_without_utf8_gets_ascii() {
        for record in [fixture::ratios(), fixture::races()] {
            let text = table_in(Charset::Ascii, &record, 100);
            assert!(text.is_ascii(), "{text}");
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
