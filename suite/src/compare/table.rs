//! The comparison as a reader gets it.

use report::{Charset, wrapped};

use super::outcome::{Change, Comparison, Outcome, Pair};
use super::rule::Judged;
use crate::tables::{drawn, listed};

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
    let settings = listed(&pair.configuration);
    let title =
        if settings.is_empty() { pair.sample.clone() } else { format!("{}, {settings}", pair.sample) };
    let wrapped = |line: &str| wrapped(&charset.fit(line), room);
    let mut text = wrapped(&title);
    for line in &pair.differences {
        text += &wrapped(&format!("- {line}"));
    }
    for (side, names) in alone.into_iter().filter(|(_, names)| !names.is_empty()) {
        text += &wrapped(&format!("- only in the {side}: {}", names.join(", ")));
    }
    if !rows.is_empty() {
        text += &fitting(charset, room, &rows);
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

/// How much a table shows: medians, intervals, and how many of the two times.
type Width = (bool, bool, usize);

/// From everything to the least.
const WIDTHS: [Width; 4] = [(true, true, 2), (true, false, 2), (false, false, 2), (false, false, 1)];

/// The widest table that fits, or else the narrowest.
fn fitting(charset: Charset, room: u16, rows: &[&Change]) -> String {
    let draw = |width| drawn(charset, 2, &heads(width), rows.iter().map(|row| cells(row, width)));
    let fits = |text: &String| text.lines().all(|line| line.chars().count() <= usize::from(room));
    let [widths @ .., narrowest] = WIDTHS;
    widths.into_iter().map(draw).find(fits).unwrap_or_else(|| draw(narrowest))
}

fn heads((medians, _, times): Width) -> Vec<String> {
    let mut heads = vec!["Variant".to_owned(), "Verdict".to_owned()];
    for time in ["Isolated", "Pipelined"].into_iter().take(times) {
        heads.extend(medians.then(|| format!("{time} µs")));
        heads.extend([if medians { "by" } else { time }.to_owned(), String::new()]);
    }
    heads
}

fn cells(row: &Change, (medians, intervals, times): Width) -> Vec<String> {
    let mut cells = vec![row.variant.clone(), row.outcome.word().to_owned()];
    for judged in [&row.isolated, &row.pipelined].into_iter().take(times) {
        let Some(judged) = judged else {
            cells.extend(std::iter::repeat_n(String::new(), if medians { 3 } else { 2 }));
            continue;
        };
        cells.extend(medians.then(|| format!("{} → {}", digits(judged.before_us), digits(judged.after_us))));
        cells.push(by(judged, intervals));
        // In small letters: the variant's own verdict stands in capitals.
        cells.push(judged.verdict.word().to_lowercase());
    }
    cells
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
