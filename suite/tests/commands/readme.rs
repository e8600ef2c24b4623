//! The README and the findings show what records hold: a block that is not as its record has it is stale.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::suite;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder with the README, the records that it shows, and its picture.
fn copy() -> io::Result<TempDir> {
    let at = tempfile::tempdir()?;
    copy_below(&root().join("results"), &at.path().join("results"))?;
    fs::create_dir(at.path().join("docs"))?;
    for file in ["README.md", "docs/waves.svg"] {
        fs::copy(root().join(file), at.path().join(file))?;
    }
    Ok(at)
}

fn copy_below(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_below(&entry.path(), &to)?;
        } else if !entry.file_name().to_string_lossy().ends_with(".csv") {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// The pages that show records, from the root.
fn pages() -> Vec<String> {
    let findings = fs::read_dir(root().join("docs/findings")).unwrap();
    let findings = findings.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages = findings.filter(|name| name.ends_with(".md")).map(|name| format!("docs/findings/{name}"));
    pages.chain(["README.md", "docs/drivers.md"].map(str::to_owned)).collect()
}

#[test]
fn pages_are_as_their_records_have_them() {
    let mut all = 0;
    for page in pages() {
        let checked = suite(&root(), &["dev", "readme", "--check", &page]);
        assert_eq!(checked.code, 0, "{}", checked.said);
        let text = fs::read_to_string(root().join(&page)).unwrap();
        let blocks = text.matches("\n<!-- suite: end -->\n").count();
        assert_eq!(checked.out, format!("{page}: all {blocks} blocks are as their records have them\n"));
        all += blocks;
    }
    assert!(all >= 7, "{all}");
}

/// What is written by hand is not checked: so nothing that looks like a record's table is.
#[test]
fn every_table_of_figures_is_in_a_block() {
    let mut figures = 0;
    for page in pages() {
        let mut is_in_block = false;
        for (line, text) in (1..).zip(fs::read_to_string(root().join(&page)).unwrap().lines()) {
            if text.starts_with("<!-- suite:") {
                is_in_block = text != "<!-- suite: end -->";
            }
            if text.starts_with("| [") && text.contains("results/") || text.contains("────") {
                assert!(is_in_block, "{page}:{line}: is written by hand");
                figures += 1;
            }
        }
    }
    assert!(figures > 10, "{figures}");
}

#[test]
fn a_stale_readme_is_named_and_mended() {
    let at = copy().unwrap();
    let path = at.path().join("README.md");
    let right = fs::read_to_string(&path).unwrap();
    let [claim, table] = ["shared memory takes 0.78x as long", "Beside no sync the barrier takes 1.07x"];
    assert_eq!([claim, table].map(|words| right.matches(words).count()), [1, 1]);
    let stale =
        right.replace(claim, "shared memory takes half as long").replace(table, "The barrier takes 1.07x");
    fs::write(&path, &stale).unwrap();

    let checked = suite(at.path(), &["dev", "readme", "--check"]);
    let lines: Vec<&str> = checked.said.lines().collect();
    assert_eq!((checked.code, lines.len()), (2, 3), "{lines:?}");
    for (line, kind) in lines.iter().zip(["claims", "table"]) {
        let marker = format!("<!-- suite: {kind}");
        let number = right.lines().position(|line| line.starts_with(&marker)).unwrap() + 1;
        assert!(line.starts_with(&format!("README.md:{number}: stale: {kind} ")), "{lines:?}");
    }
    assert!(lines[2].starts_with("README.md: 2 of ") && lines[2].contains("suite dev readme"), "{lines:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), stale, "--check writes nothing");

    let mended = suite(at.path(), &["dev", "readme"]);
    assert_eq!(mended.code, 0, "{}", mended.said);
    assert_eq!(fs::read_to_string(&path).unwrap(), right);
    assert_eq!(suite(&root(), &["dev", "readme", "--check", path.to_str().unwrap()]).code, 0);
}
