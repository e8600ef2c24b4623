//! `suite readme`: what a page shows of records is made of them.

mod block;
mod marker;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use report::Destination;
use report::terminal::{print, say};

use crate::report::ladder_svg;
use block::{Drawing, Ladder, Made, made};
use marker::blocks;

/// Put the tables and pictures of records into README.md
///
/// What stands between two comments of the page is made of a record and replaced; the rest
/// is left as it is. Paths count from the page's folder, a RECORD is the folder of a run:
///
///   <!-- suite: table RECORD [head LINES] -->       its table.txt, or so many lines of it
///   <!-- suite: figures HEAD VARIANT... | LABEL RECORD [| LABEL RECORD]... -->
///                                                   isolated medians in µs, and ratios
///   <!-- suite: picture RECORD|FILE ["WHAT"] -->    its ladder.svg, drawn here, or a file
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
    /// Does it; returns the exit code: 2 where `--check` finds something stale.
    ///
    /// # Errors
    /// A marker that is none, or whose record or variant is not there, with its line; a file that cannot
    /// be read or written.
    pub fn run(&self) -> Result<u8> {
        let page = self.page.display();
        let text = fs::read_to_string(&self.page).with_context(|| format!("reading {page}"))?;
        let folder = self.page.parent().unwrap_or(Path::new(""));
        let renewed = renewed(&text, folder, ladder_svg).map_err(|fault| fault.in_page(&self.page))?;
        for stale in &renewed.stale {
            say(&format!("{page}:{stale}"));
        }
        let (all, stale) = (renewed.blocks, renewed.stale.len());
        if stale == 0 {
            print(&format!("{page}: all {all} blocks are as their records have them"))?;
        } else if self.check {
            say(&format!("{page}: {stale} of {all} blocks are stale; suite readme makes them anew"));
            return Ok(EXIT_FAILED);
        } else {
            renewed.write(&self.page, &text)?;
            print(&format!("{page}: {stale} of {all} blocks were stale and are made anew"))?;
        }
        Ok(EXIT_RIGHT)
    }
}

/// A page whose blocks are made anew.
#[derive(Debug)]
struct Renewed {
    text: String,
    drawings: Vec<Drawing>,
    /// Of each block that was stale its line, and what it shows.
    stale: Vec<String>,
    blocks: usize,
}

impl Renewed {
    /// Pictures first: the page never shows one that is not there.
    fn write(self, page: &Path, before: &str) -> Result<()> {
        for Drawing { path, svg } in self.drawings {
            Destination::File(path).write(svg)?;
        }
        if self.text != before {
            Destination::File(page.to_owned()).write(self.text)?;
        }
        Ok(())
    }
}

/// A page with the picture of one record, for the tests.
///
/// # Errors
/// As [`Readme::run`].
#[cfg(test)]
pub fn shown(record: &record::Record) -> Result<()> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join(crate::collect::RECORD), record::json(record)?)?;
    let page = "<!-- suite: picture . -->\n<!-- suite: end -->\n";
    renewed(page, folder.path(), ladder_svg).map(drop).map_err(|fault| fault.error)
}

/// What is wrong with a marker.
#[derive(Debug)]
struct Fault {
    line: usize,
    error: anyhow::Error,
}

impl Fault {
    fn in_page(self, page: &Path) -> anyhow::Error {
        self.error.context(format!("{}:{}", page.display(), self.line))
    }
}

fn renewed(text: &str, folder: &Path, ladder: Ladder) -> Result<Renewed, Fault> {
    let blocks = blocks(text)?;
    let mut renewed = Renewed { text: String::new(), drawings: vec![], stale: vec![], blocks: blocks.len() };
    let mut copied = 0;
    for block in blocks {
        let made = made(&block.shows, folder, ladder);
        let Made { body, drawing } = made.map_err(|error| Fault { line: block.line, error })?;
        let body = if block.crlf { body.replace('\n', "\r\n") } else { body };
        let is_drawn = drawing.as_ref().is_none_or(Drawing::is_there);
        if !is_drawn || text[block.body.clone()] != body {
            renewed.stale.push(format!("{}: stale: {}", block.line, block.shows));
        }
        renewed.text += &text[copied..block.body.start];
        renewed.text += &body;
        copied = block.body.end;
        renewed.drawings.extend(drawing.filter(|_| !is_drawn));
    }
    renewed.text += &text[copied..];
    Ok(renewed)
}

#[cfg(test)]
mod tests;
