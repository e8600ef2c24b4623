//! Produces the content of a block from records.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use record::figures::Figures;
use record::trace::{STORED_WAVES, Trace, read_waves};
use record::{Record, Row, Status, read_record};
use report::{Detail, Lane, Theme, timeline_svg};

use super::{claims, curve, expected};
use crate::collect::RECORD;

const FIGURES: &str = "figures are asked for by: figures HEAD VARIANT... | LABEL RECORD [| LABEL RECORD]...";
const WAVES: &str =
    "waves are asked for by: waves FILE.svg \"WHAT\" | RECORD VARIANT... [| RECORD VARIANT...]...";

/// The content of a block.
#[derive(Debug)]
pub(super) struct Made {
    /// A short description.
    pub label: String,
    /// The text between the markers.
    pub body: String,
    /// The picture that was drawn for the block, and its path.
    pub drawing: Option<(PathBuf, String)>,
}

/// Splits text into words at white space. Double quotes group several words, or an empty one.
///
/// # Errors
/// If a quote is not closed.
pub(super) fn words(text: &str) -> Result<Vec<&str>> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').context("a double quote is not closed")?,
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word);
        rest = after.trim_start();
    }
    Ok(words)
}

/// Produces the block that these words request; paths are relative to `folder`.
///
/// # Errors
/// If the words are no valid request, or a record or variant does not exist or cannot be read.
pub(super) fn made(words: &[&str], folder: &Path) -> Result<Made> {
    match *words {
        ["table", run] => table(folder, run, usize::MAX),
        ["table", run, "head", lines] => {
            let head = lines.parse().ok().filter(|&lines| lines > 0);
            table(folder, run, head.with_context(|| format!("'{lines}' is no number of lines"))?)
        }
        ["table", ..] => bail!("a table is asked for by: table RECORD [head LINES]"),
        ["figures", ref asked @ ..] => figures(folder, asked),
        ["claims", ref asked @ ..] => claims::asked(folder, asked),
        ["drivers", pages, results] => claims::by_driver(folder, pages, results),
        ["events"] => expected::expected(),
        ["drivers", ..] => bail!("claims by driver are asked for by: drivers PAGES RESULTS"),
        ["waves", ref asked @ ..] => waves(folder, asked),
        ["curve", ref asked @ ..] => curve::curve(folder, asked),
        _ => bail!(
            "'{}' is nothing that a block shows: there are table, figures, claims, drivers, events, waves and \
             curve",
            words.first().unwrap_or(&"")
        ),
    }
}

pub(super) fn record(folder: &Path, run: &str) -> Result<Record> {
    let file = folder.join(run).join(RECORD);
    ensure!(file.is_file(), "there is no record {run}/{RECORD}");
    read_record(&file)
}

fn table(folder: &Path, run: &str, head: usize) -> Result<Made> {
    record(folder, run)?;
    let path = folder.join(run).join("table.txt");
    let table = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let lines: Vec<&str> = table.lines().take(head).collect();
    let body = format!("```\n{}\n```\n", lines.join("\n").trim_end());
    Ok(Made { label: format!("table {run}"), body, drawing: None })
}

fn figures(folder: &Path, asked: &[&str]) -> Result<Made> {
    let mut parts = asked.split(|&word| word == "|");
    let Some([head, variants @ ..]) = parts.next() else { bail!(FIGURES) };
    let rows: Vec<&[&str]> = parts.collect();
    ensure!(!variants.is_empty() && !rows.is_empty(), FIGURES);
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut body = format!("|{}\n", "---|".repeat(variants.len() + 1));
    // Records of earlier versions have no labels.
    let mut names: Vec<String> = variants.iter().map(|variant| format!("`{variant}`")).collect();
    let mut label = "figures".to_owned();
    for row in rows {
        let [text, run] = row else { bail!("{FIGURES}; '{}' is no LABEL RECORD", row.join(" ")) };
        let record = record(folder, run)?;
        for (name, variant) in names.iter_mut().zip(variants) {
            let label = record.label(variant);
            if label != *variant {
                *name = cell(label);
            }
        }
        let mut cells = vec![format!("[{}]({})", cell(text), target(run))];
        for variant in variants {
            let row = record.rows.iter().find(|row| row.variant == *variant);
            let row = row.with_context(|| format!("{run} has no variant '{variant}'"))?;
            cells.push(figure(&record, row));
        }
        body += &line(&cells);
        label += &format!(" {run}");
    }
    let heads = line(&[vec![cell(head)], names].concat());
    Ok(Made { label, body: heads + &body, drawing: None })
}

/// The median time alone in microseconds and its ratio to the reference, except for the reference itself.
fn figure(record: &Record, row: &Row) -> String {
    match (&row.status, row.isolated_us) {
        (Status::Ok, Some(us)) => match record.to_reference(row) {
            Some(ratio) if record.reference() != Some(&row.variant) => {
                format!("{:.1} ({:.2}x)", us.median, ratio.median)
            }
            _ => format!("{:.1}", us.median),
        },
        // Runs of trials count races and measure no time.
        (Status::Ok, None) => "no time".into(),
        (other, _) => other.word().into(),
    }
}

/// A run whose waves are drawn, and those of its variants that are.
struct Stored<'w> {
    run: &'w str,
    variants: &'w [&'w str],
    record: Record,
    traces: Vec<(String, Trace)>,
}

fn stored<'w>(folder: &Path, part: &'w [&'w str]) -> Result<Stored<'w>> {
    let [run, variants @ ..] = part else { bail!(WAVES) };
    ensure!(!variants.is_empty(), WAVES);
    let record = record(folder, run)?;
    let figures = Figures::new(&record.rows);
    let traces = read_waves(&folder.join(run).join(STORED_WAVES), |name| figures.trace(name))?;
    Ok(Stored { run, variants, record, traces })
}

/// A picture of stored waves, of one record or of several of one device. Its head has the finding of the first, and the
/// settings that all share.
fn waves(folder: &Path, asked: &[&str]) -> Result<Made> {
    let mut parts = asked.split(|&word| word == "|");
    let Some(&[file, what]) = parts.next() else { bail!(WAVES) };
    ensure!(file.ends_with(".svg"), WAVES);
    let stored = |part| stored(folder, part);
    let runs: Vec<Stored<'_>> = parts.map(stored).collect::<Result<_>>()?;
    let mut head = runs.first().context(WAVES)?.record.clone();
    let mut lanes = Vec::new();
    for Stored { run, variants, record, traces } in &runs {
        ensure!(record.device == head.device, "{run} is of another device");
        head.configuration.retain(|name, value| record.configuration.get(name) == Some(value));
        for variant in *variants {
            let trace = traces.iter().find(|(name, _)| name == variant);
            let lane = trace.and_then(|(name, trace)| Lane::of(record, name, trace));
            lanes.push(lane.with_context(|| format!("{run} has no waves of '{variant}'"))?);
        }
    }
    let svg = timeline_svg(&head, &lanes, Theme::Auto, Detail::Compact)?;
    let body = format!("![{}]({})\n", what.replace(']', "\\]"), target(file));
    Ok(Made { label: format!("waves {file}"), body, drawing: Some((folder.join(file), svg)) })
}

/// Escapes a bar, which would end a table's cell, and a bracket, which would end a link.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(']', "\\]")
}

/// The target of a link. Markdown ends it at white space and parentheses unless it is in angle brackets.
pub(super) fn target(path: &str) -> String {
    let is_plain = !path.contains(|c: char| c.is_whitespace() || "()".contains(c));
    if is_plain { path.to_owned() } else { format!("<{path}>") }
}
