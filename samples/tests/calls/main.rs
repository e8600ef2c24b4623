//! Calls of samples, whatever they ask for: what is right at the edge of what is allowed, what is refused and in which
//! words, what lacks something, what ends early, and what the pages say of it.

mod disk;
mod interrupt;
mod library;
mod machine;
mod pages;
mod runs;
mod self_test;
#[path = "../support/mod.rs"]
mod support;
mod table;

use std::process::ExitCode;

use anyhow::Result;
use libtest_mimic::Trial;

const SAMPLE: &str = "pipelined_events";

fn main() -> Result<ExitCode> {
    support::run(trials()?)
}

fn trials() -> Result<Vec<Trial>> {
    let modules = [
        interrupt::trials(),
        library::trials(),
        self_test::trials(),
        runs::trials(),
        disk::trials(),
        machine::trials(),
        pages::trials(),
    ];
    let mut trials: Vec<Trial> = modules.into_iter().flatten().collect();
    trials.extend(table::trials()?);
    Ok(trials)
}
