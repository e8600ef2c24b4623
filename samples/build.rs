//! Which commit the samples are built from, for their records. Reruns with everything that goes
//! into a sample, so that the dirty flag is that of the build.

use std::path::Path;
use std::process::Command;

fn main() {
    for input in [
        "src",
        "../common/src",
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
