//! The README is short, and links lead somewhere. That it shows what records hold is tested where `suite readme` is, in
//! suite/tests.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use glob::glob;
use libtest_mimic::Trial;

use crate::support::trial;

const PAGES: [&str; 5] =
    ["*.md", "docs/**/*.md", "common/README.md", "results/README.md", "samples/README.md"];
/// The most lines of pages that newcomers read.
const SHORT: [(&str, usize); 3] = [("README.md", 130), ("METHODOLOGY.md", 160), ("docs/findings/*.md", 90)];

pub fn trials() -> Vec<Trial> {
    vec![
        trial("pages::what_newcomers_read_is_short", what_newcomers_read_is_short),
        trial("pages::links_lead_somewhere", links_lead_somewhere),
    ]
}

fn pages(pattern: &str) -> Result<Vec<PathBuf>> {
    let pages: Vec<PathBuf> = glob(&root().join(pattern).to_string_lossy())?.collect::<Result<_, _>>()?;
    ensure!(!pages.is_empty(), "no page is called {pattern}");
    Ok(pages)
}

fn what_newcomers_read_is_short() -> Result<()> {
    for (pattern, most) in SHORT {
        for page in pages(pattern)? {
            let lines = fs::read_to_string(&page)?.lines().count();
            ensure!(lines <= most, "{}: {lines} lines", page.display());
        }
    }
    Ok(())
}

fn links_lead_somewhere() -> Result<()> {
    let all = PAGES.iter().map(|pattern| pages(pattern)).collect::<Result<Vec<_>>>()?;
    for page in all.into_iter().flatten() {
        let text = fs::read_to_string(&page)?;
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            ensure!(file.exists(), "{}: {link} does not exist", page.display());
            ensure!(heading.is_empty() || has_heading(&file, heading), "{}: {link}", page.display());
        }
    }
    Ok(())
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn has_heading(file: &Path, heading: &str) -> bool {
    let is_linked =
        |line: &str| line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-") == heading;
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().any(|line| line.starts_with('#') && is_linked(line))
}
