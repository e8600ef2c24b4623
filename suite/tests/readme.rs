//! The README shows what records hold: a block that is not as its record has it is stale.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn readme(arguments: &[&str], at: &Path) -> Output {
    let mut suite = Command::new(env!("CARGO_BIN_EXE_suite"));
    suite.arg("readme").args(arguments).current_dir(at).output().expect("the suite runs")
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with the README and the records that it shows.
fn copy() -> io::Result<TempDir> {
    let at = tempfile::tempdir()?;
    copy_below(&root().join("results"), &at.path().join("results"))?;
    fs::copy(root().join("README.md"), at.path().join("README.md"))?;
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

#[test]
fn the_readme_is_as_its_records_have_it() {
    let checked = readme(&["--check"], &root());
    assert_eq!(checked.status.code(), Some(0), "{}", told(&checked));
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let blocks = text.matches("\n<!-- suite: end -->\n").count();
    assert!(blocks >= 7, "{blocks}");
    let told = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert_eq!(told, format!("README.md: all {blocks} blocks are as their records have them\n"));
}

/// What is written by hand is not checked: so nothing that looks like a record's table is.
#[test]
fn every_table_of_figures_is_in_a_block() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut is_in_block = false;
    let mut figures = 0;
    for (line, text) in (1..).zip(readme.lines()) {
        if text.starts_with("<!-- suite:") {
            is_in_block = text != "<!-- suite: end -->";
        }
        if text.starts_with("| [") && text.contains("](results/") || text.contains("────") {
            assert!(is_in_block, "README.md:{line}: is written by hand");
            figures += 1;
        }
    }
    assert!(figures > 10, "{figures}");
}

#[test]
fn a_stale_readme_is_named_and_mended() {
    let at = copy().unwrap();
    let path = at.path().join("README.md");
    let right = fs::read_to_string(&path).unwrap();
    assert_eq!(right.matches("71.4 (1.66x)").count(), 1);
    let stale = right
        .replace("71.4 (1.66x)", "71.3 (1.66x)")
        .replace("memory barrier       ", "a barrier            ");
    fs::write(&path, &stale).unwrap();

    let checked = readme(&["--check"], at.path());
    assert_eq!(checked.status.code(), Some(2));
    let lines: Vec<String> = told(&checked).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    let line_of = |mark: &str| right.lines().position(|line| line.starts_with(mark)).unwrap() + 1;
    assert!(
        lines[0].starts_with(&format!("README.md:{}: stale: table ", line_of("<!-- suite: table"))),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with(&format!("README.md:{}: stale: figures ", line_of("<!-- suite: figures"))),
        "{lines:?}"
    );
    assert!(lines[2].starts_with("README.md: 2 of ") && lines[2].contains("suite readme"), "{lines:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), stale, "--check writes nothing");

    let mended = readme(&[], at.path());
    assert_eq!(mended.status.code(), Some(0), "{}", told(&mended));
    assert_eq!(fs::read_to_string(&path).unwrap(), right);
    assert_eq!(readme(&["--check", path.to_str().unwrap()], &root()).status.code(), Some(0));
}

#[test]
fn a_record_that_changed_makes_the_readme_stale() {
    let at = copy().unwrap();
    let record = at.path().join("results/2026-11-21-nvidia-h200/lds_blur/record.json");
    let mut changed: Value = serde_json::from_str(&fs::read_to_string(&record).unwrap()).unwrap();
    let rows = changed["rows"].as_array_mut().unwrap();
    let row = rows.iter_mut().find(|row| row["variant"] == "direct_sampled").unwrap();
    let median = row["isolated_us"]["median"].as_f64().unwrap() * 1.01;
    // Whatever has to lie above the median rises with it.
    for above in ["median", "median_95/high", "q3", "max"] {
        let above = row["isolated_us"].pointer_mut(&format!("/{above}")).unwrap();
        *above = above.as_f64().unwrap().max(median).into();
    }
    fs::write(&record, changed.to_string()).unwrap();
    let checked = readme(&["--check"], at.path());
    assert_eq!(checked.status.code(), Some(2));
    assert!(
        told(&checked).contains("stale: figures results/2026-11-21-nvidia-h200/lds_blur "),
        "{}",
        told(&checked)
    );
}

#[test]
fn what_cannot_be_made_is_told_on_one_line() {
    let at = tempfile::tempdir().unwrap();
    let page = at.path().join("page.md");
    let end = "<!-- suite: end -->";
    for (text, says) in [
        (
            format!("<!-- suite: table results/none -->\n{end}\n"),
            "page.md:1: there is no record results/none/record.json",
        ),
        (
            format!("\n<!-- suite: table broken -->\n{end}\n"),
            "page.md:2: reading broken/record.json: not a whole JSON document",
        ),
        (end.into(), "page.md:1: there is no block that ends here"),
        (String::new(), "page.md:1: the page marks no block"),
    ] {
        fs::create_dir_all(at.path().join("broken")).unwrap();
        fs::write(at.path().join("broken/record.json"), "{").unwrap();
        fs::write(&page, &text).unwrap();
        for arguments in [vec!["page.md"], vec!["--check", "page.md"]] {
            let failed = readme(&arguments, at.path());
            let told = told(&failed);
            assert_eq!((failed.status.code(), told.lines().count()), (Some(2), 1), "{told}");
            assert!(told.starts_with(&format!("suite: {says}")), "{told}");
            assert_eq!(fs::read_to_string(&page).unwrap(), text);
        }
    }
    let absent = readme(&["nowhere.md"], at.path());
    assert!(told(&absent).starts_with("suite: reading nowhere.md: "), "{}", told(&absent));
}
