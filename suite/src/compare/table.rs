//! The comparison as a reader gets it.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use record::judge::Verdict;
use report::{Charset, wrapped};

use super::outcome::{Change, Comparison, Outcome, Pair};
use super::rule::Judged;

/// What stands where there is no figure.
const ABSENT: &str = "–";

/// Behind a factor that the medians contradict.
const OUTSIDE: &str = "*";

/// A table for each pair of records with rows to show, of at most `room` columns where that is possible,
/// and below all how many of each outcome there are. Ends with a newline.
#[must_use]
pub fn table(charset: Charset, room: u16, compared: &Comparison, all: bool) -> String {
    let line = |line: &str| wrapped(&charset.fit(line), room);
    let mut text: String = broken(compared).iter().map(|told| line(told)).collect();
    if !text.is_empty() {
        text.push('\n');
    }
    for pair in &compared.pairs {
        text += &section(charset, room, pair, all);
    }
    for note in &compared.notes {
        text += &line(note);
    }
    text += &line(&counts(compared));
    text += &line(&format!(
        "No difference is one of up to {} % and the step of the timestamps.",
        trimmed(compared.tolerance * 100.0)
    ));
    explained(compared, all).iter().for_each(|told| text += &line(told));
    text
}

/// How the figures of the rows that are shown are to be read.
fn explained(compared: &Comparison, all: bool) -> Vec<String> {
    let rows = compared.pairs.iter().flat_map(|pair| shown(pair, all));
    let times: Vec<&Judged> = rows.flat_map(|row| [&row.isolated, &row.pipelined]).flatten().collect();
    let mut lines = Vec::new();
    if times.iter().any(|judged| judged.shift.is_some()) {
        lines.push(
            "Times are medians; a change is the median of all quotients of a sample of the second side and one of the \
             first, with its 95 % interval. Where samples lie in groups, it can differ from the quotient of the \
             medians."
                .into(),
        );
    }
    if times.iter().any(|judged| judged.medians_outside) {
        lines.push(format!("{OUTSIDE}: the quotient of the two medians lies outside this interval."));
    }
    lines
}

/// What is wrong that was right comes before all else.
fn broken(compared: &Comparison) -> Vec<String> {
    let rows = compared.pairs.iter().flat_map(|pair| pair.rows.iter().map(move |row| (pair, row)));
    rows.filter(|(_, row)| row.outcome == Outcome::Broken)
        .map(|(pair, row)| {
            let status = row.status.as_deref().unwrap_or(ABSENT);
            format!("BROKEN: {} of {}: {status}", row.variant, pair.sample)
        })
        .collect()
}

/// `1`, `0.5`: without zeros at its end.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// How often each outcome occurs, the worst first.
fn counts(compared: &Comparison) -> String {
    let rows: usize = compared.counts.values().sum();
    let each: Vec<String> =
        compared.counts.iter().map(|(outcome, count)| format!("{count} {}", outcome.word())).collect();
    let plural = if rows == 1 { "" } else { "s" };
    if rows == 0 {
        "No variant is in both.".into()
    } else {
        format!("{rows} variant{plural}: {}.", each.join(", "))
    }
}

/// A pair of records: what it is, what differs, its rows; nothing where there is nothing to say.
fn section(charset: Charset, room: u16, pair: &Pair, all: bool) -> String {
    let rows: Vec<&Change> = shown(pair, all).collect();
    let alone = [("first", &pair.only_before), ("second", &pair.only_after)];
    let nothing = rows.is_empty() && alone.iter().all(|(_, names)| names.is_empty());
    if nothing && pair.differences.is_empty() {
        return String::new();
    }
    let settings: Vec<String> = pair.configuration.iter().map(|(k, v)| format!("{k} {v}")).collect();
    let title = [std::slice::from_ref(&pair.sample), &settings].concat().join(", ");
    let wrapped = |line: &str| wrapped(&charset.fit(line), room);
    let mut text = wrapped(&title);
    for line in &pair.differences {
        text += &wrapped(&format!("- {line}"));
    }
    for (side, names) in alone.into_iter().filter(|(_, names)| !names.is_empty()) {
        text += &wrapped(&format!("- only in the {side}: {}", names.join(", ")));
    }
    if !rows.is_empty() {
        text += &drawn(charset, room, &rows);
        reasons(&rows).iter().for_each(|reason| text += &wrapped(reason));
    }
    text + "\n"
}

/// The rows that a table shows.
fn shown(pair: &Pair, all: bool) -> impl Iterator<Item = &Change> {
    let quiet = |row: &&Change| matches!(row.outcome, Outcome::Same | Outcome::Without);
    pair.rows.iter().filter(move |row| all || !quiet(row))
}

/// Why rows are undecided: those with the same reason on one line.
fn reasons(rows: &[&Change]) -> Vec<String> {
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    let mut tell = |name: String, reason: &str| match lines.iter_mut().find(|(known, _)| known == reason) {
        Some((_, names)) => names.push(name),
        None => lines.push((reason.to_owned(), vec![name])),
    };
    for row in rows {
        for (time, judged) in [("", &row.isolated), (" (pipelined)", &row.pipelined)] {
            if let Some(reason) = judged.as_ref().and_then(|judged| judged.reason.as_deref()) {
                tell(format!("{}{time}", row.variant), reason);
            }
        }
        let told = row.outcome != Outcome::Broken;
        if let Some(status) = row.status.as_deref().filter(|_| told) {
            tell(row.variant.clone(), status);
        }
    }
    lines.iter().map(|(reason, names)| format!("{}: {reason}.", names.join(", "))).collect()
}

/// How much a table shows, from everything to the least.
const WIDTHS: [Width; 4] = [
    Width { times: true, intervals: true, pipelined: true },
    Width { times: true, intervals: false, pipelined: true },
    Width { times: false, intervals: false, pipelined: true },
    Width { times: false, intervals: false, pipelined: false },
];

#[derive(Clone, Copy)]
struct Width {
    times: bool,
    intervals: bool,
    pipelined: bool,
}

fn drawn(charset: Charset, room: u16, rows: &[&Change]) -> String {
    let mut tables = WIDTHS.iter().map(|width| draw(charset, rows, *width));
    let fits = |text: &String| text.lines().all(|line| line.chars().count() <= usize::from(room));
    let widest = tables.find(fits);
    widest.unwrap_or_else(|| draw(charset, rows, WIDTHS[WIDTHS.len() - 1]))
}

fn draw(charset: Charset, rows: &[&Change], width: Width) -> String {
    let rule = charset.fit("─").chars().next().unwrap_or('-');
    let rule = LineStyle::none().fill(rule).junction(rule);
    let mut table = Table::new();
    table
        .load_style(TableStyle::new().top_border(rule).header_separator(rule).bottom_border(rule))
        .set_content_arrangement(ContentArrangement::Disabled);
    let fitted = |cells: Vec<String>| {
        cells.into_iter().map(|cell| charset.fit(&cell).into_owned()).collect::<Vec<_>>()
    };
    let heads = fitted(heads(width));
    let columns = heads.len();
    table.set_header(heads);
    for row in rows {
        table.add_row(fitted(cells(row, width)));
    }
    for at in 0..columns {
        if let Some(column) = table.column_mut(at) {
            column.set_padding((0, if at + 1 == columns { 0 } else { 2 }));
            column.set_cell_alignment(if at < 2 { CellAlignment::Left } else { CellAlignment::Right });
        }
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn heads(width: Width) -> Vec<String> {
    let mut heads = vec!["Variant".to_owned(), "Verdict".to_owned()];
    let times = [("Isolated", true), ("Pipelined", width.pipelined)];
    for (time, _) in times.into_iter().filter(|(_, shown)| *shown) {
        if width.times {
            heads.push(format!("{time} µs"));
        }
        heads.extend([if width.times { "by".to_owned() } else { time.to_owned() }, String::new()]);
    }
    heads
}

fn cells(row: &Change, width: Width) -> Vec<String> {
    let mut cells = vec![row.variant.clone(), row.outcome.word().to_owned()];
    let times = [(&row.isolated, true), (&row.pipelined, width.pipelined)];
    for (judged, _) in times.into_iter().filter(|(_, shown)| *shown) {
        let Some(judged) = judged else {
            cells.extend(std::iter::repeat_n(String::new(), if width.times { 3 } else { 2 }));
            continue;
        };
        if width.times {
            cells.push(format!("{} → {}", digits(judged.before_us), digits(judged.after_us)));
        }
        cells.push(by(judged, width.intervals));
        cells.push(word(judged).to_owned());
    }
    cells
}

/// In small letters: the variant's own verdict stands in capitals.
fn word(judged: &Judged) -> &'static str {
    match judged.verdict {
        Verdict::Slower => "slower",
        Verdict::Faster => "faster",
        Verdict::Same => "same",
        Verdict::Unsure => "unsure",
    }
}

/// `+3.0 % (+2.8 to +3.2)`, with a mark where the medians contradict it.
fn by(judged: &Judged, interval: bool) -> String {
    let Some(shift) = judged.shift else { return ABSENT.into() };
    let mark = if judged.medians_outside { OUTSIDE } else { "" };
    let percent = |ratio: f64| {
        let change = (ratio - 1.0) * 100.0;
        // A rounded nothing has no sign.
        if change.abs() < 0.05 { "0.0".to_owned() } else { format!("{change:+.1}") }
    };
    let change = percent(shift.ratio);
    match interval {
        true => {
            format!("{change} %{mark} ({} to {})", percent(shift.interval.low), percent(shift.interval.high))
        }
        false => format!("{change} %{mark}"),
    }
}

/// Four significant digits.
fn digits(us: f64) -> String {
    match us {
        1000.0.. => format!("{us:.0}"),
        100.0.. => format!("{us:.1}"),
        10.0.. => format!("{us:.2}"),
        _ => format!("{us:.3}"),
    }
}
