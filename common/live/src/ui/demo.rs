//! Variants in turn, for a booth that nobody tends.

use std::time::Duration;

use record::Status;

use crate::messages::{Command, Snapshot, State};

/// Each variant is shown for so long.
pub(super) const EACH: Duration = Duration::from_secs(6);

/// A demo that runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Demo {
    /// When the current variant was turned to; `None` before the first frame.
    since: Option<Duration>,
}

impl Demo {
    /// What is to be shown next, when the time has come. A pause is not the demo's to end.
    pub(super) fn command(&mut self, snapshot: &Snapshot, now: Duration) -> Option<Command> {
        let since = *self.since.get_or_insert(now);
        if !matches!(snapshot.state, State::Running) {
            // What is built or paused is not seen: its time begins afterwards.
            self.since = Some(now);
            return None;
        }
        if now.saturating_sub(since) < EACH {
            return None;
        }
        self.since = Some(now);
        next(snapshot).map(Command::Show)
    }

    /// Until something happens.
    pub(super) fn rest(&self, now: Duration) -> Duration {
        (self.since.unwrap_or(now) + EACH).saturating_sub(now)
    }
}

/// The next variant that could run.
fn next(snapshot: &Snapshot) -> Option<usize> {
    let count = snapshot.variants.len();
    let runs = |at: &usize| {
        let row = snapshot.figures.rows().get(*at);
        !row.is_some_and(|row| matches!(row.status, Status::Skipped { .. } | Status::Unsupported { .. }))
    };
    (1..count).map(|by| (snapshot.current + by) % count).find(runs)
}
