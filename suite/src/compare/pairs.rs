//! Pairs the records of two runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use record::Record;

use crate::collect::{Found, RECORD};

/// The records of one side, and the path given by the user.
#[derive(Clone, Debug)]
pub struct Side {
    /// The path.
    pub path: PathBuf,
    /// The records found there.
    pub records: Vec<Found>,
}

impl Side {
    /// Whether the user named a single record or the folder of its run.
    fn is_record(&self) -> bool {
        matches!(&self.records[..], [one] if one.path == self.path || one.path == self.path.join(RECORD))
    }

    /// The path of a record relative to the given path; empty if that is the record itself.
    fn place<'f>(&self, found: &'f Found) -> &'f Path {
        found.path.strip_prefix(&self.path).unwrap_or(Path::new(""))
    }
}

/// The pairs to compare, and the records without one.
#[derive(Debug, Default)]
pub struct Matched<'f> {
    /// Pairs in the order of the first side.
    pub pairs: Vec<(&'f Found, &'f Found)>,
    /// Why other records are not compared.
    pub notes: Vec<String>,
    /// Number of pairs that are left out because their devices differ.
    pub across_devices: usize,
    /// Records of the first side whose work the second side lacks.
    pub lost: Vec<&'f Found>,
}

/// Sample and configuration; records with equal keys can be compared.
type Key<'f> = (&'f str, &'f BTreeMap<String, String>);

fn key(found: &Found) -> Key<'_> {
    (&found.record.sample, &found.record.configuration)
}

/// Whether both records are of the same physical device or of devices of the same name.
pub fn same_device(a: &Record, b: &Record) -> bool {
    a.device.uuid == b.device.uuid || a.device.name == b.device.name
}

/// Pairs records of the same sample and configuration: first those with the same relative path, then the others by
/// age, latest first, since a folder may contain the same work twice.
#[must_use]
pub fn matched<'f>(before: &'f Side, after: &'f Side, across_devices: bool) -> Matched<'f> {
    let mut matched = Matched::default();
    let fits =
        |a: &Found, b: &Found| key(a) == key(b) && (across_devices || same_device(&a.record, &b.record));
    let mut free: Vec<bool> = vec![true; after.records.len()];
    let mut chosen: Vec<Option<usize>> = vec![None; before.records.len()];
    for by_place in [true, false] {
        for at in latest_first(&before.records) {
            if chosen[at].is_some() {
                continue;
            }
            let one = &before.records[at];
            let found = latest_first(&after.records).into_iter().find(|&other| {
                let candidate = &after.records[other];
                let placed = !by_place || before.place(one) == after.place(candidate);
                free[other] && placed && fits(one, candidate)
            });
            if let Some(other) = found {
                (free[other], chosen[at]) = (false, Some(other));
            }
        }
    }
    for (one, other) in before.records.iter().zip(&chosen) {
        matched.pairs.extend(other.map(|other| (one, &after.records[other])));
    }
    let left: Vec<&Found> = unmatched(&before.records, chosen.iter().map(Option::is_none)).collect();
    let right: Vec<&Found> = unmatched(&after.records, free.iter().copied()).collect();
    matched.tell_devices(&left, &right);
    if after.is_record() {
        matched.tell_unasked(left.len());
    } else {
        matched.tell_alone("only in the first", &left, &after.records);
        let done = |one: &Found| matched.pairs.iter().any(|(other, _)| key(other) == key(one));
        matched.lost = left.iter().copied().filter(|one| !done(one)).collect();
    }
    matched.tell_alone("only in the second", &right, &before.records);
    matched
}

/// Indices from the latest to the oldest; RFC 3339 times in UTC sort as text.
fn latest_first(records: &[Found]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_by(|&a, &b| records[b].record.started.cmp(&records[a].record.started));
    order
}

fn unmatched(records: &[Found], free: impl Iterator<Item = bool>) -> impl Iterator<Item = &Found> {
    records.iter().zip(free).filter(|(_, free)| *free).map(|(found, _)| found)
}

impl Matched<'_> {
    /// Reports records that are not compared only because of their device.
    fn tell_devices(&mut self, left: &[&Found], right: &[&Found]) {
        let mut told = BTreeSet::new();
        for one in left {
            for other in right.iter().filter(|other| key(other) == key(one)) {
                self.across_devices += 1;
                let (a, b) = (&one.record.device.name, &other.record.device.name);
                told.insert(format!(
                    "Different devices, {a} and {b}: not compared; --across-devices compares them all the same."
                ));
            }
        }
        self.notes.extend(told);
    }

    /// Reports that further records are not compared. If the second side is a single record, nothing is missing from
    /// it.
    fn tell_unasked(&mut self, count: usize) {
        let told = match count {
            0 => return,
            1 => "one of the first is".to_owned(),
            _ => format!("{count} of the first are"),
        };
        self.notes.push(format!("The second side is one record: {told} not compared."));
    }

    fn tell_alone(&mut self, place: &str, alone: &[&Found], others: &[Found]) {
        let (again, only): (Vec<&&Found>, Vec<&&Found>) =
            alone.iter().partition(|one| others.iter().any(|other| key(other) == key(one)));
        let paths = |found: &[&&Found]| {
            found.iter().map(|found| found.path.display().to_string()).collect::<Vec<_>>().join(", ")
        };
        if !only.is_empty() {
            self.notes.push(format!("Work that is {place}: {}.", paths(&only)));
        }
        let again: Vec<&&Found> = again
            .into_iter()
            .filter(|one| others.iter().any(|o| key(o) == key(one) && same_device(&o.record, &one.record)))
            .collect();
        if !again.is_empty() {
            self.notes.push(format!("Repeated work, {place}, is not compared: {}.", paths(&again)));
        }
    }
}
