//! Draws a cross table whose rows are sizes or numbers: a line per column.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use record::{Cell, Record, Row, is_limit};
use report::distinct;

use super::block::{Made, record, target};
use crate::report::plot::{Kind, Line, Point, XyPlot};

const CURVE: &str = "a curve is asked for by: curve FILE.svg \"WHAT\" RECORD \"TABLE\"";

/// Most rows of a short table, each of which has a tick of the horizontal axis. Else each power of 4 has one, of 16 where sizes
/// are in KiB.
const SHORT: usize = 8;

/// A picture of what a unit of work takes in clocks, in the rows of a record that have a cell in this table.
///
/// # Errors
/// If there is no such table, or the head of a row has no number.
pub(super) fn curve(folder: &Path, asked: &[&str]) -> Result<Made> {
    let [file, what, run, title] = *asked else { bail!(CURVE) };
    ensure!(file.ends_with(".svg"), CURVE);
    let record = record(folder, run)?;
    let svg = plot(&record, title).with_context(|| format!("{run}, {title}"))?.draw().file();
    let body = format!("![{}]({})\n", what.replace(']', "\\]"), target(file));
    Ok(Made { label: format!("curve {file}"), body, drawing: Some((folder.join(file), svg)) })
}

fn plot(record: &Record, title: &str) -> Result<XyPlot> {
    let is_drawn =
        |row: &&Row| !is_limit(&row.variant) && row.cell.as_ref().is_some_and(|cell| cell.table == title);
    let rows: Vec<&Row> = record.rows.iter().filter(is_drawn).collect();
    let cells = || rows.iter().filter_map(|row| row.cell.as_ref());
    let unit = rows.iter().find_map(|row| Some(row.declared.work.as_ref()?.unit.clone()));
    let unit = unit.context("no row declares work")?;
    let line = |column: &str| {
        let of_column = rows.iter().filter_map(|row| Some((row, row.cell.as_ref()?)));
        let points = of_column.filter(|(_, cell)| cell.column == column).map(|(row, cell)| point(row, cell));
        let mut points: Vec<Point> = points.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Ok(Line { name: column.to_owned(), points })
    };
    let lines = distinct(cells().map(|cell| cell.column.as_str())).into_iter().map(line);
    let sizes = distinct(cells().map(|cell| cell.row.as_str()));
    let sizes =
        sizes.into_iter().map(|head| Ok((position(head)?, head.to_owned()))).collect::<Result<Vec<_>>>()?;
    let is_short = sizes.len() <= SHORT;
    let in_kib = sizes.iter().any(|(_, head)| head.ends_with("KiB"));
    let is_tick = |at: f64| is_short || (at.log2() / if in_kib { 4.0 } else { 2.0 }).fract() == 0.0;
    // `64 loads` stay as they are.
    let one = if unit.starts_with(|c: char| c.is_ascii_digit()) { &unit } else { unit.trim_end_matches('s') };
    Ok(XyPlot {
        title: format!("{} on {}", record.sample, record.device.name),
        subtitle: title.to_owned(),
        x_axis: if in_kib { "size (logarithmic)" } else { "logarithmic" }.into(),
        x_kind: Kind::Log,
        x_ticks: sizes.into_iter().filter(|(at, _)| is_tick(*at)).collect(),
        y_axis: format!("clocks per {one} (logarithmic)"),
        y_kind: Kind::Log,
        lines: lines.collect::<Result<_>>()?,
    })
}

/// The clocks of a unit of work; `None` for a row without a time, and where a logarithmic axis has no place.
fn point(row: &Row, cell: &Cell) -> Result<Option<Point>> {
    let x = position(&cell.row)?;
    let Some(us) = row.isolated_us.filter(|_| x > 0.0) else { return Ok(None) };
    let clocks = |us: f64| row.per_unit(us)?.cycles;
    let interval = us.median_95.and_then(|interval| Some([clocks(interval.low)?, clocks(interval.high)?]));
    Ok(clocks(us.median).map(|y| Point { x, y, interval }))
}

/// `4 MiB` is 4096, `8 waves` and `+ 8 L1` are 8.
fn position(head: &str) -> Result<f64> {
    let (number, unit) = head.trim_start_matches("+ ").split_once(' ').unwrap_or((head, ""));
    let factor = match unit {
        "MiB" => 1024.0,
        "GiB" => 1_048_576.0,
        _ => 1.0,
    };
    Ok(number.parse::<f64>().with_context(|| format!("'{head}' has no number"))? * factor)
}

#[cfg(test)]
mod tests {
    use record::stats::Summary;
    use record::{Work, fixture};

    use super::*;

    #[test]
    fn a_table_of_sizes_is_a_line_per_column() {
        let mut record = fixture::record();
        let work = Work { count: 1000, unit: "loads".into() };
        for (row, (size, column)) in
            record.rows.iter_mut().zip([("1 KiB", "a"), ("16 KiB", "a"), ("1 GiB", "b")])
        {
            row.cell = Some(Cell { table: "Sizes".into(), row: size.into(), column: column.into() });
            row.declared.work = Some(work.clone());
            row.isolated_us = Summary::of(&[50.0; 12]);
            row.clock_mhz = Summary::of(&[2000.0; 12]);
        }
        let plot = plot(&record, "Sizes").unwrap();
        let points =
            |at: usize| plot.lines[at].points.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>();
        assert_eq!(points(0), [(1.0, 100.0), (16.0, 100.0)]);
        assert_eq!(points(1), [(1_048_576.0, 100.0)]);
        assert_eq!(plot.x_ticks.len(), 3);
        assert!(plot.draw().file().contains("1 GiB"));
        assert_eq!(position("8 waves").unwrap(), 8.0);
        assert_eq!(position("+ 8 L1").unwrap(), 8.0);
        record.rows[0].cell.as_mut().unwrap().row = "0 waves".into();
        assert_eq!(self::plot(&record, "Sizes").unwrap().lines[0].points.len(), 1);
        record.rows[0].cell.as_mut().unwrap().row = "large".into();
        assert!(self::plot(&record, "Sizes").unwrap_err().to_string().contains("'large' has no number"));
        assert!(self::plot(&record, "None").is_err());
    }
}
