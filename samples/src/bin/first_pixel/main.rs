//! How long does a draw take to its first pixel?
//!
//! ```text
//! █ ║····▒▒▒▒········▓▓▓▓                      a dispatch, a barrier, the draw's vertex shader, its pixel shader
//!   ├───┤                  vertex              until the first wave of the vertex shader begins
//!   ├───────────────┤      pixel, fetched      until the first wave of the pixel shader begins
//!   ├──────────────────┤   last                until the last wave of the pixel shader begins
//! █ ║·····████
//!   ├────┤                 compute             until the wave of a second dispatch begins
//! ```
//!
//! 1 to 100,000 triangles of six pixels are drawn twice. The second draw is timed: it finds its code in the caches. For `…_cold` a large
//! buffer is filled in between. The dispatch before the draw, each triangle's first vertex and its first pixel write timestamps. For
//! `fetched_…` each vertex first follows a chain of loads.
//!
//! Expect the first pixel microseconds after the first vertex, and more triangles to take no longer at first: few of them do not fill a
//! GPU. A draw after a draw, which needs no switch from compute to graphics, is not measured, and neither are larger triangles and vertex
//! buffers. Tilers may run a vertex shader twice, and what is then timed is its second run.
//!
//! Look for, in RGP or Nsight: the time from the draw to its first pixel wave.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "PS and CS on GCN", "Examples of being idle bound – slide 2".
//! Specification: "Fixed-Function Vertex Post-Processing", "Rasterization".

mod draws;
mod timed;
mod triangles;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Lab, run, sample};

use draws::Work;
use timed::Timed;
use triangles::{capacity, links};
use verdict::{headline, verdict};

/// How long does a draw take to its first pixel?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--loads 64 --variants fetched_1_* # a longer chain of loads\n\
    --variants *_1_warm,compute_warm --trace waves.svg # one triangle, wave by wave")]
struct Args {
    /// Loads in a row of each vertex of `fetched_…`
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=64), default_value_t = 8)]
    loads: u32,
}

fn main() -> ExitCode {
    run(sample!(), first_pixel)
}

/// Triangles of a draw.
const TRIANGLES: [u32; 6] = [1, 10, 100, 1_000, 10_000, 100_000];
/// Bytes that are filled to empty the caches, more than the largest ones; less on a CPU, where times mean nothing.
const FILLED: u64 = 512 << 20;
const FILLED_ON_CPU: u64 = 1 << 20;

fn first_pixel(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.alone();
    lab.report.needs_steady_clock();
    lab.report.trace_waves();
    let (device, loads) = (lab.device(), args.loads);
    let is_small = device.is_cpu() && !lab.runs_nothing;
    let (width, lanes) = (if is_small { 128 } else { 1024 }, device.subgroup_size);
    let bytes = if is_small { FILLED_ON_CPU } else { FILLED.min(device.device_memory / 16) };
    lab.report.setting("loads", loads);
    let links = lab.input_buffer("links", move || links(loads));
    let filled = lab.made_buffer("filled", bytes / 4, |cmd, filled| cmd.fill_buffer(filled, 0));
    let work = Work { width, lanes, loads, links, filled };
    for is_cold in [false, true] {
        for triangles in TRIANGLES.into_iter().filter(|count| *count <= capacity(width)) {
            for timed in Timed::OF_DRAWS {
                work.draw(lab, timed, triangles, is_cold)?;
            }
        }
        work.dispatch(lab, is_cold)?;
    }
    lab.report.show_matrix();
    lab.report.headline(headline);
    lab.report.verdict(move |figures| verdict(figures, loads));
    Ok(())
}
