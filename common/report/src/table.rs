//! Tables that are defined once and shown on terminals of any width and in HTML and Markdown pages.

use std::ops::Range;

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table as Drawing, TableStyle};

use super::charset::{ABSENT, BLANK, Charset, width};

/// The alignment of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Words, aligned to the left.
    Left,
    /// Aligned to the right.
    Right,
    /// Figures with aligned decimal points and aligned errors.
    Points,
}

/// A column: its heading and one cell per row.
#[derive(Clone, Debug)]
pub struct Column {
    /// The heading; it may be broken at blanks.
    pub head: String,
    /// The alignment of the cells.
    pub side: Side,
    /// The cells.
    pub cells: Vec<String>,
    /// Link targets of the cells in a page, if any.
    pub links: Vec<String>,
}

impl Column {
    /// A column; a cell without a value is shown as [`ABSENT`].
    pub fn new(
        side: Side,
        head: impl Into<String>,
        cells: impl IntoIterator<Item = impl Into<Option<String>>>,
    ) -> Self {
        let cells = cells.into_iter().map(|cell| cell.into().unwrap_or_else(|| ABSENT.into()));
        Self { head: head.into(), side, cells: cells.collect(), links: Vec::new() }
    }

    fn name(&self) -> String {
        self.head.replace(['\n', BLANK], " ")
    }
}

/// A column's heading, its alignment, and the function that returns a row's cell.
pub type Each<'c, R> = (&'c str, Side, &'c dyn Fn(&R) -> String);

/// A row for a page.
#[derive(Clone, Debug)]
pub enum Line {
    /// One cell per column, each with its link target.
    Cells(Vec<(String, Option<String>)>),
    /// The row's name, and text across all other columns.
    Words(String, String),
}

/// Columns of equal length; the first one names the rows.
#[derive(Clone, Debug)]
pub struct Table {
    /// From left to right.
    pub columns: Vec<Column>,
    /// Text across the other columns, for rows without figures.
    words: Vec<Option<String>>,
    gap: u16,
}

impl Table {
    /// A table with one row per name.
    #[must_use]
    pub fn new(head: &str, names: impl IntoIterator<Item = String>) -> Self {
        let names = Column::new(Side::Left, head, names);
        Self { words: vec![None; names.cells.len()], columns: vec![names], gap: 2 }
    }

    /// A table with one row per item and the given columns; the first column names the rows.
    #[must_use]
    pub fn of<R>(rows: &[R], columns: &[Each<'_, R>]) -> Self {
        let column = |(head, side, of): &Each<'_, R>| Column::new(*side, *head, rows.iter().map(of));
        Self {
            columns: columns.iter().map(column).collect(),
            ..Self::new("", vec![String::new(); rows.len()])
        }
    }

    /// Sets the texts of rows that have no figures.
    #[must_use]
    pub fn with_words(self, words: Vec<Option<String>>) -> Self {
        Self { words, ..self }
    }

    /// Sets the gap between columns.
    #[must_use]
    pub fn apart(self, gap: u16) -> Self {
        Self { gap, ..self }
    }

    /// Adds a column.
    pub fn push(&mut self, column: Column) {
        self.columns.push(column);
    }

    /// Adds a column, unless no row has anything in it.
    pub fn push_used(&mut self, column: Column) {
        let used = |(cell, words): (&String, &Option<String>)| words.is_none() && cell != ABSENT;
        if column.cells.iter().zip(&self.words).any(used) {
            self.push(column);
        }
    }

    /// The headings for a page, and whether each column is aligned to the right.
    pub fn heads(&self) -> impl Iterator<Item = (String, bool)> {
        self.columns.iter().map(|column| (column.name(), column.side != Side::Left))
    }

    /// The rows for a page.
    pub fn lines(&self) -> impl Iterator<Item = Line> {
        let plain = |text: &str| text.replace(BLANK, " ").trim_end().to_owned();
        self.words.iter().enumerate().map(move |(row, words)| match words {
            Some(words) => Line::Words(plain(&self.columns[0].cells[row]), plain(words)),
            None => {
                let cell = |column: &Column| (plain(&column.cells[row]), column.links.get(row).cloned());
                Line::Cells(self.columns.iter().map(cell).collect())
            }
        })
    }

    /// The same table with characters that the terminal can show.
    pub(super) fn spelled(&self, charset: Charset) -> Self {
        let spelled = |text: &String| charset.fit_part(text).into_owned();
        let mut table = self.clone();
        for column in &mut table.columns {
            column.head = spelled(&column.head);
            column.cells.iter_mut().for_each(|cell| *cell = spelled(cell));
        }
        table.words.iter_mut().flatten().for_each(|words| *words = spelled(words));
        table
    }

    /// The table without its last columns, as far as it needs to fit into `room`; two stay in any case.
    #[must_use]
    pub(super) fn narrowed(mut self, room: usize) -> Self {
        while self.columns.len() > 2 && self.parts(room).len() > 1 {
            self.columns.pop();
        }
        self
    }

    /// The table in `room` columns: if not all of its columns fit, in several parts, each with the first column. Rows
    /// of words are in the first part alone.
    pub(super) fn parts(&self, room: usize) -> Vec<Vec<String>> {
        let fits = |to: &usize, from| self.draw(room, from..*to).iter().all(|line| width(line) <= room);
        let mut parts = Vec::new();
        let mut from = 1;
        while from < self.columns.len() || parts.is_empty() {
            let to = (from + 1..=self.columns.len()).rev().find(|to| fits(to, from)).unwrap_or(from + 1);
            parts.push(self.draw(room, from..to.min(self.columns.len())));
            from = to;
        }
        parts
    }

    /// The first column and those in the range, without trailing blanks.
    fn draw(&self, room: usize, others: Range<usize>) -> Vec<String> {
        let is_first = others.start == 1;
        let shown = std::iter::once(0).chain(others).map(|at| &self.columns[at]);
        let columns: Vec<(Side, Vec<String>)> = shown
            .map(|column| {
                let cells = self.written(column);
                let wide = cells.iter().flat_map(|cell| cell.lines()).map(width).max().unwrap_or(0);
                (column.side, std::iter::once(broken(&column.head, wide)).chain(cells).collect())
            })
            .collect();
        self.with_words_across(lines(self.gap, &columns), room, is_first)
    }

    /// The cells of a column, with figures aligned.
    fn written(&self, column: &Column) -> Vec<String> {
        let is_name = std::ptr::eq(column, &self.columns[0]);
        let own = column.cells.iter().zip(&self.words).map(|(cell, words)| match words {
            Some(_) if !is_name => "",
            _ => cell,
        });
        if column.side == Side::Points {
            return pointed(&own.collect::<Vec<_>>());
        }
        own.map(str::to_owned).collect()
    }

    /// Writes texts across empty columns: comfy-table has no cell that spans several columns.
    fn with_words_across(&self, mut lines: Vec<String>, room: usize, is_first: bool) -> Vec<String> {
        let names = self.written(&self.columns[0]);
        let head = std::iter::once(width(&self.columns[0].head));
        let indent =
            names.iter().map(|name| width(name)).chain(head).max().unwrap_or(0) + usize::from(self.gap);
        for (name, words) in names.iter().zip(&self.words) {
            let Some(words) = words else { continue };
            let Some(at) = lines.iter().position(|line| line == name) else { continue };
            if is_first {
                let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
                lines[at] = format!("{name:indent$}{}", cut(&words, room.saturating_sub(indent)));
            } else {
                lines.remove(at);
            }
        }
        let widest = lines.iter().map(|line| width(line)).max().unwrap_or(0);
        let is_rule = |line: &&mut String| line.starts_with(RULE) && line.trim_end_matches(RULE).is_empty();
        lines.iter_mut().filter(is_rule).for_each(|line| *line = RULE.to_string().repeat(widest));
        lines
    }
}

/// The character of horizontal rules.
const RULE: char = '─';

/// The table between horizontal rules, without vertical ones.
fn lines(gap: u16, columns: &[(Side, Vec<String>)]) -> Vec<String> {
    let rule = LineStyle::none().fill(RULE).junction(RULE);
    let mut drawing = Drawing::new();
    drawing
        .load_style(TableStyle::new().top_border(rule).header_separator(rule).bottom_border(rule))
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(columns.iter().map(|(_, cells)| &cells[0]));
    for row in 1..columns[0].1.len() {
        drawing.add_row(columns.iter().map(|(_, cells)| &cells[row]));
    }
    for (index, (side, _)) in columns.iter().enumerate() {
        if let Some(drawn) = drawing.column_mut(index) {
            drawn.set_padding((0, if index + 1 == columns.len() { 0 } else { gap }));
            let left = *side == Side::Left;
            drawn.set_cell_alignment(if left { CellAlignment::Left } else { CellAlignment::Right });
        }
    }
    drawing.lines().map(|line| line.replace(BLANK, " ").trim_end().to_owned()).collect()
}

/// `head`, broken at blanks where that makes a column with cells of `cells` characters narrower.
fn broken(head: &str, cells: usize) -> String {
    let longest = head.split([' ', '\n']).map(width).max().unwrap_or(0);
    let mut lines: Vec<String> = Vec::new();
    for line in head.lines() {
        let mut words = line.split(' ').map(str::to_owned);
        lines.extend(words.next());
        for word in words {
            match lines.last_mut() {
                Some(last) if width(last) + 1 + width(&word) <= longest.max(cells) => {
                    *last += &format!(" {word}")
                }
                _ => lines.push(word),
            }
        }
    }
    lines.join("\n")
}

/// Figures padded so that decimal points and errors are aligned. Words are not changed. Columns with percentages are
/// not padded either: their digits vary, and their unit is aligned at the right.
fn pointed(cells: &[&str]) -> Vec<String> {
    let parts: Vec<(&str, &str)> = cells
        .iter()
        .map(|cell| match cell.find('±').or_else(|| cell.find("+-")) {
            Some(at) => (cell[..at].trim_end(), &cell[at..]),
            None => (*cell, ""),
        })
        .collect();
    if parts.iter().any(|(number, _)| number.ends_with('%')) {
        return cells.iter().map(|cell| (*cell).to_owned()).collect();
    }
    let is_figure = |number: &str| !number.is_empty() && !number.starts_with(char::is_alphabetic);
    let behind = |number: &str| number.find('.').map_or(0, |point| width(&number[point..]));
    let figures = || parts.iter().filter(|(number, _)| is_figure(number));
    let most = figures().map(|(number, _)| behind(number)).max().unwrap_or(0);
    let error = figures().map(|(_, error)| width(error)).max().unwrap_or(0);
    let pad = |n: usize| BLANK.to_string().repeat(n);
    let cell = |(number, own): &(&str, &str)| {
        if !is_figure(number) {
            return (*number).to_owned();
        }
        let apart = if error > 0 { 1 + error - width(own) } else { 0 };
        format!("{number}{}{own}", pad(most - behind(number) + apart))
    };
    parts.iter().map(cell).collect()
}

/// At most `room` characters of `text`; a cut text ends with three dots, which every terminal can show.
pub(super) fn cut(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().take(room.saturating_sub(3)).collect();
    kept.trim_end().to_owned() + "..."
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(cells: &[&str]) -> Vec<Option<String>> {
        cells.iter().map(|cell| Some((*cell).to_owned())).collect()
    }

    #[test]
    fn columns_that_do_not_fit_follow_below() {
        let mut table = Table::new("Variant", ["a", "b"].map(str::to_owned));
        table.push(Column::new(Side::Points, "times barrier", some(&["1.5", "12"])));
        table.push(Column::new(Side::Left, "wrong pixels", some(&["100 (max 200) in 3 of 4", "none"])));
        assert_eq!(table.parts(60).len(), 1);
        assert_eq!([60, 35].map(|room| table.clone().narrowed(room).columns.len()), [3, 2]);
        let parts = table.parts(35);
        assert_eq!(parts.len(), 2);
        for (part, words) in parts.iter().zip([["Variant", "barrier"], ["Variant", "(max 200)"]]) {
            assert!(words.iter().all(|word| part.join("\n").contains(word)), "{part:?}");
        }
    }

    #[test]
    fn heads_break_only_where_that_makes_a_column_narrower() {
        assert_eq!(broken("times barrier", 13), "times barrier");
        assert_eq!(broken("times barrier", 5), "times\nbarrier");
        assert_eq!(broken("times 2 bands, no sync", 4), "times\n2\nbands,\nno\nsync");
        assert_eq!(broken("times 2 bands, no sync", 8), "times 2\nbands,\nno sync");
    }

    #[test]
    fn points_stand_below_each_other() {
        let cells = pointed(&["~46.31\u{a0}±0.2\u{a0}%", "1234\u{a0}±12\u{a0}%", "–", "wrong", ""]);
        let cells: Vec<_> = cells.iter().map(|cell| cell.replace(BLANK, " ")).collect();
        assert_eq!(cells, ["~46.31 ±0.2 %", "1234     ±12 %", "–          ", "wrong", ""]);
    }

    #[test]
    fn a_long_reason_is_cut_to_its_room() {
        assert_eq!(cut("one two three", 13), "one two three");
        assert_eq!(cut("one two three", 11), "one two...");
    }
}
