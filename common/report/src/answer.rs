//! What a run prints: the answer, one table, one line on correctness, and what to type next.

use record::{Headline, Kind, Outcome, Promise, Record, Row, Shows, Traced};

use super::caveats::{caveats, self_test};
use super::charset::{BLANK, Charset};
use super::correctness;
use super::cross;
use super::facts;
use super::footnotes;
use super::format;
use super::paper::Paper;
use super::percent_of_limit;
use super::rows;
use super::table::{Column, Side, Table};
use super::timestamp_resolution;

/// Widest output where none is asked for.
pub const WIDTH: u16 = 96;
/// Longest bar, in characters.
const BAR: usize = 20;
/// Marks a variant that is correct on this GPU, but not by the specification. The line on correctness explains it.
const ON_THIS_GPU: &str = " ¹";

/// How much of a record is printed, and how.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Characters that may be used.
    pub charset: Charset,
    /// Columns.
    pub room: u16,
    /// Whether lines may have colours.
    pub colours: bool,
    /// Adds every column and every note.
    pub verbose: bool,
    /// Adds the sample's other conclusions.
    pub conclusions: bool,
    /// Prints the times of a CPU device too.
    pub times: bool,
    /// The finding and the correctness alone: something else was asked for, such as a picture.
    pub brief: bool,
}

impl Form {
    /// The form of a text file: everything.
    pub const FILE: Self = Self {
        charset: Charset::Utf8,
        room: super::terminal::FILE_WIDTH,
        colours: false,
        verbose: true,
        conclusions: true,
        times: true,
        brief: false,
    };
}

/// The text of a run. Ends with a newline.
#[must_use]
pub fn answer(record: &Record, form: Form) -> String {
    let form = Form { brief: form.brief && !form.verbose, ..form };
    let mut page = Page { form, text: String::new() };
    let shows_table = !form.brief && (form.times || record.device.kind != Kind::Cpu);
    if !form.brief {
        page.line("", &head(record));
        page.gap();
    }
    headline(&mut page, record);
    if form.verbose {
        page.gap();
        page.plain(&rows::table_in(form.charset, record, form.room));
        return page.text;
    }
    if shows_table {
        page.gap();
        table(&mut page, record);
    }
    if !form.brief {
        page.gap();
    }
    for (is_bad, line) in correctness::lines(record, shows_table) {
        page.line(if is_bad { RED } else { "" }, &line);
    }
    let ended = footnotes::ended(&record.ended);
    ended.into_iter().chain(caveats(record)).for_each(|line| page.line("", &line));
    if form.brief {
        let refused = |row: &Row| match &row.trace {
            Some(Traced::Refused { reason }) => Some(format!("{} is not traced: {reason}", row.label())),
            _ => None,
        };
        record.rows.iter().filter_map(refused).for_each(|line| page.line("", &line));
        return page.text;
    }
    page.gap();
    page.line(DIM, next(record, shows_table));
    page.text
}

const BOLD: &str = "1";
const DIM: &str = "2";
const RED: &str = "31";

/// A text with the colours of a terminal.
struct Page {
    form: Form,
    text: String,
}

impl Page {
    fn line(&mut self, style: &str, line: &str) {
        let mut paper = Paper::new(self.form.charset, self.form.room);
        paper.line(line);
        self.styled(style, &paper.text());
    }

    fn styled(&mut self, style: &str, lines: &str) {
        if style.is_empty() || !self.form.colours {
            return self.plain(lines);
        }
        for line in lines.lines() {
            self.text += &format!("\u{1b}[{style}m{line}\u{1b}[0m\n");
        }
    }

    fn plain(&mut self, lines: &str) {
        self.text += &lines.replace(BLANK, " ");
    }

    fn gap(&mut self) {
        self.text.push('\n');
    }
}

/// `pipelined_events · NVIDIA H200, driver 580.159.04 · passes 12, size 1152x1152 · 7.5 s, self-test passed`
fn head(record: &Record) -> String {
    let settings = record::listed(&record.configuration);
    let settings = if settings.is_empty() { settings } else { format!(" · {settings}") };
    let tested = record.self_test.as_ref().map(|_| format!(", self-test {}", self_test(record)));
    let tested = tested.unwrap_or_default();
    let device = facts::device(&record.device);
    format!("{} · {device}{settings} · {:.1} s{tested}", record.sample, record.seconds)
}

/// The finding, the claim that it tests, and the first of the sample's other conclusions, or all of them.
fn headline(page: &mut Page, record: &Record) {
    if let Some(headline) = &record.headline {
        let finding = capital(&headline.finding);
        let interval = headline.value.as_ref().and_then(record::Value::interval_text);
        let interval = interval.map_or_else(String::new, |interval| format!(" ({interval})"));
        let sign = if headline.outcome == Outcome::SaysNothing { "" } else { headline.outcome.sign() };
        page.line(BOLD, format!("{sign} {finding}{interval}.").trim_start());
        if page.form.brief {
            return;
        }
        page.line("", &claim(headline));
    }
    let conclusions = record.verdict.iter().flat_map(|text| text.lines());
    conclusions.take(if page.form.conclusions { usize::MAX } else { 1 }).for_each(|line| page.line("", line));
}

/// `Claim: events in place of barriers save time, talk: 0.79x. Does not hold here.`
pub(super) fn claim(headline: &Headline) -> String {
    let published = headline.published.as_ref().map_or_else(String::new, |figure| format!(", {figure}"));
    let outcome = match headline.outcome {
        Outcome::SaysNothing => "Not tested: a CPU device says nothing about a GPU".to_owned(),
        outcome => format!("{} here", capital(outcome.words())),
    };
    format!("Claim: {}{published}. {outcome}.", headline.claim)
}

pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn table(page: &mut Page, record: &Record) {
    let mut paper = Paper::new(page.form.charset, page.form.room.min(WIDTH));
    match &record.matrix {
        Some(matrix) => {
            cross::tables(&mut paper, record, matrix, true);
            if let Some(legend) = footnotes::trials_legend(record).filter(|_| matrix.shows == Shows::Races) {
                paper.line(&legend);
            }
        }
        None => {
            // `-v` has every column.
            let room = usize::from(page.form.room.min(WIDTH));
            paper.table(&variants(record).spelled(page.form.charset).narrowed(room));
        }
    }
    page.plain(&paper.text());
}

/// A line per variant: times, and the ratio to the reference as figure and bar.
fn variants(record: &Record) -> Table {
    let rows = &record.rows;
    let column = |side, head: &str, of: &dyn Fn(&Row) -> Option<String>| {
        Column::new(side, head, rows.iter().map(of).collect::<Vec<_>>())
    };
    let alone = timestamp_resolution::isolated(record);
    let names = rows.iter().map(|row| format!("{}{}", row.label(), mark(&row.promise)));
    let mut table =
        Table::new("", names).with_words(rows.iter().map(|row| format::status(&row.status)).collect());
    table.push(column(Side::Points, &format!("alone,{BLANK}µs"), &|row| {
        Some(format::uncertain(row.isolated_us.as_ref()?, alone))
    }));
    table.push_used(column(Side::Points, &format!("back{BLANK}to{BLANK}back"), &|row| {
        Some(format::significant(row.pipelined_us.as_ref()?.median))
    }));
    if let Some((name, ratios)) = ratios(record) {
        let most = ratios.iter().flatten().map(|(median, _)| *median).fold(1.0, f64::max);
        let text = |ratio: &Option<Ratio>| ratio.as_ref().map(|(_, text)| text.clone());
        let bar = |ratio: &Option<Ratio>| {
            Some(ratio.as_ref().map_or_else(String::new, |(median, _)| bar(*median, most)))
        };
        table.push(Column::new(Side::Points, "times", ratios.iter().map(text)));
        let head = format!("{name} ={BLANK}1");
        table.push(Column::new(Side::Left, head, ratios.iter().map(bar)));
    }
    let shares = percent_of_limit::shares(record).into_iter();
    let shares = shares.map(|share| share.map(|share| percent_of_limit::cell(&share)));
    table.push_used(Column::new(Side::Right, format!("of{BLANK}limit"), shares));
    table
}

fn mark(promise: &Promise) -> &'static str {
    match promise {
        Promise::Law | Promise::Fault { .. } | Promise::OtherApi { .. } => "",
        Promise::Hardware { .. } => ON_THIS_GPU,
        Promise::Nothing { .. } => " (races)",
    }
}

/// A median ratio and its text.
type Ratio = (f64, String);

/// The label of the variant that ratios refer to, the usual way if there is one, and each row's ratio with its text.
fn ratios(record: &Record) -> Option<(&str, Vec<Option<Ratio>>)> {
    let (reference, of): (_, fn(&Row) -> Option<_>) = match (&record.baseline, &record.bound) {
        (Some(name), _) => (name, |row| row.to_baseline),
        (None, Some(name)) => (name, |row| row.to_bound),
        (None, None) => return None,
    };
    let label = record.label(reference);
    let text = |row: &Row| Some((of(row)?.median, format::ratio(&of(row)?)));
    let ratios: Vec<_> = record.rows.iter().map(text).collect();
    ratios.iter().any(Option::is_some).then_some((label, ratios))
}

/// A bar as long as `ratio` where `most` takes [`BAR`] characters, with a line at 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "both are below the bar's length"
)]
fn bar(ratio: f64, most: f64) -> String {
    let cells = |value: f64| (value / most * BAR as f64).round().clamp(0.0, BAR as f64) as usize;
    let (length, one) = (cells(ratio).max(1), cells(1.0).max(1));
    let cell = |at: usize| match at {
        at if at + 1 == one => {
            if length > at {
                '█'
            } else {
                '│'
            }
        }
        at if at < length => '▇',
        _ => ' ',
    };
    (0..length.max(one)).map(cell).collect()
}

/// Whether nothing that was timed are commands that a trace could show.
fn times_elsewhere(record: &Record) -> bool {
    let mut timed = record.rows.iter().filter(|row| row.isolated_us.is_some()).peekable();
    timed.peek().is_some() && timed.all(|row| row.record_us.is_none())
}

fn next(record: &Record, shows_table: bool) -> &'static str {
    match (record.device.kind, shows_table) {
        (Kind::Cpu, false) => "check the synchronisation itself: --check   times: --times   all notes: -v",
        (Kind::Cpu, true) => "a CPU device never overlaps dispatches: these times say nothing about a GPU",
        _ if times_elsewhere(record) => "watch it: --live   all notes: -v",
        _ if record.configuration.contains_key("size") => {
            "why: --trace waves.svg   watch it: --live   sizes: --size 256..4096*2   all notes: -v"
        }
        _ => "why: --trace waves.svg   watch it: --live   all notes: -v",
    }
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;
    use crate::charset::width;

    const SHOWN: Form = Form { room: WIDTH, verbose: false, conclusions: false, times: false, ..Form::FILE };

    #[test]
    fn of_every_kind_of_run() {
        for (name, record) in [
            ("variants", fixture::record()),
            ("ratios", fixture::ratios()),
            ("races", fixture::races()),
            ("cpu", fixture::cpu()),
            ("limits", fixture::limits()),
        ] {
            insta::assert_snapshot!(name, answer(&record, SHOWN));
        }
        insta::assert_snapshot!("cpu_with_times", answer(&fixture::cpu(), Form { times: true, ..SHOWN }));
        insta::assert_snapshot!("brief", answer(&fixture::record(), Form { brief: true, ..SHOWN }));
    }

    #[test]
    fn conclusions_beyond_the_first_are_asked_for() {
        let mut record = fixture::record();
        record.verdict = Some("The first.\nThe second.".into());
        assert!(!answer(&record, SHOWN).contains("The second."));
        let all = answer(&record, Form { conclusions: true, ..SHOWN });
        assert!(all.contains("The first.\nThe second.\n"), "{all}");
    }

    #[test]
    fn no_line_is_wider_than_asked() {
        for record in
            [fixture::record(), fixture::cpu(), fixture::limits(), fixture::ratios(), fixture::races()]
        {
            for (room, charset) in
                (60..=WIDTH).flat_map(|room| [(room, Charset::Utf8), (room, Charset::Ascii)])
            {
                let text = answer(&record, Form { room, charset, times: true, ..SHOWN });
                assert!(charset == Charset::Utf8 || text.is_ascii(), "{text}");
                let widest = text.lines().map(width).max().unwrap();
                assert!(widest <= usize::from(room), "{widest} columns at {room}\n{text}");
            }
        }
    }

    /// Waves of what was not timed are no explanation of times.
    #[test]
    fn a_trace_is_advised_where_it_explains() {
        let mut record = fixture::record();
        let advises = |record: &Record| answer(record, SHOWN).contains("--trace");
        assert!(advises(&record));
        record.rows.iter_mut().for_each(|row| row.record_us = None);
        assert!(!advises(&record));
        record.rows.iter_mut().for_each(|row| row.isolated_us = None);
        assert!(advises(&record));
    }

    #[test]
    fn colours_are_for_terminals() {
        let coloured = answer(&fixture::record(), Form { colours: true, ..SHOWN });
        assert!(coloured.contains("\u{1b}[1m"));
        assert!(!answer(&fixture::record(), SHOWN).contains('\u{1b}'));
    }

    #[test]
    fn a_bar_has_a_line_at_one() {
        assert_eq!(bar(0.5, 2.0), "▇▇▇▇▇    │");
        assert_eq!(bar(1.0, 2.0), "▇▇▇▇▇▇▇▇▇█");
        assert_eq!(bar(2.0, 2.0), "▇▇▇▇▇▇▇▇▇█▇▇▇▇▇▇▇▇▇▇");
    }
}
