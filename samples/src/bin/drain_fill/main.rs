//! What does it cost that the GPU drains and fills again at every barrier? Passes of shrinking area with a barrier
//! after each, and with a clear before each.
//!
//! ```text
//! waves in flight   whole area                     1/64 of it: never full
//!              ╭───────────╮  ╭───────────╮        ╭╮    ╭╮    ╭╮
//!             ╱             ╲╱             ╲      ╱  ╲  ╱  ╲  ╱  ╲
//!          fill   steady   drain, fill           a barrier between each two
//! ```
//!
//! - `barrier_4` is a chain of passes over 1/4 of the area, `no_barrier_4` the same chain without order: it races, and
//!   is the fastest possible.
//! - Before each pass, `_clear` clears a buffer with a kernel, `_fill_buffer` with `vkCmdFillBuffer`, `_clear_image` an
//!   image with `vkCmdClearColorImage`. The pass reads what was cleared. The talk advises to leave out clears of images
//!   that are overwritten; this sample has none, and does not test that advice.
//! - `no_barrier_16_simultaneous_use` (with `--all`) is `no_barrier_16` in a command buffer with `SIMULTANEOUS_USE`,
//!   which in the talk prevents parallelism. It is submitted once here.
//!
//! In the talk the VALUs idle for at least 14 % of a pass at 1/4 resolution, which is read here as 1/4 of the area, and
//! for at least 26 % with a clear. Time that a barrier takes is not the same as idle time of VALUs. Up to 17 % of the
//! waves of a pass over 1/4 of the area start with cold caches, while the GPU fills, and 71 % at 1/16 of the area
//! (Vega).
//!
//! On an H200 barriers take 3 % of the time of whole passes, back to back, and 81 % at 1/64 of the area. Each costs 1.5
//! to 2.5 µs at any area. A clear by `vkCmdClearColorImage` takes six times as long as the pass. Expect the share to grow
//! elsewhere, too, as passes shrink. Look for, in RGP or Nsight: the slopes at both ends of each pass.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Idle Bound", "Filling the GPU".
//! Specification: Vulkan 1.3, sections 7.6 (pipeline barriers) and 19 (clear commands).

mod chain;
mod reference;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Cmd, Declared, Extent, ImageLayout, Lab, Pass, Usage, Variant, run, sample};
use samples::machine::Machine;
use samples::steps::first;
use samples::{LOADS_AND_STORES, STORES, items, size};

use chain::{Chain, Clear, Work, first_fill};
use verdict::{headline, verdict};

/// Parts of the area, as divisors: those of the talk, and one that does not fill a GPU.
const SHARES: [u32; 4] = [1, 4, 16, 64];
/// The part whose passes have a clear before each, as in the talk.
const CLEARED: u32 = 4;
/// The part whose passes leave room for others beside them.
const OVERLAPPING: u32 = 16;

/// What does it cost that a GPU drains and fills again?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--trace waves.svg # see the GPU drain and fill\n\
    --steps 4..256*4 # does a drain cost less beside longer waves?")]
struct Args {
    /// Area of a whole pass [default: 2560x1440, on a CPU 128x96]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Passes per chain [default: 8, on a CPU 4]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=32))]
    passes: Option<u32>,
    /// Steps of arithmetic per item and pass: how long waves are
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = value_parser!(u32).range(1..=4096))]
    steps: u32,
    /// Multiprocessors, SIMDs, waves [default: as the driver tells]
    ///
    /// SIMDs per multiprocessor and waves per SIMD, as in 64x4x10.
    #[arg(long, value_name = "CxSxW", allow_hyphen_values = true)]
    machine: Option<Machine>,
}

fn main() -> ExitCode {
    run(sample!(), drain_fill)
}

fn drain_fill(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.report.trace_waves();
    let work = work(lab, args)?;
    let machine = Machine::of(lab, args.machine);
    if machine.is_none() {
        lab.report.note(
            "First fill is not computed: the driver does not tell how many waves there is room for, which --machine \
             does, such as 64x4x10 for the talk's Vega.",
        );
    }
    for share in SHARES {
        passes(lab, work, share, machine)?;
    }
    clears(lab, work)?;
    simultaneous_use(lab, work)?;
    lab.report.show_matrix();
    lab.report.headline(headline);
    lab.report.verdict(move |figures| verdict(figures, work.size, work.passes));
    Ok(())
}

fn work(lab: &mut Lab, args: &Args) -> Result<Work> {
    let size = size(lab, args.size, [2560, 1440], [128, 96]);
    let passes = args.passes.unwrap_or(if lab.device().is_cpu() { 4 } else { 8 });
    lab.report.setting("passes", passes);
    lab.report.setting("steps", args.steps);
    Ok(Work { size, items: items(size)?, passes, steps: args.steps })
}

/// Passes over a part of the area that each go on from the one before.
fn passes(lab: &mut Lab, work: Work, share: u32, machine: Option<Machine>) -> Result<()> {
    let chain = Chain::new(lab, work, share, None)?;
    without_order(lab, format!("no_barrier_{share}"), work, chain);

    let wave = lab.device().subgroup_size.max(1);
    let barrier = lab.variant(format!("barrier_{share}"), move |cmd, rep| {
        for pass in rep.passes(work.passes) {
            if pass.has_previous() {
                cmd.pipeline_barrier2(STORES, LOADS_AND_STORES);
            }
            cmd.dispatch(chain.kernel, &chain.bindings(pass), &[chain.items, pass.index], chain.groups);
        }
    });
    if let Some(machine) = machine {
        let percent = 100.0 * first_fill(machine, wave, chain.items);
        barrier.declares(Declared::default().predicts("% first fill", percent));
    }
    Ok(())
}

/// Passes that may overlap.
fn without_order(lab: &mut Lab, name: String, work: Work, chain: Chain) -> &mut Variant {
    lab.variant(name, move |cmd, rep| {
        for pass in rep.passes(work.passes) {
            cmd.dispatch(chain.kernel, &chain.bindings(pass), &[chain.items, pass.index], chain.groups);
        }
    })
    .races("every dependency between passes")
}

/// The same with a clear before each pass, of what the pass reads.
fn clears(lab: &mut Lab, work: Work) -> Result<()> {
    for clear in Clear::all(lab, work.part(CLEARED), work)? {
        let chain = Chain::new(lab, work, CLEARED, Some(clear))?;
        // Each pass has a word of its own, so that one that reads an earlier pass's clear gives a wrong result.
        let record_clear = move |cmd: &Cmd, pass: Pass| match clear {
            Clear::Kernel(kernel, buffers) => {
                let words = [chain.items, first(pass.index)];
                cmd.dispatch(kernel, &[buffers.get(pass.rep.index, 0)], &words, chain.groups);
            }
            Clear::Buffer(buffers) => cmd.fill_buffer(buffers.get(pass.rep.index, 0), first(pass.index)),
            Clear::Image(images) => {
                cmd.clear_color_image(
                    images.get(pass.rep.index, 0),
                    ImageLayout::GENERAL,
                    [first(pass.index); 4],
                );
            }
        };
        lab.variant(format!("no_barrier_{CLEARED}_{}", clear.name()), move |cmd, rep| {
            for pass in rep.passes(work.passes) {
                record_clear(cmd, pass);
                cmd.dispatch(chain.kernel, &chain.bindings(pass), &[chain.items, pass.index], chain.groups);
            }
        })
        .races("every dependency between clears and passes");

        lab.variant(format!("barrier_{CLEARED}_{}", clear.name()), move |cmd, rep| {
            for pass in rep.passes(work.passes) {
                if pass.has_previous() {
                    cmd.pipeline_barrier2(LOADS_AND_STORES, clear.scope());
                }
                record_clear(cmd, pass);
                cmd.pipeline_barrier2(clear.scope(), LOADS_AND_STORES);
                cmd.dispatch(chain.kernel, &chain.bindings(pass), &[chain.items, pass.index], chain.groups);
            }
        });
    }
    Ok(())
}

/// Passes that may overlap, in a command buffer that may be submitted again while it is pending.
fn simultaneous_use(lab: &mut Lab, work: Work) -> Result<()> {
    let chain = Chain::new(lab, work, OVERLAPPING, None)?;
    let name = format!("no_barrier_{OVERLAPPING}_simultaneous_use");
    without_order(lab, name, work, chain).usage = Usage::SIMULTANEOUS_USE;
    Ok(())
}
