//! What is broken on purpose, and what must notice: without that every time would be worthless.
//!
//! On a device where dispatches never overlap no race shows by itself. A broken shader shows in the
//! data; a broken recording in what the validation layer says of it, in a result that depends on the
//! order of its dispatches, or in a time-out.

#[path = "../support/mod.rs"]
mod support;

mod counters;
mod recordings;
mod sources;
mod tables;

use std::process::ExitCode;

use anyhow::Result;

fn main() -> Result<ExitCode> {
    let mut trials = counters::trials();
    trials.extend(recordings::trials());
    trials.extend(tables::trials()?);
    support::run(trials)
}
