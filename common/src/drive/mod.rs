//! The drivers over one recording: `bench` measures, `check` proves.

pub mod bench;
pub mod check;
pub mod figures;
mod interval;
pub mod maps;
mod order;
mod rows;
mod session;
mod two_queues;
