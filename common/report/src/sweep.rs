//! The tables of a sweep: a row a variant, a column a run.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use record::figures::Figures;
use record::{Record, Row, Status, is_limit};

use super::charset::Charset;
use super::figure::{ABSENT, BLANK, Figure, align, width};
use super::share;
use super::step::{self, Coarse};

/// Isolated times of the same variants in several runs, in the order of the first run that has them,
/// and below how close they come to the device's own limits, where a run has those. What does not fit
/// into `room` columns stands in further tables below. Ends with a newline.
#[must_use]
pub fn sweep(charset: Charset, room: u16, runs: &[(String, &Record)]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for row in runs.iter().flat_map(|(_, record)| &record.rows) {
        if !names.contains(&row.variant.as_str()) {
            names.push(&row.variant);
        }
    }
    let columns = |cells: &dyn Fn(&Record) -> Vec<String>| -> Vec<Column> {
        runs.iter().map(|(head, record)| (head.clone(), cells(record))).collect()
    };
    let times = columns(&|record| times(charset, record, &names));
    let mut text =
        charset.fit_part("Isolated µs").into_owned() + "\n" + &drawn(charset, room, &names, &times);
    names.retain(|name| !is_limit(name));
    let shares: Vec<Column> = columns(&|record| shares(charset, record, &names));
    let absent = charset.fit_part(ABSENT);
    if shares.iter().any(|(_, cells)| cells.iter().any(|cell| *cell != absent)) {
        text += "\nof limit\n";
        text += &drawn(charset, room, &names, &shares);
    }
    text
}

/// Head and cells.
type Column = (String, Vec<String>);

/// As many columns side by side as fit, the others in tables below.
fn drawn(charset: Charset, room: u16, names: &[&str], columns: &[Column]) -> String {
    let first = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let mut text = String::new();
    let mut rest = columns;
    while !rest.is_empty() {
        let mut taken = 0;
        let mut used = first;
        for (head, cells) in rest {
            let wide = cells.iter().map(|cell| width(cell)).max().unwrap_or(0).max(width(head));
            if taken > 0 && used + 2 + wide > usize::from(room) {
                break;
            }
            used += 2 + wide;
            taken += 1;
        }
        text += &draw(charset, names, &rest[..taken]);
        rest = &rest[taken..];
    }
    text
}

/// Isolated times of one run.
fn times(charset: Charset, record: &Record, names: &[&str]) -> Vec<String> {
    let row = |name: &&str| record.rows.iter().find(|row| row.variant == *name);
    let coarse = step::isolated(record);
    let figure = |name: &&str| row(name).map_or_else(Figure::absent, |row| figure(row, coarse)).fit(charset);
    let figures: Vec<Figure> = names.iter().map(figure).collect();
    let mut cells = align(&figures);
    for (cell, name) in cells.iter_mut().zip(names) {
        match row(name).map(|row| &row.status) {
            Some(Status::Throttled { .. }) => "throttled".clone_into(cell),
            Some(Status::Wrong { .. }) => "wrong".clone_into(cell),
            Some(Status::Error { .. }) => "error".clone_into(cell),
            _ => {}
        }
    }
    cells
}

/// Shares of the device's own limits in one run.
fn shares(charset: Charset, record: &Record, names: &[&str]) -> Vec<String> {
    let figures = Figures::new(&record.rows);
    let cell = |name: &&str| {
        let share = figures.share_of_limit(name).map_or_else(|| ABSENT.into(), |s| share::cell(&s));
        charset.fit_part(&share).into_owned()
    };
    names.iter().map(cell).collect()
}

fn figure(row: &Row, coarse: Option<Coarse>) -> Figure {
    match (&row.status, &row.isolated_us) {
        (Status::Ok, Some(time)) => Figure::time(time, row.near_floor, coarse),
        _ => Figure::absent(),
    }
}

fn draw(charset: Charset, names: &[&str], columns: &[(String, Vec<String>)]) -> String {
    let rule = charset.rule();
    let rule = LineStyle::none().fill(rule).junction(rule);
    let mut table = Table::new();
    table
        .load_style(TableStyle::new().top_border(rule).header_separator(rule).bottom_border(rule))
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(std::iter::once("Variant").chain(columns.iter().map(|(head, _)| head.as_str())));
    for (at, name) in names.iter().enumerate() {
        let absent = charset.fit_part(ABSENT);
        let cells = columns.iter().map(|(_, cells)| cells.get(at).map_or(&*absent, String::as_str));
        table.add_row(std::iter::once(*name).chain(cells));
    }
    for index in 0..=columns.len() {
        if let Some(drawn) = table.column_mut(index) {
            drawn.set_padding((0, if index == columns.len() { 0 } else { 2 }));
            drawn.set_cell_alignment(if index == 0 { CellAlignment::Left } else { CellAlignment::Right });
        }
    }
    let lines = table.lines().map(|line| line.replace(BLANK, " ").trim_end().to_owned() + "\n");
    lines.collect()
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;

    #[test]
    fn columns_that_do_not_fit_stand_below() {
        let (gpu, cpu) = (fixture::record(), fixture::cpu());
        let runs = [("size=64", &gpu), ("size=128", &cpu), ("size=256", &gpu)];
        let runs = runs.map(|(name, record)| (name.to_owned(), record));
        insta::assert_snapshot!(sweep(Charset::Utf8, 60, &runs));
        let widest = sweep(Charset::Ascii, 200, &runs);
        assert!(widest.is_ascii() && widest.lines().all(|line| width(line) <= 200), "{widest}");
        assert_eq!(widest.matches("Variant").count(), 1, "{widest}");
    }

    #[test]
    fn shares_of_limits_stand_below() {
        let limits = fixture::limits();
        let mut half = fixture::limits();
        half.rows.iter_mut().for_each(|row| row.samples.iter_mut().for_each(|s| s.one_us *= 2.0));
        half.rows.retain(|row| row.variant != "fma_limit");
        let runs = [("size=64", &limits), ("size=128", &half)].map(|(name, r)| (name.to_owned(), r));
        insta::assert_snapshot!(sweep(Charset::Utf8, 60, &runs));
        assert!(sweep(Charset::Ascii, 60, &runs).is_ascii());
    }
}
