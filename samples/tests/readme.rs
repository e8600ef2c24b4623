//! The README shows what a record holds: a table that no longer stands in its record is stale.

use std::fs;
use std::path::Path;

/// Marks the code block below it as the beginning of a recorded table.
const MARK: &str = "<!-- table: ";

#[test]
fn every_table_of_the_readme_stands_in_its_record() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let mut shown = 0;
    for part in readme.split(MARK).skip(1) {
        let (path, rest) = part.split_once(" -->\n```\n").expect("a mark stands right above a code block");
        let block = rest.split("```\n").next().unwrap();
        let recorded = fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(block.lines().count() > 8, "the table of {path} is missing");
        assert!(recorded.starts_with(block), "the README's table is not the one of {path}");
        shown += 1;
    }
    assert!(shown > 0, "the README shows no recorded table");
}

#[test]
fn the_readme_stays_short_and_its_links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.lines().count() <= 200);
    for link in readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(root.join(link).exists(), "{link} does not exist");
    }
}
