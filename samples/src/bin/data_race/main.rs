//! Do dispatches without a barrier race on this device? The talk's tester has three dispatches on two images and no
//! barrier. The text of its slides does not say what a dispatch reads: here each reads what the one before wrote, and
//! the pixels that differ from a CPU reference are counted.
//!
//! ```text
//! time →          nothing keeps dispatch 1 from reading what dispatch 0 has not written yet
//! no_barrier      ▕▔▔ dispatch 0 ▔▔╲
//!                          ╱▔▔ dispatch 1 ▔▔╲         a dispatch may start while the last one drains:
//!                                   ╱▔▔ dispatch 2 ▔▔  the smaller it is, the more of it overlaps
//! ```
//!
//! On the talk's RX 580 they race at 128x128 and smaller, so some dependency is needed. From 256x256 on no race was
//! seen. Three factors make one improbable there, not impossible: stores reach the L2 cache by themselves, dispatches
//! launch their waves in the order of submission, and workgroups of a dispatch launch in a loose raster order. None
//! seen is no proof: the table prints how likely a race in the next trial still is.
//!
//! The talk's remedy is an order alone, with `coherent` stores in place of a cache flush. It is right only while each
//! cache line is written once, before any read: with one image per pass. With two images in turn the third dispatch
//! reads lines that the first has read, and may find them stale in its own cache. So one image per pass shows overlap
//! alone, and two images show overlap or stale lines.
//!
//! On an H200 (driver 580, 200 trials per size) pixels are wrong up to 512x512 with one image per pass. With two images
//! they are wrong up to 1024x1024, with an order and coherent stores as without. Coherent loads or a memory barrier
//! leave none wrong.
//!
//! `seeded_fault` shows that the check finds what is wrong: one workgroup stores nothing, and each trial must count
//! just its pixels. `--image FILE.png` shows where the wrong pixels are.
//!
//! Where it does not help: a CPU device runs dispatches one by one, so that no race can show. `--check` then runs them
//! in other orders, in which a missing barrier is seen.
//!
//! Look for, in RGP or Nsight: the overlap of neighbouring dispatches, largest for the small ones.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Simple Data Race Tester".
//! Specification: Vulkan 1.3, 7.1 (execution and memory dependencies) and appendix B (Memory Model).

mod tester;
mod trials;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::record::error::BeyondLimits;
use common::{Extent, Kernel, Lab, Promise, Reliance, run, sample};
use samples::{LOADS, NO_ACCESS, STORES};
use tester::{Tester, kernels};
use verdict::{headline, verdict};

/// 0 of 200 means a race rate below 1.5 % (95 % confidence).
const GPU_TRIALS: usize = 200;
/// A CPU runs dispatches one by one, so more trials find nothing new.
const CPU_TRIALS: usize = 20;

/// Do dispatches without a barrier race on this device?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--image races.png # see which pixels are wrong\n\
    --passes 2,3,4 # which pass reads stale lines?")]
struct Args {
    /// Image sizes, comma-separated
    ///
    /// The default are powers of two from 32 to 4096, on a CPU device to 256.
    #[arg(long, value_name = "WxH", value_delimiter = ',', allow_hyphen_values = true)]
    size: Vec<Extent>,
    /// Dispatches, each reading what the one before wrote
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = value_parser!(u32).range(2..=64))]
    passes: u32,
    /// Arms of the cross that a dispatch reads, in pixels
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = value_parser!(u32).range(1..=64))]
    radius: u32,
}

fn main() -> ExitCode {
    run(sample!(), data_race)
}

fn data_race(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.report.trials(if lab.device().is_cpu() { CPU_TRIALS } else { GPU_TRIALS });
    lab.report.show_matrix();
    let kernels = kernels(lab, args.radius);
    lab.report.setting("passes", args.passes);
    lab.report.setting("radius", args.radius);
    let mut sizes = args.size.clone();
    sizes.sort_by_key(|size| (size.height, size.width));
    sizes.dedup();
    if sizes.is_empty() {
        let largest = if lab.device().is_cpu() { 256 } else { 4096 };
        sizes = (5..).map(|n| Extent::square(1 << n)).take_while(|size| size.width <= largest).collect();
    }
    lab.report.setting("size", sizes.iter().map(Extent::to_string).collect::<Vec<_>>().join(","));
    for ping_pong in [true, false] {
        for &size in &sizes {
            match Tester::new(lab, args, size, ping_pong) {
                Ok(tester) => variants(lab, tester, kernels),
                // Default sizes that do not fit are skipped.
                Err(error) if args.size.is_empty() && error.is::<BeyondLimits>() => {}
                Err(error) => return Err(error),
            }
        }
    }
    let of = sizes.clone();
    lab.report.headline(move |figures| headline(figures, &of));
    lab.report.verdict(move |figures| verdict(figures, &sizes));
    Ok(())
}

/// One size with one kind of images: the dispatches with nothing, with an order, with all between them.
fn variants(lab: &mut Lab, tester: Tester, kernels: [Kernel; 4]) {
    let [plain, coherent_stores, coherent_loads, seeded_bug] = kernels;

    lab.variant(tester.name("no_barrier"), move |cmd, rep| {
        for pass in rep.passes(tester.passes) {
            tester.dispatch(cmd, plain, pass);
        }
    })
    .races("every dependency between the dispatches");

    // The order alone, with the caches left as they are, bypassed by stores, and by loads as well.
    let ordered = [
        ("execution_only", plain, PLAIN),
        ("coherent_stores", coherent_stores, COHERENT_STORES),
        ("coherent_loads", coherent_loads, COHERENT_LOADS),
    ];
    for (name, kernel, reliance) in ordered {
        lab.variant(tester.name(name), move |cmd, rep| {
            for pass in rep.passes(tester.passes) {
                if pass.has_previous() {
                    cmd.pipeline_barrier2(NO_ACCESS, NO_ACCESS);
                }
                tester.dispatch(cmd, kernel, pass);
            }
        })
        .relies_on(reliance);
    }

    lab.variant(tester.name("full_barrier"), move |cmd, rep| {
        for pass in rep.passes(tester.passes) {
            if pass.has_previous() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            tester.dispatch(cmd, plain, pass);
        }
    });

    // The same, but one workgroup of the last dispatch stores nothing.
    lab.variant(tester.name("seeded_fault"), move |cmd, rep| {
        for pass in rep.passes(tester.passes) {
            if pass.has_previous() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            let is_last = pass.index + 1 == tester.passes;
            tester.dispatch(cmd, if is_last { seeded_bug } else { plain }, pass);
        }
    })
    .promise(Promise::has_bug(tester.left_out()));
}

const PLAIN: Reliance = Reliance::without_visibility(
    "stores reaching the cache that all multiprocessors share by the end of their dispatch, and on no other cache holding \
     the lines from before, which two images in turn break on purpose",
);
const COHERENT_STORES: Reliance = Reliance::without_visibility(
    "no cache of a multiprocessor holding the lines from before, which two images in turn break on purpose",
);
const COHERENT_LOADS: Reliance = Reliance::without_visibility(
    "loads and stores of different bindings meeting in the cache that all multiprocessors share",
);
