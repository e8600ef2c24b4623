//! Checks that the packs match the shaders, and that layouts can be made from the shaders' interfaces. The tests
//! walk the folder, so that no shader has to be registered.

use std::fs;
use std::path::Path;

use vulkan::packer;
use vulkan::reflect::reflect;
use vulkan::source::Library;
use vulkan::spirv::compile;

fn library() -> Library {
    Library::Checkout(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders"))
}

fn read_pack(shader: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../shaders/{shader}.pack"));
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_pack_is_up_to_date() {
    let shaders = library().shaders().unwrap();
    assert!(shaders.len() >= 30, "{shaders:?}");
    for shader in &shaders {
        let modules = packer::modules(&library(), shader).unwrap();
        let outcome = packer::check(&library(), &modules, &read_pack(shader));
        outcome.unwrap_or_else(|error| panic!("{shader}: {error:#}; see samples/examples/pack_shaders.rs"));
    }
}

/// The pack of a removed shader would still be embedded. Packs of generated shaders are named `generated`, and tested with the
/// sample that generates them.
#[test]
fn every_pack_has_its_shader() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let mut packs = Vec::new();
    for folder in fs::read_dir(root).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir()) {
        for file in fs::read_dir(folder.path()).unwrap().map(Result::unwrap) {
            let name = format!("{}/{}", folder.file_name().display(), file.file_name().display());
            let shader = name.strip_suffix(".pack").filter(|shader| !shader.ends_with("/generated"));
            packs.extend(shader.map(str::to_owned));
        }
    }
    packs.sort();
    assert_eq!(packs, library().shaders().unwrap());
}

#[test]
fn all_packs_together_are_small() {
    let bytes: usize = library().shaders().unwrap().iter().map(|shader| read_pack(shader).len()).sum();
    assert!(bytes < 900_000, "{bytes} bytes");
}

/// Compiles all modules, and compares those that were packed with the same compiler version.
#[cfg(feature = "shaderc")]
#[test]
fn every_pack_holds_what_its_shader_compiles_to() {
    for shader in library().shaders().unwrap() {
        let modules = packer::modules(&library(), &shader).unwrap();
        let differing = packer::differing(&library(), &modules, &read_pack(&shader)).unwrap();
        assert!(differing.is_empty(), "{shader}: {differing:?}; see samples/examples/pack_shaders.rs");
    }
}

#[test]
fn a_changed_shader_is_not_taken_from_its_pack() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    for name in ["chain/step.comp", "chain/texel.glsl", "lab/trace.glsl"] {
        fs::create_dir_all(file(name).parent().unwrap()).unwrap();
        fs::write(
            file(name),
            fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders").join(name)).unwrap(),
        )
        .unwrap();
    }
    let library = Library::Checkout(folder.path().to_owned());
    let pack = read_pack("chain/step.comp");
    let check = || packer::check(&library, &packer::modules(&library, "chain/step.comp").unwrap(), &pack);
    check().unwrap();
    let include = fs::read_to_string(file("chain/texel.glsl")).unwrap();
    fs::write(file("chain/texel.glsl"), include.replace("MIX_BITS = 24", "MIX_BITS = 23")).unwrap();
    let error = check().unwrap_err().to_string();
    assert!(error.contains("chain/step.comp") && error.contains("not packed"), "{error}");
}

#[test]
fn switches_change_neither_push_constants_nor_the_workgroup() {
    let library = library();
    for shader in library.shaders().unwrap().iter().filter(|shader| shader.ends_with(".comp")) {
        let interfaces: Vec<_> = packer::modules(&library, shader)
            .unwrap()
            .iter()
            .map(|packer::Module { source, defines, .. }| {
                let spirv = compile(source, defines)
                    .unwrap_or_else(|error| panic!("{shader} {defines:?}: {error:#}"));
                reflect(&spirv).unwrap_or_else(|error| panic!("{shader} {defines:?}: {error:#}"))
            })
            .collect();
        // All modules of a shader are recorded by the same lines of the sample.
        for interface in &interfaces {
            assert!(!interface.bindings.is_empty(), "{shader} has no output");
            // Proofs of lane positions have no push constants.
            assert!([0, interfaces[0].push_bytes].contains(&interface.push_bytes), "{shader}");
            assert_eq!(interface.workgroup, interfaces[0].workgroup, "{shader}");
        }
    }
}

#[test]
fn coherent_stores_change_the_code() {
    let source = library().load("chain/step.comp").unwrap();
    let plain = compile(&source, &vec![]).unwrap();
    let coherent = compile(&source, &vec![("COHERENT_STORES".into(), String::new())]).unwrap();
    // OpDecorate (71) with Coherent (23) occurs once, and only if it is asked for.
    let decorated = |code: &[u32]| code.windows(3).filter(|w| w[0] == 3 << 16 | 71 && w[2] == 23).count();
    assert_eq!((decorated(&plain), decorated(&coherent)), (0, 1));
}

#[test]
fn the_interface_of_the_chain_is_what_its_sample_gives() {
    let source = library().load("chain/step.comp").unwrap();
    let interface = reflect(&compile(&source, &vec![]).unwrap()).unwrap();
    assert_eq!(interface.accesses, [[true, false], [false, true]]);
    assert_eq!(interface.push_bytes, 8);
    let names: Vec<&str> = interface.constants.keys().map(String::as_str).collect();
    assert_eq!(names, ["MULTIPLIER", "RADIUS", "ROWS"]);
}
