//! The state of a sample after a run, and the exit code of the run.

use std::fmt;

use record::error::{EXIT_FAILED, EXIT_HUNG, EXIT_INTERRUPTED, EXIT_RIGHT, EXIT_SKIPPED};
use record::{Ended, Record, Row, Status, is_limit};
use serde::{Deserialize, Serialize};

/// The state of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    /// It is not measured yet.
    #[default]
    Missing,
    /// Every variant that ran was correct.
    Right,
    /// No variant could run here.
    Skipped,
    /// A result differed from the CPU reference.
    Wrong,
    /// Some or all variants could not be measured.
    Failed,
    /// It did not end in time.
    Hung,
    /// The user stopped it.
    Interrupted,
}

impl State {
    /// Whether measuring it again would give nothing new.
    pub(super) fn is_complete(self) -> bool {
        matches!(self, Self::Right | Self::Skipped | Self::Wrong)
    }

    /// The state of a sample that left `record` and ended by itself.
    pub(super) fn of(record: &Record) -> Self {
        match record.ended {
            Ended::Interrupted => return Self::Interrupted,
            Ended::Unfinished | Ended::Failed { .. } => return Self::Failed,
            Ended::Complete => {}
        }
        let mut own = record.rows.iter().filter(|row| !is_limit(&row.variant));
        let any = |is: fn(&Row) -> bool| record.rows.iter().any(is);
        if any(|row| matches!(row.status, Status::Error { .. })) {
            Self::Failed
        } else if any(|row| matches!(row.status, Status::Wrong { .. })) {
            Self::Wrong
        } else if own.all(|row| matches!(row.status, Status::Skipped { .. } | Status::Unsupported { .. })) {
            Self::Skipped
        } else {
            Self::Right
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Missing => "not measured",
            Self::Right => "right",
            Self::Skipped => "skipped",
            Self::Wrong => "wrong",
            Self::Failed => "failed",
            Self::Hung => "hung",
            Self::Interrupted => "interrupted",
        })
    }
}

/// The exit code of a run whose samples have these states: the worst one. It is that of Ctrl-C if some samples were
/// not begun, and [`EXIT_SKIPPED`] only if no sample could run.
pub(super) fn exit_code(states: impl Iterator<Item = State>) -> u8 {
    let states: Vec<State> = states.collect();
    let any = |state| states.contains(&state);
    if any(State::Interrupted) || any(State::Missing) {
        EXIT_INTERRUPTED
    } else if any(State::Hung) {
        EXIT_HUNG
    } else if any(State::Wrong) || any(State::Failed) {
        EXIT_FAILED
    } else if any(State::Right) {
        EXIT_RIGHT
    } else {
        EXIT_SKIPPED
    }
}

/// Number of rows of a record per status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    /// Rows with figures.
    pub(super) ok: usize,
    /// Rows that were left out or are not possible on the device.
    pub(super) skipped: usize,
    /// Rows without figures because the clock was too low.
    pub(super) throttled: usize,
    /// Rows with a wrong result.
    pub(super) wrong: usize,
    /// Rows that could not be measured.
    pub(super) error: usize,
}

impl Counts {
    /// Counts the given rows.
    pub(super) fn of(rows: &[Row]) -> Self {
        let mut counts = Self::default();
        for row in rows {
            *match row.status {
                Status::Ok => &mut counts.ok,
                Status::Skipped { .. } | Status::Unsupported { .. } => &mut counts.skipped,
                Status::Throttled { .. } => &mut counts.throttled,
                Status::Wrong { .. } => &mut counts.wrong,
                Status::Error { .. } => &mut counts.error,
            } += 1;
        }
        counts
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ok, skipped, throttled, wrong, error } = *self;
        let each =
            [(ok, "ok"), (skipped, "skipped"), (throttled, "throttled"), (wrong, "wrong"), (error, "error")];
        let some = each.iter().filter(|(count, _)| *count > 0);
        f.pad(&some.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted;

    fn record(statuses: &[Status], ended: Ended) -> Record {
        let mut record = scripted::measured();
        record.rows.truncate(statuses.len());
        record.rows.iter_mut().zip(statuses).for_each(|(row, status)| row.status = status.clone());
        record.ended = ended;
        record
    }

    #[test]
    fn a_record_says_how_its_sample_ended() {
        let reason = || "x".to_owned();
        let (ok, skipped) = (Status::Ok, Status::Skipped { reason: reason() });
        let wrong = Status::Wrong { elements: 1, first: reason() };
        let error = Status::Error { reason: reason() };
        let of = |statuses: &[&Status], ended| {
            let statuses: Vec<Status> = statuses.iter().map(|status| (*status).clone()).collect();
            State::of(&record(&statuses, ended))
        };
        assert_eq!(of(&[&ok, &skipped], Ended::Complete), State::Right);
        assert_eq!(of(&[&skipped, &skipped], Ended::Complete), State::Skipped);
        assert_eq!(of(&[&ok, &wrong], Ended::Complete), State::Wrong);
        assert_eq!(of(&[&error, &wrong, &ok], Ended::Complete), State::Failed);
        assert_eq!(of(&[&ok], Ended::Interrupted), State::Interrupted);
        assert_eq!(of(&[&ok], Ended::Unfinished), State::Failed);
        assert_eq!(of(&[&ok], Ended::Failed { reason: reason() }), State::Failed);
    }

    #[test]
    fn the_worst_sample_is_the_exit_code() {
        use State::{Failed, Hung, Interrupted, Missing, Right, Skipped, Wrong};
        assert_eq!(exit_code([Right, Skipped].into_iter()), 0);
        assert_eq!(exit_code([Skipped, Skipped].into_iter()), 1);
        assert_eq!(exit_code([Right, Wrong].into_iter()), 2);
        assert_eq!(exit_code([Failed, Right, Skipped].into_iter()), 2);
        assert_eq!(exit_code([Failed, Hung, Right].into_iter()), 3);
        assert_eq!(exit_code([Right, Hung, Interrupted, Missing].into_iter()), 130);
        // Ctrl-C was pressed when the first had just ended.
        assert_eq!(exit_code([Right, Missing].into_iter()), 130);
    }
}
