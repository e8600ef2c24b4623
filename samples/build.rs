//! Which commit the samples are built from.

#[path = "../common/build/commit.rs"]
mod commit;

fn main() {
    commit::tell(&[]);
}
