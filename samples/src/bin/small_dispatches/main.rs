//! How many small dispatches run at once on one queue?
//!
//! ```text
//! nothing   ████████           dispatches of one wave each, with nothing between them: the next begins
//!            ████████          while those before it run, as soon as the queue has read it
//!             ████████
//! event     ○ ████████         the same, but each waits for an event that was signalled long before
//!           ○          ████████
//! ```
//!
//! Each wave spins for a set time, and notes when it begins and ends. The most waves at once are the most dispatches that the queue has in
//! flight. The longer the waves, the more of them overlap, until the hardware has no room for another dispatch.
//!
//! - `barrier`: an execution barrier before each dispatch, so that one runs at a time.
//! - `event`: each dispatch waits for an event that is signalled before the first. The specification allows all of them at once.
//! - `buffers`: one command buffer for each dispatch, all in one submit; `simultaneous` gives them `SIMULTANEOUS_USE`.
//! - `submits`: one submit for each dispatch. Each signals a timeline semaphore, and only the first waits for one.
//!
//! Expect the number to grow with the waves' length. The talk often sees 40 and more draws at once on the graphics queue. The compute queue
//! needs longer waves there, to hide the work of its front end. Where a driver drains the queue at each event, command buffer or submit,
//! one dispatch runs at once, however long it is.
//!
//! Look for, in RGP or Nsight: the dispatches that overlap.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Looking at Same Operations in Different Queues", "GPU Draining".
//! Specification: "Command Buffer Usage", "Events".

mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Cmd, EventState, Lab, Queue, Stage, Usage, run, sample};
use samples::NO_ACCESS;
use samples::spin::{Waves, queues_of};

use verdict::{headline, verdict};

/// How many small dispatches run at once on one queue?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--variants '*_nothing' --dispatches 512 # is there room for more?\n\
    --variants graphics_20_nothing,graphics_20_event --trace waves.svg # with and without events, wave by wave")]
struct Args {
    /// Dispatches of one wave each [default: 256, on a CPU 16]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=1024))]
    dispatches: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), small_dispatches)
}

/// How long a wave spins, in µs.
const SPINS: [u32; 6] = [2, 5, 10, 20, 50, 100];
/// The variant whose results are the picture.
const SHOWN: &str = "graphics_2_nothing";

/// What is between the dispatches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Between {
    Nothing,
    Barrier,
    SignalledEvent,
    CommandBuffers,
    CommandBuffersForSimultaneousUse,
    Submits,
}

impl Between {
    const ALL: [(&str, Self); 6] = [
        ("nothing", Self::Nothing),
        ("barrier", Self::Barrier),
        ("event", Self::SignalledEvent),
        ("buffers", Self::CommandBuffers),
        ("simultaneous", Self::CommandBuffersForSimultaneousUse),
        ("submits", Self::Submits),
    ];
}

fn small_dispatches(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.alone();
    let dispatches = args.dispatches.unwrap_or(if lab.device().is_cpu() { 16 } else { 256 });
    lab.report.setting("dispatches", dispatches);
    for (family, with_graphics, lacking) in [
        ("graphics", true, "the device has no family of queues with graphics"),
        ("compute", false, "the device has no family of queues without graphics"),
    ] {
        let queue = queues_of(lab, with_graphics).first().copied().ok_or(lacking);
        for spin_us in SPINS {
            for (name, between) in Between::ALL {
                let work = Work { queue, dispatches, spin_us, between };
                work.declare(lab, &format!("{family}_{spin_us}_{name}"))?;
            }
        }
    }
    lab.report.show_matrix();
    lab.report.headline(headline);
    lab.report.verdict(verdict);
    Ok(())
}

/// Dispatches on a queue.
#[derive(Clone, Copy)]
struct Work {
    /// The queue, or why there is none.
    queue: Result<Queue, &'static str>,
    dispatches: u32,
    spin_us: u32,
    between: Between,
}

impl Work {
    fn declare(self, lab: &mut Lab, name: &str) -> Result<()> {
        let Self { queue, dispatches, spin_us, between } = self;
        let lacks = queue.err();
        let queue = queue.unwrap_or(Queue::FIRST);
        let waves = Waves::new(lab, name, dispatches, spin_us)?;
        if name == SHOWN {
            waves.show(lab);
        }
        let events = lab.events(1, EventState::DeviceOnly, None);
        let variant = lab.variant_on_queues(name, move |submits, rep| {
            let released = [(submits.submit2(Queue::FIRST, &[], |_| {}), Stage::COMPUTE_SHADER)];
            let event = events.get(rep.index, 0);
            let wave = |cmd: &Cmd, slot| waves.dispatch(cmd, rep, slot);
            let one_submit = |record: &dyn Fn(&Cmd)| submits.submit2(queue, &released, record);
            let last = match between {
                Between::Nothing => one_submit(&|cmd| (0..dispatches).for_each(|slot| wave(cmd, slot))),
                Between::Barrier => one_submit(&|cmd| {
                    for slot in 0..dispatches {
                        cmd.pipeline_barrier2(NO_ACCESS, NO_ACCESS);
                        wave(cmd, slot);
                    }
                }),
                Between::SignalledEvent => one_submit(&|cmd| {
                    cmd.set_event2(event, NO_ACCESS, NO_ACCESS);
                    for slot in 0..dispatches {
                        cmd.wait_events2(event, NO_ACCESS, NO_ACCESS);
                        wave(cmd, slot);
                    }
                }),
                Between::CommandBuffers | Between::CommandBuffersForSimultaneousUse => one_submit(&|cmd| {
                    wave(cmd, 0);
                    for slot in 1..dispatches {
                        cmd.next_command_buffer();
                        wave(cmd, slot);
                    }
                }),
                Between::Submits => {
                    let first = one_submit(&|cmd| wave(cmd, 0));
                    let next = |slot| submits.submit2(queue, &[], |cmd| wave(cmd, slot));
                    (1..dispatches).fold(first, |_, slot| next(slot))
                }
            };
            submits.submit2(Queue::FIRST, &[(last, Stage::ALL_COMMANDS)], |_| {});
        });
        if between == Between::CommandBuffersForSimultaneousUse {
            variant.usage = Usage::SIMULTANEOUS_USE;
        }
        waves.measure(variant, lacks, "waves", Waves::at_once);
        Ok(())
    }
}
