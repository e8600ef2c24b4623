//! Rebuilds when a shader changes: cargo does not see the files that the embedding macro reads.

fn main() {
    println!("cargo::rerun-if-changed=../../shaders");
}
