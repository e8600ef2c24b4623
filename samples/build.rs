//! Which commit the samples are built from, and which samples there are: the folders in src/bin.

#[path = "../common/build/commit.rs"]
mod commit;
#[path = "../common/build/samples.rs"]
mod samples;

fn main() {
    commit::tell(&[]);
    println!("cargo::rustc-env=HOTLAP_SAMPLES={}", samples::names("src/bin").join(","));
}
