//! Wraps the source of a kernel so that it records its waves.

use anyhow::Result;

use crate::source::{Library, Source};
use crate::spirv::Defines;

/// The wrapper for all traced kernels.
pub const WRAPPER: &str = "lab/trace.glsl";
/// An addition to the wrapper for vertex and fragment shaders.
pub const WRAPPER_OF_DRAWS: &str = "lab/trace_draws.glsl";
/// An addition to the wrapper for kernels that name their parts.
pub const WRAPPER_OF_PARTS: &str = "lab/trace_parts.glsl";
/// The file that a kernel includes to name its parts.
pub const PARTS: &str = "include/trace_parts.glsl";

/// How a wave finds the multiprocessor that it runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneSource {
    /// `gl_SMIDNV` of `VK_NV_shader_sm_builtins`.
    Sm,
    /// `gl_CoreIDARM` of `VK_ARM_shader_core_builtins`.
    Core,
    /// The device does not report it.
    None,
}

impl LaneSource {
    /// All lane sources.
    pub const ALL: [Self; 3] = [Self::Sm, Self::Core, Self::None];

    /// The GLSL extension, and the macro that selects it in the wrapper.
    fn names(self) -> Option<[&'static str; 2]> {
        match self {
            Self::Sm => Some(["GL_NV_shader_sm_builtins", "TRACE_SM"]),
            Self::Core => Some(["GL_ARM_shader_core_builtins", "TRACE_CORE"]),
            Self::None => None,
        }
    }
}

/// How many bindings a draw may have whose vertex shader has so many, for its vertices to be traced: packs hold no other form.
#[must_use]
pub fn bindings_of_draw(own: usize) -> usize {
    own.max(1)
}

/// The source and macros of a traced kernel whose waves are recorded at the binding behind this many; `parts` says whether the
/// kernel names its parts.
///
/// # Errors
/// The wrapper cannot be read.
pub fn traced_source(
    shaders: &Library,
    source: &Source,
    defines: &Defines,
    lanes: LaneSource,
    bindings: usize,
    parts: bool,
) -> Result<(Source, Defines)> {
    let mut wrapper = shaders.load(WRAPPER)?.text;
    let addition = match parts {
        _ if source.is_vertex() => Some((WRAPPER_OF_DRAWS, "TRACE_VERTICES")),
        _ if source.is_fragment() => Some((WRAPPER_OF_DRAWS, "TRACE_PIXELS")),
        true => Some((WRAPPER_OF_PARTS, "TRACE_PARTS")),
        false => None,
    };
    // `#extension` lines must come directly after the version.
    let (version, rest) = source.text.split_once('\n').unwrap_or((&source.text, ""));
    let mut text = format!(
        "{version}\n#extension GL_EXT_shader_realtime_clock : require\n\
         #extension GL_KHR_shader_subgroup_basic : require\n"
    );
    let mut all = vec![("TRACE_BINDING".to_owned(), bindings.to_string())];
    if let Some([extension, name]) = lanes.names() {
        text += &format!("#extension {extension} : require\n");
        all.push((name.to_owned(), String::new()));
    }
    if let Some((file, name)) = addition {
        wrapper += &shaders.load(file)?.text;
        all.push((name.to_owned(), String::new()));
    }
    text += &format!("#define main traced_main\n#line 2\n{rest}\n#undef main\n{wrapper}");
    all.extend_from_slice(defines);
    let name = format!("{} (traced)", source.name);
    Ok((Source { name, text, includes: source.includes.clone() }, all))
}
