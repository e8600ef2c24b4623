//! Records from files and folders.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use common::record::Record;
use common::report::read_json;

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

/// The records in these files and below these folders, in the order of their paths.
///
/// # Errors
/// A path that does not exist, a folder without a record, a file that is none: with its path, and with
/// the field that is wrong.
pub fn collect(paths: &[PathBuf]) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for path in paths {
        let files = files(path)?;
        ensure!(!files.is_empty(), "there is no {RECORD} below {}", path.display());
        for path in files {
            found.push(Found { record: read(&path)?, path });
        }
    }
    Ok(found)
}

/// The record in a file.
///
/// # Errors
/// As [`collect`].
pub fn read(path: &Path) -> Result<Record> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    read_json(&text).with_context(|| format!("reading {}", path.display()))
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
