//! Traces of waves: a wrapped kernel records when each of its waves begins and ends, and the host decodes the
//! records.
//!
//! ```text
//! kernel ── wrapped by shaders/lab/trace.glsl ──▶ one slot per wave in a buffer
//!           and, if it names its parts, by trace_parts.glsl ──▶ one slot per unit and wave
//! buffer ── decode ──▶ record::trace::Trace
//! ```

pub mod decode;
pub mod fault;
pub mod plan;
mod slots;
