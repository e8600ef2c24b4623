//! `common/README.md` draws the crates: an arrow that is not drawn, or a crate that outgrows its lines, fails here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde::Deserialize;

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// None of one that a program itself needs.
    kind: Option<String>,
    optional: bool,
}

/// Crates by name: where each lies, and which of the others it depends on, and whether only a feature asks for it.
type Crates = BTreeMap<String, (PathBuf, BTreeMap<String, bool>)>;

fn readme() -> Result<String> {
    Ok(read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md"))?)
}

fn crates() -> Result<Crates> {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()?;
    let Metadata { packages } = serde_json::from_slice(&metadata.stdout)?;
    let names: BTreeSet<String> = packages.iter().map(|package| package.name.clone()).collect();
    let ours = |to: &Dependency| to.kind.is_none() && names.contains(&to.name);
    Ok(packages
        .into_iter()
        .map(|Package { name, manifest_path, dependencies }| {
            let dependencies = dependencies.into_iter().filter(ours).map(|to| (to.name, to.optional));
            (name, (manifest_path.with_file_name(""), dependencies.collect()))
        })
        .collect())
}

/// Arrows of the drawing, dotted ones with `true`.
fn drawn() -> Result<BTreeMap<(String, String), bool>> {
    let arrow = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [from, "-->", to] => Some(((from.to_owned(), to.to_owned()), false)),
            [from, "-.->", to] => Some(((from.to_owned(), to.to_owned()), true)),
            _ => None,
        }
    };
    Ok(readme()?.lines().filter_map(arrow).collect())
}

fn leads(drawn: &BTreeMap<(String, String), bool>, from: &str, to: &str) -> bool {
    let mut next = drawn.keys().filter(|(start, _)| start == from);
    from == to || next.any(|(_, end)| leads(drawn, end, to))
}

/// Lines without comments, blank lines and tests, which end a file or have one of their own.
fn lines(folder: &Path) -> Result<usize> {
    let mut count = 0;
    for file in glob::glob(&folder.join("src/**/*.rs").to_string_lossy())? {
        let file = file?;
        if ["tests.rs", "fixture.rs", "example.rs"].iter().any(|end| file.ends_with(end)) {
            continue;
        }
        let text = read_to_string(file)?;
        let program =
            text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().lines().map(str::trim);
        count += program.filter(|line| !line.is_empty() && !line.starts_with("//")).count();
    }
    Ok(count)
}

#[test]
fn every_arrow_is_drawn() {
    let (drawn, crates) = (drawn().unwrap(), crates().unwrap());
    for (from, (_, dependencies)) in &crates {
        for to in dependencies.keys() {
            assert!(leads(&drawn, from, to), "{from} depends on {to}, and the drawing has no way there");
        }
    }
    for ((from, to), &dotted) in &drawn {
        assert_eq!(crates[from].1.get(to), Some(&dotted), "{from} is drawn to depend on {to}");
    }
}

#[test]
fn every_crate_keeps_its_lines() {
    let readme = readme().unwrap();
    let mut over = Vec::new();
    for (name, (folder, _)) in crates().unwrap() {
        let row = readme.lines().find(|line| line.starts_with(&format!("| [`{name}`]"))).expect(&name);
        let most: usize = row.split('|').nth(4).unwrap().trim().parse().unwrap();
        let count = lines(&folder).unwrap();
        println!("{name:12} {count:6} of {most}");
        over.extend((count > most).then_some(name));
    }
    assert!(over.is_empty(), "too many lines in {over:?}: let them shrink, or say why not in README.md");
}
