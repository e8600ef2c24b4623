//! How long does the round trip of a submit take, and which part takes how long?
//!
//! ```text
//! CPU   ├─ call ─┤                          ├─ next call
//!       │   vkQueueSubmit2      vkWaitForFences or vkWaitSemaphores
//!       ├──── to GPU ────┤          ┌─ to CPU ─┤
//! GPU                    ├─ on GPU ─┤
//!       ├─────────────── whole ────────────────┤
//! ```
//!
//! Each submit is a dispatch of one workgroup between two timestamps. One, two or eight submits are in flight: each waits on the CPU for
//! the one that many before it. A CPU that polls in place of waiting shows what it costs to be woken up. Before and behind each sample the CPU
//! reads the clock of timestamps, between two readings of its own (`VK_EXT_calibrated_timestamps`).
//!
//! Expect tens of µs, of which the GPU works for a few. With eight in flight the trips overlap: each takes longer, and there are more
//! of them per second. A thread on the core that serves the GPU's interrupts is slower, so `--core` keeps to another.
//!
//! Source: clpeak, `kernel_launch_latency`: 5.76 µs to the GPU, 41.6 µs for the round trip on a GeForce RTX 5060. It waits by
//! `vkQueueWaitIdle` and tells means.

mod submits;
mod trip;
mod verdict;

use std::process::ExitCode;
use std::rc::Rc;

use anyhow::Result;
use clap::value_parser;
use common::{BadNotes, Buffer, BufferSet, Kernel, Lab, run, sample};
use samples::noted::{Rounds, mixed};
use samples::shades;

use submits::{Submits, WaitMethod};
use trip::Part;
use verdict::{headline, verdict};

/// How long does the round trip of a submit take, and which part takes how long?
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "--all # polling and timeline semaphores with two and eight in flight too\n--queue compute # a queue without graphics"
)]
struct Args {
    /// Submits per sample
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = value_parser!(u32).range(8..=4096))]
    submits: u32,
    /// Keep to this core (Linux), away from the one that serves the GPU's interrupts
    #[arg(long, value_name = "N")]
    core: Option<usize>,
}

fn main() -> ExitCode {
    run(sample!(), round_trip)
}

/// Invocations of a submit's one workgroup.
const LANES: u32 = 64;
/// Submits in flight.
const IN_FLIGHT: [usize; 3] = [1, 2, 8];
/// The variant whose results are the picture.
const SHOWN: &str = "whole_fence_1";

/// What all submits of a sample do together.
#[derive(Clone, Copy)]
struct Work {
    step: Kernel,
    /// A row of words for each submit, which works in place.
    state: Buffer,
    /// How many submits there are.
    count: u32,
}

fn round_trip(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.alone();
    lab.report.setting("submits", args.submits);
    args.core.into_iter().for_each(|core| lab.report.setting("core", core));
    let count = args.submits;
    let work = Work {
        step: lab.kernel("round_trip/step.comp").build(),
        state: lab.input_buffer("what the submits write", move || Work::seeds(count)),
        count,
    };
    let submits = Rc::new(Submits::new(lab, work, IN_FLIGHT[2])?);
    if lab.gpu.has_readable_clock() {
        let within = lab.gpu.read_clock()?.within.as_secs_f64() * 1e6;
        lab.report.note(&format!(
            "At the start the CPU reads the clock of timestamps to ±{within:.2} µs. The times to the GPU and to the CPU may be wrong by as \
             much. Their sum is not affected."
        ));
    }
    for method in WaitMethod::ALL {
        for in_flight in IN_FLIGHT {
            for part in Part::ALL {
                work.declare(lab, &submits, method, in_flight, part)?;
            }
        }
    }
    lab.report.show_matrix();
    lab.report.headline(headline);
    lab.report.verdict(verdict);
    // Last, so that a lab that is refused leaves the thread where it is.
    keep_to(args.core)
}

impl Work {
    /// What the submits begin with.
    fn seeds(count: u32) -> Vec<u32> {
        (0..count * LANES).map(mixed).collect()
    }

    /// A part of the round trip. The variant's own commands continue what its submits have left, so that a submit that did nothing is
    /// noticed.
    fn declare(
        self,
        lab: &mut Lab,
        submits: &Rc<Submits>,
        method: WaitMethod,
        in_flight: usize,
        part: Part,
    ) -> Result<()> {
        let Self { step, state, count, .. } = self;
        let name = format!("{}_{}_{in_flight}", part.name(), method.name);
        let results = lab.output(&name, BufferSet::new(1, count * LANES, 0))?;
        lab.expect(results, 0, move || {
            Self::seeds(count).into_iter().map(|seed| Rounds::new(2).of(seed)).collect()
        });
        if name == SHOWN {
            let what = "what each submit computes, a row for each";
            lab.report.show(results, 0, [LANES, count], what, |words| {
                shades(&words.iter().map(|word| word >> 24).collect::<Vec<_>>())
            });
        }
        let lacks = (part.needs_both_clocks() && !lab.gpu.has_readable_clock())
            .then(|| "the CPU cannot read the clock of timestamps (VK_EXT_calibrated_timestamps)".to_owned());
        let submits = Rc::clone(submits);
        let variant = lab.variant(name, move |cmd, rep| {
            cmd.dispatch(step, &[state, results.get(rep.index, 0)], &0_u32, [count, 1, 1]);
        });
        variant.skip(lacks).timed_by(move |gpu, _| {
            let (clocks, trips) = submits.run(gpu, method, in_flight)?;
            Ok(clocks.us(part, &trips).map_err(BadNotes::from)?)
        });
        Ok(())
    }
}

/// Keeps this thread to a core, or to none any more.
#[cfg(target_os = "linux")]
fn keep_to(core: Option<usize>) -> Result<()> {
    use std::sync::OnceLock;

    use anyhow::{Context, ensure};
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    static ALL: OnceLock<CpuSet> = OnceLock::new();
    let Some(core) = core else { return Ok(ALL.get().map_or(Ok(()), |all| sched_setaffinity(None, all))?) };
    // The number of processors is that of the thread's, so the record has it from before.
    let _ = common::host::host();
    let all = sched_getaffinity(None)?;
    ALL.get_or_init(|| all);
    let mut cores = CpuSet::new();
    ensure!(core < CpuSet::MAX_CPU, "--core {core}: there is no such core");
    cores.set(core);
    sched_setaffinity(None, &cores)
        .with_context(|| format!("--core {core}: there is no such core, or it is not for this program"))
}

#[cfg(not(target_os = "linux"))]
fn keep_to(core: Option<usize>) -> Result<()> {
    core.map_or(Ok(()), |core| anyhow::bail!("--core {core}: only Linux keeps a thread to a core"))
}
