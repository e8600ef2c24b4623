//! Finds out what is left of a run that is resumed. The run may have been killed, so the folder counts and not the
//! manifest.

use anyhow::Result;
use record::error::one_line;
use record::{Ended, Record, read_record};
use report::terminal::say;

use super::folder::Place;
use super::manifest::{Entry, Manifest};
use super::outcome::State;
use super::sample::{RECORD, WAVES, plain_command};

/// Updates the manifest to match the folder, and keeps what a killed run had measured of a sample.
///
/// # Errors
/// If the results cannot be kept.
pub(super) fn take_stock(place: &Place, manifest: &mut Manifest) -> Result<()> {
    manifest.samples.iter_mut().for_each(|entry| ensure_kept(place, entry));
    let seed = manifest.settings.seed;
    manifest.samples.iter_mut().for_each(|entry| adopt(place, entry, seed));
    rescue(place, manifest)
}

/// A complete sample whose record was removed or damaged must be measured again.
fn ensure_kept(place: &Place, entry: &mut Entry) {
    if !entry.kept {
        // Earlier versions marked a sample as skipped if its process found no driver.
        if entry.state == State::Skipped {
            *entry = Entry::missing(&entry.sample);
        }
        return;
    }
    let path = place.path().join(&entry.sample).join(RECORD);
    if !path.exists() {
        *entry = Entry::missing(&entry.sample);
    } else if let Err(error) = read_record(&path) {
        say(&format!("{}; {} is measured again", one_line(&error), entry.sample));
        *entry = Entry::missing(&entry.sample);
    }
}

/// Adopts a record that the manifest does not mention: the suite was killed between keeping the record and noting
/// it.
fn adopt(place: &Place, entry: &mut Entry, seed: u64) {
    let folder = place.path().join(&entry.sample);
    if entry.state != State::Missing || !folder.join(RECORD).exists() {
        return;
    }
    if let Some(record) = read_record(&folder.join(RECORD)).ok().filter(|record| record.method.seed == seed) {
        entry.adopt(&record, folder.join(WAVES).exists());
    }
}

/// Keeps the interim record of a sample whose measurement was killed, from its working folder. It stays until the
/// sample has been measured again, since the new measurement may yield less.
fn rescue(place: &Place, manifest: &mut Manifest) -> Result<()> {
    for left in place.left_behind()? {
        let path = left.join(RECORD);
        if !path.is_file() {
            continue;
        }
        let Ok(record) = read_record(&path) else { continue };
        let seed = manifest.settings.seed;
        let of_it = |entry: &&mut Entry| entry.sample == record.sample && record.method.seed == seed;
        let entry = manifest.samples.iter_mut().find(of_it);
        if let Some(entry) = entry.filter(|entry| !place.path().join(&entry.sample).exists()) {
            let command = plain_command(&record.sample, &record.command);
            // Even if it is complete: it may be of a repeat without one of the variants.
            let record = Record { ended: Ended::Interrupted, command, ..record };
            place.keep(&entry.sample, place.workplace()?.path(), &record, &[])?;
            entry.adopt(&record, false);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use record::json;

    use super::*;
    use crate::scripted;

    const SAMPLE: &str = "lds_blur";

    /// An interim record with the seed of [`Manifest::of_a_test`].
    fn unfinished() -> Record {
        let mut record = scripted::measured();
        record.ended = Ended::Unfinished;
        record.method.seed = 7;
        record.command =
            ["/x/lds_blur", "--json", "/run/.hot-lap-work-x/record.json"].map(str::to_owned).into();
        record
    }

    /// The sample's entry after taking stock of a folder with this text as the record in `folder`.
    fn stock(top: &Path, folder: &str, text: &str, entry: impl FnOnce(&mut Entry)) -> Entry {
        fs::create_dir_all(top.join(folder)).unwrap();
        fs::write(top.join(folder).join(RECORD), text).unwrap();
        let mut manifest = Manifest::of_a_test(&[SAMPLE]);
        entry(&mut manifest.samples[0]);
        let place = Place::reopen(top).unwrap();
        take_stock(&place, &mut manifest).unwrap();
        place.clean().unwrap();
        manifest.samples.remove(0)
    }

    fn kept(entry: &mut Entry) {
        (entry.state, entry.kept) = (State::Right, true);
    }

    #[test]
    fn a_damaged_record_is_not_complete() {
        let text = json(&unfinished()).unwrap();
        let top = tempfile::tempdir().unwrap();
        assert_eq!(stock(top.path(), SAMPLE, &text, kept).state, State::Right);
        for damaged in [&text[..5000], "", "{}", &text.replacen("\"sample\"", "\"simple\"", 1)] {
            assert_eq!(stock(top.path(), SAMPLE, damaged, kept), Entry::missing(SAMPLE));
        }
        fs::remove_dir_all(top.path().join(SAMPLE)).unwrap();
        assert_eq!(stock(top.path(), "other", "", kept), Entry::missing(SAMPLE));
    }

    #[test]
    fn one_that_was_skipped_without_a_record_is_not_complete() {
        let top = tempfile::tempdir().unwrap();
        let skipped = |entry: &mut Entry| entry.state = State::Skipped;
        assert_eq!(stock(top.path(), "other", "", skipped), Entry::missing(SAMPLE));
    }

    #[test]
    fn what_a_killed_run_had_measured_is_kept() {
        let top = tempfile::tempdir().unwrap();
        let entry = stock(top.path(), ".hot-lap-work-x", &json(&unfinished()).unwrap(), |_| ());
        assert_eq!((entry.state, entry.kept), (State::Interrupted, true));
        assert!(entry.rows.ok > 10, "{:?}", entry.rows);
        let record = read_record(&top.path().join(SAMPLE).join(RECORD)).unwrap();
        assert_eq!((record.ended, record.command), (Ended::Interrupted, vec![SAMPLE.to_owned()]));
        assert_eq!(record.rows.len(), unfinished().rows.len());
        let names: Vec<_> =
            fs::read_dir(top.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, [SAMPLE], "left behind");
    }

    #[test]
    fn what_is_of_another_run_or_damaged_or_older_is_not() {
        let other = Record { sample: "codegen".into(), ..unfinished() };
        let mut seed = unfinished();
        seed.method.seed = 8;
        let text = json(&unfinished()).unwrap();
        for left in [json(&other).unwrap(), json(&seed).unwrap(), text[..5000].to_owned()] {
            let top = tempfile::tempdir().unwrap();
            assert_eq!(stock(top.path(), ".hot-lap-work-x", &left, |_| ()), Entry::missing(SAMPLE));
            assert_eq!(fs::read_dir(top.path()).unwrap().count(), 0);
        }
        let top = tempfile::tempdir().unwrap();
        stock(top.path(), SAMPLE, &text, kept);
        assert_eq!(stock(top.path(), ".hot-lap-work-x", &text, kept).state, State::Right);
    }
}
