//! A kernel's source with the wrapper around it that notes its waves.

use crate::source::Source;
use crate::spirv::Defines;

/// Where a device tells on which multiprocessor a wave runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaneSource {
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

/// The source that is compiled for a traced run, and what is defined for it beside the kernel's own.
pub(crate) fn wrapped(
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
