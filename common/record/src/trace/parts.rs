//! Kernels that do several parts of a job in one dispatch, unit after unit, and say so
//! (`shaders/include/trace_parts.glsl`).
//!
//! ```text
//! a wave   begins ──── trace_part ──── trace_stamp(0) ──── trace_stamp(1) ──── trace_end ──── trace_part ─▶
//!                 stretch 0     stretch 1          stretch 2          stretch 3       stretch 0 of the next
//! ```

use anyhow::{Result, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a kernel's calls stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// A part, in one word: `pass`.
    pub part: &'static str,
    /// Parts of a dispatch; the kernel counts them from 0 on.
    pub count: u32,
    /// Each of them needs the one before: that one is at work before the one before ends says something only then.
    pub in_a_row: bool,
    /// What a workgroup does at a time, in one word: `tile`.
    pub unit: &'static str,
    /// Units of all parts of a dispatch; the kernel counts them from 0 on.
    pub units: u32,
    /// What a wave does until `trace_part` is called, until each stamp, and until the unit's end.
    pub stretches: &'static [&'static str],
    /// So many of the first stretches hold a wait for other units; behind them a wave has what it needs.
    pub waits: usize,
}

impl Parts {
    /// Words of a slot, which come in vectors of four: as in `trace.glsl`, part, `trace_part`, stamps.
    pub fn words(&self) -> usize {
        (6 + self.stamps()).next_multiple_of(4)
    }

    /// Those of `trace_stamp`.
    pub fn stamps(&self) -> usize {
        self.stretches.len().saturating_sub(2)
    }

    /// A kernel that calls `trace_part` has something before it and something behind it.
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

/// A part, and what its waves did.
#[derive(Clone, Debug, PartialEq)]
pub struct PartWaves {
    /// Which it is.
    pub part: Part,
    /// It needs the part before.
    pub in_a_row: bool,
    /// What waves do, one after the other.
    pub stretches: &'static [&'static str],
    /// So many of the first stretches hold a wait for other units.
    pub waits: usize,
    /// How long each lasted in microseconds, wave by wave in the order of the dispatch's; 0 of one that was left out.
    pub stretches_us: Vec<f64>,
}

impl PartWaves {
    /// The stretches of each wave, in microseconds.
    pub fn each(&self) -> impl Iterator<Item = &[f64]> {
        self.stretches_us.chunks_exact(self.stretches.len().max(1))
    }
}
