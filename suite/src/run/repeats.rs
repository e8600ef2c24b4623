//! Joins the results of a sample that died: its last checkpoint, or a repeat without the variant at which it died.

use record::{Ended, Record, Row, Status};

/// The death of a sample's process while it measured a variant.
#[derive(Clone, Debug)]
pub(super) struct Death {
    /// The variant that was being measured.
    pub(super) variant: String,
    /// How the process died.
    pub(super) reason: String,
    /// Whether it hung.
    pub(super) hung: bool,
    /// The last record that it had written, if any.
    pub(super) checkpoint: Option<Record>,
}

/// The record of a sample that died while variants were measured. `last` is the record of the last process, if it
/// left one. `end` is the reason if that process died too; in that case the last of `deaths` is its own.
pub(super) fn joined(last: Option<Record>, deaths: &[Death], end: Option<&str>) -> Option<Record> {
    let checkpoint = || deaths.iter().rev().find_map(|death| death.checkpoint.clone());
    let mut record = last.or_else(checkpoint)?;
    for death in deaths {
        note_death(&mut record, death);
    }
    if let (Some(first), None) = (deaths.first(), end) {
        let names: Vec<&str> = deaths.iter().map(|death| death.variant.as_str()).collect();
        record.notes.push(format!(
            "The sample's process died with {} under way ({}); the figures are of a repeat without {}.",
            names.join(", then with "),
            first.reason,
            if names.len() == 1 { "it" } else { "them" },
        ));
    }
    if let Some(reason) = end.filter(|_| record.ended != Ended::Complete) {
        record.ended = Ended::Failed { reason: reason.to_owned() };
    }
    Some(record)
}

/// Sets the status of the variant's row.
fn note_death(record: &mut Record, death: &Death) {
    let status = Status::Error { reason: death.reason.clone() };
    if let Some(row) = record.rows.iter_mut().find(|row| row.variant == death.variant) {
        *row = without_figures(row, status);
        return;
    }
    // A repeat without the variant has no row for it; the row is inserted after the one that preceded it.
    let Some(checkpoint) = &death.checkpoint else { return };
    let Some(at) = checkpoint.rows.iter().position(|row| row.variant == death.variant) else { return };
    let before = checkpoint.rows[..at].iter().rev();
    let behind = before.into_iter().find_map(|row| record.rows.iter().position(|r| r.variant == row.variant));
    let row = without_figures(&checkpoint.rows[at], status);
    record.rows.insert(behind.map_or(0, |behind| behind + 1), row);
}

fn without_figures(row: &Row, status: Status) -> Row {
    Row {
        published: row.published.clone(),
        cell: row.cell.clone(),
        declared: row.declared.clone(),
        ..Row::unmeasured(&row.variant, row.promise.clone(), status)
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::scripted;

    fn record() -> Record {
        scripted::measured()
    }

    fn unfinished() -> Record {
        Record { ended: Ended::Unfinished, ..record() }
    }

    /// The death at the variant at index `at` of the record.
    fn death(at: usize, checkpoint: Option<Record>) -> Death {
        Death {
            variant: record().rows[at].variant.clone(),
            reason: format!("reason {at}"),
            hung: false,
            checkpoint,
        }
    }

    fn without(places: &[usize]) -> Record {
        let mut record = record();
        let mut at = 0;
        record.rows.retain(|_| {
            at += 1;
            !places.contains(&(at - 1))
        });
        record
    }

    #[test]
    fn variants_that_died_keep_their_places() {
        for places in [&[0][..], &[3], &[2, 3], &[3, 2], &[0, 5]] {
            let deaths: Vec<Death> = places.iter().map(|at| death(*at, Some(unfinished()))).collect();
            let joined = joined(Some(without(places)), &deaths, None).unwrap();
            let names = |record: &Record| -> Vec<String> {
                record.rows.iter().map(|row| row.variant.clone()).collect()
            };
            assert_eq!(names(&joined), names(&record()), "{places:?}");
            for (at, row) in joined.rows.iter().enumerate() {
                let reason = format!("reason {at}");
                assert_eq!(row.status == Status::Error { reason }, places.contains(&at), "{places:?} {at}");
                assert_eq!(row.samples.is_empty(), places.contains(&at) || row.isolated_us.is_none());
            }
            assert_eq!(joined.ended, Ended::Complete);
            assert!(joined.notes.last().unwrap().contains("a repeat without"), "{:?}", joined.notes);
        }
    }

    #[test]
    fn without_a_repeat_the_checkpoint_is_kept() {
        // A crash after the last sample does not affect the figures.
        let complete = joined(Some(record()), &[], Some("it crashed")).unwrap();
        assert_eq!(complete.ended, Ended::Complete);
        let kept = joined(None, &[death(3, Some(unfinished()))], Some("the repeat: no device")).unwrap();
        assert_eq!(kept.ended, Ended::Failed { reason: "the repeat: no device".into() });
        assert_eq!(kept.rows[3].status, Status::Error { reason: "reason 3".into() });
        assert!(kept.rows[3].samples.is_empty() && !kept.rows[4].samples.is_empty());
        assert_eq!(kept.notes, record().notes, "the figures are of no repeat");
        assert!(joined(None, &[death(3, None)], Some("x")).is_none());
    }
}
