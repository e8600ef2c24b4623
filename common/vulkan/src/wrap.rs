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

    /// The extension of GLSL, and the macro that tells the wrapper of it.
    fn names(self) -> Option<[&'static str; 2]> {
        match self {
            Self::Sm => Some(["GL_NV_shader_sm_builtins", "TRACE_SM"]),
            Self::Core => Some(["GL_ARM_shader_core_builtins", "TRACE_CORE"]),
            Self::None => None,
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
    // Extensions come before all else but the version.
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
    if parts {
        all.push(("TRACE_PARTS".to_owned(), String::new()));
    }
    text += &format!("#define main traced_main\n#line 2\n{rest}\n#undef main\n{wrapper}");
    all.extend_from_slice(defines);
    let name = format!("{} (traced)", source.name);
    Ok((Source { name, text, includes: source.includes.clone() }, all))
}
