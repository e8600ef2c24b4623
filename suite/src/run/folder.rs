//! The folder of a run. A sample works in a hidden folder, and its results are moved to their final name in one
//! step. Therefore everything without a leading dot is complete.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use record::{Record, fault};
use report::terminal::FILE_WIDTH;
use report::{Charset, Folder};
use tempfile::TempDir;

use super::manifest::MANIFEST;
use super::page::{PAGE, REPORT};

/// Prefix of all hidden names, including those of [`report::Destination`]'s drafts.
const HIDDEN: &str = ".hot-lap-";

/// The folder of a run, locked against other runs.
#[derive(Debug)]
pub(super) struct Place {
    path: PathBuf,
    // Locks the folder, and removes it if nothing is written into it.
    _folder: Folder,
}

impl Place {
    /// Opens the folder for a new run of `samples`.
    ///
    /// # Errors
    /// If the folder cannot be created or written to, is used by another run, or holds files that this run would
    /// replace.
    pub(super) fn create(path: &Path, samples: &[String]) -> Result<Self> {
        let place = Self::reopen(path)?;
        let shown = path.display();
        ensure!(
            !path.join(MANIFEST).exists(),
            "the folder {shown} already holds a run: suite share {shown} shares it, suite run --resume --out {shown} \
             goes on with it, suite run with another --out begins a new one"
        );
        let names = samples.iter().map(String::as_str).chain([PAGE, REPORT]);
        if let Some(taken) = names.into_iter().find(|name| path.join(name).exists()) {
            bail!("the folder {shown} already holds {taken}: name another with --out");
        }
        Ok(place)
    }

    /// Opens the folder of a run that is resumed.
    ///
    /// # Errors
    /// Those of [`Self::create`], except for files that it holds.
    pub(super) fn reopen(path: &Path) -> Result<Self> {
        if path.is_dir() {
            ensure_writable(path)?;
        }
        Ok(Self { path: path.to_owned(), _folder: Folder::create(path)? })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// An empty hidden folder to work in, which is removed when dropped.
    ///
    /// # Errors
    /// If it cannot be created.
    pub(super) fn workplace(&self) -> Result<TempDir> {
        let prefix = format!("{HIDDEN}work-");
        let made = fault::write("creating a folder to work in", || {
            tempfile::Builder::new().prefix(&prefix).tempdir_in(&self.path)
        });
        made.with_context(|| format!("cannot create a folder in {}", self.path.display()))
    }

    /// Keeps the results that `sample` left in `work`; they replace those of an earlier run.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(super) fn keep(&self, sample: &str, work: &Path, record: &Record, waves: &[PathBuf]) -> Result<()> {
        let staged = work.join(sample);
        let text = report::traced(Charset::Utf8, FILE_WIDTH, record);
        Folder::create(&staged)?.write(
            record,
            &report::answer(record, report::Form::FILE),
            text.as_deref(),
            &[],
        )?;
        let shown = self.path.join(sample);
        let moved = |from: &Path, to: &Path| {
            fault::write(format_args!("keeping {sample}"), || fs::rename(from, to))
                .with_context(|| format!("cannot keep {}", shown.display()))
        };
        for file in waves {
            moved(file, &staged.join(file.file_name().unwrap_or_default()))?;
        }
        let old = self.path.join(format!("{HIDDEN}old-{sample}"));
        if shown.exists() {
            moved(&shown, &old)?;
        }
        moved(&staged, &shown)?;
        if old.exists() {
            remove(&old)?;
        }
        Ok(())
    }

    /// Hidden files and folders that a killed run left, sorted by name.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(super) fn left_behind(&self) -> Result<Vec<PathBuf>> {
        let reading = || format!("reading {}", self.path.display());
        let mut left = Vec::new();
        for entry in fs::read_dir(&self.path).with_context(reading)? {
            let entry = entry.with_context(reading)?;
            if entry.file_name().as_encoded_bytes().starts_with(HIDDEN.as_bytes()) {
                left.push(entry.path());
            }
        }
        left.sort();
        Ok(left)
    }

    /// Removes what a killed run left.
    ///
    /// # Errors
    /// If it cannot be read or removed.
    pub(super) fn clean(&self) -> Result<()> {
        self.left_behind()?.iter().try_for_each(|path| remove(path))
    }
}

/// Checks that files can be created in a folder. [`Folder::create`] checks it too, but its message names a file that
/// a run does not have there.
fn ensure_writable(path: &Path) -> Result<()> {
    let draft =
        fault::write("trying the folder", || tempfile::Builder::new().prefix(HIDDEN).tempfile_in(path));
    draft.map(drop).map_err(|error| {
        // tempfile's full message would contain the name of its file.
        let error = error.kind();
        let shown = path.display();
        anyhow!("cannot write in the folder {shown}: {error}; check who may write there or choose another")
    })
}

/// Removes a file or folder. If a suite has just been killed, its sample may still write into the folder for a
/// moment.
fn remove(path: &Path) -> Result<()> {
    let tried = || if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    for _ in 0..20 {
        // Another process that tests the folder may remove its own draft meanwhile.
        if tried().is_ok() || fs::symlink_metadata(path).is_err() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    tried().with_context(|| format!("cannot remove {}", path.display()))
}

#[cfg(test)]
mod tests {
    use record::read_record;

    use super::*;
    use crate::scripted;

    fn record() -> Record {
        scripted::measured()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_sample_left_is_kept_and_replaced() {
        let top = tempfile::tempdir().unwrap();
        let place = Place::create(&top.path().join("run"), &["lds_blur".into()]).unwrap();
        for notes in ["first", "second"] {
            let work = place.workplace().unwrap();
            let waves = if notes == "first" { vec![work.path().join("waves.svg")] } else { vec![] };
            waves.iter().for_each(|svg| fs::write(svg, "<svg/>").unwrap());
            let record = Record { notes: vec![notes.into()], ..record() };
            place.keep("lds_blur", work.path(), &record, &waves).unwrap();
            drop(work);
            assert_eq!(names(place.path()), ["lds_blur"]);
            let mut expected = vec!["README.md", "record.json", "samples.csv.gz", "table.txt"];
            expected.extend(waves.iter().map(|_| "waves.svg"));
            assert_eq!(names(&place.path().join("lds_blur")), expected);
            let kept = read_record(&place.path().join("lds_blur/record.json")).unwrap();
            assert_eq!(kept.notes, [notes]);
        }
    }
}
