//! The drivers over one recording: `bench` measures, `check` proves, `profile` shows it to a capture tool.

pub mod bench;
pub mod check;
pub(crate) mod checked;
pub(crate) mod clock;
pub mod code;
mod cycles;
mod evict;
mod fill;
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
