//! What do fewer passes save a mip chain?
//!
//! ```text
//! passes   4096 → 2048 ║ 1024 ║ 512 ║ 256 ║ … ║ 1       a dispatch for each level, a barrier between two
//! pairs    4096 → 2048 → 1024 ║ 512 → 256 ║ … ║ 2 → 1   two levels per dispatch
//! sixes    4096 → 2048 → … → 64 ║ 32 → … → 1            six levels per dispatch
//! one      4096 → 2048 → … → 64 → 32 → … → 1            the last workgroup that ends goes on alone
//! ```
//!
//! Each texel is the mean of four of the level before. Pass by pass every level is stored and loaded again, and the GPU drains at each
//! barrier, though the last levels hardly fill it. A workgroup that writes several levels has what it reads in registers and shared
//! memory.
//!
//! Expect merged passes to win by the barriers, and by a fifth of the bytes. One dispatch saves one barrier more than `sixes`. It pays with
//! an atomic per workgroup, and with an end that one workgroup does alone.
//!
//! Look for, in RGP or Nsight: how few waves run in the last levels, and the bandwidth of the first.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Utilization Trends from Inside the Draw/Dispatch". Specification: "Memory Model".

mod pyramid;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Buffer, BufferSet, Buffers, Format, Lab, run, sample};
use samples::noted::UNWRITTEN;
use samples::waits::lacking;
use samples::{LOADS, STORES};

use pyramid::{Dispatch, MOST_LEVELS, Pyramid};
use verdict::{headline, verdict};

/// What do fewer passes save a mip chain?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--side-bits 8,10,12 # do barriers or bytes decide?\n\
    --trace waves.svg # how the GPU empties")]
struct Args {
    /// The image has 2^BITS x 2^BITS texels [default: 12, on a CPU 8]
    #[arg(long, value_name = "BITS", value_parser = value_parser!(u32).range(8..=12))]
    side_bits: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), merged_passes)
}

/// Levels that a dispatch writes, by the names of variants.
const MERGED: [(&str, u32); 3] = [("passes", 1), ("pairs", 2), ("sixes", MOST_LEVELS)];

fn merged_passes(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    let bits = args.side_bits.unwrap_or(if lab.device().is_cpu() { 8 } else { 12 });
    let pyramid = Pyramid { side: 1 << bits };
    lab.report.setting("side", pyramid.side);
    let image = lab.input_buffer("image", move || pyramid.image());
    let written = lab.output("levels", BufferSet::new(1, pyramid.words(), UNWRITTEN))?;
    lab.expect(written, 0, move || pyramid.reference());
    lab.report.show(written, 0, [pyramid.side(1); 2], "the first level", move |words| pyramid.painted(words));
    for (name, levels) in MERGED {
        several_dispatches(lab, pyramid, image, written, (name, levels));
    }
    one_dispatch(lab, pyramid, image, written)?;
    lab.limits([pyramid.side; 2], Format::R8G8B8A8_UNORM)?;
    lab.report.headline(move |figures| headline(figures, pyramid));
    lab.report.verdict(move |figures| verdict(figures, pyramid));
    Ok(())
}

/// Dispatches that write so many levels each, with a barrier between two.
fn several_dispatches(
    lab: &mut Lab,
    pyramid: Pyramid,
    image: Buffer,
    written: Buffers,
    (name, levels): (&str, u32),
) {
    let dispatches: Vec<_> = pyramid
        .dispatches(levels)
        .map(|dispatch| {
            let kernel = lab.kernel("merged_passes/levels.comp").constant("LEVELS", dispatch.levels).build();
            (kernel, dispatch)
        })
        .collect();
    let variant = lab.variant(name, move |cmd, rep| {
        let levels = written.get(rep.index, 0);
        for &(kernel, dispatch) in &dispatches {
            if dispatch.reads > 0 {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            let read = if dispatch.reads == 0 { image } else { levels };
            cmd.dispatch(kernel, &[read, levels], &pyramid.push(dispatch), pyramid.groups(dispatch));
        }
    });
    variant.declares(pyramid.declared());
}

/// One dispatch, whose last workgroup goes on where the others end.
fn one_dispatch(lab: &mut Lab, pyramid: Pyramid, image: Buffer, written: Buffers) -> Result<()> {
    let dispatch = Dispatch { reads: 0, levels: MOST_LEVELS };
    let groups = pyramid.groups(dispatch);
    let ended = lab.output("workgroups that ended", BufferSet::new(1, 1, 0))?;
    lab.expect(ended, 0, move || vec![groups[0] * groups[1]]);
    let kernel =
        lab.kernel("merged_passes/levels.comp").define("ONE").constant("LEVELS", MOST_LEVELS).build();
    let lacks = lacking(lab.device(), false);
    let variant = lab.variant("one", move |cmd, rep| {
        let [levels, ended] = [written, ended].map(|set| set.get(rep.index, 0));
        cmd.dispatch(kernel, &[image, levels, ended], &pyramid.push(dispatch), groups);
    });
    variant.declares(pyramid.declared()).skip(lacks);
    Ok(())
}
