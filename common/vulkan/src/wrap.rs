//! A kernel's source with the wrapper around it that notes its waves.

use anyhow::Result;

use crate::source::{Library, Source};
use crate::spirv::Defines;

/// What is put around a kernel whose waves are traced.
pub const WRAPPER: &str = "lab/trace.glsl";
/// And behind that, around one that names the parts of what it does.
pub const WRAPPER_OF_PARTS: &str = "lab/trace_parts.glsl";
/// What a kernel includes that names them.
pub const PARTS: &str = "include/trace_parts.glsl";

/// Where a device tells on which multiprocessor a wave runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneSource {
    /// `gl_SMIDNV` of `VK_NV_shader_sm_builtins`.
    Sm,
    /// `gl_CoreIDARM` of `VK_ARM_shader_core_builtins`.
    Core,
    /// It does not.
    None,
}

impl LaneSource {
    /// Each of them.
    pub const ALL: [Self; 3] = [Self::Sm, Self::Core, Self::None];

    fn extension(self) -> &'static str {
        match self {
            Self::Sm => "#extension GL_NV_shader_sm_builtins : require\n",
            Self::Core => "#extension GL_ARM_shader_core_builtins : require\n",
            Self::None => "",
        }
    }
}

/// What a kernel that notes its waves is compiled from: one of so many bindings, which names its parts or does not.
///
/// # Errors
/// A wrapper that cannot be read.
pub fn traced_source(
    shaders: &Library,
    source: &Source,
    defines: &Defines,
    lanes: LaneSource,
    bindings: usize,
    parts: bool,
) -> Result<(Source, Defines)> {
    let mut wrapper = shaders.load(WRAPPER)?.text;
    if parts {
        wrapper += &shaders.load(WRAPPER_OF_PARTS)?.text;
    }
    let (source, mut all) = wrapped(source, &wrapper, lanes, bindings, parts);
    all.extend_from_slice(defines);
    Ok((source, all))
}

/// The source that is compiled for a traced run, and what is defined for it beside the kernel's own.
fn wrapped(
    source: &Source,
    wrapper: &str,
    lanes: LaneSource,
    binding: usize,
    parts: bool,
) -> (Source, Defines) {
    // Extensions come before all else but the version.
    let (version, rest) = source.text.split_once('\n').unwrap_or((&source.text, ""));
    let extensions = format!(
        "#extension GL_EXT_shader_realtime_clock : require\n#extension GL_KHR_shader_subgroup_basic : require\n{}",
        lanes.extension()
    );
    let text =
        format!("{version}\n{extensions}#define main traced_main\n#line 2\n{rest}\n#undef main\n{wrapper}");
    let mut defines = vec![("TRACE_BINDING".to_owned(), binding.to_string())];
    match lanes {
        LaneSource::Sm => defines.push(("TRACE_SM".into(), String::new())),
        LaneSource::Core => defines.push(("TRACE_CORE".into(), String::new())),
        LaneSource::None => {}
    }
    if parts {
        defines.push(("TRACE_PARTS".into(), String::new()));
    }
    (Source { name: format!("{} (traced)", source.name), text, includes: source.includes.clone() }, defines)
}
