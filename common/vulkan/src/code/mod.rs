//! Compiled code: the driver's report on a pipeline, and the process that compiles with RADV for other AMD chips.

mod null;

#[cfg(test)]
mod scripted;
mod serve;

pub use serve::{is_child, serve};
