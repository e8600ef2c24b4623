//! A macro embeds the published figures, and cargo does not track their folder by itself: a new file must cause a
//! rebuild.

fn main() {
    println!("cargo::rerun-if-changed=../../results/published");
}
