//! The README is short, and links lead somewhere. That it shows what records hold is tested where
//! `suite readme` is, in suite/tests.

use std::fs;
use std::path::Path;

const PAGES: [&str; 6] = [
    "README.md",
    "METHODOLOGY.md",
    "common/README.md",
    "docs/building.md",
    "results/README.md",
    "samples/README.md",
];

#[test]
fn the_readme_stays_short() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() <= 200);
}

#[test]
fn links_lead_somewhere() {
    for page in PAGES {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let folder = root().join(page).parent().unwrap().to_owned();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { root().join(page) } else { folder.join(file) };
            assert!(file.exists(), "{page}: {link} does not exist");
            assert!(heading.is_empty() || has_heading(&file, heading), "{page}: no heading for {link}");
        }
    }
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
