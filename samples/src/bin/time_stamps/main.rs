//! Where does a timestamp land, and what does it hold up?
//!
//! ```text
//! before    ¹███████               from a timestamp to the first wave of the work behind it
//! behind     ███████¹              from the last wave of the work before it to a timestamp
//! barrier    ███████ ║ ¹ ███████   the same behind a barrier from compute to compute
//! gap        ███████ ├──┤███████   there, from the last wave to the first of the next dispatch
//! between    ███████¹              the same as behind, with a second dispatch that could overlap the first:
//!               ███████
//! second     ├──┤                  how long after the first does it begin?
//! ```
//!
//! The work is a dispatch of few workgroups, so that two of them run at once. Its waves note the device's time when they begin and
//! end. Timestamps are of the same clock, or else nothing is told.
//!
//! Expect a timestamp to be taken a microsecond or two behind the work of its stage. On an H200 every stage but `NONE` and `TOP_OF_PIPE`
//! waits for compute work before it, and holds up the work behind it: a timestamp between two dispatches ends their overlap. The
//! specification asks for neither. `NONE` and `TOP_OF_PIPE` are taken when the commands are read, while the work before them runs.
//!
//! Look for, in RGP or Nsight: the drain before a timestamp.
//!
//! Source: kvark/blade, pull request 398, "Sample GPU timestamps at the pass barrier's source stage": a barrier from compute to compute
//! does not order `TOP_OF_PIPE`, and on an Arc B570 about 645 µs of one pass went to the next. Specification: "Timestamp Queries".

mod lands;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::record::DeviceFacts;
use common::{BufferSet, Counter, Kernel, Lab, Stage, run, sample};
use samples::noted::{UNWRITTEN, no_clock, started};
use samples::{NO_ACCESS, shades};

use lands::Lands;
use verdict::{headline, verdict};

/// Where does a timestamp land, and what does it hold up?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--all # every stage\n--queue compute --all # the same on a queue without graphics")]
struct Args {
    /// Rounds of work of each wave, to the next multiple of 16 [default: 32768, on a CPU 1024]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(16..=1_048_576))]
    rounds: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), time_stamps)
}

/// Workgroups of a dispatch: so few that two dispatches run at once.
const WORKGROUPS: u32 = 64;
/// The variant whose results are the picture.
const SHOWN: &str = "behind_all";

/// The stages, by the ends of variants' names.
const STAGES: [(&str, Stage); 12] = [
    ("none", Stage::NONE),
    ("top", Stage::TOP_OF_PIPE),
    ("indirect", Stage::DRAW_INDIRECT),
    ("compute", Stage::COMPUTE_SHADER),
    ("copy", Stage::COPY),
    ("transfer", Stage::ALL_TRANSFER),
    ("vertex", Stage::VERTEX_SHADER),
    ("fragment", Stage::FRAGMENT_SHADER),
    ("colour", Stage::COLOR_ATTACHMENT_OUTPUT),
    ("graphics", Stage::ALL_GRAPHICS),
    ("bottom", Stage::BOTTOM_OF_PIPE),
    ("all", Stage::ALL_COMMANDS),
];
/// Those that a queue without graphics does not have.
const OF_GRAPHICS: [&str; 4] = ["vertex", "fragment", "colour", "graphics"];

fn time_stamps(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.alone();
    lab.report.trace_waves();
    let device = lab.device();
    let is_small = device.is_cpu() && !lab.runs_nothing;
    // Code is also compiled for AMD's GPUs.
    let lanes = if device.is_cpu() && lab.runs_nothing { 64 } else { device.subgroup_size };
    let rounds = args.rounds.unwrap_or(if is_small { 1024 } else { 32_768 }).next_multiple_of(16);
    let work = Work { lanes, rounds };
    lab.report.setting("rounds", rounds);
    for lands in Lands::ALL {
        if lands.is_of_waves() {
            work.declare(lab, lands, None)?;
        }
        for stamp in STAGES {
            work.declare(lab, lands, Some(stamp))?;
        }
    }
    lab.report.show_matrix();
    lab.report.headline(headline);
    lab.report.verdict(verdict);
    Ok(())
}

/// Why a timestamp of this stage is not measured on a device, if it is not.
fn lacking(device: &DeviceFacts, stage: Option<&str>) -> Option<&'static str> {
    let of_graphics = stage.is_some_and(|stage| OF_GRAPHICS.contains(&stage));
    let no_graphics = of_graphics && !device.queue_family.contains("graphics");
    no_clock(device).or(no_graphics.then_some("the queue has no graphics"))
}

/// A dispatch of known length.
#[derive(Clone, Copy)]
struct Work {
    /// Invocations per workgroup: a wave, or two where the driver compiles for shorter ones.
    lanes: u32,
    rounds: u32,
}

impl Work {
    /// One or two dispatches, with a timestamp of this stage, or with none. `Between` and `Second` list the same commands, and `Barrier`
    /// and `Gap`: a variant tells one figure.
    fn declare(self, lab: &mut Lab, lands: Lands, stamp: Option<(&str, Stage)>) -> Result<()> {
        let Self { lanes, rounds } = self;
        let name = format!("{}_{}", lands.name(), stamp.map_or("unstamped", |(name, _)| name));
        let stage = stamp.map(|(_, stage)| stage);
        let dispatches = lands.dispatches();
        let results = lab.output(&name, BufferSet::new(dispatches, WORKGROUPS * lanes, UNWRITTEN))?;
        for index in 0..dispatches {
            lab.expect(results, index, move || started(WORKGROUPS, lanes, rounds, false));
        }
        if name == SHOWN {
            let what = "what each invocation computes, a row for each workgroup";
            lab.report.show(results, 0, [lanes, WORKGROUPS], what, |words| {
                shades(&words.iter().map(|word| word >> 24).collect::<Vec<_>>())
            });
        }
        let words = 4 * WORKGROUPS;
        let each = vec![words; dispatches as usize];
        let notes = lab.output(&format!("notes of {name}"), BufferSet::slices(&each, UNWRITTEN))?;
        let kernel = lab.kernel("wave_order/start.comp").workgroup([lanes, 1, 1]);
        let kernel: Kernel = kernel.constant("ROUNDS", rounds).build();
        let clock = Counter::of(lab.device());
        let lacks = lacking(lab.device(), stamp.map(|(name, _)| name));
        let variant = lab.variant(name, move |cmd, rep| {
            let dispatch = |index| {
                let bindings = [results, notes].map(|set| set.get(rep.index, index));
                cmd.dispatch(kernel, &bindings, &(), [WORKGROUPS, 1, 1]);
            };
            let stamp = || {
                if let Some(stage) = stage {
                    cmd.write_timestamp2(stage, 0);
                }
            };
            match lands {
                Lands::Before => {
                    stamp();
                    dispatch(0);
                }
                Lands::Behind => {
                    dispatch(0);
                    stamp();
                }
                // No barrier between the two: they share nothing but the device.
                Lands::Between | Lands::Second => {
                    dispatch(0);
                    stamp();
                    dispatch(1);
                }
                Lands::Barrier | Lands::Gap => {
                    dispatch(0);
                    cmd.pipeline_barrier2(NO_ACCESS, NO_ACCESS);
                    stamp();
                    dispatch(1);
                }
            }
        });
        variant.skip(lacks).stamped_metric(
            "µs",
            notes.whole(0),
            dispatches * words,
            move |words, stamps| lands.figure(clock, stage.unwrap_or(Stage::NONE), words, stamps),
        );
        Ok(())
    }
}
