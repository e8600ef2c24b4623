//! GLSL to SPIR-V with shaderc, cached by a hash of everything that goes in.
//!
//! The first compile of a process costs about 100 ms, a cached one less than 1 ms: with a warm
//! cache a run starts on the device at once.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, ensure};
use sha2::{Digest, Sha256};
use shaderc::Limit;

use crate::fault;
use crate::source::Source;

/// Part of every key: changed by hand when the compiler or its settings change.
const COMPILER: &str = "shaderc 0.10.1, vulkan 1.3, no optimisation";

/// Macro definitions, in the order given.
pub type Defines = Vec<(String, String)>;

/// Compiles `source` or takes it from the cache.
///
/// # Errors
/// The compiler's messages, warnings included, with file and line.
pub fn compile(source: &Source, defines: &Defines) -> Result<Vec<u32>> {
    ensure_text(&source.name, &source.text)?;
    for (name, text) in &source.includes {
        ensure_text(&format!("include/{name}"), text)?;
    }
    let cached = cache_file(source, defines);
    if let Some(words) = cached.as_deref().and_then(|path| read_sealed(&std::fs::read(path).ok()?)) {
        return Ok(words);
    }
    let words = compile_afresh(source, defines)?;
    if let Some(path) = cached {
        // A cache that cannot be written makes the next start slower and nothing else.
        let _ = write_sealed(&path, &words);
    }
    Ok(words)
}

/// The compiler takes C strings.
fn ensure_text(name: &str, text: &str) -> Result<()> {
    let Some(at) = text.find('\0') else { return Ok(()) };
    let line = text[..at].matches('\n').count() + 1;
    Err(anyhow!("shader {name} does not compile: {name}:{line}: error: a NUL byte in the text"))
}

/// SHA-256 in hex.
#[must_use]
pub fn hash(words: &[u32]) -> String {
    hex(&Sha256::digest(bytemuck::cast_slice(words)))
}

/// The capabilities that a module declares, as SPIR-V numbers them.
pub(crate) fn capabilities(words: &[u32]) -> impl Iterator<Item = u32> {
    // OpCapability, two words long. The declarations stand behind the header of five words, before all else.
    const DECLARATION: u32 = 2 << 16 | 17;
    let declarations = words.get(5..).unwrap_or_default().chunks_exact(2);
    declarations.take_while(|pair| pair[0] == DECLARATION).map(|pair| pair[1])
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

thread_local! {
    /// Kept: the last one that goes takes glslang's tables of built-in functions with it, and the next compile makes
    /// them anew, which takes longer than all the rest.
    static SHADERC: RefCell<Option<shaderc::Compiler>> = const { RefCell::new(None) };
}

/// Calls shaderc, which starts with the first call of a thread.
///
/// # Errors
/// It does not start.
pub(crate) fn with_shaderc<T>(call: impl FnOnce(&shaderc::Compiler) -> T) -> Result<T> {
    SHADERC.with_borrow_mut(|kept| {
        if kept.is_none() {
            *kept = Some(shaderc::Compiler::new().context("starting shaderc")?);
        }
        kept.as_ref().map(call).context("starting shaderc")
    })
}

fn compile_afresh(source: &Source, defines: &Defines) -> Result<Vec<u32>> {
    let mut options = shaderc::CompileOptions::new().context("starting shaderc")?;
    options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_3 as u32);
    // Drivers optimise by themselves; unoptimised SPIR-V keeps the names that reflection and
    // capture tools show.
    options.set_optimization_level(shaderc::OptimizationLevel::Zero);
    options.set_warnings_as_errors();
    // What the device allows is checked with the kernel, and told in its words.
    let sides =
        [Limit::MaxComputeWorkGroupSizeX, Limit::MaxComputeWorkGroupSizeY, Limit::MaxComputeWorkGroupSizeZ];
    for side in sides {
        options.set_limit(side, i32::MAX);
    }
    for (name, value) in defines {
        options.add_macro_definition(name, Some(value));
    }
    let includes = source.includes.clone();
    options.set_include_callback(move |name, _, _, _| {
        let found = includes.iter().find(|(known, _)| known == name);
        found
            .map(|(name, text)| shaderc::ResolvedInclude {
                resolved_name: name.clone(),
                content: text.clone(),
            })
            .ok_or_else(|| format!("shaders/include/{name} does not exist"))
    });
    let (text, kind) = (&source.text, shaderc::ShaderKind::Compute);
    let compiled =
        with_shaderc(|shaderc| shaderc.compile_into_spirv(text, kind, &source.name, "main", Some(&options)))?;
    let compiled =
        compiled.map_err(|error| anyhow!("shader {} does not compile: {}", source.name, messages(&error)))?;
    ensure!(compiled.get_num_warnings() == 0, "shader {}: {}", source.name, compiled.get_warning_messages());
    Ok(compiled.as_binary().to_vec())
}

/// The compiler's own lines, without the count and the prefix that shaderc adds.
fn messages(error: &shaderc::Error) -> String {
    match error {
        shaderc::Error::CompilationError(_, text) => text.trim().to_owned(),
        other => other.to_string(),
    }
}

fn cache_file(source: &Source, defines: &Defines) -> Option<PathBuf> {
    let root = match std::env::var_os("HOTLAP_CACHE_DIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => PathBuf::from(dir),
        None => dirs::cache_dir()?.join("hot-lap"),
    };
    let mut key = Sha256::new();
    let mut part = |text: &str| {
        key.update((text.len() as u64).to_le_bytes());
        key.update(text);
    };
    part(COMPILER);
    part(&source.name);
    part(&source.text);
    for (name, text) in source.includes.iter().chain(defines) {
        part(name);
        part(text);
    }
    Some(root.join(format!("{}.spv", hex(&key.finalize()))))
}

/// The words of a cache file whose seal (a SHA-256 behind them) is whole.
fn read_sealed(file: &[u8]) -> Option<Vec<u32>> {
    let (code, seal) = file.split_at_checked(file.len().checked_sub(32)?)?;
    let whole = Sha256::digest(code).as_slice() == seal && code.len().is_multiple_of(4) && !code.is_empty();
    whole.then(|| bytemuck::allocation::pod_collect_to_vec(code))
}

fn write_sealed(path: &std::path::Path, words: &[u32]) -> Result<()> {
    let dir = path.parent().context("a cache file has a folder")?;
    let code: Cow<'_, [u8]> = bytemuck::cast_slice(words).into();
    fault::write("creating the folder of the SPIR-V cache", || std::fs::create_dir_all(dir))?;
    let mut file = fault::write("creating a SPIR-V cache file", || tempfile::NamedTempFile::new_in(dir))?;
    fault::write("writing a SPIR-V cache file", || {
        file.write_all(&code)?;
        file.write_all(&Sha256::digest(&code))
    })?;
    fault::write("renaming a SPIR-V cache file", || file.persist(path).map_err(|error| error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { name: "test.comp".into(), text: text.into(), includes: Vec::new() }
    }

    #[test]
    fn an_error_names_file_line_and_message() {
        let broken = source("#version 460\nlayout(local_size_x = 1) in;\nvoid main() { int x = y; }\n");
        let error = compile_afresh(&broken, &vec![]).unwrap_err().to_string();
        assert!(error.contains("test.comp:3: error: 'y' : undeclared identifier"), "{error}");
    }

    #[test]
    fn capabilities_end_with_their_declarations() {
        let header = [0x0723_0203, 0x0001_0600, 0, 1, 0];
        // Shader, Float16, then an OpExtension that holds what looks like a third.
        let module = [0x0002_0011, 1, 0x0002_0011, 9, 0x0003_000a, 0x0002_0011, 22];
        let found: Vec<u32> = capabilities(&[&header[..], &module].concat()).collect();
        assert_eq!(found, [1, 9]);
        assert_eq!(capabilities(&[]).count(), 0);
    }

    #[test]
    fn a_damaged_cache_file_is_not_used() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sub/a.spv");
        write_sealed(&path, &[0x0723_0203, 1, 2, 3]).unwrap();
        let mut file = std::fs::read(&path).unwrap();
        assert_eq!(read_sealed(&file), Some(vec![0x0723_0203, 1, 2, 3]));
        file[5] ^= 1;
        assert_eq!(read_sealed(&file), None);
        assert_eq!(read_sealed(&file[..20]), None);
    }

    #[test]
    fn the_key_depends_on_includes_and_defines() {
        let plain = source("a");
        let mut included = plain.clone();
        included.includes.push(("x.glsl".into(), "b".into()));
        let define = vec![("X".to_owned(), "1".to_owned())];
        let keys = [cache_file(&plain, &vec![]), cache_file(&included, &vec![]), cache_file(&plain, &define)];
        assert!(keys.iter().all(Option::is_some));
        assert!(keys[0] != keys[1] && keys[0] != keys[2] && keys[1] != keys[2]);
    }
}
