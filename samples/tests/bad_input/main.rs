//! What cannot be done is refused: in words that name the cause and the way out, with the right exit
//! code, without a panic, and without leaving anything behind.

mod arguments;
mod bloom;
mod codegen;
mod disk;
mod drain_fill;
mod group_physics;
mod machine;
mod semi_persistent_waves;
mod shaders;
mod smallest_device;
mod splits;
#[path = "../support/mod.rs"]
mod support;
mod swizzled_remap;
mod timeouts;

use std::process::ExitCode;

use anyhow::{Result, ensure};
use libtest_mimic::Arguments;
use support::Ended;

const SAMPLE: &str = "pipelined_events";

fn main() -> ExitCode {
    let trials = [
        arguments::trials(),
        bloom::trials(),
        codegen::trials(),
        disk::trials(),
        drain_fill::trials(),
        group_physics::trials(),
        machine::trials(),
        semi_persistent_waves::trials(),
        shaders::trials(),
        smallest_device::trials(),
        splits::trials(),
        swizzled_remap::trials(),
        timeouts::trials(),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials.into_iter().flatten().collect()).exit_code()
}

/// The code, the words, and nothing else.
fn told(ended: Ended, code: u8, says: &[&str]) -> Result<Ended> {
    let ended = ended.with_code(code.into())?;
    for text in says {
        ensure!(ended.stderr.contains(text), "no word of '{text}': {ended}");
    }
    ensure!(ended.stdout.is_empty(), "an error belongs on the standard error: {ended}");
    Ok(ended)
}

fn told_on_one_line(ended: Ended, code: u8, says: &[&str]) -> Result<Ended> {
    let ended = told(ended, code, says)?;
    let lines: Vec<&str> = ended.stderr.lines().collect();
    ensure!(lines.len() == 1 && lines[0].starts_with(SAMPLE), "not one line of {SAMPLE}: {ended}");
    Ok(ended)
}
