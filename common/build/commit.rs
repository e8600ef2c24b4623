//! The commit that a program is built from, for its records: part of the build scripts of `samples` and `suite`.

use std::path::Path;
use std::process::Command;

/// Tells cargo to build again with everything that goes into a program, so that the dirty flag is that of
/// the build, and the compiler the commit.
pub fn tell(inputs: &[&str]) {
    let shared = [
        "src",
        "Cargo.toml",
        "../Cargo.lock",
        "../Cargo.toml",
        "../common",
        "../shaders",
        "../results/published",
        "../.git/logs/HEAD",
    ];
    for input in shared.iter().chain(inputs).filter(|input| Path::new(input).exists()) {
        println!("cargo::rerun-if-changed={input}");
    }
    if let Some(commit) = git(&["rev-parse", "HEAD"]) {
        println!("cargo::rustc-env=HOTLAP_COMMIT={commit}");
        // Recorded runs are no input of a build: recording one must not make the next build dirty.
        let changes = git(&["status", "--porcelain", "--", "..", ":!../results/2*"]);
        println!("cargo::rustc-env=HOTLAP_DIRTY={}", changes.is_none_or(|c| !c.is_empty()));
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
