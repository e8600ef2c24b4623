//! Shows the progress of a run: the bar for all samples, and a line per sample.

use std::time::Duration;

use indicatif::ProgressBar;
use report::terminal::{progress_bar, say};

use super::manifest::Entry;
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
    let reason = entry.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    format!("{number} of {of}: {}{reason}", entry.account())
}

#[cfg(test)]
mod tests {
    use super::super::outcome::{Counts, State};
    use super::*;

    #[test]
    fn one_line_says_what_became_of_a_sample() {
        let failed = Entry {
            state: State::Failed,
            reason: Some("events_2: it crashed (SIGABRT)".into()),
            seconds: 3.1,
            rows: Counts { ok: 12, error: 1, ..Counts::default() },
            ..Entry::missing("lds_blur")
        };
        assert_eq!(
            line(&failed, 2, 8),
            "2 of 8: lds_blur failed in 3.1 s (12 ok, 1 error): events_2: it crashed (SIGABRT)"
        );
    }

    #[test]
    fn the_share_that_is_done_stays_within_the_bar() {
        assert_eq!([share(1, 8, 0.5), share(8, 8, f64::NAN)].map(percent), [18, 100]);
        assert_eq!(percent(share(1, 2, 9.0)), 100);
    }
}
