//! The demo: shows the variants one after another, for an unattended booth.

use std::time::Duration;

use record::Status;

use crate::messages::{Command, Snapshot, State};

/// How long each variant is shown.
pub(super) const EACH: Duration = Duration::from_secs(6);

/// A running demo.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Demo {
    /// When the current variant was selected; `None` before the first frame.
    since: Option<Duration>,
}

impl Demo {
    /// The command that shows the next variant, when its time has come. The demo does not end a pause.
    pub(super) fn command(&mut self, snapshot: &Snapshot, now: Duration) -> Option<Command> {
        let since = *self.since.get_or_insert(now);
        if !matches!(snapshot.state, State::Running) {
            // While paused or building, restart the time of the shown variant: the audience cannot see it.
            self.since = Some(now);
            return None;
        }
        if now.saturating_sub(since) < EACH {
            return None;
        }
        self.since = Some(now);
        next(snapshot).map(Command::Show)
    }

    /// Time until the next change.
    pub(super) fn rest(&self, now: Duration) -> Duration {
        (self.since.unwrap_or(now) + EACH).saturating_sub(now)
    }
}

/// The next variant that runs on this device.
fn next(snapshot: &Snapshot) -> Option<usize> {
    let count = snapshot.variants.len();
    let runs = |at: &usize| {
        let row = snapshot.figures.rows().get(*at);
        !row.is_some_and(|row| matches!(row.status, Status::Skipped { .. } | Status::Unsupported { .. }))
    };
    (1..count).map(|by| (snapshot.current + by) % count).find(runs)
}
