//! Which commit the samples are built from, and which samples there are: the folders in src/bin.

#[path = "../common/build/commit.rs"]
mod commit;

fn main() {
    commit::tell(&[]);
    println!("cargo::rustc-env=HOTLAP_SAMPLES={}", samples().join(","));
}

fn samples() -> Vec<String> {
    let Ok(folder) = std::fs::read_dir("src/bin") else { return Vec::new() };
    let mut names: Vec<String> =
        folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}
