//! The README is short, and links lead somewhere. That it shows what records hold is tested where `suite readme` is, in
//! suite/tests.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use libtest_mimic::Trial;

use crate::support::trial;

const PAGES: [&str; 6] = [
    "README.md",
    "METHODOLOGY.md",
    "common/README.md",
    "docs/building.md",
    "results/README.md",
    "samples/README.md",
];

pub fn trials() -> Vec<Trial> {
    vec![
        trial("pages::the_readme_stays_short", the_readme_stays_short),
        trial("pages::links_lead_somewhere", links_lead_somewhere),
    ]
}

fn the_readme_stays_short() -> Result<()> {
    let lines = fs::read_to_string(root().join("README.md"))?.lines().count();
    ensure!(lines <= 200, "{lines} lines");
    Ok(())
}

fn links_lead_somewhere() -> Result<()> {
    for page in PAGES {
        let page = root().join(page);
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
