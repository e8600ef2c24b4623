//! Tables that are defined once and shown on terminals of any width and in HTML and Markdown pages.

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
    /// The cells, and shorter versions of them for less room, each with the rank at which it is used.
    forms: Vec<(u8, Vec<String>)>,
    /// The rank at which the column is left out; `None` if it always stays.
    goes: Option<u8>,
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
        Self { head: head.into(), side, forms: vec![(0, filled(cells))], goes: None, links: Vec::new() }
    }

    /// Lets the column be left out where room is short, as step number `rank`. Ranks order these steps and those of
    /// [`Column::or`].
    #[must_use]
    pub fn goes(self, rank: u8) -> Self {
        Self { goes: Some(rank), ..self }
    }

    /// Shorter cells that are used where room is short, as step number `rank`.
    #[must_use]
    pub fn or(mut self, rank: u8, cells: impl IntoIterator<Item = impl Into<Option<String>>>) -> Self {
        self.forms.push((rank, filled(cells)));
        self
    }

    /// The longest version of each cell.
    #[must_use]
    pub fn cells(&self) -> &[String] {
        &self.forms[0].1
    }

    fn name(&self) -> String {
        self.head.replace(['\n', BLANK], " ")
    }
}

fn filled(cells: impl IntoIterator<Item = impl Into<Option<String>>>) -> Vec<String> {
    cells.into_iter().map(|cell| cell.into().unwrap_or_else(|| ABSENT.into())).collect()
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
    heads: Heads,
}

/// How headings are broken, from the widest to the narrowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Heads {
    /// On one line, at any width.
    Whole,
    /// On one line if there is room.
    OneLine,
    /// Broken at blanks.
    Stacked,
    /// Broken at blanks and after an underscore.
    Broken,
}

/// A step that makes the table narrower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Heads(Heads),
    Gap,
    /// Uses the next shorter version of the column's cells.
    Narrow(usize),
    Drop(usize),
}

/// The ranks at which headings are broken at blanks, the gap between columns shrinks, and names in headings are
/// broken.
const RANKS: [(u8, Step); 3] =
    [(1, Step::Heads(Heads::Stacked)), (7, Step::Gap), (8, Step::Heads(Heads::Broken))];

impl Table {
    /// A table with one row per name.
    #[must_use]
    pub fn new(head: &str, names: impl IntoIterator<Item = String>) -> Self {
        let names = Column::new(Side::Left, head, names);
        Self { words: vec![None; names.cells().len()], columns: vec![names], gap: 2, heads: Heads::OneLine }
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

    /// Sets the gap between columns; headings are not broken.
    #[must_use]
    pub fn apart(self, gap: u16) -> Self {
        Self { gap, heads: Heads::Whole, ..self }
    }

    /// Sets a gap of one and headings of several lines.
    #[must_use]
    pub fn close(self) -> Self {
        Self { gap: 1, heads: Heads::Stacked, ..self }
    }

    /// Adds a column.
    pub fn push(&mut self, column: Column) {
        self.columns.push(column);
    }

    /// Adds a column, unless no row has anything in it.
    pub fn push_used(&mut self, column: Column) {
        let used = |(cell, words): (&String, &Option<String>)| words.is_none() && cell != ABSENT;
        if column.cells().iter().zip(&self.words).any(used) {
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
            Some(words) => Line::Words(plain(&self.columns[0].cells()[row]), plain(words)),
            None => {
                let cell = |column: &Column| (plain(&column.cells()[row]), column.links.get(row).cloned());
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
            column.forms.iter_mut().flat_map(|(_, cells)| cells).for_each(|cell| *cell = spelled(cell));
        }
        table.words.iter_mut().flatten().for_each(|words| *words = spelled(words));
        table
    }

    /// The lines of the table with as many columns as fit into `room`, and the headings of those that do not.
    pub(super) fn fitted(&self, room: usize) -> (Vec<String>, Vec<String>) {
        let steps = self.steps();
        let draw = |taken: &[bool]| {
            let taken: Vec<Step> =
                steps.iter().zip(taken).filter(|(_, taken)| **taken).map(|(step, _)| *step).collect();
            (self.draw(room, &taken), taken)
        };
        let fits = |taken: &[bool]| draw(taken).0.iter().all(|line| width(line) <= room);
        let count = (0..steps.len()).find(|&n| fits(&vec![true; n])).unwrap_or(steps.len());
        // The last step may have freed more room than needed: undo the steps that fit again, the most important
        // first.
        let mut taken = vec![true; count];
        for step in (0..count).rev() {
            taken[step] = false;
            taken[step] = !fits(&taken);
        }
        let (lines, taken) = draw(&taken);
        let gone = self.columns.iter().enumerate().filter(|(at, _)| taken.contains(&Step::Drop(*at)));
        (lines, gone.map(|(_, column)| column.name()).collect())
    }

    /// Tables of the first column and as many others as fit, but at least one, until all columns are shown.
    pub(super) fn split(&self, room: usize) -> Vec<Vec<String>> {
        let mut tables = Vec::new();
        let mut from = 1;
        while from < self.columns.len() {
            let draw = |to: usize| {
                let others = (1..self.columns.len()).filter(|at| !(from..to).contains(at));
                self.draw(room, &others.map(Step::Drop).collect::<Vec<_>>())
            };
            let fits = |to: &usize| draw(*to).iter().all(|line| width(line) <= room);
            let to = (from + 1..=self.columns.len()).rev().find(fits).unwrap_or(from + 1);
            tables.push(draw(to));
            from = to;
        }
        tables
    }

    /// The steps that narrow the table, the least important content first.
    fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<(u8, Step)> = RANKS.to_vec();
        steps.retain(|(_, step)| match step {
            Step::Heads(heads) => self.heads != Heads::Whole && *heads > self.heads,
            _ => self.heads == Heads::OneLine,
        });
        for (at, column) in self.columns.iter().enumerate() {
            steps.extend(column.forms.iter().skip(1).map(|(rank, _)| (*rank, Step::Narrow(at))));
            steps.extend(column.goes.map(|rank| (rank, Step::Drop(at))));
        }
        steps.sort_by_key(|(rank, _)| *rank);
        steps.into_iter().map(|(_, step)| step).collect()
    }

    /// The lines of the table, without trailing blanks.
    fn draw(&self, room: usize, taken: &[Step]) -> Vec<String> {
        let heads = taken.iter().filter_map(|step| match step {
            Step::Heads(heads) => Some(*heads),
            _ => None,
        });
        let heads = heads.fold(self.heads, Heads::max);
        let gap = if taken.contains(&Step::Gap) { 1 } else { self.gap };
        let shown = self.columns.iter().enumerate().filter(|(at, _)| !taken.contains(&Step::Drop(*at)));
        let columns: Vec<(Side, Vec<String>)> = shown
            .map(|(at, column)| {
                let narrower = taken.iter().filter(|step| **step == Step::Narrow(at)).count();
                let cells = self.written(column, narrower);
                let wide = cells.iter().flat_map(|cell| cell.lines()).map(width).max().unwrap_or(0);
                let head = heads.broken(&column.head, wide);
                (column.side, std::iter::once(head).chain(cells).collect())
            })
            .collect();
        self.with_words_across(lines(gap, &columns), room, gap)
    }

    /// The cells of a column, with figures aligned.
    fn written(&self, column: &Column, form: usize) -> Vec<String> {
        let (_, cells) = &column.forms[form.min(column.forms.len() - 1)];
        let is_name = std::ptr::eq(column, &self.columns[0]);
        let own = cells.iter().zip(&self.words).map(|(cell, words)| match words {
            Some(_) if !is_name => "",
            _ => cell,
        });
        if column.side == Side::Points {
            return pointed(&own.collect::<Vec<_>>());
        }
        own.map(str::to_owned).collect()
    }

    /// Writes texts across empty columns: comfy-table has no cell that spans several columns.
    fn with_words_across(&self, mut lines: Vec<String>, room: usize, gap: u16) -> Vec<String> {
        let names = self.written(&self.columns[0], 0);
        let head = std::iter::once(width(&self.columns[0].head));
        let indent = names.iter().map(|name| width(name)).chain(head).max().unwrap_or(0) + usize::from(gap);
        for (name, words) in names.iter().zip(&self.words) {
            if let (Some(words), Some(line)) = (words, lines.iter_mut().find(|line| *line == name)) {
                let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
                *line = format!("{name:indent$}{}", cut(&words, room.saturating_sub(indent)));
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

impl Heads {
    /// `head` with a newline at each break. Cells of `cells` characters need no narrower heading.
    fn broken(self, head: &str, cells: usize) -> String {
        if self <= Self::OneLine || width(head) <= cells {
            return head.to_owned();
        }
        let stacked = head.replace(' ', "\n");
        let widest = stacked.lines().map(width).max().unwrap_or(0);
        if self == Self::Stacked || widest <= cells {
            return stacked;
        }
        break_name(&stacked)
    }
}

/// Breaks a name after the underscore nearest to its middle.
fn break_name(head: &str) -> String {
    let middle = head.len() / 2;
    let cuts = head.match_indices('_').map(|(at, _)| at + 1);
    match cuts.min_by_key(|at| at.abs_diff(middle)) {
        Some(at) => format!("{}\n{}", &head[..at], &head[at..]),
        None => head.to_owned(),
    }
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

    /// Two columns of figures. The second has shorter cells and can be left out.
    fn table() -> Table {
        let mut table = Table::new("Variant", ["a", "b"].map(str::to_owned));
        table.push(Column::new(Side::Points, "÷ full_barrier", some(&["1.5", "12"])));
        let long = Column::new(Side::Left, "Racy texels", some(&["100 (max 200) in 3 of 4", "none"]));
        table.push(long.or(2, some(&["100 in 3/4", "none"])).goes(9));
        table
    }

    #[test]
    fn only_what_is_needed_goes() {
        let at = |room: usize| {
            let (lines, left_out) = table().fitted(room);
            (lines.join("\n"), left_out)
        };
        let (text, left_out) = at(60);
        assert!(text.contains("Racy texels") && text.contains("(max 200)") && left_out.is_empty(), "{text}");
        let (text, left_out) = at(35);
        assert!(text.contains("full_barrier") && text.contains("100 in 3/4"), "{text}");
        assert!(!text.contains("max") && left_out.is_empty(), "{text}");
        let (text, left_out) = at(18);
        assert!(text.contains("full_") && !text.contains("100"), "{text}");
        assert_eq!(left_out, ["Racy texels"]);
    }

    #[test]
    fn heads_break_only_where_that_makes_a_column_narrower() {
        let head = "÷ full_barrier";
        assert_eq!(Heads::Broken.broken(head, 14), head);
        assert_eq!(Heads::Stacked.broken(head, 5), "÷\nfull_barrier");
        assert_eq!(Heads::Broken.broken(head, 12), "÷\nfull_barrier");
        assert_eq!(Heads::Broken.broken(head, 5), "÷\nfull_\nbarrier");
        assert_eq!(Heads::OneLine.broken(head, 5), head);
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
