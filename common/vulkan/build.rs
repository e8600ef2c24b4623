//! Shaders are embedded by a macro that cargo cannot see through: a new file must rebuild it.

fn main() {
    println!("cargo::rerun-if-changed=../../shaders");
}
