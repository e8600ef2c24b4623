//! `suite pack`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use record::error::EXIT_RIGHT;
use record::{Record, SAMPLES, SCHEMA, read_record};
use report::terminal::say;
use report::{Destination, Folder};
use serde_json::Value;

use crate::collect::{RECORD, find};

/// The samples as earlier versions wrote them: the same rows as in the record, once more.
const UNPACKED: &str = "samples.csv";

/// Rewrite the records in folders as this version writes them, with their samples packed beside them
///
/// Nothing of a record is lost: one that holds what this version does not know is left as it is. A
/// `samples.csv` whose cells the packed file has is removed. Interrupted, it can be called again.
#[derive(clap::Args, Clone, Debug)]
pub struct Pack {
    /// Folders with records
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,
}

impl Pack {
    /// Does it; returns the exit code.
    ///
    /// # Errors
    /// The first folder that cannot be packed; those before it are.
    pub fn run(&self) -> Result<u8> {
        let files = find(&self.folders)?;
        let mut packed = 0;
        for file in &files {
            packed += usize::from(pack(file).with_context(|| format!("packing {}", file.display()))?);
        }
        say(&format!("packed {packed} of {} records; the others were packed already", files.len()));
        Ok(EXIT_RIGHT)
    }
}

/// Packs one record; returns whether it was not packed yet.
///
/// # Errors
/// What cannot be read, would not be whole, or cannot be written.
pub fn pack(file: &Path) -> Result<bool> {
    ensure!(
        file.ends_with(RECORD),
        "only the {RECORD} of a folder is packed; what --json wrote stays one file"
    );
    let folder = file.parent().unwrap_or(Path::new(""));
    // First, because it reads no more than a record may take.
    let record = read_record(file)?;
    let written: Value = serde_json::from_slice(&fs::read(file)?).context("not a whole JSON document")?;
    let is_packed = written["schema"] == SCHEMA && !written["samples_file"].is_null();
    if !is_packed {
        ensure_known(&written, &serde_json::to_value(&record)?, "")?;
        Folder::rewrite(folder, &record)?;
    }
    remove_unpacked(folder, &record)?;
    rename_in_pages(folder)?;
    Ok(!is_packed)
}

/// Makes sure that all of `written` is in `read`.
fn ensure_known(written: &Value, read: &Value, at: &str) -> Result<()> {
    let same = match (written, read) {
        (Value::Object(written), Value::Object(read)) => {
            return written.iter().try_for_each(|(name, value)| {
                let at = format!("{at}/{name}");
                ensure_known(value, read.get(name).unwrap_or(&Value::Null), &at)
            });
        }
        (Value::Array(written), Value::Array(read)) if written.len() == read.len() => {
            let mut pairs = written.iter().zip(read).enumerate();
            return pairs
                .try_for_each(|(index, (value, read))| ensure_known(value, read, &format!("{at}/{index}")));
        }
        (Value::Array(written), Value::Null) => written.is_empty(),
        // 1 and 1.0 are one number.
        (Value::Number(written), Value::Number(read)) => written == read || written.as_f64() == read.as_f64(),
        (written, read) => written == read,
    };
    ensure!(
        same,
        "it holds {at}, which this version does not know: nothing was changed; use the version that wrote it"
    );
    Ok(())
}

/// Removes the samples of an earlier version, where the packed ones have each of their cells.
fn remove_unpacked(folder: &Path, record: &Record) -> Result<()> {
    let path = folder.join(UNPACKED);
    if !path.is_file() {
        return Ok(());
    }
    let packed = columns(record::csv(record)?.as_bytes())?;
    let same = columns(&fs::read(&path)?).is_ok_and(|columns| {
        columns.iter().all(|(head, cells)| packed.get(head).is_some_and(|packed| packed == cells))
    });
    if same {
        fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))
    } else {
        say(&format!(
            "{} has other cells than the record: it is kept; compare the two and delete it by hand",
            path.display()
        ));
        Ok(())
    }
}

/// The cells below each head.
fn columns(text: &[u8]) -> csv::Result<BTreeMap<String, Vec<String>>> {
    let mut reader = csv::Reader::from_reader(text);
    let heads = reader.headers()?.clone();
    let mut columns: BTreeMap<String, Vec<String>> =
        heads.iter().map(|head| (head.to_owned(), Vec::new())).collect();
    for line in reader.records() {
        for (head, cell) in heads.iter().zip(&line?) {
            if let Some(column) = columns.get_mut(head) {
                column.push(cell.to_owned());
            }
        }
    }
    Ok(columns)
}

/// The page of a record and that of the run that it belongs to name the file of the samples.
fn rename_in_pages(folder: &Path) -> Result<()> {
    let sample = folder.file_name().unwrap_or_default().to_string_lossy();
    let link = |file: &str| format!("[{file}]({sample}/{file})");
    let pages = [
        (folder.join("README.md"), format!("`{UNPACKED}` holds"), format!("`{SAMPLES}` (gzip) holds")),
        (folder.join("../README.md"), link(UNPACKED), link(SAMPLES)),
    ];
    for (page, before, after) in pages {
        let Ok(text) = fs::read_to_string(&page) else { continue };
        if text.contains(&before) {
            Destination::File(page).write(text.replace(&before, &after))?;
        }
    }
    Ok(())
}
