//! What is broken on purpose, and what must notice: without that every time would be worthless.
//!
//! On a device where dispatches never overlap no race shows by itself. A broken shader shows in the
//! data; a broken recording in what the validation layer says of it, in a result that depends on the
//! order of its dispatches, or in a time-out.

#[path = "../support/mod.rs"]
mod support;

mod bloom;
mod codegen;
mod drain_fill;
mod group_physics;
mod lds_blur;
mod limits;
mod recordings;
mod results;
mod semi_persistent_waves;
mod shaders;
mod sources;
mod swizzled_remap;
mod tile_flags;

use std::process::ExitCode;

use libtest_mimic::Arguments;

const SAMPLE: &str = "pipelined_events";

fn main() -> ExitCode {
    let mut trials = shaders::trials();
    trials.extend(recordings::trials());
    trials.extend(semi_persistent_waves::trials());
    trials.extend(lds_blur::trials());
    trials.extend(limits::trials());
    trials.extend(group_physics::trials());
    trials.extend(swizzled_remap::trials());
    trials.extend(codegen::trials());
    trials.extend(drain_fill::trials());
    trials.extend(tile_flags::trials());
    trials.extend(bloom::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
