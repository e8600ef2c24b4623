//! The README is short, and its links lead somewhere. That it shows what records hold is tested where
//! `suite readme` is, in suite/tests.

use std::fs;
use std::path::Path;

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
