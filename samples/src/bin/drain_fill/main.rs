//! What does it cost that a GPU drains and fills again? The talk's idle figures put to the test: passes of
//! shrinking area behind barriers, cold caches, relaunched waves, irregular loops, launch rate.
//!
//! ```text
//! waves in flight   whole area                     1/16 of it: never full
//!              ╭───────────╮  ╭───────────╮        ╭╮    ╭╮    ╭╮
//!             ╱             ╲╱             ╲      ╱  ╲  ╱  ╲  ╱  ╲
//!          fill   steady   drain, fill           a barrier between each two
//! ```
//!
//! - `barrier_4` is a chain of passes over 1/4 of the area; `no_barrier_4` the same without barriers, which
//!   races and is the bound. `_clear` has a clear before each pass.
//! - `code_cold` runs another kernel in each pass, of the same steps (by RADV for GCN 24 KiB each, but on a
//!   CPU device, whose compiler takes its time), `code_warm`
//!   the same one. It cannot tell the fetches of code from the change of kernel, which `short_code` pays with
//!   a few hundred bytes. What an earlier sample left in a last-level cache stays there.
//! - `constants_cold` takes another uniform buffer in each pass, of the same contents; `constants_warm` one.
//!   Their barriers only order; under `_flushed` ones that make memory visible, which some drivers do by
//!   emptying the constant caches, too. Which level of cache a fetch misses no time can tell.
//! - `tiles_1` has a wave a tile, `tiles_16` a loop of 16 that keeps its constants or loads them anew; at the
//!   end as many waves as there is room for, or one long one on each SIMD.
//! - `irregular_8` has workgroups of eight waves, whose room is free when the longest ends; `irregular_1` of
//!   one. The talk's light probes had eight where six fitted a SIMD, which this does not rebuild.
//! - `launch_1` starts empty waves. `apart` are passes that do not need each other, in a command buffer with
//!   and without `SIMULTANEOUS_USE`, submitted once.
//!
//! Expect a barrier to cost about as much at every area, so that its share grows as passes shrink; nothing of
//! it helps passes that fill the device many times over. An H200 starts 1.6 workgroups a nanosecond whatever
//! they do, so that short ones of one wave take as long as empty ones there: `--steps 1024` asks the loops.
//!
//! Waves are traced where the device has a clock for them, in kernels built for that alone; times are of
//! kernels without it. Look for, in RGP or Nsight: the slopes at both ends of each pass, and instruction fetch
//! stalls in the first waves.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018: "Idle Bound", "Filling the GPU", "Dynamics
//! GCN Workgroup Launch", "Wave Launch Rate", "Anatomy of a Short Shader".

mod captions;
mod counts;
mod device;
mod reference;
mod sizes;
mod verdict;

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::value_parser;
use common::record::published;
use common::{Access, Cmd, Declared, Extent, Lab, Promise, Scope, Shows, Stage, Usage, run, sample};
use device::{Apart, Chain, Code, Constants, Loops, Tiles, follows, from_one, in_waves, started};
use samples::{LOADS_AND_STORES, NO_ACCESS, STORES, by_default, in_rows, lanes, size};
use sizes::{Machine, SHARES, Work, name_of, waves_of};
use verdict::{Plan, conclude};

const LOADS_OF_CONSTANTS: Scope = (Stage::COMPUTE_SHADER, Access::UNIFORM_READ);

const SOURCE: &str = "Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, \"Idle Bound\", \"Filling the GPU\", \
                      \"Wave Launch Rate\"";
/// Share of the area whose passes have a clear before each, as the talk's had.
const CLEARED: u32 = 4;
/// Share of the area whose passes are short against a fill.
const SHORT: u32 = 64;
/// Share of the area whose passes leave room for others beside them.
const APART: u32 = 16;
const CLEARS_RACE: &str = "every dependency between clears and passes";
const BY_AREA: &str = "Passes by their area";
/// Waves a workgroup, of which the first and the last are compared.
const WAVES: [u32; 4] = [1, 2, 4, 8];
/// Tiles a wave, of which the first and the last are compared.
const TILES: [u32; 3] = [1, 4, 16];
/// A loop of lavapipe of Mesa 22.3 ends after so many rounds without a word.
const MOST_ROUNDS: u32 = 65_535;
/// What is measured unless asked for otherwise.
const BY_DEFAULT: &str = "\
    no_barrier_1 barrier_1 no_barrier_4 barrier_4 no_barrier_16 barrier_16 no_barrier_64 barrier_64 \
    no_barrier_4_clear barrier_4_clear code_warm code_cold short_code_warm short_code_cold \
    constants_warm constants_cold tiles_1 tiles_16 tiles_16_loaded_anew tiles_filling_once \
    tiles_a_simd regular_1 regular_8 irregular_1 irregular_8 launch_1 launch_8 apart \
    apart_simultaneous_use";

/// What does it cost that a GPU drains and fills again?
#[derive(clap::Args, Clone, Debug)]
struct Args {
    /// Area of a whole pass [default: 2560x1440 as on the slide, on a CPU device 128x96]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Passes of a chain, and versions of a kernel [default: 8, on a CPU device 4]
    #[arg(long, value_parser = value_parser!(u32).range(2..=32))]
    passes: Option<u32>,
    /// Steps of an item in a pass, on average where they differ: how long waves are
    #[arg(long, default_value_t = 64, value_parser = value_parser!(u32).range(1..=4096))]
    steps: u32,
    /// Lanes of a wave: 4, 8, 16, 32, 64, 128 [default: the device's subgroup size]
    #[arg(long, value_name = "LANES", value_parser = lanes)]
    wave_lanes: Option<u32>,
    /// Multiprocessors, SIMDs of each, waves of each of these, such as 64x4x10 [default: as the driver tells]
    #[arg(long, value_name = "CxSxW", allow_hyphen_values = true)]
    machine: Option<Machine>,
    /// Clock of the device, to give the launch rate in waves a clock
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000))]
    mhz: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), drain_fill)
}

fn drain_fill(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.report.source(SOURCE);
    lab.report.trace_waves();
    let work = work(lab, args)?;
    let machine = args.machine.or_else(|| lab.device().multiprocessors.map(Machine));
    lab.report.setting("machine", machine.map_or_else(|| "not told".into(), |machine| machine.to_string()));
    if machine.is_none() {
        lab.report.note(
            "First fill is not computed: the driver does not tell how many waves there is room for, which --machine \
             does, such as 64x4x10 for the talk's Vega.",
        );
    }

    passes(lab, work, machine)?;
    code(lab, work)?;
    constants(lab, work)?;
    relaunch(lab, work, machine)?;
    irregular(lab, work)?;
    let launched = launch(lab, work)?;
    usage(lab, work)?;
    by_default(lab, |name| BY_DEFAULT.split(' ').any(|other| other == name));

    lab.report.matrix("µs", Shows::Times);
    lab.report.show_matrix();
    let plan = Plan { work, launched, mhz: args.mhz };
    lab.report.verdict(move |figures| conclude(figures, &plan));
    Ok(())
}

fn work(lab: &mut Lab, args: &Args) -> Result<Work> {
    let size = size(lab, args.size, [2560, 1440], [128, 96]);
    let items = size.width.checked_mul(size.height).filter(|&items| items <= 1 << 30);
    let items = items.with_context(|| format!("an area of {size} is too large: 2^30 items are the most"))?;
    let passes = args.passes.unwrap_or(if lab.device().is_cpu() { 4 } else { 8 });
    let wave = args.wave_lanes.unwrap_or_else(|| lab.device().subgroup_size.clamp(4, 128));
    for (name, value) in [("passes", passes), ("steps", args.steps), ("wave_lanes", wave)] {
        lab.report.setting(name, value);
    }
    if let Some(mhz) = args.mhz {
        lab.report.setting("mhz", mhz);
    }
    Ok(Work { size, items, passes, steps: args.steps, wave })
}

/// Passes that each go on from the one before, at shrinking areas, with a barrier between each two; and at one of them
/// with a clear before each, of what that reads.
fn passes(lab: &mut Lab, work: Work, machine: Option<Machine>) -> Result<()> {
    for (share, clears) in SHARES.map(|share| (share, false)).into_iter().chain([(CLEARED, true)]) {
        let name = name_of(share);
        let [suffix, row, key] = match clears {
            false => [String::new(), name.clone(), format!("first_fill/{name}")],
            true => ["_clear".into(), format!("{name}, and a clear"), "idle/quarter_clear".into()],
        };
        let [without, with] = captions::passes(share, clears);
        let chain = Chain::new(lab, work, share, clears)?;
        let pass_of = move |cmd: &Cmd, rep, pass| {
            cmd.dispatch(chain.pass, &chain.bindings(rep, pass), &[chain.items, pass], chain.groups);
        };

        lab.variant(format!("no_barrier_{share}{suffix}"), move |cmd, rep| {
            for pass in 0..work.passes {
                if let Some(cleared) = chain.cleared(rep) {
                    cmd.dispatch(chain.clear, &[cleared], &[chain.items, pass], chain.groups);
                }
                pass_of(cmd, rep, pass);
            }
        })
        .caption(&without)
        .promise(Promise::races(if clears { CLEARS_RACE } else { "every dependency between passes" }))
        .cell(BY_AREA, &row, "no barrier");

        let variant = lab.variant(format!("barrier_{share}{suffix}"), move |cmd, rep| {
            for pass in 0..work.passes {
                if let Some(cleared) = chain.cleared(rep) {
                    if follows(rep, pass) {
                        cmd.pipeline_barrier2(LOADS_AND_STORES, STORES);
                    }
                    cmd.dispatch(chain.clear, &[cleared], &[chain.items, pass], chain.groups);
                }
                if clears || follows(rep, pass) {
                    cmd.pipeline_barrier2(STORES, LOADS_AND_STORES);
                }
                pass_of(cmd, rep, pass);
            }
        });
        variant.caption(&with).cell(BY_AREA, &row, "barrier");
        if published::find("lottes2018", &key).is_ok() {
            variant.published("lottes2018", &key);
        }
        if let (Some(machine), false) = (machine, clears) {
            let first_fill = 100.0 * machine.first_fill(work.waves(chain.items));
            variant.declares(Declared::default().predicts("% first fill", first_fill));
        }
    }
    Ok(())
}

/// Short passes of one kernel and of a kernel each, of much code and of little. No pass needs another, so
/// that their barriers need only order, which empties no cache.
fn code(lab: &mut Lab, work: Work) -> Result<()> {
    for (length, long) in [("", true), ("short_", false)] {
        let [warm, cold] = ["warm", "cold"].map(|state| format!("{length}code_{state}"));
        let code = Code::new(lab, work, SHORT, long)?;
        let row = if long { "long code" } else { "short code" };
        for (name, column, versions) in [(warm, "the same", 1), (cold, "another each pass", work.passes)] {
            let code = code.clone();
            let variant = lab.variant(name, move |cmd, rep| {
                for pass in 0..work.passes {
                    if follows(rep, pass) {
                        cmd.pipeline_barrier2(NO_ACCESS, NO_ACCESS);
                    }
                    let (kernel, push) = code.pass(pass % versions);
                    let results = code.apart.results.get(rep.index, pass);
                    cmd.dispatch(kernel, &[results], &push, code.apart.groups);
                }
            });
            variant.caption(&captions::code(long, versions > 1)).cell(
                "Kernels and constants of passes",
                row,
                column,
            );
        }
    }
    Ok(())
}

/// Short passes that follow one table of constants and a table each, behind barriers that only order and
/// such as make memory visible.
fn constants(lab: &mut Lab, work: Work) -> Result<()> {
    let barriers = [("", "constants", NO_ACCESS, NO_ACCESS)];
    let flushing = [("_flushed", "constants, memory made visible", STORES, LOADS_OF_CONSTANTS)];
    for (suffix, row, src, dst) in barriers.into_iter().chain(flushing) {
        let [warm, cold] = ["warm", "cold"].map(|state| format!("constants_{state}{suffix}"));
        let constants = Constants::new(lab, work, SHORT)?;
        for (name, column, tables) in [(warm, "the same", 1), (cold, "another each pass", work.passes)] {
            let constants = constants.clone();
            let variant = lab.variant(name, move |cmd, rep| {
                let Apart { items, groups, .. } = constants.apart;
                for pass in 0..work.passes {
                    if follows(rep, pass) {
                        cmd.pipeline_barrier2(src, dst);
                    }
                    let bindings = constants.bindings(pass % tables, rep.index, pass);
                    cmd.dispatch(constants.kernel, &bindings, &[items], groups);
                }
            });
            let flushed = !suffix.is_empty();
            variant.caption(&captions::constants(flushed, tables > 1)).cell(
                "Kernels and constants of passes",
                row,
                column,
            );
        }
    }
    Ok(())
}

/// A short shader: a wave a tile, loops over several, and as few waves as fill the device or its SIMDs once.
fn relaunch(lab: &mut Lab, work: Work, machine: Option<Machine>) -> Result<()> {
    let all = work.workgroups(work.items);
    let holding = |waves: u32| (waves / work.waves_a_workgroup()).clamp(1, all);
    let mut forms: Vec<(String, String, Option<u32>)> =
        TILES.map(|tiles| (format!("tiles_{tiles}"), tiles.to_string(), Some(all.div_ceil(tiles)))).into();
    let [room, simds] = [Machine::slots, Machine::simds].map(|waves| machine.map(|m| holding(waves(m))));
    forms.push(("tiles_filling_once".into(), "all: the device filled once".into(), room));
    forms.push(("tiles_a_simd".into(), "all: one wave a SIMD".into(), simds));
    let tiles = Tiles::new(lab, work)?;
    for (name, row, workgroups) in forms {
        let reason = not_in_a_loop(lab, all, workgroups);
        let workgroups = workgroups.unwrap_or(all);
        for (suffix, column, kernel) in
            [("", "constants kept", tiles.keeps), ("_loaded_anew", "loaded for each tile", tiles.loads_anew)]
        {
            let variant = lab.variant(name.clone() + suffix, move |cmd, rep| {
                cmd.dispatch(
                    kernel,
                    &tiles.bindings(rep.index),
                    &tiles.push(workgroups),
                    in_rows(workgroups),
                );
            });
            variant.caption(&captions::tiles(&row, suffix.is_empty()));
            variant.cell("Tiles of a wave", &row, column).skip(reason.clone());
        }
    }
    Ok(())
}

/// Why so many tiles cannot be dealt out to so many workgroups.
fn not_in_a_loop(lab: &Lab, tiles: u32, workgroups: Option<u32>) -> Option<String> {
    let Some(workgroups) = workgroups else {
        return Some(format!(
            "{} does not tell how many waves it has room for; --machine does",
            lab.device().name
        ));
    };
    let rounds = tiles.div_ceil(workgroups);
    (lab.device().is_cpu() && rounds > MOST_ROUNDS).then(|| {
        format!("a loop over {rounds} tiles is too long for a CPU device, which may end one after 65,535")
    })
}

/// Loops of one length and of many, in workgroups of one wave and of several.
fn irregular(lab: &mut Lab, work: Work) -> Result<()> {
    let loops = Loops::new(lab, work)?;
    for waves in WAVES {
        let kernel = in_waves(lab, work, "irregular", waves).build();
        let groups = in_rows(work.items.div_ceil(waves * work.wave));
        for (kind, name) in ["regular", "irregular"].into_iter().enumerate() {
            let (counts, results) = (loops.counts[kind], loops.results[kind]);
            let variant = lab.variant(format!("{name}_{waves}"), move |cmd, rep| {
                cmd.dispatch(kernel, &[counts, results.get(rep.index, 0)], &[work.items], groups);
            });
            variant.caption(&captions::loops(name, waves));
            variant.cell("Loops, by the waves of a workgroup", name, &waves_of(waves));
        }
    }
    Ok(())
}

/// Waves that do nothing, as many as the whole area has. Returns how many.
fn launch(lab: &mut Lab, work: Work) -> Result<u32> {
    let launched = work.waves(work.items);
    let started = started(lab, launched)?;
    for waves in WAVES {
        let kernel = in_waves(lab, work, "launch", waves).constant("WAVE_LANES", work.wave).build();
        let groups = in_rows(launched.div_ceil(waves));
        let variant = lab.variant(format!("launch_{waves}"), move |cmd, rep| {
            cmd.dispatch(kernel, &[started.get(rep.index, 0)], &[launched], groups);
        });
        variant
            .caption(&format!(
                "Empty waves, {} a workgroup: how fast this device starts them.",
                waves_of(waves)
            ))
            .declares(Declared::default().work(launched.into(), "waves"))
            .cell("Empty waves, by the waves of a workgroup", "launch", &waves_of(waves));
        if waves == 1 {
            variant.published("lottes2018", "launch/shader_engine");
        }
    }
    Ok(launched)
}

/// Passes that do not need each other, in command buffers that promise to be submitted once, again, or again
/// before they have run.
fn usage(lab: &mut Lab, work: Work) -> Result<()> {
    let forms = [
        ("apart", Usage::ONE_TIME_SUBMIT, "ONE_TIME_SUBMIT"),
        ("apart_submitted_again", Usage::empty(), "no flag"),
        ("apart_simultaneous_use", Usage::SIMULTANEOUS_USE, "SIMULTANEOUS_USE"),
    ];
    let (kernel, begun, Apart { results, items, groups }) = from_one(lab, work, APART)?;
    for (name, usage, flag) in forms {
        let variant = lab.variant(name, move |cmd, rep| {
            for pass in 0..work.passes {
                cmd.dispatch(kernel, &[begun, results.get(rep.index, pass)], &[items, pass], groups);
            }
        });
        variant.caption(&format!(
            "Independent passes in a command buffer with {flag}: watch whether they overlap."
        ));
        variant.usage = usage;
        variant.cell("Command buffers of passes that do not need each other", flag, "no barrier");
    }
    Ok(())
}
