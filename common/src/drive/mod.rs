//! The drivers over one recording: `bench` measures, `check` proves, `profile` shows it to a capture tool.

pub mod bench;
pub mod check;
pub mod code;
pub mod figures;
pub(crate) mod interval;
pub mod maps;
mod order;
pub mod profile;
mod rehearsal;
mod rows;
pub(crate) mod session;
pub(crate) mod trace;
mod two_queues;
mod verify;
