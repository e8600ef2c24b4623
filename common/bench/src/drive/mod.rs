//! The drivers of a recording: `timing` measures it, `check` validates it, `profile` shows it to a capture tool.

pub mod check;
mod clock;
pub mod code;
mod cycles;
pub(crate) mod expected;
mod fill;
mod flush_caches;
mod order;
pub mod profile;
mod queues;
pub mod race_histogram;
mod rows;
mod scripts;
pub mod session;
pub(crate) mod texels;
pub mod timing;
pub mod tour;
pub mod trace;
mod uses;
mod verify;
