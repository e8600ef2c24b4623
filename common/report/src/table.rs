//! The table of the terminal.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use record::figures::Share;
use record::stats::Summary;
use record::{Promise, Record, Row, Status};

use super::below;
use super::cell::{self, cut};
use super::charset::Charset;
use super::cross;
use super::figure::{self, ABSENT, BLANK, Figure, align, width};
use super::layout::Layout;
use super::share;
use super::step;

/// The rows of `record` as a table of at most `width` terminal columns, one line a variant in the
/// sample's order, and below it what the reader must know to read it. Ends with a newline.
///
/// A record with a matrix is shown as cross tables instead. Narrow tables leave columns out and say
/// which; names are never cut, so a name that is wider than `width` makes the table wider.
#[must_use]
pub fn table(record: &Record, width: u16) -> String {
    table_in(Charset::Utf8, record, width)
}

/// As [`table`], in the characters of `charset`.
#[must_use]
pub fn table_in(charset: Charset, record: &Record, width: u16) -> String {
    let width = usize::from(width);
    let (bound, baseline) = (record.bound.as_deref(), record.baseline.as_deref());
    let shares = share::shares(record);
    let sheet = Sheet { charset, width, record, bound, baseline, shares };
    let layout = Layout::fitting(|layout| sheet.draw(layout).iter().all(|line| figure::width(line) <= width));
    let (lines, left_out) = match &record.matrix {
        Some(matrix) => (cross::tables(charset, width, record, matrix), Vec::new()),
        None => (sheet.draw(layout), sheet.left_out(layout)),
    };
    let mut text = lines.join("\n") + "\n";
    for group in below::groups(record, &text, &left_out) {
        text.push('\n');
        for line in group {
            below::wrap(&charset.fit_part(&line), width, &mut text);
        }
    }
    text
}

/// A record, what its rows are compared to, and the room for them.
struct Sheet<'a> {
    charset: Charset,
    width: usize,
    record: &'a Record,
    bound: Option<&'a str>,
    baseline: Option<&'a str>,
    /// What each row reaches of the device's own limits.
    shares: Vec<Option<Share>>,
}

/// One column: head, and a cell a row.
struct Column {
    head: String,
    cells: Vec<String>,
    alignment: CellAlignment,
    shown: bool,
}

impl Column {
    fn left(head: impl Into<String>, cells: Vec<String>) -> Self {
        Self { head: head.into(), cells, alignment: CellAlignment::Left, shown: true }
    }

    fn right(head: impl Into<String>, cells: Vec<String>) -> Self {
        Self { alignment: CellAlignment::Right, ..Self::left(head, cells) }
    }

    fn figures(head: impl Into<String>, figures: &[Figure]) -> Self {
        Self { alignment: CellAlignment::Right, ..Self::left(head, align(figures)) }
    }

    /// Of its widest cell.
    fn width(&self) -> usize {
        let lines = self.cells.iter().flat_map(|cell| cell.lines());
        lines.map(width).max().unwrap_or(0)
    }

    fn only_if(self, shown: bool) -> Self {
        Self { shown, ..self }
    }
}

impl Sheet<'_> {
    /// The lines of the table, without blanks at their ends.
    fn draw(&self, layout: Layout) -> Vec<String> {
        let columns: Vec<_> = self.columns(layout).into_iter().filter(|c| c.shown).collect();
        let mut table = Table::new();
        let rule = self.charset.rule();
        let rule = LineStyle::none().fill(rule).junction(rule);
        table
            .load_style(TableStyle::new().top_border(rule).header_separator(rule).bottom_border(rule))
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(columns.iter().map(|c| layout.heads.broken(&c.head, c.width())));
        for row in 0..self.record.rows.len() {
            table.add_row(columns.iter().map(|c| c.cells[row].as_str()));
        }
        let last = columns.len() - 1;
        for (index, column) in columns.iter().enumerate() {
            if let Some(drawn) = table.column_mut(index) {
                drawn.set_padding((0, if index == last { 0 } else { layout.gap }));
                drawn.set_cell_alignment(column.alignment);
            }
        }
        let lines = table.lines().map(|line| line.replace(BLANK, " ").trim_end().to_owned()).collect();
        let names = columns[0].width().max(width(&columns[0].head));
        self.with_statuses(lines, names + usize::from(layout.gap))
    }

    /// Writes the status of rows without figures across their columns, which are empty: comfy-table
    /// has no cell that spans several.
    fn with_statuses(&self, mut lines: Vec<String>, indent: usize) -> Vec<String> {
        for row in &self.record.rows {
            let Some(status) = cell::status(&row.status) else {
                continue;
            };
            if let Some(line) = lines.iter_mut().find(|line| **line == row.variant) {
                let status = cut(&status, self.width.saturating_sub(indent), self.charset);
                *line = format!("{:indent$}{status}", row.variant);
            }
        }
        let widest = lines.iter().map(|line| width(line)).max().unwrap_or(0);
        let rule = self.charset.rule();
        for line in lines.iter_mut().filter(|line| line.starts_with(rule)) {
            *line = rule.to_string().repeat(widest);
        }
        lines
    }

    fn columns(&self, layout: Layout) -> Vec<Column> {
        let rows = &self.record.rows;
        let any = |has: fn(&Row) -> bool| rows.iter().any(|row| measured(row) && has(row));
        // What all rows share stands below the table.
        let mixed = rows.iter().any(|row| row.promise != Promise::Law);
        let [coarse, coarse_pipelined] = [step::isolated(self.record), step::pipelined(self.record)];
        let pipelined = self.figures(|row| {
            let figure = row.pipelined_us.as_ref().map(|s| Figure::time(s, false, coarse_pipelined))?;
            Some(if layout.pipelined_error { figure } else { figure.without_error() })
        });
        let ((rate, rates), (prediction, predictions)) =
            (share::rates(self.record), share::predictions(self.record));
        let columns = [
            Column::left("Variant", rows.iter().map(|row| row.variant.clone()).collect()),
            Column::figures(
                format!("Isolated{BLANK}µs"),
                &self
                    .figures(|row| row.isolated_us.as_ref().map(|s| Figure::time(s, row.near_floor, coarse))),
            ),
            Column::figures("Pipelined µs", &pipelined)
                .only_if(layout.pipelined && any(|row| row.pipelined_us.is_some())),
            self.ratio(self.bound, |row| row.to_bound.as_ref())
                .only_if(layout.to_bound && self.bound.is_some()),
            self.ratio(self.baseline, |row| row.to_baseline.as_ref())
                .only_if(layout.to_baseline && self.baseline.is_some() && self.baseline != self.bound),
            self.texts("of limit".into(), self.shares.iter().map(|s| s.as_ref().map(share::cell)))
                .only_if(layout.of_limit && self.shares.iter().any(Option::is_some)),
            self.texts(rate, rates).only_if(layout.work && any(|row| row.declared.work.is_some())),
            self.texts(prediction, predictions)
                .only_if(layout.predicted && any(|row| row.declared.predicted.is_some())),
            Column::left("Racy texels", self.cells(|row| row.racy.map(|r| cell::racy(r, layout.racy))))
                .only_if(mixed && any(|row| row.racy.is_some())),
            Column::left("Lawful", self.cells(|row| Some(cell::lawful(&row.promise).to_owned())))
                .only_if(mixed && layout.lawful),
            Column::left("Published", self.cells(cell::published))
                .only_if(layout.published && any(|row| row.published.is_some())),
        ];
        columns
            .map(|column| Column { head: self.charset.fit_part(&column.head).into_owned(), ..column })
            .into()
    }

    fn ratio(&self, to: Option<&str>, of: fn(&Row) -> Option<&Summary>) -> Column {
        let head = format!("÷ {}", to.unwrap_or_default());
        Column::figures(head, &self.figures(|row| of(row).map(Figure::ratio)))
    }

    /// One figure a row: absent where there is none, nothing at all where the row has a status.
    fn figures(&self, of: impl Fn(&Row) -> Option<Figure>) -> Vec<Figure> {
        let figure = |row: &Row| {
            if measured(row) { of(row).unwrap_or_else(Figure::absent) } else { Figure::nothing() }
        };
        self.record.rows.iter().map(|row| figure(row).fit(self.charset)).collect()
    }

    fn cells(&self, mut of: impl FnMut(&Row) -> Option<String>) -> Vec<String> {
        let mut cell = |row: &Row| {
            let text = of(row);
            if measured(row) { text.unwrap_or_else(|| ABSENT.into()) } else { String::new() }
        };
        self.record.rows.iter().map(|row| self.charset.fit_part(&cell(row)).into_owned()).collect()
    }

    /// A column of one text a row, flush right.
    fn texts(&self, head: String, texts: impl IntoIterator<Item = Option<String>>) -> Column {
        let mut texts = texts.into_iter();
        Column::right(head, self.cells(|_| texts.next().flatten()))
    }

    /// Heads of the columns that the record could fill and the layout leaves out.
    fn left_out(&self, layout: Layout) -> Vec<String> {
        let all = self.columns(Layout::WIDEST);
        let shown = self.columns(layout);
        let gone = all.into_iter().zip(shown).filter(|(all, shown)| all.shown && !shown.shown);
        gone.map(|(all, _)| all.head.replace(BLANK, " ")).collect()
    }
}

/// The row has figures, or would have them had the run gone on.
pub(super) fn measured(row: &Row) -> bool {
    row.status == Status::Ok
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;

    fn drawn(width: u16) -> String {
        table(&fixture::record(), width)
    }

    #[test]
    fn columns_140() {
        insta::assert_snapshot!(drawn(140));
    }

    #[test]
    fn columns_100() {
        insta::assert_snapshot!(drawn(100));
    }

    #[test]
    fn columns_80() {
        insta::assert_snapshot!(drawn(80));
    }

    #[test]
    fn columns_60() {
        insta::assert_snapshot!(drawn(60));
    }

    #[test]
    fn columns_100_in_ascii() {
        insta::assert_snapshot!(table_in(Charset::Ascii, &fixture::record(), 100));
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
            let widest = text.lines().map(self::width).max().unwrap();
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
