//! Records from files and folders.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use common::record::Record;
use common::report::read_json;

/// Name of a record's file in the folder of a run.
pub const RECORD: &str = "record.json";

/// No record is larger, in bytes: the largest that was made has a hundredth of it.
const LARGEST: u64 = 256 << 20;

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
    find(paths)?.into_iter().map(|path| Ok(Found { record: read(&path)?, path })).collect()
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

/// The record in a file.
///
/// # Errors
/// As [`collect`].
pub fn read(path: &Path) -> Result<Record> {
    let shown = || format!("reading {}", path.display());
    let bytes = bytes(path, LARGEST).with_context(shown)?;
    parse(bytes).with_context(shown)
}

/// The record in the content of a file.
///
/// # Errors
/// What is no UTF-8, and as [`read_json`].
pub fn parse(bytes: Vec<u8>) -> Result<Record> {
    match String::from_utf8(bytes) {
        Ok(text) => read_json(&text),
        Err(error) => {
            bail!("no text: byte {} is no UTF-8", error.utf8_error().valid_up_to())
        }
    }
}

/// What a file holds, refused before it is read where it is too large. A pipe has no size beforehand.
fn bytes(path: &Path, largest: u64) -> Result<Vec<u8>> {
    let file = File::open(path)?;
    let refusal = || format!("larger than any record ({} MiB)", largest >> 20);
    ensure!(file.metadata()?.len() <= largest, refusal());
    let mut bytes = Vec::new();
    file.take(largest + 1).read_to_end(&mut bytes)?;
    ensure!(u64::try_from(bytes.len()).is_ok_and(|length| length <= largest), refusal());
    Ok(bytes)
}

/// `path` itself where it is a file, else the records below it. Names that begin with a dot are drafts.
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
        } else if entry.file_name() == RECORD {
            below.push(entry.path());
        }
    }
    Ok(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.json");
        File::create(&path).unwrap().set_len(LARGEST + 1).unwrap();
        let message = format!("{:#}", read(&path).unwrap_err());
        assert!(message.ends_with("large.json: larger than any record (256 MiB)"), "{message}");
    }

    /// A device has no size that would tell beforehand, and no end.
    #[cfg(unix)]
    #[test]
    fn what_does_not_end_is_refused() {
        let message = format!("{:#}", bytes(Path::new("/dev/zero"), 1 << 20).unwrap_err());
        assert_eq!(message, "larger than any record (1 MiB)");
    }

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

    #[test]
    fn what_is_no_text_says_where() {
        assert_eq!(parse(b"{\"a\xff\"".to_vec()).unwrap_err().to_string(), "no text: byte 3 is no UTF-8");
    }
}
