//! Compiles GLSL to SPIR-V: takes a module from the embedded packs, else from the cache, else from a compiler.
//!
//! ```text
//! packed    shaders/**/*.pack: the modules of the default kernels, and their traced forms
//! cache     modules that were compiled before, by a hash of all inputs
//! compiler  shaderc (a cargo feature), else glslc from the PATH, else an error that says what to install
//! ```

mod cache;
pub mod compiler;
pub mod pack;

pub use cache::folder as cache_folder;

use anyhow::{Result, anyhow, bail, ensure};
use sha2::{Digest, Sha256};

use crate::source::Source;
use record::hooks::hooks;

/// Part of every key; must be changed by hand when a compiler's settings change.
const SETTINGS: &str = "vulkan 1.3, no optimisation";

/// Names and values of macros.
pub type Defines = Vec<(String, String)>;

/// The first half of a SHA-256 of all inputs of a module.
pub type Key = [u8; 16];

/// The SPIR-V of `source`.
///
/// # Errors
/// The compiler's messages with file and line, including warnings; a damaged pack; no compiler found.
pub fn compile(source: &Source, defines: &Defines) -> Result<Vec<u32>> {
    ensure_text(&source.name, &source.text)?;
    for (name, text) in &source.includes {
        ensure_text(name, text)?;
    }
    let key = key(source, defines);
    if let Some(words) = pack::find(source.file(), &key)? {
        return Ok(words);
    }
    ensure!(!hooks().no_compiler, "shader {} {defines:?} is not packed", source.name);
    if let Some(words) = cache::read(&key) {
        return Ok(words);
    }
    let words = compiler::compile(source, defines)?;
    cache::write(&key, &words);
    Ok(words)
}

/// Rejects a zero byte, because compilers take C strings.
fn ensure_text(name: &str, text: &str) -> Result<()> {
    let Some(at) = text.find('\0') else { return Ok(()) };
    let line = text[..at].matches('\n').count() + 1;
    Err(anyhow!("shader {name} does not compile: {name}:{line}: error: a NUL byte in the text"))
}

/// The order of macros does not change the module, so keys use sorted macros.
fn sorted(defines: &Defines) -> Defines {
    let mut sorted = defines.clone();
    sorted.sort();
    sorted
}

pub(crate) fn key(source: &Source, defines: &Defines) -> Key {
    let mut key = Sha256::new();
    let mut part = |text: &str| {
        key.update((text.len() as u64).to_le_bytes());
        key.update(text);
    };
    part(SETTINGS);
    part(&source.name);
    part(&source.text);
    for (name, text) in source.includes.iter().chain(&sorted(defines)) {
        part(name);
        part(text);
    }
    let whole = key.finalize();
    std::array::from_fn(|at| whole[at])
}

/// SHA-256 in hex.
#[must_use]
pub fn hash(words: &[u32]) -> String {
    hex(&Sha256::digest(bytemuck::cast_slice(words)))
}

pub(crate) fn hex(digest: &[u8]) -> String {
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

/// Opcode and operands of each instruction.
pub fn instructions(words: &[u32]) -> impl Iterator<Item = Result<(u32, &[u32])>> {
    const HEADER: usize = 5;
    let mut rest = words.get(HEADER..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (&first, _) = rest.split_first()?;
        let length = (first >> 16) as usize;
        if length == 0 || length > rest.len() {
            rest = &[];
            return Some(Err(anyhow!("the SPIR-V ends within an instruction")));
        }
        let (instruction, behind) = rest.split_at(length);
        rest = behind;
        Some(Ok((first & 0xFFFF, &instruction[1..])))
    })
}

/// Checks that the words have the structure of a module, from the header to the last instruction.
fn ensure_module(words: &[u32]) -> Result<()> {
    let [magic, version, ..] = *words else { bail!("no SPIR-V: {} words", words.len()) };
    ensure!(
        magic == spirv::MAGIC_NUMBER && version >> 16 == 1,
        "no SPIR-V: it begins with {magic:#x} {version:#x}"
    );
    let count = instructions(words).try_fold(0_usize, |count, instruction| instruction.map(|_| count + 1))?;
    ensure!(count > 0, "SPIR-V without an instruction");
    Ok(())
}

/// The numbers of the capabilities that a module declares.
pub fn capabilities(words: &[u32]) -> impl Iterator<Item = u32> {
    let declared = instructions(words).map_while(Result::ok);
    declared
        .take_while(|&(op, _)| op == spirv::Op::Capability as u32)
        .filter_map(|(_, operands)| operands.first().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { name: "test.comp".into(), text: text.into(), includes: Vec::new() }
    }

    #[test]
    fn capabilities_end_with_their_declarations() {
        let header = [spirv::MAGIC_NUMBER, 0x0001_0600, 0, 1, 0];
        // The capabilities Shader and Float16, then an OpExtension whose operands look like a third capability.
        let module = [0x0002_0011, 1, 0x0002_0011, 9, 0x0003_000a, 0x0002_0011, 22];
        let found: Vec<u32> = capabilities(&[&header[..], &module].concat()).collect();
        assert_eq!(found, [1, 9]);
        assert_eq!(capabilities(&[]).count(), 0);
    }

    #[test]
    fn a_module_has_a_header_and_whole_instructions() {
        let module = [spirv::MAGIC_NUMBER, 0x0001_0600, 0, 1, 0, 0x0002_0011, 1];
        assert!(ensure_module(&module).is_ok());
        for cut in 0..module.len() {
            assert!(ensure_module(&module[..cut]).is_err(), "{cut}");
        }
        let mut other = module;
        other[0] ^= 1;
        assert!(ensure_module(&other).is_err());
    }

    #[test]
    fn the_key_depends_on_includes_and_defines_but_not_on_their_order() {
        let plain = source("a");
        let mut included = plain.clone();
        included.includes.push(("x.glsl".into(), "b".into()));
        let [x, y] = ["X", "Y"].map(|name| (name.to_owned(), "1".to_owned()));
        let keys = [key(&plain, &vec![]), key(&included, &vec![]), key(&plain, &vec![x.clone()])];
        assert!(keys[0] != keys[1] && keys[0] != keys[2] && keys[1] != keys[2]);
        assert_eq!(key(&plain, &vec![x.clone(), y.clone()]), key(&plain, &vec![y, x]));
    }
}
