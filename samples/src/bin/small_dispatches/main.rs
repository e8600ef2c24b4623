//! How many small dispatches run at once on one queue?
//!
//! ```text
//! plain     ████████           dispatches of one wave each, with nothing between them: the next begins
//!            ████████          while those before it run, as soon as the queue has read it
//!             ████████
//! event     ○ ████████         the same, but each waits for an event that was signalled long before
//!           ○          ████████
//! ```
//!
//! Each wave stays for a set time, and notes when it begins and ends. The number of waves at once is how many dispatches the queue keeps
//! in flight. The longer the waves, the more of them meet, until the hardware has no room for another dispatch.
//!
//! - `barrier`: an execution barrier before each dispatch. One runs at once.
//! - `event`: each dispatch waits for an event that is signalled before the first. The specification allows all of them at once.
//! - `buffers`: one command buffer for each dispatch, all in one submit; `simultaneous` gives them `SIMULTANEOUS_USE`.
//! - `submits`: one submit for each dispatch, which signals a timeline semaphore.
//!
//! Expect the number to grow with the waves' length. The talk sees 40 and more draws at once on the graphics queue, and longer waves
//! needed on the compute queue, to hide the fetch of the event's state. Where a driver drains the queue at each event or semaphore, one
//! dispatch runs at once, however long it is.
//!
//! Look for, in RGP or Nsight: the dispatches that overlap.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Looking at Same Operations in Different Queues", "GPU Draining".
//! Specification: "Command Buffer Usage", "Events".

mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Cmd, EventState, Lab, Point, Queue, Stage, Usage, run, sample};
use samples::stay::{Waves, lacking};
use samples::{NO_ACCESS, shades};

use verdict::{headline, verdict};

/// How many small dispatches run at once on one queue?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--variants '*_plain' --dispatches 512 # is there room for more?\n\
    --variants graphics_20_plain,graphics_20_event --trace waves.svg # with and without events, wave by wave")]
struct Args {
    /// Dispatches of one wave each [default: 256, on a CPU 16]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=1024))]
    dispatches: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), small_dispatches)
}

/// How long a wave stays, in µs.
const STAYS: [u32; 6] = [2, 5, 10, 20, 50, 100];
/// The variant whose results are the picture.
const SHOWN: &str = "graphics_2_plain";

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
        ("plain", Self::Nothing),
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
    lab.report.trace_waves();
    let dispatches = args.dispatches.unwrap_or(if lab.device().is_cpu() { 16 } else { 256 });
    lab.report.setting("dispatches", dispatches);
    for (queue, draws) in [("graphics", true), ("compute", false)] {
        let found = (0..).map(Queue).zip(lab.queues()).find(|(_, place)| place.draws == draws);
        let lacks = found.is_none().then(|| format!("the device has no {queue} queue"));
        let chosen = found.map_or(Queue::FIRST, |(queue, _)| queue);
        for stay in STAYS {
            for (name, between) in Between::ALL {
                let work = Work { queue: chosen, dispatches, stay, between };
                work.declare(lab, &format!("{queue}_{stay}_{name}"), lacks.clone())?;
            }
        }
    }
    lab.report.show_matrix();
    lab.report.headline(headline);
    lab.report.verdict(move |figures| verdict(figures, dispatches));
    Ok(())
}

/// Dispatches on a queue.
#[derive(Clone, Copy)]
struct Work {
    queue: Queue,
    dispatches: u32,
    stay: u32,
    between: Between,
}

impl Work {
    fn declare(self, lab: &mut Lab, name: &str, lacks: Option<String>) -> Result<()> {
        let Self { queue, dispatches, stay, between } = self;
        let waves = Waves::new(lab, name, dispatches, stay)?;
        if name == SHOWN {
            let size = [lab.device().subgroup_size, dispatches];
            let what = "what each invocation computes, a row for each dispatch";
            lab.report.show(waves.results(), 0, size, what, |words| {
                shades(&words.iter().map(|word| word & 0xFF).collect::<Vec<_>>())
            });
        }
        let events = lab.events(1, EventState::DeviceOnly, None);
        let no_clock = lacking(lab.device()).map(str::to_owned);
        let variant = lab.variant_on_queues(name, move |submits, rep| {
            let released = [(submits.submit2(Queue::FIRST, &[], |_| {}), Stage::COMPUTE_SHADER)];
            let event = events.get(rep.index, 0);
            let wave = |cmd: &Cmd, slot| waves.dispatch(cmd, rep, slot);
            let one_submit = |record: &dyn Fn(&Cmd)| submits.submit2(queue, &released, record);
            let last: Point = match between {
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
                    let submit = |slot| submits.submit2(queue, &released, |cmd| wave(cmd, slot));
                    (1..dispatches).fold(submit(0), |_, slot| submit(slot))
                }
            };
            submits.submit2(Queue::FIRST, &[(last, Stage::ALL_COMMANDS)], |_| {});
        });
        if between == Between::CommandBuffersForSimultaneousUse {
            variant.usage = Usage::SIMULTANEOUS_USE;
        }
        let (notes, words) = waves.notes();
        variant
            .skip(no_clock)
            .skip(lacks)
            .metric("waves", notes, words, move |words| waves.at_once(words).map(Some));
        Ok(())
    }
}
