//! Shows the progress of a run: the bar for all samples, a line per sample, and the final table.

use std::time::Duration;

use indicatif::ProgressBar;
use report::terminal::{FILE_WIDTH, progress_bar, say};
use report::{Charset, Column, Paper, Side, Table};

use super::manifest::{Entry, Manifest};
use super::outcome::Counts;
use crate::child::{Phase, Progress};
use crate::stop::Stop;

/// Shown to a user who has asked the run to end.
const STOPPING: &str = "stopping after the current sample; Ctrl-C again: at once";

/// The progress over all samples of a run.
pub(super) struct Total {
    bar: ProgressBar,
    done: usize,
    of: usize,
    furthest: f64,
    /// Whether the user was told that the run ends.
    ends: bool,
}

impl Total {
    /// The progress of a run of `of` samples.
    pub(super) fn new(of: usize) -> Self {
        Self { bar: progress_bar(), done: 0, of, furthest: 0.0, ends: false }
    }

    /// Shows the progress of the current sample.
    pub(super) fn show(&mut self, sample: &str, progress: &Progress, stop: &Stop) {
        if stop.is_asked() && !self.ends {
            self.ends = true;
            self.bar.suspend(|| say(STOPPING));
        }
        if self.bar.is_hidden() {
            return;
        }
        // A repeat starts at zero, but the bar does not move back.
        self.furthest = self.furthest.max(share(self.done, self.of, progress.spent));
        self.bar.set_position(percent(self.furthest));
        let left = self.bar.eta().as_secs();
        let left = if left == 0 {
            String::new()
        } else {
            format!("{} left, ", humantime::format_duration(Duration::from_secs(left)))
        };
        let doing = doing(progress);
        self.bar.set_message(format!("{left}{} of {}: {sample}{doing}", self.done + 1, self.of));
    }

    /// Shows that a sample has ended.
    pub(super) fn sample_done(&mut self, entry: &Entry) {
        self.done += 1;
        let line = line(entry, self.done, self.of);
        self.bar.suspend(|| say(&line));
    }

    /// Removes the bar.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

fn doing(progress: &Progress) -> String {
    match progress.phase {
        Phase::Starting => ", starting".into(),
        Phase::Measuring => format!(", {}", progress.variant),
        Phase::Tracing => ", tracing waves".into(),
        Phase::Writing => ", writing".into(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a handful of samples")]
fn share(done: usize, of: usize, spent: f64) -> f64 {
    let spent = if spent.is_finite() { spent.clamp(0.0, 1.0) } else { 0.0 };
    (done as f64 + spent) / of.max(1) as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share between 0 and 1")]
fn percent(share: f64) -> u64 {
    (share.clamp(0.0, 1.0) * 100.0) as u64
}

/// The result of a sample on one line.
fn line(entry: &Entry, number: usize, of: usize) -> String {
    let Entry { sample, state, seconds, .. } = entry;
    let rows = in_words(&entry.rows);
    let reason = entry.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    format!("{number} of {of}: {sample} {state} in {seconds:.1} s{rows}{reason}")
}

fn in_words(rows: &Counts) -> String {
    let some = rows.each().into_iter().filter(|(_, count)| *count > 0);
    let words: Vec<String> = some.map(|(word, count)| format!("{count} {word}")).collect();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}

/// The table of a run, followed by the reasons of samples that failed.
pub(super) fn table(manifest: &Manifest) -> String {
    let samples = &manifest.samples;
    let column = |side, head: &str, of: &dyn Fn(&Entry) -> String| {
        Column::new(side, head, samples.iter().map(of).collect::<Vec<_>>())
    };
    let mut table = Table::new("Sample", samples.iter().map(|entry| entry.sample.clone())).apart(1);
    table.push(column(Side::Left, "Result", &|entry| entry.state.to_string()));
    for (at, (word, _)) in Counts::default().each().into_iter().enumerate() {
        let count = |entry: &Entry| entry.rows.each()[at].1;
        if word != "throttled" || samples.iter().any(|entry| count(entry) > 0) {
            table.push(column(Side::Right, word, &|entry| count(entry).to_string()));
        }
    }
    table.push(column(Side::Right, "Seconds", &Entry::seconds));
    let mut paper = Paper::new(Charset::Utf8, FILE_WIDTH);
    paper.line(&manifest.device.name);
    paper.table(&table);
    let mut text = paper.text();
    for entry in &manifest.samples {
        text.extend(entry.reason.as_ref().map(|reason| format!("{}: {reason}\n", entry.sample)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::outcome::State;
    use super::*;

    fn manifest() -> Manifest {
        let mut manifest = Manifest::of_a_test(&["codegen", "lds_blur"]);
        let rows = Counts { ok: 12, error: 1, ..Counts::default() };
        let reason = Some("events_2: it crashed (SIGABRT)".to_owned());
        manifest.samples[1] =
            Entry { state: State::Failed, reason, seconds: 3.1, rows, ..manifest.samples[1].clone() };
        manifest
    }

    #[test]
    fn the_table_says_what_became_of_each() {
        let text = table(&manifest());
        let expected = "\
llvmpipe (LLVM 15.0.6, 256 bits)
─────────────────────────────────────────────────────────
Sample    Result   ok  skipped  wrong  error  Seconds
─────────────────────────────────────────────────────────
codegen   missing   0        0      0      0
lds_blur  failed   12        0      0      1      3.1
─────────────────────────────────────────────────────────
lds_blur: events_2: it crashed (SIGABRT)
";
        let rules = |text: &str| text.replace('─', "");
        assert_eq!(rules(&text), rules(expected));
        assert!(Charset::Ascii.fit(&text).is_ascii());
        let mut throttled = manifest();
        throttled.samples[0].rows.throttled = 2;
        assert!(table(&throttled).contains("throttled  wrong"));
    }

    #[test]
    fn one_line_says_what_became_of_a_sample() {
        assert_eq!(
            line(&manifest().samples[1], 2, 8),
            "2 of 8: lds_blur failed in 3.1 s (12 ok, 1 error): events_2: it crashed (SIGABRT)"
        );
    }

    #[test]
    fn the_share_that_is_done_stays_within_the_bar() {
        assert_eq!([share(1, 8, 0.5), share(8, 8, f64::NAN)].map(percent), [18, 100]);
        assert_eq!(percent(share(1, 2, 9.0)), 100);
    }
}
