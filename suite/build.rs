//! Which commit the suite is built from, and which samples there are: the files in samples/src/bin.

#[path = "../common/build/commit.rs"]
mod commit;

use std::ffi::OsStr;

fn main() {
    commit::tell(&["../samples/src/bin"]);
    println!("cargo::rustc-env=HOTLAP_SAMPLES={}", samples().join(","));
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
