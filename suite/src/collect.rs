//! Finds and reads records in files and folders.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use record::{Record, SENT, read_record};
use report::Destination;

/// Name of a record's file in the folder of a run.
pub const RECORD: &str = "record.json";

/// A record and where it was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its path, as given by the user or found in a given folder.
    pub path: PathBuf,
    /// The record.
    pub record: Record,
}

/// The records in these files and below these folders, in the order of their paths. A record that is found twice is
/// returned once.
///
/// # Errors
/// If a path does not exist, a folder has no record, or a file is no valid record. The message contains the path and
/// the wrong field.
pub fn collect(paths: &[PathBuf]) -> Result<Vec<Found>> {
    find(paths)?.into_iter().map(|path| Ok(Found { record: read_record(&path)?, path })).collect()
}

/// The files that [`collect`] reads, for callers that read them one by one.
///
/// # Errors
/// If a path does not exist or a folder has no record.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for path in paths {
        let files = files(path)?;
        ensure!(!files.is_empty(), "there is no {RECORD} below {}", path.display());
        found.extend(files.into_iter().filter(|file| {
            let itself = fs::canonicalize(file).unwrap_or_else(|_| file.clone());
            seen.insert(itself)
        }));
    }
    Ok(found)
}

/// Refuses an output file that would replace one of the input records.
///
/// # Errors
/// If `to` is the same file as one of `records`.
pub fn spare<'r>(records: impl IntoIterator<Item = &'r Path>, to: &Destination) -> Result<()> {
    let taken = |record: &&Path| to.is_same_place(&Destination::File(record.to_path_buf()));
    match records.into_iter().find(taken) {
        Some(record) => {
            bail!("{} is one of the records that are read: name another output", record.display())
        }
        None => Ok(()),
    }
}

/// `path` itself if it is a file, otherwise the records below it. Folders whose names begin with a dot are skipped.
///
/// A pipe or device is accepted only as `path` itself, as in `<(...)`: one in a folder might block forever. A broken
/// link is kept, so that reading it reports the error.
fn files(path: &Path) -> Result<Vec<PathBuf>> {
    let shown = || format!("reading {}", path.display());
    if !fs::metadata(path).with_context(shown)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut below = Vec::new();
    let entries: Result<Vec<_>, _> = fs::read_dir(path).with_context(shown)?.collect();
    let mut entries = entries.with_context(shown)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if entry.file_type().with_context(shown)?.is_dir() && !hidden {
            below.extend(files(&entry.path())?);
        } else if [RECORD, SENT].map(OsStr::new).contains(&&*entry.file_name())
            && fs::metadata(entry.path()).map_or(true, |is| is.is_file())
        {
            below.push(entry.path());
        }
    }
    Ok(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_is_named_twice_is_found_once() {
        let top = tempfile::tempdir().unwrap();
        let inner = top.path().join("run");
        fs::create_dir(&inner).unwrap();
        let file = inner.join(RECORD);
        fs::write(&file, "").unwrap();
        let paths = [top.path().to_owned(), inner.join("../run"), file.clone(), file.clone()];
        assert_eq!(find(&paths).unwrap(), [file]);
    }

    /// The pipe has no writer: opening it would block forever.
    #[cfg(unix)]
    #[test]
    fn a_folder_gives_files_alone() {
        use std::os::unix::fs::symlink;
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| {
            fs::create_dir(top.path().join(name)).unwrap();
            top.path().join(name).join(RECORD)
        };
        let (file, pipe) = (at("file"), at("pipe"));
        fs::write(&file, "").unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for (name, target) in [("to-pipe", pipe.as_path()), ("to-folder", top.path())] {
            symlink(target, at(name)).unwrap();
        }
        let nowhere = at("to-nothing");
        symlink(top.path().join("absent"), &nowhere).unwrap();
        assert_eq!(find(&[top.path().to_owned()]).unwrap(), [file, nowhere]);
        assert_eq!(find(std::slice::from_ref(&pipe)).unwrap(), [pipe], "what is named is read");
    }
}
