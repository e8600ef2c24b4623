//! Tables of figures that lose columns where there is no room for them.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use super::super::charset::Charset;
use super::super::figure::{BLANK, width};

/// A head, which may break at blanks, and a cell a row.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub head: &'static str,
    pub cells: Vec<String>,
    /// Text stands at the left; figures by their decimal points.
    pub text: bool,
}

impl Column {
    pub(super) fn text(head: &'static str, cells: Vec<String>) -> Self {
        Self { head, cells, text: true }
    }

    pub(super) fn figures(head: &'static str, cells: Vec<String>) -> Self {
        Self { head, cells, text: false }
    }

    fn is_empty(&self, absent: &str) -> bool {
        self.cells.iter().all(|cell| cell == absent)
    }
}

/// The columns in characters of `charset`, without those that hold nothing at all.
pub(super) fn fitted(charset: Charset, columns: Vec<Column>, absent: &str) -> Vec<Column> {
    let fit = |cell: &String| charset.fit_part(cell).into_owned();
    let kept = columns.into_iter().filter(|column| !column.is_empty(absent));
    kept.map(|column| Column { cells: pointed(&column, fit), ..column }).collect()
}

/// Figures with their decimal points below each other.
fn pointed(column: &Column, fit: impl Fn(&String) -> String) -> Vec<String> {
    let cells: Vec<String> = column.cells.iter().map(fit).collect();
    // Shares have digits as they need them, and their unit at the right.
    if column.text || cells.iter().any(|cell| cell.ends_with('%')) {
        return cells;
    }
    let behind = |cell: &String| cell.find('.').map_or(0, |point| width(&cell[point..]));
    let most = cells.iter().map(behind).max().unwrap_or(0);
    cells.iter().map(|cell| format!("{cell}{}", BLANK.to_string().repeat(most - behind(cell)))).collect()
}

/// Tables of the first column and as many others as fit, until all are shown.
pub(super) fn all(charset: Charset, room: usize, columns: &[Column]) -> String {
    let [first, rest @ ..] = columns else { return String::new() };
    let (mut text, mut rest) = (String::new(), rest);
    while !rest.is_empty() {
        let taken = fitting(charset, room, first, rest).max(1);
        if !text.is_empty() {
            text.push('\n');
        }
        text += &draw(charset, first, &rest[..taken]);
        rest = &rest[taken..];
    }
    text
}

/// A table of the first column and as many others as fit, and the heads of those that do not.
pub(super) fn most(charset: Charset, room: usize, columns: &[Column]) -> (String, Vec<&'static str>) {
    let [first, rest @ ..] = columns else { return (String::new(), Vec::new()) };
    let taken = fitting(charset, room, first, rest);
    (draw(charset, first, &rest[..taken]), rest[taken..].iter().map(|column| column.head).collect())
}

/// How many columns fit beside the first.
fn fitting(charset: Charset, room: usize, first: &Column, rest: &[Column]) -> usize {
    let fits = |count: &usize| draw(charset, first, &rest[..*count]).lines().all(|line| width(line) <= room);
    (0..=rest.len()).rev().find(fits).unwrap_or(0)
}

fn draw(charset: Charset, first: &Column, rest: &[Column]) -> String {
    let columns: Vec<&Column> = std::iter::once(first).chain(rest).collect();
    let rule = LineStyle::none().fill(charset.rule()).junction(charset.rule());
    let mut table = Table::new();
    let heads = columns.iter().map(|column| charset.fit_part(column.head).replace(' ', "\n"));
    table
        .load_style(TableStyle::new().top_border(rule).header_separator(rule).bottom_border(rule))
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(heads);
    for row in 0..first.cells.len() {
        table.add_row(columns.iter().map(|column| column.cells[row].as_str()));
    }
    for (index, column) in columns.iter().enumerate() {
        if let Some(drawn) = table.column_mut(index) {
            drawn.set_padding((0, if index + 1 == columns.len() { 0 } else { 1 }));
            let alignment = if column.text { CellAlignment::Left } else { CellAlignment::Right };
            drawn.set_cell_alignment(alignment);
        }
    }
    table.lines().map(|line| line.replace(BLANK, " ").trim_end().to_owned() + "\n").collect()
}
