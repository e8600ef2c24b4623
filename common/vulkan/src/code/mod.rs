//! Compiled code: what the driver of the device in use says of a pipeline, and the process that compiles
//! with RADV for AMD chips that are not here.

mod null;

#[cfg(test)]
mod scripted;
mod serve;

pub use serve::{is_child, serve};
