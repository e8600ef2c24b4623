//! What a block shows, made of its records.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use record::{Record, Row, Status, read_record};

use super::marker::{Labelled, Shows};
use crate::collect::RECORD;

/// Draws the ladder of a record, as SVG.
pub(super) type Ladder = fn(&Record) -> Result<String>;

/// Name of the picture of a record, in the folder of its run.
const LADDER: &str = "ladder.svg";

/// A block as it has to be.
#[derive(Debug)]
pub(super) struct Made {
    /// What stands between the markers.
    pub body: String,
    /// The picture that it shows, where that is drawn here.
    pub drawing: Option<Drawing>,
}

/// A picture, and where it has to lie.
#[derive(Debug)]
pub(super) struct Drawing {
    pub path: PathBuf,
    pub svg: String,
}

impl Drawing {
    /// It lies there already.
    pub fn is_there(&self) -> bool {
        fs::read(&self.path).is_ok_and(|there| there == self.svg.as_bytes())
    }
}

/// Makes a block; paths count from `folder`.
///
/// # Errors
/// A record or variant that is not there or cannot be read.
pub(super) fn made(shows: &Shows, folder: &Path, ladder: Ladder) -> Result<Made> {
    let text = |body| Made { body, drawing: None };
    match shows {
        Shows::Table { record, head } => table(folder, record, *head).map(text),
        Shows::Figures { head, variants, rows } => figures(folder, head, variants, rows).map(text),
        Shows::Picture { path, what } => picture(folder, path, what.as_deref(), ladder),
    }
}

fn record(folder: &Path, run: &str) -> Result<Record> {
    let file = folder.join(run).join(RECORD);
    ensure!(file.is_file(), "there is no record {run}/{RECORD}");
    read_record(&file)
}

fn table(folder: &Path, run: &str, head: Option<usize>) -> Result<String> {
    record(folder, run)?;
    let path = folder.join(run).join("table.txt");
    let table = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let lines: Vec<&str> = table.lines().take(head.unwrap_or(usize::MAX)).collect();
    Ok(format!("```\n{}\n```\n", lines.join("\n").trim_end()))
}

fn figures(folder: &Path, head: &str, variants: &[String], rows: &[Labelled]) -> Result<String> {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let names = variants.iter().map(|variant| format!("`{variant}`"));
    let mut table = line(&[vec![cell(head)], names.collect()].concat());
    table += &format!("|{}\n", "---|".repeat(variants.len() + 1));
    for Labelled { label, record: run } in rows {
        let record = record(folder, run)?;
        let mut cells = vec![format!("[{}]({})", cell(label), target(run))];
        for variant in variants {
            let row = record.rows.iter().find(|row| row.variant == *variant);
            let row = row.with_context(|| format!("{run} has no variant '{variant}'"))?;
            cells.push(figure(&record, row));
        }
        table += &line(&cells);
    }
    Ok(table)
}

/// The isolated median in microseconds and, but for the reference, its ratio to that one's.
fn figure(record: &Record, row: &Row) -> String {
    let (Status::Ok, Some(us)) = (&row.status, row.isolated_us) else {
        return word(&row.status).into();
    };
    match record.to_reference(row) {
        Some(ratio) if record.reference() != Some(&row.variant) => {
            format!("{:.1} ({:.2}x)", us.median, ratio.median)
        }
        _ => format!("{:.1}", us.median),
    }
}

fn word(status: &Status) -> &'static str {
    match status {
        // Counted, as in runs of trials.
        Status::Ok => "no time",
        Status::Skipped { .. } => "skipped",
        Status::Unsupported { .. } => "unsupported",
        Status::Throttled { .. } => "throttled",
        Status::Wrong { .. } => "wrong",
        Status::Error { .. } => "error",
    }
}

fn picture(folder: &Path, path: &str, what: Option<&str>, ladder: Ladder) -> Result<Made> {
    if !folder.join(path).is_dir() {
        ensure!(folder.join(path).is_file(), "there is no picture and no record {path}");
        let what = what.context("a picture that no record makes needs words: picture FILE \"WHAT\"")?;
        return Ok(Made { body: shown(what, path), drawing: None });
    }
    let record = record(folder, path)?;
    let svg = ladder(&record).with_context(|| format!("drawing {path}"))?;
    let is_of = format!("{} on {}: isolated times", record.sample, record.device.name);
    let body = shown(what.unwrap_or(&is_of), &format!("{}/{LADDER}", path.trim_end_matches('/')));
    Ok(Made { body, drawing: Some(Drawing { path: folder.join(path).join(LADDER), svg }) })
}

fn shown(what: &str, path: &str) -> String {
    format!("![{}]({})\n", what.replace(']', "\\]"), target(path))
}

/// In a cell of a table a bar would end it, in a link a bracket.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(']', "\\]")
}

/// As the target of a link: Markdown ends one at white space and parentheses, but not in angle brackets.
fn target(path: &str) -> String {
    let is_plain = !path.contains(|c: char| c.is_whitespace() || "()".contains(c));
    if is_plain { path.to_owned() } else { format!("<{path}>") }
}
