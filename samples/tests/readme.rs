//! The README shows what a record holds: a table that no longer stands in its record is stale.

use std::fs;
use std::path::Path;

use common::report::read_json;

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

/// `| [label](results/…) | 45.2 | 73.6 (1.63x) | …` under a head that names the variants.
#[test]
fn every_figure_with_a_record_is_the_one_in_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let mut variants: Vec<String> = Vec::new();
    let mut compared = 0;
    for line in readme.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let linked = cells[0].split_once("](results/").and_then(|(_, rest)| rest.strip_suffix(')'));
        let Some(folder) = linked else {
            variants = cells.iter().map(|cell| cell.trim_matches('`').to_owned()).collect();
            continue;
        };
        let path = root.join("results").join(folder).join("record.json");
        let record = read_json(&fs::read_to_string(path).unwrap()).unwrap();
        for (variant, cell) in variants.iter().zip(&cells).skip(1) {
            let row = record.rows.iter().find(|row| row.variant == *variant).unwrap();
            let mut figure = format!("{:.1}", row.isolated_us.unwrap().median);
            let (reference, ratio) = match &record.bound {
                Some(bound) => (Some(bound), row.to_bound),
                None => (record.baseline.as_ref(), row.to_baseline),
            };
            if reference != Some(variant) {
                figure += &format!(" ({:.2}x)", ratio.unwrap().median);
            }
            assert_eq!(*cell, figure, "{variant} of {folder}");
            compared += 1;
        }
    }
    assert!(compared >= 4, "only {compared} figures have a record");
}

#[test]
fn the_readme_stays_short_and_its_links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.lines().count() <= 200);
    for link in readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        let (file, heading) = link.split_once('#').unwrap_or((link, ""));
        assert!(root.join(file).exists(), "{link} does not exist");
        let is_linked =
            |line: &str| line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-") == heading;
        let found = heading.is_empty()
            || fs::read_to_string(root.join(file))
                .unwrap()
                .lines()
                .any(|line| line.starts_with('#') && is_linked(line));
        assert!(found, "{file} has no heading {heading}");
    }
}
