//! `suite report`: makes pages and pictures of any number of records.
//!
//! ```text
//! collect ──▶ Records (order, groups) ──▶ PageModel (chapters, pictures) ──▶ blocks ──▶ page, markdown; plots
//! ```

mod blocks;
mod cards;
mod devices;
mod distribution;
mod glossary;
mod ladder;
mod link;
mod markdown;
mod page;
mod page_model;
pub mod plot;
mod provenance;
mod published;
mod records;
mod sweep;
mod table;
mod timeline;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use record::error::EXIT_RIGHT;
use report::Destination;
use report::scene::png;
use report::terminal::say;

use crate::collect::{collect, spare};
use blocks::Places;
use page_model::{Body, PageModel};
use records::Records;
pub use records::order_of;

/// Make one page (HTML, Markdown) and pictures of records
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Without an option for what to write, it is hot-lap-report.html in the folder where this is called.

Examples:
  suite report results                            every record, devices side by side
  suite report results/2026-11-30-nvidia-h200-suite --markdown page.md --plots pictures
                                                  for a page of your own")]
pub struct Report {
    /// Records, or folders with records anywhere below them
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// One page that needs nothing else (- for the standard output)
    #[arg(long, value_name = "FILE")]
    html: Option<Destination>,
    /// The same as Markdown without the glossary, with the pictures of --plots
    #[arg(long, value_name = "FILE")]
    markdown: Option<Destination>,
    /// Every plot as SVG and PNG; the folder is made where it is missing
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Head of the page
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

/// Largest size of a page in bytes: 2 MiB.
const MOST: usize = 2 << 20;
/// PNG pixels per SVG unit: text stays sharp on a high-resolution screen.
const SCALE: f32 = 2.0;
/// Bytes of the page reserved for sentences about pictures that are left out.
const RESERVE: usize = 8 << 10;

impl Report {
    /// Runs the command and returns its exit code.
    ///
    /// # Errors
    /// If a record cannot be read or an output cannot be written.
    pub fn run(&self) -> Result<u8> {
        let html = self.html();
        let pages = || [html.as_ref(), self.markdown.as_ref()].into_iter().flatten();
        let same =
            html.as_ref().zip(self.markdown.as_ref()).is_some_and(|(html, other)| html.is_same_place(other));
        ensure!(!same, "--html and --markdown name the same file: give them different ones");
        pages().try_for_each(Destination::probe)?;
        let found = collect(&self.paths)?;
        pages().try_for_each(|page| spare(found.iter().map(|found| &*found.path), page))?;
        let records = Records::of(found);
        let title = self.title.clone().unwrap_or_else(|| title(&records));
        let mut content = PageModel::of(&records, title);
        if let Some(folder) = &self.plots {
            self.write_plots(folder, &content)?;
        }
        if let Some(html) = &html {
            told(html, write_page(html, &mut content, self.places(html))?);
        }
        if let Some(to) = &self.markdown {
            let text = markdown::markdown(&content, self.places(to));
            to.write(&text)?;
            told(to, text.len());
        }
        Ok(EXIT_RIGHT)
    }

    /// The destination of the HTML page, if any.
    fn html(&self) -> Option<Destination> {
        if self.html.is_some() || self.markdown.is_some() || self.plots.is_some() {
            return self.html.clone();
        }
        // Not in the records' folder, which holds only what the run wrote.
        Some(Destination::File(PathBuf::from("hot-lap-report.html")))
    }

    fn places<'p>(&'p self, to: &'p Destination) -> Places<'p> {
        let page = match to {
            Destination::File(path) => folder_of(path),
            Destination::Stdout => Path::new(""),
        };
        Places { page, plots: self.plots.as_deref() }
    }

    fn write_plots(&self, folder: &Path, content: &PageModel<'_>) -> Result<()> {
        let shown = || format!("making the folder {}; choose another", folder.display());
        fs::create_dir_all(folder).with_context(shown)?;
        let mut count = 0;
        for picture in &content.pictures {
            if let Body::Drawn(svg) = &picture.body {
                let file =
                    |ending: &str| Destination::File(folder.join(format!("{}.{ending}", picture.name)));
                let svg = svg.file();
                file("svg").write(&svg)?;
                file("png").write(png(&svg, SCALE)?)?;
                count += 1;
            }
        }
        say(&format!("wrote {count} plots as SVG and PNG into {}", folder.display()));
        Ok(())
    }
}

/// Writes the page of these records.
///
/// # Errors
/// If a record cannot be read or the page cannot be written.
pub fn write(records: &[PathBuf], page: &Path) -> Result<()> {
    let records = Records::of(collect(records)?);
    let places = Places { page: folder_of(page), plots: None };
    let mut content = PageModel::of(&records, title(&records));
    write_page(&Destination::File(page.to_owned()), &mut content, places).map(drop)
}

/// Writes a page with as many pictures as it has room for; returns its size in bytes.
fn write_page(to: &Destination, content: &mut PageModel<'_>, places: Places<'_>) -> Result<usize> {
    // Twice, since a page without pictures explains for each why it is missing, which takes room.
    for _ in 0..2 {
        let so_far = page::page(content, places).len();
        content.keep(MOST.saturating_sub(RESERVE + so_far));
    }
    let text = page::page(content, places);
    to.write(&text)?;
    if text.len() > MOST {
        say("hot-lap: the tables alone take more than 2 MiB: give fewer records for a smaller page");
    }
    Ok(text.len())
}

/// `Hot Lap on NVIDIA H200 (driver 580.159.04) and llvmpipe`
fn title(records: &Records) -> String {
    match records.devices().as_slice() {
        [] => "Hot Lap".to_owned(),
        [one] => format!("Hot Lap on {one}"),
        [more @ .., last] => format!("Hot Lap on {} and {last}", more.join(", ")),
    }
}

fn folder_of(page: &Path) -> &Path {
    page.parent().unwrap_or(Path::new(""))
}

/// Makes both pages and all pictures of one record, for tests.
#[cfg(test)]
pub fn pages(record: &record::Record) -> Result<()> {
    let path = crate::collect::RECORD.into();
    let records = Records::of(vec![crate::collect::Found { path, record: record.clone() }]);
    let content = PageModel::of(&records, "a title".into());
    let places = Places { page: Path::new(""), plots: None };
    let texts = [page::page(&content, places), markdown::markdown(&content, places)];
    ensure!(texts.iter().all(|text| text.contains("a title")), "a page without its title");
    Ok(())
}

fn told(to: &Destination, bytes: usize) {
    if let Destination::File(path) = to {
        say(&format!("wrote {} ({} KiB)", path.display(), bytes.div_ceil(1024)));
    }
}
