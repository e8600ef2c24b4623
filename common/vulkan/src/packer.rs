//! Makes and checks packs; see [`spirv`](crate::spirv) for their format and use.
//!
//! A line `// Modules: A|B C|-` of a shader lists four modules, with the macros A and C, A, B and C, B; a macro may
//! have a value. Each module also has three traced forms, one per way in which a device reports the multiprocessor
//! of a wave. Modules of `// Untraced modules:` have no traced forms. A shader without such lines has one module
//! without macros, with traced forms unless the shader is a kernel in `lab/`.

use anyhow::{Context, Result, ensure};

use crate::reflect::reflect;
use crate::source::{Library, Source};
use crate::spirv::pack::{Pack, REPACK};
use crate::spirv::{Defines, compiler, key};
use crate::wrap::{LaneSource, PARTS, bindings_of_draw, traced_source};

/// A module to pack.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its text.
    pub source: Source,
    /// Its macros.
    pub defines: Defines,
    /// Whether its traced forms are packed, too.
    pub traced: bool,
}

/// The modules of a shader, without traced forms.
///
/// # Errors
/// A shader that cannot be read.
pub fn modules(library: &Library, shader: &str) -> Result<Vec<Module>> {
    let source = library.load(shader)?;
    let [traced, untraced] = lists(&source);
    let module = |traced| {
        let source = &source;
        move |defines| Module { source: source.clone(), defines, traced }
    };
    Ok(traced.into_iter().map(module(true)).chain(untraced.into_iter().map(module(false))).collect())
}

/// Compiles modules and returns their uncompressed pack.
///
/// # Errors
/// A shader that does not compile; no compiler found.
pub fn entries(library: &Library, modules: &[Module]) -> Result<Vec<u8>> {
    let mut entries = Vec::new();
    for (source, defines) in with_traced(library, modules, compiler::compile)? {
        let words = compiler::compile(&source, &defines)?;
        entries.extend(key(&source, &defines));
        entries.extend(u32::try_from(words.len())?.to_le_bytes());
        entries.extend_from_slice(bytemuck::cast_slice(&words));
    }
    Ok(entries)
}

/// Checks that a pack holds exactly these modules. Needs no compiler.
///
/// # Errors
/// A shader that cannot be read; a damaged or outdated pack.
pub fn check(library: &Library, modules: &[Module], pack: &[u8]) -> Result<()> {
    let mut pack = Pack::open(pack);
    while pack.unpack_one()? {}
    let found = |source: &Source, defines: &Defines| {
        let words = pack.modules.get(&key(source, defines)).cloned();
        words.with_context(|| {
            format!("{} {defines:?} is not packed, or not as it is now; {REPACK}", source.name)
        })
    };
    let wanted = with_traced(library, modules, found)?;
    ensure!(
        wanted.len() == pack.modules.len(),
        "{} modules are packed, {} wanted; {REPACK}",
        pack.modules.len(),
        wanted.len()
    );
    wanted.iter().try_for_each(|(source, defines)| found(source, defines).map(|_| ()))
}

/// Lists the modules for which shaderc produces different SPIR-V than the pack. Modules that another compiler
/// version made are not compared.
///
/// # Errors
/// A shader that does not compile; a damaged pack.
#[cfg(feature = "shaderc")]
pub fn differing(library: &Library, modules: &[Module], pack: &[u8]) -> Result<Vec<(String, Defines)>> {
    /// Index of the word that identifies the compiler and its version.
    const GENERATOR: usize = 2;
    let mut pack = Pack::open(pack);
    let mut differing = Vec::new();
    for (source, defines) in with_traced(library, modules, compiler::compile)? {
        let words = compiler::compile(&source, &defines)?;
        let packed = pack.find(&key(&source, &defines))?.unwrap_or_default();
        let same_compiler = packed.get(GENERATOR).is_none_or(|generator| *generator == words[GENERATOR]);
        if same_compiler && packed != words {
            differing.push((source.name, defines));
        }
    }
    Ok(differing)
}

/// Sources and macros of modules and of their traced forms, which come last. `compiled` returns the SPIR-V of an
/// untraced module.
fn with_traced(
    library: &Library,
    modules: &[Module],
    compiled: impl Fn(&Source, &Defines) -> Result<Vec<u32>>,
) -> Result<Vec<(Source, Defines)>> {
    let mut all: Vec<_> = modules.iter().map(|m| (m.source.clone(), m.defines.clone())).collect();
    for Module { source, defines, .. } in modules.iter().filter(|module| module.traced) {
        let parts = source.includes.iter().any(|(name, _)| name == PARTS);
        let own = reflect(&compiled(source, defines)?)?.bindings.len();
        let bindings = if source.is_vertex() { bindings_of_draw(own) } else { own };
        for lanes in LaneSource::ALL {
            all.push(traced_source(library, source, defines, lanes, bindings, parts)?);
        }
    }
    Ok(all)
}

/// The macro sets of a shader's modules: first those with traced forms, then those without.
fn lists(source: &Source) -> [Vec<Defines>; 2] {
    let lists = ["// Modules: ", "// Untraced modules: "].map(|begin| listed(&source.text, begin));
    if lists.iter().any(|list| !list.is_empty()) {
        return lists;
    }
    // Kernels of the runner are not traced.
    let is_untraced = source.name.starts_with("lab/") && !source.is_vertex();
    let alone = vec![Defines::new()];
    if is_untraced { [Vec::new(), alone] } else { [alone, Vec::new()] }
}

/// The macro sets of a shader's lines that begin with `begin`.
fn listed(text: &str, begin: &str) -> Vec<Defines> {
    text.lines().filter_map(|line| line.strip_prefix(begin)).flat_map(products).collect()
}

fn products(line: &str) -> Vec<Defines> {
    line.split_whitespace().fold(vec![Defines::new()], |made, choices| {
        let with = |defines: &Defines, choice: &str| {
            let (name, value) = choice.split_once('=').unwrap_or((choice, ""));
            let define = (choice != "-").then(|| (name.to_owned(), value.to_owned()));
            defines.iter().cloned().chain(define).collect::<Defines>()
        };
        made.iter().flat_map(|defines| choices.split('|').map(move |choice| with(defines, choice))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let shown = |defines: &Defines| {
            let each: Vec<String> = defines.iter().map(|(name, value)| format!("{name}={value}")).collect();
            each.join(" ")
        };
        listed(text, "// Modules: ").iter().map(shown).collect()
    }

    #[test]
    fn lines_list_the_products_of_their_choices() {
        assert_eq!(names("void main() {}\n"), [""; 0]);
        assert_eq!(names("// Modules: A|B=2 C|-\n"), ["A= C=", "A=", "B=2 C=", "B=2"]);
        assert_eq!(names("// Modules: A\n// Modules: B|-\n"), ["A=", "B=", ""]);
    }
}
