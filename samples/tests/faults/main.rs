//! The rest of bad luck: a lost device, memory that runs out half-way, a submit that never ends, a disk
//! that fills up while results are written, two runs into one folder, terminals that are narrow or
//! know no UTF-8.
//!
//! The failures are injected: a first run lists every Vulkan call, allocation and write that can fail,
//! and a further run for each lets that one fail. Each must end by itself with a reason on one line and
//! the right exit code, and leave whole files or none.

mod bench;
mod calls;
mod check;
mod folder;
mod further;
#[path = "../support/mod.rs"]
mod support;
#[cfg(unix)]
mod terminal;

use std::process::ExitCode;

use anyhow::{Context, Result};
use libtest_mimic::Trial;

const SAMPLE: &str = "pipelined_events";
/// Small and quick. With one repetition the number of calls does not depend on how long a submit
/// takes, and with a seed their order is the same in every run.
const QUICK: &str = "--size 64 --passes 2 --bands 2 --align 8 --repetitions 1";

fn main() -> Result<ExitCode> {
    support::run(trials().context("the calls that can fail could not be listed")?)
}

fn trials() -> Result<Vec<Trial>> {
    let calls = bench::calls()?;
    let mut trials = bench::trials(&calls)?;
    trials.extend(check::trials(&calls)?);
    trials.extend(further::trials()?);
    trials.extend(folder::trials());
    #[cfg(unix)]
    trials.extend(terminal::trials());
    Ok(trials)
}
