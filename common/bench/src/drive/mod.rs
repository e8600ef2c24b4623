//! The drivers over one recording: `bench` measures, `check` proves, `profile` shows it to a capture tool.

pub mod check;
pub mod checked;
pub mod clock;
pub mod code;
mod cycles;
mod evict;
mod fill;
pub mod interval;
pub mod maps;
mod order;
pub mod profile;
mod rehearsal;
mod rows;
pub mod session;
pub mod timing;
pub mod trace;
mod two_queues;
mod verify;
