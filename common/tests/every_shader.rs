//! Every kernel below `shaders/` compiles without a warning, bare and with each of its defines, and
//! its interface can be made into layouts. The folder is walked, so nothing is registered.

use std::path::Path;

use common::reflect::{Interface, reflect};
use common::source::{Library, Source};
use common::spirv::{Defines, compile};

fn library() -> Library {
    Library::Checkout(Path::new(env!("CARGO_MANIFEST_DIR")).join("../shaders"))
}

fn interface(source: &Source, defines: &Defines) -> Interface {
    let spirv =
        compile(source, defines).unwrap_or_else(|error| panic!("{} {defines:?}: {error}", source.name));
    reflect(&spirv).unwrap_or_else(|error| panic!("{} {defines:?}: {error:#}", source.name))
}

/// The macros that a shader asks for by `#ifdef`.
fn switches(source: &Source) -> Vec<String> {
    let asked = |line: &str| line.trim().strip_prefix("#ifdef ").map(|name| name.trim().to_owned());
    let mut names: Vec<String> = source.text.lines().filter_map(asked).collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn every_kernel_compiles_bare_and_with_each_define() {
    let library = library();
    let kernels = library.kernels().unwrap();
    assert!(kernels.len() >= 3, "{kernels:?}");
    for name in kernels {
        let source = library.load(&name).unwrap();
        let bare = interface(&source, &vec![]);
        assert!(!bare.bindings.is_empty(), "{name} has no output");
        for switch in switches(&source) {
            let defines = vec![(switch.clone(), "1".to_owned())];
            let switched = interface(&source, &defines);
            // A variant's kernels are recorded by the same lines of the sample.
            assert_eq!(switched.push_bytes, bare.push_bytes, "{name} with {switch}");
            assert_eq!(switched.workgroup, bare.workgroup, "{name} with {switch}");
        }
    }
}

#[test]
fn coherent_stores_change_the_code() {
    let source = library().load("chain/step.comp").unwrap();
    let plain = compile(&source, &vec![]).unwrap();
    let coherent = compile(&source, &vec![("COHERENT_STORES".into(), "1".into())]).unwrap();
    // OpDecorate (71) with Coherent (23): one, and only where it is asked for.
    let decorated = |code: &[u32]| code.windows(3).filter(|w| w[0] == 3 << 16 | 71 && w[2] == 23).count();
    assert_eq!((decorated(&plain), decorated(&coherent)), (0, 1));
}

#[test]
fn the_interface_of_the_chain_is_what_its_sample_gives() {
    let source = library().load("chain/step.comp").unwrap();
    let interface = interface(&source, &vec![]);
    assert_eq!(interface.bindings.len(), 2);
    assert_eq!(interface.push_bytes, 8);
    let names: Vec<&str> = interface.constants.keys().map(String::as_str).collect();
    assert_eq!(names, ["MULTIPLIER", "RADIUS", "ROWS"]);
}
