//! The folder of a run. Whatever has a name without a dot in front is whole: a sample works in a hidden folder,
//! and what it left appears under its own name in one step.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use record::{Record, fault};
use report::terminal::FILE_WIDTH;
use report::{Charset, Folder};
use tempfile::TempDir;

use super::manifest::MANIFEST;
use super::page::PAGE;
use super::sample::WAVES;

/// What all hidden names begin with, those of [`report::Destination`]'s drafts too.
const HIDDEN: &str = ".hot-lap-";

/// A folder that takes a run, locked against others.
#[derive(Debug)]
pub(super) struct Place {
    path: PathBuf,
    // Locks it, and takes it away again where nothing is written into it.
    _folder: Folder,
}

impl Place {
    /// For a new run of `samples`.
    ///
    /// # Errors
    /// A folder that cannot be created or written to, that another run works in, or that holds what this run
    /// would replace.
    pub(super) fn create(path: &Path, samples: &[String]) -> Result<Self> {
        let place = Self::reopen(path)?;
        let shown = path.display();
        ensure!(
            !path.join(MANIFEST).exists(),
            "the folder {shown} already holds a run: --resume --out {shown} goes on with it, another --out begins a new one"
        );
        let names = samples.iter().map(String::as_str).chain([PAGE]);
        if let Some(taken) = names.into_iter().find(|name| path.join(name).exists()) {
            bail!("the folder {shown} already holds {taken}: name another with --out");
        }
        Ok(place)
    }

    /// For a run that goes on, what it left behind included.
    ///
    /// # Errors
    /// As [`Self::create`], but for what it holds.
    pub(super) fn reopen(path: &Path) -> Result<Self> {
        if path.is_dir() {
            ensure_writable(path)?;
        }
        Ok(Self { path: path.to_owned(), _folder: Folder::create(path)? })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// An empty hidden folder to work in, which goes when it is dropped.
    ///
    /// # Errors
    /// Where it cannot be created.
    pub(super) fn workplace(&self) -> Result<TempDir> {
        let prefix = format!("{HIDDEN}work-");
        let made = fault::write("creating a folder to work in", || {
            tempfile::Builder::new().prefix(&prefix).tempdir_in(&self.path)
        });
        made.with_context(|| format!("cannot create a folder in {}", self.path.display()))
    }

    /// Keeps what `sample` left in `work`, in the stead of what an earlier run kept of it.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub(super) fn keep(
        &self,
        sample: &str,
        work: &Path,
        record: &Record,
        waves: Option<&Path>,
    ) -> Result<()> {
        let staged = work.join(sample);
        let text = report::traced(Charset::Utf8, FILE_WIDTH, record);
        Folder::create(&staged)?.write(record, &report::table(record, FILE_WIDTH), text.as_deref())?;
        let shown = self.path.join(sample);
        let moved = |from: &Path, to: &Path| {
            fault::write(format_args!("keeping {sample}"), || fs::rename(from, to))
                .with_context(|| format!("cannot keep {}", shown.display()))
        };
        if let Some(waves) = waves {
            moved(waves, &staged.join(WAVES))?;
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

    /// What a run that was killed left behind, in the order of the names.
    ///
    /// # Errors
    /// Where the folder cannot be read.
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

    /// Removes it.
    ///
    /// # Errors
    /// What cannot be read or removed.
    pub(super) fn clean(&self) -> Result<()> {
        self.left_behind()?.iter().try_for_each(|path| remove(path))
    }
}

/// Makes sure that files can be created in a folder. [`Folder::create`] does too, but names a file that no run
/// has there.
fn ensure_writable(path: &Path) -> Result<()> {
    let draft =
        fault::write("trying the folder", || tempfile::Builder::new().prefix(HIDDEN).tempfile_in(path));
    draft.map(drop).map_err(|error| {
        // What tempfile says names its file.
        let error = error.kind();
        let shown = path.display();
        anyhow!("cannot write in the folder {shown}: {error}; check who may write there or choose another")
    })
}

/// Removes a file or a folder. A sample whose suite has just been killed may still write into one for a moment.
fn remove(path: &Path) -> Result<()> {
    let tried = || if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    for _ in 0..20 {
        // Whoever tries whether this folder can be written to removes its draft itself.
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
            let svg = work.path().join("drawn");
            fs::write(&svg, "<svg/>").unwrap();
            let record = Record { notes: vec![notes.into()], ..record() };
            let waves = (notes == "first").then_some(svg.as_path());
            place.keep("lds_blur", work.path(), &record, waves).unwrap();
            drop(work);
            assert_eq!(names(place.path()), ["lds_blur"]);
            let mut expected = vec!["README.md", "record.json", "samples.csv.gz", "table.txt"];
            expected.extend(waves.map(|_| "waves.svg"));
            assert_eq!(names(&place.path().join("lds_blur")), expected);
            let kept = read_record(&place.path().join("lds_blur/record.json")).unwrap();
            assert_eq!(kept.notes, [notes]);
        }
    }
}
