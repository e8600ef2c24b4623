//! Which commit the suite is built from, and which samples there are: the folders in samples/src/bin.

#[path = "../common/build/commit.rs"]
mod commit;
#[path = "../common/build/samples.rs"]
mod samples;

fn main() {
    commit::tell(&["../samples/src/bin"]);
    println!("cargo::rustc-env=HOTLAP_SAMPLES={}", samples::names("../samples/src/bin").join(","));
}
