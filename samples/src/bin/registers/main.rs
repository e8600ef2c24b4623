//! Ways to need fewer registers, one by one: does each save any, and does it save time?
//!
//! ```text
//! usual form            the trick
//! address_vector        address_scalar      an address from the number of the workgroup, for a scalar unit
//! images_16             image_1             parts of one image: its descriptor takes 8 scalar registers of GCN
//! buffers_16            buffer_1            parts of one buffer: its descriptor takes 4
//! search_loop           search_first_bit    findLSB() leads from one set bit to the next
//! sign_function         sign_test           a flag in the sign is x < 0, not sign(x)
//! median_32             median_16           two 16-bit floats in a register, in a 3x3 filter
//! barriers_64 .. 1024   barriers_32         a workgroup that is one wave needs no barrier (GCN: 64)
//! idle_40               idle_32             12 words are loaded after a wait, not held over it. At 40 registers a second
//!                                           workgroup of 1024 has no room on GCN, and 37.5 % of the registers lie idle
//! ```
//!
//! The others keep words in registers while they wait, to show what registers are worth:
//!
//! ```text
//! live_112 .. live_136    from the 129th register on, fewer waves have room on GCN and NVIDIA
//! spill_1024, spill_512   80 words: in workgroups of 1024 GCN and NVIDIA have 64 registers, and the rest goes to memory
//! release_1024 .. 64      waves of many lengths: their registers are free when the whole workgroup has ended
//!
//!   ██▇▆▅▄▃▂▁██▇▆▅▄▃▂▁    release_1024: one workgroup per multiprocessor, waves in flight over time
//!   ███████████▆▄▂▁       release_64: the next workgroup begins at once
//! ```
//!
//! Begin with `shaders/registers/live.comp`.
//!
//! Expect a trick to pay off where it lets more waves in, or takes instructions from a loop that computes. On an H200 132 live
//! words take 1.25x as long as 128, because the driver takes 145 registers and not 128, and `sign(x)` takes 1.8x as long as a
//! comparison. It does not help where a compiler does better on its own: alone, `findLSB()` loses to a loop that it unrolls.
//!
//! ```text
//! registers --code amd:polaris10,navi21           registers, spills, barriers and instructions of each
//! registers --variants 'release_*' --trace w.svg  the sawtooth
//! ```
//!
//! Look for, in RGP or Nsight: registers and occupancy, and waves in flight.
//!
//! Source: Sebastian Aaltonen, Optimizing GPU occupancy and resource usage with large thread groups, GPUOpen 2017. The 129th
//! register is of Optimizing HIP Assembly, "Case study: compiler regression".

mod input;
mod live;
mod reference;
mod tricks;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Lab, run, sample};

use verdict::{headline, verdict};

/// What do tricks that save registers save?
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "--code amd:polaris10,navi21 # registers of each on GCN and RDNA, without such a GPU\n\
    --variants 'live_*' # what four more live words cost"
)]
struct Args {
    /// Invocations, up to a multiple of 1024 [default: 1048576, on a CPU 16384]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=MOST_INVOCATIONS))]
    invocations: Option<u32>,
}

/// Invocations of 65,535 workgroups of 32, which every device can have, in whole workgroups of 1024.
const MOST_INVOCATIONS: i64 = 2047 * 1024;

fn main() -> ExitCode {
    run(sample!(), registers)
}

/// Fills the outputs before each run.
const UNWRITTEN: u32 = 0xFFFF_DEAD;

/// How much there is to do.
#[derive(Clone, Copy)]
struct Size {
    /// A multiple of 1024.
    invocations: u32,
    /// Whether a CPU device reads it.
    is_small: bool,
}

fn registers(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    // Where kernels are only compiled, they are those that a GPU would run.
    let is_small = lab.device().is_cpu() && !lab.runs_nothing;
    let invocations = args.invocations.unwrap_or(if is_small { 16_384 } else { 1 << 20 });
    let size = Size { invocations: invocations.next_multiple_of(1024), is_small };
    lab.report.setting("invocations", size.invocations);
    tricks::declare(lab, size)?;
    live::declare(lab, size)?;
    lab.report.show_matrix();
    lab.report.headline(headline);
    lab.report.verdict(verdict);
    Ok(())
}
