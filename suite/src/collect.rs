//! Records from files and folders.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use record::{Record, read_record};
use report::Destination;

/// Name of a record's file in the folder of a run.
pub const RECORD: &str = "record.json";

/// A record and where it was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its file, as it was named or found below the folder that was.
    pub path: PathBuf,
    /// What it holds.
    pub record: Record,
}

/// The records in these files and below these folders, in the order of their paths. One that is named
/// twice, or once alone and once by its folder, is there once.
///
/// # Errors
/// A path that does not exist, a folder without a record, a file that is none: with its path, and with
/// the field that is wrong.
pub fn collect(paths: &[PathBuf]) -> Result<Vec<Found>> {
    find(paths)?.into_iter().map(|path| Ok(Found { record: read_record(&path)?, path })).collect()
}

/// The files that [`collect`] reads, for who reads them one by one.
///
/// # Errors
/// A path that does not exist, a folder without a record.
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

/// Refuses an output that would replace one of the records that it is made of.
///
/// # Errors
/// Where `to` is one of `records`, by whatever name.
pub fn spare<'r>(records: impl IntoIterator<Item = &'r Path>, to: &Destination) -> Result<()> {
    let taken = |record: &&Path| to.is_same_place(&Destination::File(record.to_path_buf()));
    match records.into_iter().find(taken) {
        Some(record) => {
            bail!("{} is one of the records that are read: name another output", record.display())
        }
        None => Ok(()),
    }
}

/// `path` itself where it is a file, else the records below it. Names that begin with a dot are drafts.
///
/// A pipe or a device is read where it is named, as `<(...)` is; one that lies in a folder waits for a
/// writer that may never come, so it is passed over. A link that leads nowhere is kept: reading it says so.
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
        } else if entry.file_name() == RECORD && fs::metadata(entry.path()).map_or(true, |is| is.is_file()) {
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

    /// Nobody writes into the pipe: to open it would wait for ever.
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
