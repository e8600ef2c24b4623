//! How many queues run at once, and what does it cost to go on in another?
//!
//! ```text
//! queue 0 ║████████        queue 0 ║████████             at_once: a wave on each of several queues
//! queue 1 ║████████        queue 1 ║        ████████     most waves at once: 2 on the left, 1 on the right
//!
//! queue 0 ║████────┐                                     hand_over: a wave waits for another by a semaphore,
//! queue 1 ║        └──████                               or by a barrier or an event on its own queue
//!              ├──────┤
//! ```
//!
//! Each queue runs one wave, which spins for a set time. It notes when it begins, when it ends, and how long it was paused in between. The
//! first submit releases the waves of all queues. The last one, on the same queue, waits for them. Queues are taken from the first family
//! with graphics and from the first without.
//!
//! Expect fewer queues at once than a family offers, because they may share one part of the hardware. On an H200 16 graphics queues run one
//! after the other, and 8 compute queues run all at once. A hand-over from one graphics queue to another takes 181 µs there. An event
//! cannot order two queues: the specification allows it within one queue only.
//!
//! Look for, in Nsight or RGP: the rows of the queues.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Differences Between CS and Gfx Queue". It has no figures for
//! several queues. Specification: "Queues", "Semaphores".

mod families;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Cmd, EventState, Lab, Queue, Stage, host, run, sample};
use samples::NO_ACCESS;
use samples::spin::Waves;

use families::Families;
use verdict::{headline, verdict};

/// How many queues run at once, and what does it cost to go on in another?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--variants 'at_once_*' --spin 2000 # longer waves\n\
    --variants at_once_compute_8,at_once_graphics_8 --trace waves.svg # the queues, wave by wave")]
struct Args {
    /// Microseconds that a wave spins in `at_once_…`
    ///
    /// It must be longer than the queues take to begin. Otherwise waves of queues that do run at once do not overlap.
    #[arg(long, value_name = "US", value_parser = value_parser!(u32).range(200..=2000), default_value_t = 500)]
    spin: u32,
}

fn main() -> ExitCode {
    run(host::Sample { all_queues: true, ..sample!() }, queues)
}

/// Queues of a family that run a wave each.
const COUNTS: [usize; 5] = [1, 2, 4, 8, 16];
/// How long the waves of `hand_over_…` spin, in µs.
const SHORT_SPIN: u32 = 20;
/// The variant whose results are the picture.
const SHOWN: &str = "at_once_graphics_1";

fn queues(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.alone();
    lab.report.trace_waves();
    let families = Families::of(lab);
    lab.report.setting("queues", &families);
    lab.report.setting("spin in µs", args.spin);
    for count in COUNTS {
        for (family, queues) in families.queues(count) {
            at_once(lab, &format!("at_once_{family}_{count}"), queues, args.spin)?;
        }
    }
    for (family, [own, sibling, other]) in families.neighbours() {
        for (name, ordered_by, to) in [
            ("barrier", OrderedBy::Barrier, &own),
            ("event", OrderedBy::Event, &own),
            ("semaphore_same_queue", OrderedBy::Semaphore, &own),
            ("semaphore_same_family", OrderedBy::Semaphore, &sibling),
            ("semaphore_other_family", OrderedBy::Semaphore, &other),
        ] {
            hand_over(lab, &format!("hand_over_{family}_{name}"), ordered_by, [&own, to])?;
        }
    }
    lab.report.show_matrix();
    lab.report.headline(headline);
    lab.report.verdict(verdict);
    Ok(())
}

/// A wave on each of these queues.
fn at_once(lab: &mut Lab, name: &str, found: Result<Vec<Queue>, String>, spin_us: u32) -> Result<()> {
    let lacks = found.as_ref().err().cloned();
    let queues = found.unwrap_or_else(|_| vec![Queue::FIRST]);
    let waves = Waves::new(lab, name, u32::try_from(queues.len())?, spin_us)?;
    if name == SHOWN {
        waves.show(lab);
    }
    let variant = lab.variant_on_queues(name, move |submits, rep| {
        let released = submits.submit2(Queue::FIRST, &[], |_| {});
        let submit = |(slot, &queue)| {
            let wave = |cmd: &Cmd| waves.dispatch(cmd, rep, slot);
            (submits.submit2(queue, &[(released, Stage::COMPUTE_SHADER)], wave), Stage::ALL_COMMANDS)
        };
        let ended: Vec<_> = (0..).zip(&queues).map(submit).collect();
        submits.submit2(Queue::FIRST, &ended, |_| {});
    });
    waves.measure(variant, lacks, "waves", Waves::at_once);
    Ok(())
}

/// What orders the second wave after the first.
#[derive(Clone, Copy)]
enum OrderedBy {
    Barrier,
    Event,
    /// A timeline semaphore, between two submits.
    Semaphore,
}

/// A wave on the first of these queues, and one on the second that waits for it.
fn hand_over(
    lab: &mut Lab,
    name: &str,
    ordered_by: OrderedBy,
    found: [&Result<Queue, String>; 2],
) -> Result<()> {
    let lacks = found.iter().find_map(|queue| queue.as_ref().err()).cloned();
    let [from, to] = found.map(|queue| queue.clone().unwrap_or(Queue::FIRST));
    let waves = Waves::new(lab, name, 2, SHORT_SPIN)?;
    let events = lab.events(1, EventState::DeviceOnly, None);
    let variant = lab.variant_on_queues(name, move |submits, rep| {
        let wave = |cmd: &Cmd, slot| waves.dispatch(cmd, rep, slot);
        let released = [(submits.submit2(Queue::FIRST, &[], |_| {}), Stage::COMPUTE_SHADER)];
        let (first, second) = match ordered_by {
            OrderedBy::Barrier => {
                let both = submits.submit2(from, &released, |cmd| {
                    wave(cmd, 0);
                    cmd.pipeline_barrier2(NO_ACCESS, NO_ACCESS);
                    wave(cmd, 1);
                });
                (both, both)
            }
            OrderedBy::Event => {
                let event = events.get(rep.index, 0);
                let both = submits.submit2(from, &released, |cmd| {
                    wave(cmd, 0);
                    cmd.set_event2(event, NO_ACCESS, NO_ACCESS);
                    cmd.wait_events2(event, NO_ACCESS, NO_ACCESS);
                    wave(cmd, 1);
                });
                (both, both)
            }
            OrderedBy::Semaphore => {
                let first = submits.submit2(from, &released, |cmd| wave(cmd, 0));
                let second = submits.submit2(to, &[(first, Stage::COMPUTE_SHADER)], |cmd| wave(cmd, 1));
                (first, second)
            }
        };
        let ended = [first, second].map(|point| (point, Stage::ALL_COMMANDS));
        submits.submit2(Queue::FIRST, &ended, |_| {});
    });
    waves.measure(variant, lacks, "µs", Waves::hand_over);
    Ok(())
}
