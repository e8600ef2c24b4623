//! Which commit the suite is built from, and which samples there are: the files in samples/src/bin.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

fn main() {
    for input in [
        "src",
        "../common/src",
        "../samples/src/bin",
        "../shaders",
        "../Cargo.lock",
        "../Cargo.toml",
        "../common/Cargo.toml",
        "Cargo.toml",
        "../results/published",
        "../.git/logs/HEAD",
    ] {
        if Path::new(input).exists() {
            println!("cargo::rerun-if-changed={input}");
        }
    }
    println!("cargo::rustc-env=HOTLAP_SAMPLES={}", samples().join(","));
    if let Some(commit) = git(&["rev-parse", "HEAD"]) {
        println!("cargo::rustc-env=HOTLAP_COMMIT={commit}");
        // Recorded runs are no input of a build: recording one must not make the next build dirty.
        let changes = git(&["status", "--porcelain", "--", "..", ":!../results/2*"]);
        println!("cargo::rustc-env=HOTLAP_DIRTY={}", changes.is_none_or(|c| !c.is_empty()));
    }
}

fn samples() -> Vec<String> {
    let Ok(folder) = std::fs::read_dir("../samples/src/bin") else { return Vec::new() };
    let files = folder.filter_map(|entry| Some(entry.ok()?.path()));
    let sources = files.filter(|path| path.extension() == Some(OsStr::new("rs")));
    let mut names: Vec<String> =
        sources.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
    names.sort();
    names
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
