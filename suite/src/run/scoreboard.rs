//! What a run found: one line per sample, and what became of the samples that gave no figures.

use record::Outcome;
use report::{Charset, Column, Paper, Side, Table, wrapped};

use super::manifest::{Entry, Manifest};
use super::outcome::State;

/// Least columns of a finding before the published figures are left out.
const LEAST: usize = 18;

/// States other than right, the worst first, with their words.
const TROUBLES: [(State, &str); 6] = [
    (State::Wrong, "wrong answers"),
    (State::Hung, "hung"),
    (State::Failed, "failed"),
    (State::Interrupted, "interrupted"),
    (State::Skipped, "skipped"),
    (State::Missing, "not measured"),
];

/// The cells of a sample's line.
pub(super) struct Cells {
    /// What was found, or else why nothing was.
    pub(super) finding: String,
    /// The figure of the claim's source, or nothing.
    pub(super) published: String,
    /// Whether the claim holds, or nothing.
    pub(super) outcome: String,
}

impl Cells {
    pub(super) fn of(entry: &Entry) -> Self {
        let Some(headline) = &entry.headline else {
            let finding = if entry.kept { "no headline".to_owned() } else { entry.state.to_string() };
            return Self { finding, published: String::new(), outcome: String::new() };
        };
        Self {
            finding: headline.finding.clone(),
            published: headline.published.clone().unwrap_or_default(),
            outcome: format!("{} {}", headline.outcome.sign(), headline.outcome.words()),
        }
    }
}

/// The scoreboard in at most `room` columns: device and summary, a line per sample, and what went wrong.
pub(super) fn text(manifest: &Manifest, charset: Charset, room: u16) -> String {
    let Manifest { device, samples, .. } = manifest;
    let mut paper = Paper::new(charset, room);
    paper.line(&format!(
        "Hot Lap on {}, driver {} · {}",
        device.name,
        if device.driver_info.is_empty() { &device.driver_name } else { &device.driver_info },
        summary(samples)
    ));
    paper.gap();
    paper.table(&table(samples, charset, room.into()));
    let tally = tally(samples);
    if !tally.is_empty() {
        paper.line(&format!("Claims: {tally}."));
    }
    for entry in samples.iter().filter(|entry| entry.has_trouble()) {
        let reason = entry.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
        paper.line(&format!("{}{reason}", entry.account()));
    }
    paper.text()
}

fn table(samples: &[Entry], charset: Charset, room: usize) -> Table {
    let mut published =
        Column::new(Side::Left, "Published", samples.iter().map(|entry| Cells::of(entry).published));
    published.cells.iter_mut().for_each(|cell| *cell = charset.fit(cell).into_owned());
    let columns = [published].into_iter().filter(|column| column.cells.iter().any(|cell| !cell.is_empty()));
    let columns: Vec<Column> = columns.collect();
    // Two blanks between columns.
    let mut table = Table::new("Sample", samples.iter().map(|entry| entry.sample.clone())).apart(1);
    let others: usize = table.columns.iter().chain(&columns).map(|column| width(column) + 2).sum();
    let limit = u16::try_from(room.saturating_sub(others).max(LEAST)).unwrap_or(u16::MAX);
    let finding = |entry: &Entry| {
        let sign = entry.headline.as_ref().map_or("", |headline| headline.outcome.sign());
        let finding = format!("{sign} {}", Cells::of(entry).finding);
        wrapped(&charset.fit(finding.trim_start()), limit).trim_end().to_owned()
    };
    table.push(Column::new(Side::Left, "Finding", samples.iter().map(finding)));
    columns.into_iter().for_each(|column| table.push(column));
    table
}

/// `9 hold, 4 do not hold`
fn tally(samples: &[Entry]) -> String {
    let count = |outcome| {
        let is = |entry: &&Entry| entry.headline.as_ref().is_some_and(|found| found.outcome == outcome);
        samples.iter().filter(is).count()
    };
    let parts = [
        (count(Outcome::Holds), "hold"),
        (count(Outcome::DoesNotHold), "do not hold"),
        (count(Outcome::Undecided), "undecided"),
        (count(Outcome::SaysNothing), "not tested, since a CPU device says nothing about a GPU"),
    ];
    let some = parts.into_iter().filter(|(count, _)| *count > 0);
    some.map(|(count, words)| format!("{count} {words}")).collect::<Vec<_>>().join(", ")
}

fn width(column: &Column) -> usize {
    column.cells.iter().chain([&column.head]).map(|cell| cell.chars().count()).max().unwrap_or(0)
}

/// `9 samples · 101 s · self-test passed · all answers right`
pub(super) fn summary(samples: &[Entry]) -> String {
    let seconds: f64 = samples.iter().map(|entry| entry.seconds).sum();
    let count = samples.len();
    let plural = if count == 1 { "" } else { "s" };
    let mut parts =
        vec![format!("{count} sample{plural}"), format!("{seconds:.0}\u{a0}s"), self_test(samples)];
    parts.extend(answers(samples));
    parts.join(" · ")
}

fn self_test(samples: &[Entry]) -> String {
    let failed = names(samples, |entry| entry.self_test == Some(false));
    match samples.iter().any(|entry| entry.self_test == Some(true)) {
        _ if !failed.is_empty() => format!("self-test failed: {failed}"),
        true => "self-test passed".into(),
        false => "no self-test".into(),
    }
}

fn answers(samples: &[Entry]) -> Vec<String> {
    let named = |(state, words)| {
        let names = names(samples, |entry| entry.state == state);
        (!names.is_empty()).then(|| format!("{words}: {names}"))
    };
    let mut parts: Vec<String> = TROUBLES.into_iter().filter_map(named).collect();
    if samples.iter().any(|entry| entry.state == State::Right) {
        parts.push(format!("all {}answers right", if parts.is_empty() { "" } else { "other " }));
    }
    parts
}

fn names(samples: &[Entry], which: impl Fn(&Entry) -> bool) -> String {
    let names = samples.iter().filter(|entry| which(entry)).map(|entry| entry.sample.as_str());
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use record::Headline;
    use report::ANSWER_WIDTH as WIDTH;

    use super::super::outcome::Counts;
    use super::*;

    fn right(sample: &str, finding: &str, published: Option<&str>, outcome: Outcome) -> Entry {
        let headline = Headline {
            finding: finding.into(),
            published: published.map(str::to_owned),
            outcome,
            ..Headline::of("a claim")
        };
        let headline = Some(headline);
        Entry {
            state: State::Right,
            kept: true,
            seconds: 2.5,
            rows: Counts { ok: 9, ..Counts::default() },
            headline,
            self_test: Some(true),
            ..Entry::missing(sample)
        }
    }

    fn failed() -> Entry {
        Entry {
            state: State::Failed,
            reason: Some("events_2: it crashed (SIGABRT); the last it said: a sentence that is long".into()),
            seconds: 3.1,
            rows: Counts { ok: 12, error: 1, ..Counts::default() },
            ..Entry::missing("lds_blur")
        }
    }

    /// One of each outcome, then one of each trouble.
    fn all() -> Vec<Entry> {
        let longest = "events take 1.31x as long as a barrier after each of 12 passes";
        let without_headline = Entry { headline: None, ..right("bloom", "", None, Outcome::Holds) };
        let wrong = Entry {
            state: State::Wrong,
            reason: Some("a: 7 elements differ from the CPU reference, the first: texel 1, 2".into()),
            rows: Counts { ok: 8, wrong: 1, ..Counts::default() },
            ..right("wave_launch", "a wave starts every 2.5 ns", None, Outcome::Undecided)
        };
        vec![
            right("drain_fill", "a barrier costs 11 % of a small pass", Some("talk: ≥14 %"), Outcome::Holds),
            right("semi_persistent_waves", longest, Some("article: 0.79x"), Outcome::DoesNotHold),
            right("codegen", "packed takes 0.99x as long as scalar", None, Outcome::Undecided),
            right("data_race", "48 of 48 variants gave the expected answer", None, Outcome::SaysNothing),
            Entry {
                rows: Counts { ok: 8, throttled: 1, ..Counts::default() },
                ..right("cold_caches", "the first run takes 2.10x as long", None, Outcome::Holds)
            },
            without_headline,
            wrong,
            failed(),
            Entry { state: State::Hung, seconds: 9.0, ..Entry::missing("event_matrix") },
            Entry {
                state: State::Skipped,
                reason: Some("no such queue".into()),
                ..Entry::missing("swizzled_remap")
            },
            Entry::missing("tiles_in_one_dispatch"),
        ]
    }

    fn shown(samples: Vec<Entry>, charset: Charset, room: u16) -> String {
        let mut manifest = Manifest::of_a_test(&[]);
        manifest.samples = samples;
        text(&manifest, charset, room)
    }

    #[test]
    fn each_outcome_and_each_trouble_has_a_line() {
        insta::assert_snapshot!(shown(all(), Charset::Utf8, WIDTH));
    }

    #[test]
    fn where_all_is_right_there_is_nothing_else() {
        let samples = all().into_iter().take(2).collect();
        insta::assert_snapshot!(shown(samples, Charset::Ascii, WIDTH));
    }

    #[test]
    fn no_line_is_wider_than_the_room() {
        for charset in [Charset::Utf8, Charset::Ascii] {
            for room in 60..=WIDTH {
                let text = shown(all(), charset, room);
                for line in text.lines() {
                    assert!(line.chars().count() <= room.into(), "{room} columns: {line}");
                }
                assert!(charset == Charset::Utf8 || text.is_ascii(), "{text}");
                assert!(text.contains("do not hold"), "{text}");
            }
        }
    }

    #[test]
    fn the_summary_names_who_failed() {
        let of = |state, self_test| {
            let sample = right("a", "", None, Outcome::Holds);
            summary(&[Entry { state, self_test, ..sample }])
        };
        assert_eq!(
            of(State::Right, Some(true)),
            "1 sample · 2\u{a0}s · self-test passed · all answers right"
        );
        assert_eq!(of(State::Hung, Some(false)), "1 sample · 2\u{a0}s · self-test failed: a · hung: a");
        assert_eq!(of(State::Skipped, None), "1 sample · 2\u{a0}s · no self-test · skipped: a");
    }
}
