//! `suite dev readme`: updates tables and pictures of waves in a page from records.

mod block;
mod claims;
mod curve;
mod expected;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use report::Destination;
use report::terminal::{print, say};

use block::{Made, made, words};

/// Begins a marker; only at the beginning of a line.
const MARK: &str = "<!-- suite:";
const CLOSE: &str = "-->";
/// The request of the marker that ends a block.
const END: &str = "end";
const END_MARKER: &str = "<!-- suite: end -->";

/// Put tables and waves of records into README.md
///
/// What stands between two comments of the page is made of a record and replaced; the rest
/// is left as it is. Paths count from the page's folder, a RECORD is the folder of a run:
///
///   <!-- suite: table RECORD [head LINES] -->       its table.txt, or so many lines of it
///   <!-- suite: figures HEAD VARIANT... | LABEL RECORD [| LABEL RECORD]... -->
///                                                   median time alones in µs, and ratios
///   <!-- suite: claims PAGES | DEVICE RUN [| DEVICE RUN]... -->
///                                                   what suite runs found of each claim
///   <!-- suite: drivers PAGES RESULTS -->           the same of each driver, of its latest run below a folder
///   <!-- suite: events -->                          what drivers do with events, as read in their source
///   <!-- suite: waves FILE.svg "WHAT" | RECORD VARIANT... [| RECORD VARIANT...]... -->
///                                                   waves of traced runs of one device, drawn into FILE.svg
///   <!-- suite: curve FILE.svg "WHAT" RECORD "TABLE" -->
///                                                   clocks over the sizes of a cross table, drawn into FILE.svg
///   <!-- suite: end -->
///
/// A word with spaces stands in double quotes; a comment may take several lines.
#[derive(clap::Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub struct Readme {
    /// Write nothing; exit with 2 and name what is stale
    #[arg(long)]
    check: bool,
    /// The page
    #[arg(value_name = "FILE", default_value = "README.md")]
    page: PathBuf,
}

impl Readme {
    /// Runs the command and returns its exit code: 2 if `--check` finds stale blocks.
    ///
    /// # Errors
    /// If a marker is invalid, or its record or variant does not exist (the message has the line), or a file cannot
    /// be read or written.
    pub fn run(&self) -> Result<u8> {
        let page = self.page.display();
        let text = fs::read_to_string(&self.page).with_context(|| format!("reading {page}"))?;
        let renewed = renewed(&self.page, &text)?;
        for stale in &renewed.stale {
            say(stale);
        }
        let (all, stale) = (renewed.blocks, renewed.stale.len());
        if stale == 0 {
            print(&format!("{page}: all {all} blocks are as their records have them"))?;
        } else if self.check {
            say(&format!("{page}: {stale} of {all} blocks are stale; suite dev readme makes them anew"));
            return Ok(EXIT_FAILED);
        } else {
            renewed.write(&self.page, &text)?;
            print(&format!("{page}: {stale} of {all} blocks were stale and are made anew"))?;
        }
        Ok(EXIT_RIGHT)
    }
}

/// A page with updated blocks.
#[derive(Debug, Default)]
struct Renewed {
    text: String,
    /// Pictures that are missing or differ from their files.
    drawings: Vec<(PathBuf, String)>,
    /// Line and label of each stale block.
    stale: Vec<String>,
    blocks: usize,
}

impl Renewed {
    /// Pictures are written first, so that the page never shows one that is missing.
    fn write(self, page: &Path, before: &str) -> Result<()> {
        for (path, svg) in self.drawings {
            Destination::File(path).write(svg)?;
        }
        if self.text != before {
            Destination::File(page.to_owned()).write(self.text)?;
        }
        Ok(())
    }
}

/// A comment of the page that is addressed to this program.
struct Marker<'t> {
    asks: &'t str,
    /// Offset of the beginning of its first line.
    at: usize,
    /// Offset of the end of its last line.
    end: usize,
}

/// Updates all blocks of a page.
fn renewed(page: &Path, text: &str) -> Result<Renewed> {
    let place = |at: usize| format!("{}:{}", page.display(), text[..at].matches('\n').count() + 1);
    let markers = markers(text, &place)?;
    ensure!(!markers.is_empty(), "{}: the page marks no block; suite dev readme --help shows how", place(0));
    let mut renewed = Renewed { blocks: markers.len() / 2, ..Renewed::default() };
    let mut copied = 0;
    for pair in markers.chunks(2) {
        let (block, end) = match pair {
            [end, ..] if end.asks == END => bail!("{}: there is no block that ends here", place(end.at)),
            [block, end] if end.asks == END => (block, end),
            [_, next] => bail!("{}: the block before this one has no {END_MARKER}", place(next.at)),
            _ => bail!("{}: the block has no {END_MARKER}", place(pair[0].at)),
        };
        let folder = page.parent().unwrap_or(Path::new(""));
        let made = words(block.asks).and_then(|words| made(&words, folder));
        let Made { label, body, drawing } = made.with_context(|| place(block.at))?;
        renewed.text += &text[copied..block.end];
        // Uses the line endings of the page.
        let body = if renewed.text.ends_with("\r\n") { body.replace('\n', "\r\n") } else { body };
        let drawing =
            drawing.filter(|(path, svg)| !fs::read(path).is_ok_and(|there| there == svg.as_bytes()));
        if drawing.is_some() || text[block.end..end.at] != body {
            renewed.stale.push(format!("{}: stale: {label}", place(block.at)));
        }
        renewed.text += &body;
        renewed.drawings.extend(drawing);
        copied = end.at;
    }
    renewed.text += &text[copied..];
    Ok(renewed)
}

/// The markers of a page.
fn markers<'t>(text: &'t str, place: &dyn Fn(usize) -> String) -> Result<Vec<Marker<'t>>> {
    let mut at = 0;
    let mut markers: Vec<Marker<'_>> = Vec::new();
    while let Some(line) = text[at..].split_inclusive('\n').next() {
        if !line.starts_with(MARK) {
            at += line.len();
            continue;
        }
        let marker = marker(text, at).with_context(|| place(at))?;
        at = marker.end;
        markers.push(marker);
    }
    Ok(markers)
}

/// The marker that begins at offset `at` of `text`, including the rest of its last line.
fn marker(text: &str, at: usize) -> Result<Marker<'_>> {
    let closed = text[at + MARK.len()..].split_once(CLOSE).filter(|(asks, _)| !asks.contains("<!--"));
    let (asks, behind) = closed.with_context(|| format!("the comment is not closed by {CLOSE}"))?;
    let rest = behind.split_inclusive('\n').next().unwrap_or_default();
    ensure!(
        rest.trim().is_empty(),
        "the line goes on behind {CLOSE}: what a block shows begins below its marker"
    );
    Ok(Marker { asks: asks.trim(), at, end: text.len() - behind.len() + rest.len() })
}

#[cfg(test)]
mod tests;
