//! The drivers over one recording: `bench` measures, `check` proves.

pub mod bench;
pub mod check;
mod interval;
mod rows;
mod session;
