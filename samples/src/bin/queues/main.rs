//! How many queues run at once, and what does it cost to go on in another?
//!
//! ```text
//! queue 0 ║████████        queue 0 ║████████             at_once: a wave on each of several queues
//! queue 1 ║████████        queue 1 ║        ████████     waves at once: 2 on the left, 1 on the right
//!
//! queue 0 ║████────┐                                     hand_over: a wave waits for another by a semaphore,
//! queue 1 ║        └──████                               or by a barrier or an event on its own queue
//!              ├──────┤
//! ```
//!
//! Each queue runs one wave. It stays for a set time, and notes when it begins, when it ends, and how long it did not run in between. The
//! first submit releases all other queues, and the last one, on the same queue, waits for them. Queues are taken from the first family
//! that does graphics and from the first that does not.
//!
//! Expect fewer queues at once than a family offers: queues of one family may share one part of the hardware. On an H200 16 graphics
//! queues run one after the other, and 8 compute queues all at once. A switch between two queues that share hardware is slow. An event
//! cannot order two queues: the specification allows it within one queue only.
//!
//! Look for, in Nsight or RGP: the queues' rows.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Differences Between CS and Gfx Queue". It gives no figures for
//! several queues. Specification: "Queues", "Semaphores".

mod families;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Cmd, EventState, Lab, Queue, Stage, host, run, sample};
use samples::stay::{Waves, lacking};
use samples::{NO_ACCESS, shades};

use families::{Families, Found};
use verdict::{headline, verdict};

/// How many queues run at once, and what does it cost to go on in another?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--variants 'at_once_*' --stay 2000 # longer waves\n\
    --variants at_once_compute_8,at_once_graphics_8 --trace waves.svg # the queues, wave by wave")]
struct Args {
    /// Microseconds that a wave stays in `at_once_…` [default: 500, on a CPU 20]
    #[arg(long, value_name = "US", value_parser = value_parser!(u32).range(10..=2000))]
    stay: Option<u32>,
}

fn main() -> ExitCode {
    run(host::Sample { all_queues: true, ..sample!() }, queues)
}

/// Queues of a family that each run a wave.
const COUNTS: [usize; 5] = [1, 2, 4, 8, 16];
/// How long the waves of `hand_over_…` stay, in µs.
const SHORT_STAY: u32 = 20;
/// The variant whose results are the picture.
const SHOWN: &str = "at_once_graphics_1";

fn queues(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.alone();
    lab.report.trace_waves();
    let families = Families::of(lab);
    lab.report.setting("queues", &families);
    let stay = args.stay.unwrap_or(if lab.device().is_cpu() { 20 } else { 500 });
    lab.report.setting("stay in µs", stay);
    for count in COUNTS {
        for (family, queues) in families.queues(count) {
            at_once(lab, &format!("at_once_{family}_{count}"), queues, stay)?;
        }
    }
    for (from, [own, sibling, other]) in families.neighbours() {
        for (name, by, to) in [
            ("barrier", By::Barrier, &own),
            ("event", By::Event, &own),
            ("submit", By::Semaphore, &own),
            ("sibling", By::Semaphore, &sibling),
            ("other", By::Semaphore, &other),
        ] {
            hand_over(lab, &format!("hand_over_{from}_{name}"), by, [&own, to])?;
        }
    }
    lab.report.show_matrix();
    lab.report.headline(headline);
    lab.report.verdict(verdict);
    Ok(())
}

/// A wave on each of these queues.
fn at_once(lab: &mut Lab, name: &str, found: Found<Vec<Queue>>, stay: u32) -> Result<()> {
    let (queues, lacks) = (found.clone().unwrap_or_else(|_| vec![Queue::FIRST]), found.err());
    let waves = Waves::new(lab, name, u32::try_from(queues.len())?, stay)?;
    if name == SHOWN {
        let lanes = lab.device().subgroup_size;
        lab.report.show(waves.results(), 0, [lanes, 1], "what each invocation of a wave computes", |words| {
            shades(&words.iter().map(|word| word & 0xFF).collect::<Vec<_>>())
        });
    }
    let no_clock = lacking(lab.device()).map(str::to_owned);
    let variant = lab.variant_on_queues(name, move |submits, rep| {
        let released = submits.submit2(Queue::FIRST, &[], |_| {});
        let submit = |(slot, &queue)| {
            let wave = |cmd: &Cmd| waves.dispatch(cmd, rep, slot);
            (submits.submit2(queue, &[(released, Stage::COMPUTE_SHADER)], wave), Stage::ALL_COMMANDS)
        };
        let ended: Vec<_> = (0..).zip(&queues).map(submit).collect();
        submits.submit2(Queue::FIRST, &ended, |_| {});
    });
    let (notes, words) = waves.notes();
    variant
        .skip(no_clock)
        .skip(lacks)
        .metric("waves", notes, words, move |words| waves.at_once(words).map(Some));
    Ok(())
}

/// What a wave waits for another by.
#[derive(Clone, Copy)]
enum By {
    Barrier,
    Event,
    /// A timeline semaphore, between two submits.
    Semaphore,
}

/// A wave on the first of these queues, and one on the second that waits for it.
fn hand_over(lab: &mut Lab, name: &str, by: By, queues: [&Found<Queue>; 2]) -> Result<()> {
    let lacks = queues.iter().find_map(|queue| queue.as_ref().err()).cloned();
    let [from, to] = queues.map(|queue| queue.clone().unwrap_or(Queue::FIRST));
    let waves = Waves::new(lab, name, 2, SHORT_STAY)?;
    let events = lab.events(1, EventState::DeviceOnly, None);
    let no_clock = lacking(lab.device()).map(str::to_owned);
    let variant = lab.variant_on_queues(name, move |submits, rep| {
        let wave = |cmd: &Cmd, slot| waves.dispatch(cmd, rep, slot);
        let released = [(submits.submit2(Queue::FIRST, &[], |_| {}), Stage::COMPUTE_SHADER)];
        let (first, second) = match by {
            By::Barrier => {
                let both = submits.submit2(from, &released, |cmd| {
                    wave(cmd, 0);
                    cmd.pipeline_barrier2(NO_ACCESS, NO_ACCESS);
                    wave(cmd, 1);
                });
                (both, both)
            }
            By::Event => {
                let event = events.get(rep.index, 0);
                let both = submits.submit2(from, &released, |cmd| {
                    wave(cmd, 0);
                    cmd.set_event2(event, NO_ACCESS, NO_ACCESS);
                    cmd.wait_events2(event, NO_ACCESS, NO_ACCESS);
                    wave(cmd, 1);
                });
                (both, both)
            }
            By::Semaphore => {
                let first = submits.submit2(from, &released, |cmd| wave(cmd, 0));
                let second = submits.submit2(to, &[(first, Stage::COMPUTE_SHADER)], |cmd| wave(cmd, 1));
                (first, second)
            }
        };
        let ended = [first, second].map(|point| (point, Stage::ALL_COMMANDS));
        submits.submit2(Queue::FIRST, &ended, |_| {});
    });
    let (notes, words) = waves.notes();
    variant
        .skip(no_clock)
        .skip(lacks)
        .metric("µs", notes, words, move |words| waves.hand_over(words).map(Some));
    Ok(())
}
