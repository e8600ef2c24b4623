//! Tables as the page and its Markdown both show them.

use record::stats::Summary;
use record::{Record, Row, Traced};
use report::words;

use super::book::{Book, Entry};
use super::devices::{Comparison, figure};
use super::ladder::{counts_races, raced};
use super::sweep::Sweep;

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Heads, and which columns hold figures.
    pub columns: Vec<(String, bool)>,
    /// From above.
    pub lines: Vec<Line>,
}

/// A line of a table.
#[derive(Clone, Debug)]
pub enum Line {
    /// A cell a column.
    Cells(Vec<Cell>),
    /// A name, and words across all other columns.
    Words(String, String),
}

/// A cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What it says.
    pub text: String,
    /// The section that it leads to.
    pub link: Option<String>,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, link: None }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// What stands where there is nothing.
const ABSENT: &str = "–";

fn or_absent(text: Option<String>) -> String {
    text.unwrap_or_else(|| ABSENT.into())
}

/// Head, whether it holds figures, and the cell of a row.
type Column<'f, R> = (String, bool, &'f dyn Fn(&R) -> Option<String>);

/// A row, what it says instead of figures, and its name.
type Named<R> = (R, Option<String>, String);

impl Table {
    /// A column of text, of all `rows`, unless none has any.
    fn with<R>(columns: &[Column<'_, R>], rows: &[Named<R>]) -> Self {
        let measured = || rows.iter().filter(|(_, words, _)| words.is_none());
        let used: Vec<_> =
            columns.iter().filter(|(_, _, of)| measured().any(|(row, ..)| of(row).is_some())).collect();
        let line = |(row, words, name): &Named<R>| match words {
            Some(words) => Line::Words(name.clone(), words.clone()),
            None => {
                let cells = used.iter().map(|(_, _, of)| or_absent(of(row)).into());
                Line::Cells([name.as_str().into()].into_iter().chain(cells).collect())
            }
        };
        let heads = used.iter().map(|(head, figures, _)| (head.clone(), *figures));
        Self {
            columns: [("Variant".to_owned(), false)].into_iter().chain(heads).collect(),
            lines: rows.iter().map(line).collect(),
        }
    }
}

fn time(summary: &Summary, near_floor: bool, error: Option<String>) -> String {
    let error = error.map_or(String::new(), |error| format!(" {error}"));
    words::time(summary, near_floor) + &error
}

/// A row, and what the terminal's table has in further columns of it.
struct Listed<'r> {
    row: &'r Row,
    of_limit: Option<String>,
    rate: Option<String>,
    predicted: Option<String>,
}

/// All rows as [`Table::with`] takes them, and the heads of the columns of rates and predictions.
fn listed(record: &Record) -> (Vec<Named<Listed<'_>>>, [String; 2]) {
    let ((rate, rates), (prediction, predictions)) = (words::rates(record), words::predictions(record));
    let cells = words::shares(record).into_iter().zip(rates).zip(predictions);
    let listed = record.rows.iter().zip(cells).map(|(row, ((of_limit, rate), predicted))| {
        let listed = Listed { row, of_limit, rate, predicted };
        (listed, words::status(&row.status), row.variant.clone())
    });
    (listed.collect(), [rate, prediction])
}

/// All rows of a record.
pub fn rows(record: &Record) -> Table {
    let (listed, [rate, prediction]) = listed(record);
    let times = !counts_races(record);
    let to_reference = |Listed { row, .. }: &Listed<'_>| match record.reference() {
        Some(name) if name == row.variant => Some("the reference".to_owned()),
        _ => record.to_reference(row).map(|ratio| words::ratio_in_words(&ratio)),
    };
    let second = record.baseline.as_ref().filter(|name| record.reference() != Some(name));
    let to_baseline = |l: &Listed<'_>| second.and(l.row.to_baseline).map(|ratio| words::ratio(&ratio));
    let mixed = record.rows.iter().any(|row| words::lawful(&row.promise) != "yes");
    let isolated = |l: &Listed<'_>| {
        let measured = l.row.isolated_us.filter(|_| times);
        measured.map(|s| time(&s, l.row.near_floor, words::isolated_error(record, &s)))
    };
    let pipelined =
        |l: &Listed<'_>| l.row.pipelined_us.map(|s| time(&s, false, words::pipelined_error(record, &s)));
    let racy = |l: &Listed<'_>| l.row.racy.filter(|_| mixed).map(words::racy);
    let lawful = |l: &Listed<'_>| mixed.then(|| words::lawful(&l.row.promise).to_owned());
    let head = |name: Option<&str>| format!("÷ {}", name.unwrap_or_default());
    Table::with(
        &[
            ("Isolated µs".into(), true, &isolated),
            ("Pipelined µs".into(), true, &pipelined),
            (head(record.reference()), false, &to_reference),
            (head(second.map(String::as_str)), true, &to_baseline),
            ("of limit".into(), true, &|l: &Listed<'_>| l.of_limit.clone().filter(|_| times)),
            (rate, true, &|l: &Listed<'_>| l.rate.clone().filter(|_| times)),
            (prediction, true, &|l: &Listed<'_>| l.predicted.clone()),
            ("Racy texels".into(), false, &racy),
            ("Lawful".into(), false, &lawful),
        ],
        &listed,
    )
}

/// What the traces show; none where there is none.
pub fn traces(record: &Record) -> Option<Table> {
    let listed: Vec<Named<&Row>> = record
        .rows
        .iter()
        .filter_map(|row| match row.trace.as_ref()? {
            Traced::Ok { .. } => Some((row, None, row.variant.clone())),
            Traced::Refused { reason } => {
                Some((row, Some(format!("no trace: {reason}")), row.variant.clone()))
            }
        })
        .collect();
    let of = |row: &&Row| match row.trace.as_ref()? {
        Traced::Ok { figures, overhead } => Some((figures.as_ref().clone(), *overhead)),
        Traced::Refused { .. } => None,
    };
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let span = |row: &&Row| Some(words::significant(of(row)?.0.whole.span_us()));
    let fill = |row: &&Row| Some(words::significant(of(row)?.0.whole.fill_us));
    let steady = |row: &&Row| Some(words::significant(of(row)?.0.whole.steady_us));
    let drain = |row: &&Row| Some(words::significant(of(row)?.0.whole.drain_us));
    let gaps = |row: &&Row| Some(words::significant(of(row)?.0.gaps_us));
    let idle = |row: &&Row| Some(percent(of(row)?.0.whole.idle));
    let overlap = |row: &&Row| match of(row)?.0.overlapping() {
        (_, 0) => None,
        (some, all) => Some(format!("{some} of {all}")),
    };
    let estimate = |row: &&Row| Some(words::significant(of(row)?.0.estimate_us));
    let peak = |row: &&Row| Some(format!("{:.0}", of(row)?.0.whole.peak));
    let overhead = |row: &&Row| Some(percent(of(row)?.1?));
    (!listed.is_empty()).then(|| {
        Table::with(
            &[
                ("Span µs".into(), true, &span),
                ("Fill µs".into(), true, &fill),
                ("Steady µs".into(), true, &steady),
                ("Drain µs".into(), true, &drain),
                ("Gaps µs".into(), true, &gaps),
                ("Idle".into(), true, &idle),
                ("Overlap the next".into(), true, &overlap),
                ("Estimate µs".into(), true, &estimate),
                ("Peak waves".into(), true, &peak),
                ("Tracing added".into(), true, &overhead),
            ],
            &listed,
        )
    })
}

/// A line a variant, a column a value.
pub fn sweep(sweep: &Sweep<'_>) -> Table {
    let heads = sweep.steps.iter().map(|step| (format!("{} {}", sweep.over, step.value), true));
    let lines = sweep.lines();
    let line = |line: &super::plot::Line| {
        let at = |amount: f64| line.points.iter().find(|point| point.x == amount);
        let cells =
            sweep.steps.iter().map(|step| or_absent(at(step.amount).map(|p| words::significant(p.y))).into());
        Line::Cells([line.name.as_str().into()].into_iter().chain(cells).collect())
    };
    Table {
        columns: [("Isolated µs".to_owned(), false)].into_iter().chain(heads).collect(),
        lines: lines.iter().map(line).collect(),
    }
}

/// A line a variant, two columns a device.
pub fn devices(comparison: &Comparison<'_>) -> Table {
    let reference = comparison.reference();
    let mut columns = vec![("Variant".to_owned(), false)];
    for entry in &comparison.entries {
        columns.push((format!("{}: µs", entry.device), true));
        columns.extend(reference.map(|name| (format!("÷ {name}"), true)));
    }
    let line = |name: &str| {
        let cells = comparison.entries.iter().flat_map(|entry| {
            let row = super::book::measured(entry.record(), name);
            let time = row.and_then(|row| row.isolated_us).map(|s| figure(&s, false));
            let ratio = row.and_then(|row| entry.record().to_reference(row)).map(|s| figure(&s, true));
            [Some(or_absent(time)), reference.map(|_| or_absent(ratio))].into_iter().flatten().map(Cell::from)
        });
        Line::Cells([name.into()].into_iter().chain(cells).collect())
    };
    Table { columns, lines: comparison.variants().into_iter().map(line).collect() }
}

/// A line a record.
pub fn overview(book: &Book) -> Table {
    let heads = ["Sample", "Device", "Differs in", "Rows", "Beware", "In short"];
    Table {
        columns: heads.map(|head| (head.to_owned(), false)).into(),
        lines: book.entries.iter().map(|entry| Line::Cells(summary(entry))).collect(),
    }
}

fn summary(entry: &Entry) -> Vec<Cell> {
    let record = entry.record();
    let flags: Vec<String> = super::facts::flags(record).into_iter().map(|flag| flag.short).collect();
    vec![
        Cell { text: record.sample.clone(), link: Some(entry.id.clone()) },
        entry.device.as_str().into(),
        entry.differs.as_str().into(),
        statuses(record).into(),
        flags.join(", ").into(),
        super::facts::in_short(record).into(),
    ]
}

/// `9 ok, 1 skipped, 2 of them raced`.
fn statuses(record: &Record) -> String {
    use record::Status;
    let word = |row: &Row| row.status.word();
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for row in &record.rows {
        match counts.iter_mut().find(|(known, _)| *known == word(row)) {
            Some((_, count)) => *count += 1,
            None => counts.push((word(row), 1)),
        }
    }
    let mut parts: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    let racing = record.rows.iter().filter(|row| row.status == Status::Ok && raced(row)).count();
    if racing > 0 {
        parts.push(format!("{racing} raced"));
    }
    if parts.is_empty() { "none".into() } else { parts.join(", ") }
}
