//! Words that readers had to learn have plain ones in their place: pages, help, captions and descriptions have none.

mod plain;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use plain::found;

fn files(patterns: &[&str]) -> Result<Vec<PathBuf>> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut files = Vec::new();
    for pattern in patterns {
        for file in glob::glob(&root.join(pattern).to_string_lossy())? {
            files.push(file?);
        }
    }
    assert!(files.len() >= patterns.len(), "{patterns:?} match {files:?}");
    Ok(files)
}

/// Lines of the files that `is_read` and that have such a word.
fn lines(patterns: &[&str], is_read: fn(&str) -> bool) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for file in files(patterns)? {
        let text = fs::read_to_string(&file)?;
        let lines = text.lines().filter(|line| is_read(line) && !found(line).is_empty());
        all.extend(lines.map(|line| format!("{}: {}: {line}", file.display(), found(line).join(", "))));
    }
    Ok(all)
}

#[test]
fn pages_have_none() -> Result<()> {
    let pages = ["*.md", "docs/**/*.md", "common/README.md", "samples/README.md", "results/README.md"];
    assert_eq!(lines(&pages, |_| true)?, [""; 0]);
    Ok(())
}

#[test]
fn captions_labels_and_explanations_have_none() -> Result<()> {
    let texts = |line: &str| !["bound =", "baseline ="].iter().any(|key| line.starts_with(key));
    assert_eq!(lines(&["samples/src/bin/*/variants.toml", "suite/src/report/glossary.txt"], texts)?, [""; 0]);
    Ok(())
}

/// Doc comments are the help of arguments, and the descriptions in the schema of records.
#[test]
fn doc_comments_have_none() -> Result<()> {
    let sources = ["common/**/src/**/*.rs", "samples/src/**/*.rs", "suite/src/**/*.rs"];
    assert_eq!(lines(&sources, |line| line.trim_start().starts_with("///"))?, [""; 0]);
    assert_eq!(lines(&["results/record.schema.json"], |line| line.contains("\"description\""))?, [""; 0]);
    Ok(())
}

#[test]
fn ids_are_not_words() {
    assert_eq!(found("pipelined_events, racy_samples, the boundary"), [""; 0]);
    assert_eq!(found("A racy texel is not Lawful."), ["lawful", "racy"]);
    assert_eq!(found("The talk calls it pipelined."), [""; 0]);
}
