//! Traces of waves: a kernel that notes when each of its waves begins and ends, and the way back.
//!
//! ```text
//! kernel ── wrapped by shaders/lab/trace.glsl ──▶ a slot a wave in a buffer
//!           and, where it names the parts of what it does, trace_parts.glsl ──▶ a slot a unit and wave
//! buffer ── decode ──▶ record::trace::Trace
//! ```

pub mod decode;
pub mod fault;
pub mod plan;
mod slots;
