//! Does a second queue fill what raster work leaves idle?
//!
//! ```text
//! after    raster  ▃▁▃▁▃▁▃▁         one queue: the compute job waits for the last pass
//!          compute         ██████
//! async    raster  ▃▁▃▁▃▁▃▁         two queues: it runs in the drains, and on what the passes leave free
//!          compute ██████
//! ```
//!
//! Two kinds of raster work leave a GPU idle:
//!
//! - `passes_…`: passes over a small target. Each waits for the one before, and the GPU drains between them.
//! - `layers_…`: draws that each cover the target, nearer than the last, as in a fill of depth and normals. Their pixel shader is so short
//!   that its waves end as fast as the GPU launches them.
//!
//! Beside each comes the same dispatch of arithmetic, or none:
//!
//! - `alone`: raster work only.
//! - `after`: the dispatch comes after the raster work, with a barrier.
//! - `beside`: the dispatch comes between the first draw and the second on the same queue, with no barrier before the second.
//! - `async`: the dispatch is on the second queue and starts with the raster work. In `async_limited` each of its workgroups takes all the
//!   shared memory that a workgroup can have, so that fewer of its waves run at once and leave room for pixels.
//! - `async_late`: the dispatch on the second queue comes after the first draw and a long workgroup, so that it arrives while other draws
//!   run. This is the talk's case, in which waves of running draws keep those of the compute queue out.
//!
//! All of them have the same submits on the first queue, the first draw in one and the others in the next. The most that `async` can save
//! is the time of `after` less the longer of both times alone. Expect it to save more where pixels leave hardware free.
//!
//! Look for, in RGP or Nsight: the first compute wave, and how many run while pixels do.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Example of Wave Launch for Async-Compute Getting Blocked by
//! Wave-Launch-Limited PS Draws". Specification: "Queues", "Render Pass".

mod job;
mod raster;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Access, Extent, Lab, Queue, Scope, Stage, run, sample};
use samples::{DRAWN, NO_ACCESS};

use job::Job;
use raster::{Kind, Layers, MOST_LAYERS, Passes, Raster};
use verdict::{headline, verdict};

/// Does a second queue fill what raster work leaves idle?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--rounds 8192 # a longer compute job\n\
    --variants passes_after,passes_async,layers_async_late --trace waves.svg # one queue and two, wave by wave")]
struct Args {
    /// Passes of the chain [default: 16, on a CPU 3]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=64))]
    passes: Option<u32>,
    /// Draws over one another [default: 8, on a CPU 3]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=i64::from(MOST_LAYERS)))]
    layers: Option<u32>,
    /// Rounds of arithmetic of the compute job, to the next multiple of 16 [default: 4096, on a CPU 64]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(16..=65_536))]
    rounds: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), async_compute)
}

fn async_compute(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.alone();
    lab.report.trace_waves();
    let is_small = lab.device().is_cpu() && !lab.runs_nothing;
    let by_device =
        |asked: Option<u32>, on_gpu, on_cpu| asked.unwrap_or(if is_small { on_cpu } else { on_gpu });
    let work = Work {
        passes: by_device(args.passes, 16, 3),
        layers: by_device(args.layers, 8, 3),
        rounds: by_device(args.rounds, 4096, 64).next_multiple_of(16),
        workgroups: if is_small { 8 } else { 4096 },
        small: if is_small { SIZES_ON_CPU[0] } else { SIZES[0] },
        large: if is_small { SIZES_ON_CPU[1] } else { SIZES[1] },
    };
    lab.report.setting("passes", work.passes);
    lab.report.setting("layers", work.layers);
    lab.report.setting("rounds", work.rounds);
    for kind in Kind::ALL {
        for how in How::ALL {
            with_raster(lab, work, kind, how)?;
        }
    }
    compute_alone(lab, work, false)?;
    compute_alone(lab, work, true)?;
    lab.report.show_matrix();
    lab.report.headline(headline);
    lab.report.verdict(verdict);
    Ok(())
}

/// The target of passes, and that of layers.
const SIZES: [Extent; 2] = [Extent { width: 256, height: 256 }, Extent { width: 1280, height: 720 }];
const SIZES_ON_CPU: [Extent; 2] = [Extent { width: 24, height: 16 }, Extent { width: 48, height: 32 }];
/// A render pass that is done, for what only waits for it.
const DRAWN_ONLY: Scope = (DRAWN.0, Access::NONE);
/// Rounds of the workgroup that delays a dispatch, for each round of the compute job: about 30 µs on an H200 with 4096 rounds. With many
/// rounds and few passes the dispatch comes after the last.
const DELAY: u32 = 4;

/// The sizes of all work.
#[derive(Clone, Copy)]
struct Work {
    passes: u32,
    layers: u32,
    rounds: u32,
    workgroups: u32,
    /// The target of passes, and that of layers.
    small: Extent,
    large: Extent,
}

/// Where the dispatch is.
#[derive(Clone, Copy)]
enum How {
    Alone,
    After,
    Beside,
    /// On the second queue; `true` with fewer waves at once.
    Async(bool),
    /// On the second queue, during the draws after the first.
    Late,
}

impl How {
    const ALL: [Self; 6] =
        [Self::Alone, Self::After, Self::Beside, Self::Async(false), Self::Async(true), Self::Late];

    const fn name(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::After => "after",
            Self::Beside => "beside",
            Self::Async(false) => "async",
            Self::Async(true) => "async_limited",
            Self::Late => "async_late",
        }
    }
}

fn with_raster(lab: &mut Lab, work: Work, kind: Kind, how: How) -> Result<()> {
    let name = format!("{}_{}", kind.name(), how.name());
    let raster = match kind {
        Kind::Passes => Raster::Passes(Passes::new(lab, &name, work.small, work.passes)?),
        Kind::Layers => Raster::Layers(Layers::new(lab, &name, work.large, work.layers)?),
    };
    let is_limited = matches!(how, How::Async(true));
    let job = Job::new(lab, &name, work.workgroups, work.rounds, is_limited)?;
    let delay = matches!(how, How::Late)
        .then(|| Job::new(lab, &format!("delay of {name}"), 1, DELAY * work.rounds, false))
        .transpose()?;
    let variant = lab.variant_on_queues(name, move |queues, rep| {
        let begun = queues.submit2(Queue::FIRST, &[], |_| {});
        let drawn = queues.submit2(Queue::FIRST, &[], |cmd| raster.first(cmd, rep));
        let released = match how {
            How::Async(_) => Some(begun),
            How::Late => Some(drawn),
            How::Alone | How::After | How::Beside => None,
        };
        let computed = released.map(|point| {
            queues.submit2(Queue::SECOND, &[(point, Stage::COMPUTE_SHADER)], |cmd| {
                if let Some(delay) = delay {
                    delay.dispatch(cmd, rep);
                    cmd.pipeline_barrier2(NO_ACCESS, NO_ACCESS);
                }
                job.dispatch(cmd, rep);
            })
        });
        queues.submit2(Queue::FIRST, &[], |cmd| {
            if matches!(how, How::Beside) {
                job.dispatch(cmd, rep);
            }
            raster.rest(cmd, rep);
            if matches!(how, How::After) {
                cmd.pipeline_barrier2(DRAWN_ONLY, NO_ACCESS);
                job.dispatch(cmd, rep);
            }
        });
        let computed: Vec<_> = computed.into_iter().map(|point| (point, Stage::ALL_COMMANDS)).collect();
        queues.submit2(Queue::FIRST, &computed, |_| {});
    });
    if !matches!(how, How::Alone) {
        job.measure(variant);
    }
    Ok(())
}

fn compute_alone(lab: &mut Lab, work: Work, is_limited: bool) -> Result<()> {
    let name = if is_limited { "compute_alone_limited" } else { "compute_alone" };
    let job = Job::new(lab, name, work.workgroups, work.rounds, is_limited)?;
    let variant = lab.variant_on_queues(name, move |queues, rep| {
        queues.submit2(Queue::FIRST, &[], |_| {});
        queues.submit2(Queue::FIRST, &[], |_| {});
        queues.submit2(Queue::FIRST, &[], |cmd| job.dispatch(cmd, rep));
        queues.submit2(Queue::FIRST, &[], |_| {});
    });
    job.measure(variant);
    Ok(())
}
