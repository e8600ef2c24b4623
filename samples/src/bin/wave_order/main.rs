//! In which order do workgroups start, where do they run, and who goes first?
//!
//! ```text
//! start   workgroup  0 1 2 3 4 …          in the order of their numbers, row by row?
//! place   multiprocessor  5 9 1 7 …       each on another one, or neighbours together?
//! age     wave 0 ████████░░░░             two waves want the same scheduler:
//!         wave 1 ░░░░████████             the older one first, or in turns?
//! gaps    ▕██▏▏  ▕██▏▏  ▏▕██▏             half of the workgroups end: one that needs more shared
//!             ▕██████▏ ← does not fit     memory than one of them waits, though half is free
//! ```
//!
//! - `start_*`: workgroups note when they start. Their places in that order are compared with their numbers. In `start_columns_*` they
//!   are compared with numbers by columns, and in `start_uneven_*` some run up to 17 times as long as others.
//! - `place_*`: the same workgroups note on which multiprocessor they run.
//! - `age_*`: waves of one workgroup start behind a barrier and do the same work. If the older wave went first, the older half would end
//!   earlier by half of the time. Four waves may have a scheduler each.
//! - `gaps_N`: workgroups of 8 KiB of shared memory fill the GPU. Half of them, at random, then end, and those of a second dispatch that
//!   need N times as much take their place until no more begin.
//!
//! Expect rows: a GPU starts workgroups by number, and row by row. Neighbours run on different multiprocessors, so that they share no
//! L1. A GPU that does not move shared memory leaves gaps: on an H200 workgroups of the same size fill all of what is free, twice as
//! large 65 %, and four times as large 25 %.
//!
//! Look for, in RGP or Nsight: the first waves of a dispatch, and which compute unit they are on.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Dynamics GCN Workgroup Launch", "Understanding Wave Execution and
//! Scheduling", "Data Race Tester".

mod notes;
mod reference;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Binding, BufferSet, Buffers, Format, Image, Lab, run, sample};
use samples::noted::{Note, UNWRITTEN, no_clock, started};
use samples::shades;
use samples::waits::lacking;

use notes::{filled, lead_of_older, neighbours, places_out_of_turn, spread};
use reference::{SIDES, chains, fetches, read_back, texels};
use verdict::{headline, verdict};

/// In which order do workgroups start, and who goes first?
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "--variants 'gaps_*' # does shared memory leave gaps?\n--waves 65535 --variants 'start_*' # more workgroups"
)]
struct Args {
    /// Waves whose start is noted [default: 32768, on a CPU 256]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(64..=65_535))]
    waves: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), wave_order)
}

/// Waves per workgroup.
const WAVES: [u32; 3] = [1, 8, 32];
/// Waves of one workgroup.
const CONTENDERS: [u32; 3] = [4, 16, 32];
/// Words of shared memory of a workgroup that fills the device.
const ROOM: u32 = 2048;
/// How many times as much one of the second dispatch needs.
const TIMES: [u32; 4] = [1, 2, 3, 4];
/// The variant whose results are the picture.
const SHOWN: &str = "start_rows_8";
/// How long the workgroups stay that fill the device.
const HOLD_US: u32 = 500;

/// What every wave of a run does.
#[derive(Clone, Copy)]
struct Wave {
    invocations: u32,
    /// Rounds of work; a multiple of 16.
    rounds: u32,
}

fn wave_order(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.alone();
    lab.report.trace_waves();
    let device = lab.device();
    let is_small = device.is_cpu() && !lab.runs_nothing;
    let most = device.max_workgroup_invocations.min(device.max_workgroup_size[0]);
    // Code is also compiled for AMD's GPUs.
    let invocations = if device.is_cpu() && lab.runs_nothing { 64 } else { device.subgroup_size };
    let wave = Wave { invocations, rounds: if is_small { 16 } else { 1024 } };
    let waves = args.waves.unwrap_or(if is_small { 256 } else { 32_768 });
    lab.report.setting("waves", waves);
    lab.report.setting("invocations per wave", invocations);
    for each in WAVES.into_iter().filter(|each| each * invocations <= most) {
        starts(lab, wave, each, waves.div_ceil(each))?;
    }
    let image = lab.input_image("texels", SIDES, Format::R8_UNORM, texels);
    for contenders in CONTENDERS.into_iter().filter(|waves| waves * invocations <= most) {
        age(lab, wave, contenders, None)?;
        age(lab, wave, contenders, Some(image))?;
    }
    for times in TIMES {
        gaps(lab, wave, times, if is_small { 64 } else { 4096 })?;
    }
    lab.report.show_matrix();
    lab.report.headline(move |figures| headline(figures, waves));
    lab.report.verdict(move |figures| verdict(figures, waves));
    Ok(())
}

/// Workgroups of so many waves in each order, and where they run.
fn starts(lab: &mut Lab, wave: Wave, waves_each: u32, workgroups: u32) -> Result<()> {
    let columns = 1 << workgroups.ilog2().div_ceil(2);
    let in_line = Start { wave, waves_each, grid: [workgroups, 1, 1], is_uneven: false };
    let in_rows = Start { grid: [columns, workgroups.div_ceil(columns), 1], ..in_line };
    let [width, height] = [in_rows.grid[0], in_rows.grid[1]].map(|side| side as usize);
    let by_column = move |group: usize| group % width * height + group / width;
    let places = |notes: &[Note]| places_out_of_turn(notes, |group| group);
    in_line.declare(lab, "start_line", "places", places)?;
    in_rows.declare(lab, "start_rows", "places", places)?;
    in_rows.declare(lab, "start_columns", "places", move |notes| places_out_of_turn(notes, by_column))?;
    Start { is_uneven: true, ..in_rows }.declare(lab, "start_uneven", "places", places)?;
    in_line.declare(lab, "place_spread", "% of the multiprocessors", spread)?;
    in_line.declare(lab, "place_neighbours", "% of neighbours", neighbours)
}

/// Workgroups that note when and where they start.
#[derive(Clone, Copy)]
struct Start {
    wave: Wave,
    /// Waves per workgroup.
    waves_each: u32,
    grid: [u32; 3],
    is_uneven: bool,
}

impl Start {
    fn declare(
        self,
        lab: &mut Lab,
        name: &str,
        unit: &str,
        figure: impl Fn(&[Note]) -> Option<f64> + 'static,
    ) -> Result<()> {
        let Self { wave: Wave { invocations, rounds }, waves_each, grid, is_uneven } = self;
        let name = format!("{name}_{waves_each}");
        let (workgroups, lanes) = (grid[0] * grid[1], waves_each * invocations);
        let results = lab.output(&name, BufferSet::new(1, workgroups * lanes, UNWRITTEN))?;
        lab.expect(results, 0, move || started(workgroups, lanes, rounds, is_uneven));
        if name == SHOWN {
            show(lab, results, [lanes, workgroups]);
        }
        let notes = lab.output(&format!("notes of {name}"), BufferSet::new(1, 4 * workgroups, UNWRITTEN))?;
        let kernel = lab.kernel("wave_order/start.comp").workgroup([lanes, 1, 1]);
        let kernel = kernel.constants([("ROUNDS", rounds), ("IS_UNEVEN", u32::from(is_uneven))]);
        let needs_place = name.starts_with("place");
        let kernel = if needs_place { kernel.define("SM") } else { kernel }.build();
        let (lacks, unknown) = (no_clock(lab.device()), needs_place && !lab.has_sm_id());
        let variant = lab.variant(name, move |cmd, rep| {
            let [results, notes] = [results, notes].map(|set| set.get(rep.index, 0));
            cmd.dispatch(kernel, &[results, notes], &(), grid);
        });
        let figure = move |words: &[u32]| Ok(figure(&Note::all(words)?));
        let unknown =
            unknown.then_some("kernels cannot tell their multiprocessor (VK_NV_shader_sm_builtins)");
        variant.skip(lacks).skip(unknown).metric(unit, notes.get(0, 0), 4 * workgroups, figure);
        Ok(())
    }
}

/// Waves of one workgroup that do the same work: arithmetic, or loads of texels that are in the L1.
fn age(lab: &mut Lab, wave: Wave, waves: u32, image: Option<Image>) -> Result<()> {
    let Wave { invocations, rounds } = wave;
    let name = format!("age_{}_{waves}", if image.is_some() { "fetch" } else { "arithmetic" });
    let lanes = waves * invocations;
    let results = lab.output(&name, BufferSet::new(1, lanes, UNWRITTEN))?;
    let fetched = image.is_some();
    lab.expect(results, 0, move || if fetched { fetches(lanes, rounds) } else { chains(lanes, rounds) });
    let notes = lab.output(&format!("notes of {name}"), BufferSet::new(1, 4 * waves, UNWRITTEN))?;
    let kernel = lab.kernel("wave_order/age.comp").workgroup([lanes, 1, 1]);
    let kernel = kernel.constants([("WAVE", invocations), ("ROUNDS", rounds)]);
    let kernel = if fetched { kernel.define("FETCH") } else { kernel }.build();
    let lacks = no_clock(lab.device());
    let variant = lab.variant(name, move |cmd, rep| {
        let written = [results, notes].map(|set| Binding::from(set.get(rep.index, 0)));
        let read = image.map(|image| image.sampled());
        let bindings: Vec<Binding> = written.into_iter().chain(read).collect();
        cmd.dispatch(kernel, &bindings, &(), [1, 1, 1]);
    });
    variant.skip(lacks).metric("% of the time", notes.get(0, 0), 4 * waves, move |words| {
        Ok(lead_of_older(&Note::all(words)?, invocations))
    });
    Ok(())
}

/// Workgroups that fill the device, of which half end early, and others that need `times` as much shared memory.
fn gaps(lab: &mut Lab, wave: Wave, times: u32, workgroups: u32) -> Result<()> {
    let lanes = wave.invocations;
    let name = format!("gaps_{times}");
    let results = lab.output(&name, BufferSet::new(2, workgroups * lanes, UNWRITTEN))?;
    let rooms = [ROOM, times * ROOM];
    let words = 4 * workgroups;
    let notes = lab.output(&format!("notes of {name}"), BufferSet::slices(&[words; 2], UNWRITTEN))?;
    let state = lab.output(&format!("state of {name}"), BufferSet::new(2, 2, 0))?;
    let ticks = lab.device().ticks_per_second();
    let kernels = rooms.map(|room| {
        let kernel = lab.kernel("wave_order/hold.comp").workgroup([lanes, 1, 1]);
        let kernel = kernel.shared_bytes(4 * u64::from(room));
        kernel.constants([("ROOM", room), ("TICKS_PER_SECOND", ticks)]).build()
    });
    for (index, room) in (0..).zip(rooms) {
        lab.expect(results, index, move || read_back(workgroups, lanes, room));
    }
    let (unclocked, lacks) = (no_clock(lab.device()), lacking(lab.device(), false));
    let variant = lab.variant(name, move |cmd, rep| {
        // No barrier between the two: they share nothing but the device.
        for (index, push) in [(0, [1, HOLD_US]), (1, [0, 0])] {
            let bindings = [results, notes, state].map(|set| set.get(rep.index, index));
            cmd.dispatch(kernels[index as usize], &bindings, &push, [workgroups, 1, 1]);
        }
    });
    variant.skip(unclocked).skip(lacks).metric("% of the gaps", notes.whole(0), 2 * words, move |words| {
        filled(&Note::all(words)?, workgroups as usize, times)
    });
    Ok(())
}

/// Shows what each invocation computes.
fn show(lab: &mut Lab, results: Buffers, size: [u32; 2]) {
    lab.report.show(results, 0, size, "what each invocation computes, a row for each workgroup", |words| {
        shades(&words.iter().map(|word| word >> 24).collect::<Vec<_>>())
    });
}
