//! The drivers over one recording: `bench` measures, `check` proves, `profile` shows it to a capture tool.

pub mod bench;
pub mod check;
mod checked;
mod clock;
pub mod code;
mod cycles;
mod evict;
pub mod figures;
mod interval;
pub mod maps;
mod order;
pub mod profile;
mod rehearsal;
mod rows;
mod session;
mod trace;
mod two_queues;
mod verify;
