//! The record of a run: its types, statistics, files and validation. Nothing in this crate needs a GPU.

mod about;
mod csv;
mod device;
pub mod error;
pub mod event_drivers;
pub mod fault;
pub mod figures;
mod files;
#[cfg(any(test, feature = "fixture"))]
#[expect(clippy::unwrap_used, reason = "it serves tests alone")]
pub mod fixture;
pub mod headline;
pub mod hooks;
mod json;
pub mod judge;
pub mod number;
mod painting;
pub mod published;
mod race_map;
mod run;
pub mod schema;
pub mod self_test;
pub mod stats;
mod stopping;
pub mod trace;
mod validate;

pub use about::{About, Argument, Usable};
pub use csv::csv;
pub use device::{DeviceFacts, Kind, Multiprocessors};
pub use files::{SAMPLES, SENT, parted, read_record, sent, sha256};
pub use headline::{Compared, Headline, Holds, Outcome, Value};
pub use json::{json, read_json, read_shape};
pub use painting::Painting;
pub use race_map::RaceMap;
pub use run::*;
pub use stopping::{Meter, Rule, Stop};
pub use trace::Traced;
