//! Kernels that work on several parts of a job in one dispatch, unit after unit, and report them
//! (`shaders/include/trace_parts.glsl`).
//!
//! ```text
//! a wave   begins ──── trace_part ──── trace_stamp(0) ──── trace_stamp(1) ──── trace_end ──── trace_part ─▶
//!                 stretch 0     stretch 1          stretch 2          stretch 3       stretch 0 of the next
//! ```

use anyhow::{Result, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The meaning of the kernel's trace calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The noun for a part: `pass`.
    pub part: &'static str,
    /// Number of parts in a dispatch; the kernel counts them from 0.
    pub count: u32,
    /// Whether each part needs the previous one. Only then is it meaningful that a part starts work before the
    /// previous one ends.
    pub in_a_row: bool,
    /// The noun for the unit that a workgroup processes at a time: `tile`.
    pub unit: &'static str,
    /// Number of units of all parts of a dispatch; the kernel counts them from 0.
    pub units: u32,
    /// Names of what a wave does until it calls `trace_part`, until each stamp, and until the end of the unit.
    pub stretches: &'static [&'static str],
    /// Number of stretches at the beginning that include a wait for other units; after them a wave has its inputs.
    pub waits: usize,
}

impl Parts {
    /// Words of a slot: those of `trace.glsl`, the part, the time of `trace_part`, and the stamps, rounded up to
    /// vectors of four.
    pub fn words(&self) -> usize {
        (6 + self.stamps()).next_multiple_of(4)
    }

    /// Number of stamps that `trace_stamp` writes.
    pub fn stamps(&self) -> usize {
        self.stretches.len().saturating_sub(2)
    }

    /// Checks that the description is consistent.
    ///
    /// # Errors
    /// With fewer than two stretches (one before and one after `trace_part`), more waits than stretches, or no part.
    pub fn check(&self) -> Result<()> {
        let stretches = self.stretches.len();
        ensure!(
            stretches >= 2 && self.waits <= stretches && self.count > 0,
            "a kernel of {} parts with {stretches} stretches, {} of which wait, cannot be traced",
            self.count,
            self.waits
        );
        Ok(())
    }
}

/// Which part of a dispatch something is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// What a part is, in one word: `pass`.
    pub what: String,
    /// From 1 on.
    pub number: u32,
    /// Parts of the dispatch.
    pub of: u32,
    /// What a workgroup does at a time, in one word: `tile`.
    pub unit: String,
    /// Units of all parts of the dispatch.
    pub units: u32,
}

/// A part, and the stretches of its waves.
#[derive(Clone, Debug, PartialEq)]
pub struct PartWaves {
    /// Which part it is.
    pub part: Part,
    /// Whether it needs the previous part.
    pub in_a_row: bool,
    /// Names of what waves do, in order.
    pub stretches: &'static [&'static str],
    /// Number of stretches at the beginning that include a wait for other units.
    pub waits: usize,
    /// Duration of each stretch in microseconds, for each wave in the order of the dispatch's; 0 if the wave skipped
    /// it.
    pub stretches_us: Vec<f64>,
}

impl PartWaves {
    /// The stretches of each wave, in microseconds.
    pub fn each(&self) -> impl Iterator<Item = &[f64]> {
        self.stretches_us.chunks_exact(self.stretches.len().max(1))
    }
}
