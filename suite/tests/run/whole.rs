//! What a folder of a run holds, and that it is whole.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use record::Record;
use serde_json::Value;

use crate::support::{files_of, read_record};

/// What a sample leaves.
const FILES: [&str; 4] = ["README.md", "record.json", "samples.csv.gz", "table.txt"];
/// And where its waves were traced.
const TRACED: [&str; 7] =
    ["README.md", "record.json", "samples.csv.gz", "table.txt", "waves.json.gz", "waves.svg", "waves.txt"];

/// The manifest of a run.
pub fn manifest(folder: &Path) -> Result<Value> {
    let path = folder.join("suite.json");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    ensure!(!text.contains("\"/"), "a path that holds on this machine only: {text}");
    serde_json::from_str(&text).with_context(|| format!("{} is not whole: {text}", path.display()))
}

/// State and reason of each sample.
pub fn states(folder: &Path) -> Result<BTreeMap<String, (String, String)>> {
    let manifest = manifest(folder)?;
    let entries = manifest["samples"].as_array().context("no samples")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Ok(entries
        .iter()
        .map(|entry| (text(&entry["sample"]), (text(&entry["state"]), text(&entry["reason"]))))
        .collect())
}

/// Makes sure that samples have these states.
pub fn ensure_states(folder: &Path, expected: &[(&str, &str)]) -> Result<()> {
    let states = states(folder)?;
    let found: Vec<(&str, &str)> =
        states.iter().map(|(sample, (state, _))| (sample.as_str(), state.as_str())).collect();
    ensure!(found == expected, "{found:?} instead of {expected:?}: {states:?}");
    Ok(())
}

/// A sample's record.
pub fn record(folder: &Path, sample: &str) -> Result<Record> {
    read_record(&folder.join(sample).join("record.json"))
}

/// Names that begin with a dot.
pub fn hidden(folder: &Path) -> Result<Vec<String>> {
    Ok(files_of(folder)?.into_keys().filter(|name| name.starts_with('.')).collect())
}

/// Makes sure that whatever has a name without a dot is whole; returns the samples that are there.
pub fn ensure_whole(folder: &Path) -> Result<Vec<String>> {
    let mut samples = Vec::new();
    let Ok(files) = files_of(folder) else { return Ok(samples) };
    for (name, contents) in files.into_iter().filter(|(name, _)| !name.starts_with('.')) {
        let path = folder.join(&name);
        match name.as_str() {
            "suite.json" => drop(manifest(folder)?),
            "README.md" => {
                let page = String::from_utf8(contents)?;
                ensure!(page.starts_with("# Hot Lap on ") && page.ends_with('\n'), "half a page: {page}");
            }
            "report.html" => {
                let report = String::from_utf8(contents)?;
                ensure!(report.ends_with("</html>"), "half a report");
                // It is sent to others.
                let place = folder.display().to_string();
                ensure!(!report.contains(&place), "the report says where it was made");
            }
            _ => {
                ensure!(path.is_dir(), "what is {}?", path.display());
                ensure_sample(&path).with_context(|| format!("in {}", path.display()))?;
                samples.push(name);
            }
        }
    }
    Ok(samples)
}

fn ensure_sample(folder: &Path) -> Result<()> {
    let files = files_of(folder)?;
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    ensure!(names == FILES || names == TRACED, "it holds {names:?}");
    let record = read_record(&folder.join("record.json"))?;
    ensure!(record.rows.iter().all(|row| row.isolated_us.is_none() || !row.samples.is_empty()), "no samples");
    let text = |name: &str| String::from_utf8_lossy(&files[name]).into_owned();
    ensure!(text("table.txt").ends_with('\n') && text("README.md").ends_with('\n'), "half a text");
    ensure!(text("README.md").contains(text("table.txt").trim_end()), "the page lacks the table");
    Ok(())
}

/// Every file below a folder with what it holds and when it was written.
pub fn snapshot(folder: &Path) -> Result<BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)>> {
    let mut found = BTreeMap::new();
    for name in files_of(folder)?.into_keys() {
        let path = folder.join(name);
        if path.is_dir() {
            found.extend(snapshot(&path)?);
        } else {
            found.insert(path.clone(), (fs::read(&path)?, fs::metadata(&path)?.modified()?));
        }
    }
    Ok(found)
}
