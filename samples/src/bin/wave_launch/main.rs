//! How fast does a GPU start waves, and when can others take their place? Empty waves, waves that loop over
//! tiles, and light probes whose rays differ in length. (A wave is a subgroup, a warp on NVIDIA.)
//!
//! ```text
//! tiles_1     | constants, tile | constants, tile | constants, tile | …  a workgroup per tile, launched each time
//! tiles_16    | constants, tile, tile, tile, …                      |    a workgroup for 16 tiles
//!
//! probes_8    ▕████████████████▏       a workgroup of eight waves that differ in length:
//!             ▕█████···········▏       where one ended early nothing runs, until there is room
//!             ▕██··············▏       for another eight
//! probes_1    ▕██▏▕█████▏▕███▏▕█       workgroups of one wave: the next one begins at once
//! ```
//!
//! - `launch_8` starts empty workgroups of eight waves. Where workgroups end sooner than the GPU can start enough of
//!   them to fill it, it stays partly empty. In the talk a shader engine of GCN starts one wave every four clocks, on
//!   Vega 64 for 16 compute units. That is 0.25 waves per clock and shader engine; here workgroups of the whole GPU are
//!   counted.
//! - `tiles_16_loaded_anew` loads its constants for each tile, so that only the launch is saved. `tiles_filling_once`
//!   has as many workgroups as there is room for, `tiles_a_simd` one long wave per SIMD.
//! - `probes_*` hold sums in so many registers that few waves fit on a SIMD: six on GCN as in the talk, which
//!   `samples/tests/gcn` checks for POLARIS10 and VEGA10 with RADV, and four in the trace of an H200. A ray fetches a
//!   cell only after the one before has arrived, so that a SIMD with few waves idles. The talk gives the pass and the
//!   result; that irregular loops want workgroups of one wave, which free their room wave by wave, is Aaltonen's advice.
//!   The controls:
//!
//!   | rays | few waves fit | all waves fit |
//!   |---|---|---|
//!   | of many lengths | `probes_*` | `irregular_*` |
//!   | of one length | `even_probes_*` | `regular_*` |
//!
//! On an H200 a loop over 16 tiles takes 0.36x as long as a workgroup per tile. Probes in workgroups of one wave take
//! 0.91x as long as in workgroups of eight, and 1.07x where all waves fit. Expect workgroups of one wave to win where
//! waves differ in length, few of them fit and they wait for L1, which holds the scene of 8 KiB. They gain nothing
//! where a SIMD has enough waves anyway, and lose where a multiprocessor holds fewer workgroups than waves (an H200's:
//! 32 and 64). How many waves fit elsewhere is shown by `--code` or `--trace`.
//!
//! Look for, in RGP or Nsight: waves in flight. `--trace` shows them where the device has a clock, in kernels built for
//! that alone; times are of kernels without it.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Wave Launch Rate", "Dynamics GCN Workgroup Launch",
//! "Anatomy of a Short Shader". Sebastian Aaltonen, Optimizing GPU occupancy and resource usage with large thread
//! groups, GPUOpen 2017.

mod buffers;
mod reference;
mod rounds;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Declared, Extent, Lab, run, sample};
use samples::machine::Machine;
use samples::steps::LANES;
use samples::{in_rows, items, lanes, size};

use buffers::{Probes, Tiles, started};
use rounds::{Lengths, MOST_ROUNDS};
use verdict::{Plan, headline, verdict};

/// Waves per workgroup; the first and the last run by default.
const WAVES: [u32; 4] = [1, 2, 4, 8];
/// Sums of a probe that leave room for all waves.
const FEW_SUMS: u32 = 8;

/// How fast does a GPU start waves, and when is their room free again?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--matrix # launch rate by workgroup size\n\
    --steps 16..1024*4 # how long must a wave be to hide its launch?")]
struct Args {
    /// Area whose items and waves are counted [default: 2560x1440, on a CPU 128x96]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Cells per ray, on average [default: 1024, on a CPU 64]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=4096))]
    steps: Option<u32>,
    /// Sums in registers [default: 36 for waves of 64 lanes, else 66]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=192))]
    sums: Option<u32>,
    /// Lanes of a wave, from 4 to 128 [default: as the device]
    #[arg(long, value_name = "LANES", value_parser = lanes)]
    wave_lanes: Option<u32>,
    /// Multiprocessors, SIMDs, waves [default: as the driver tells]
    ///
    /// SIMDs per multiprocessor and waves per SIMD, as in 64x4x10.
    #[arg(long, value_name = "CxSxW", allow_hyphen_values = true)]
    machine: Option<Machine>,
    /// Clock of the device, to give the launch rate per clock
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000))]
    mhz: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), wave_launch)
}

fn wave_launch(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.report.trace_waves();
    let size = size(lab, args.size, [2560, 1440], [128, 96]);
    let items = items(size)?;
    let wave = args.wave_lanes.unwrap_or_else(|| lab.device().subgroup_size.clamp(4, 128));
    lab.report.setting("wave_lanes", wave);
    let machine = Machine::of(lab, args.machine);

    let waves = items.div_ceil(LANES) * LANES.div_ceil(wave);
    launch(lab, waves, wave)?;
    tiles(lab, items, wave, machine)?;
    probes(lab, args, size, wave)?;
    lab.report.show_matrix();
    if let Some(mhz) = args.mhz {
        lab.report.setting("mhz", mhz);
    }
    let plan = Plan { waves, machine, mhz: args.mhz };
    lab.report.headline(headline);
    lab.report.verdict(move |figures| verdict(figures, plan));
    Ok(())
}

/// Empty waves, in workgroups of one wave and more.
fn launch(lab: &mut Lab, waves: u32, wave: u32) -> Result<()> {
    let started = started(lab, waves)?;
    for each in WAVES {
        let kernel = lab.kernel("wave_launch/launch.comp").workgroup([each * wave, 1, 1]);
        let kernel = kernel.constant("WAVE_LANES", wave).build();
        let groups = in_rows(waves.div_ceil(each));
        lab.variant(format!("launch_{each}"), move |cmd, rep| {
            cmd.dispatch(kernel, &[started.get(rep.index, 0)], &[waves], groups);
        })
        .declares(Declared::default().work(waves.into(), "waves"));
    }
    Ok(())
}

/// A short shader: a workgroup per tile, loops over several, as many workgroups as fill the device or its SIMDs once.
fn tiles(lab: &mut Lab, items: u32, wave: u32, machine: Option<Machine>) -> Result<()> {
    let tiles = Tiles::new(lab, items)?;
    let per = |tiles_each: u32| (tiles_each.to_string(), Some(tiles.count.div_ceil(tiles_each)));
    let room = |name: &str, waves: fn(Machine) -> u32| {
        let workgroups = |machine| (waves(machine) / LANES.div_ceil(wave)).clamp(1, tiles.count);
        (name.to_owned(), machine.map(workgroups))
    };
    let forms =
        [per(1), per(4), per(16), room("filling_once", Machine::slots), room("a_simd", Machine::simds)];
    for (name, workgroups) in forms {
        let reason = not_in_a_loop(lab, tiles.count, workgroups);
        let workgroups = workgroups.unwrap_or(tiles.count);
        for (suffix, kernel) in [("", tiles.loads_once), ("_loaded_anew", tiles.loads_each_tile)] {
            lab.variant(format!("tiles_{name}{suffix}"), move |cmd, rep| {
                let push = [items, tiles.count, workgroups, 0];
                cmd.dispatch(kernel, &tiles.bindings(rep.index), &push, in_rows(workgroups));
            })
            .skip(reason.clone());
        }
    }
    Ok(())
}

/// Why workgroups that loop over tiles cannot run here, if they cannot.
fn not_in_a_loop(lab: &Lab, tiles: u32, workgroups: Option<u32>) -> Option<String> {
    let Some(workgroups) = workgroups else {
        let name = &lab.device().name;
        return Some(format!("{name} does not tell how many waves it has room for; --machine does"));
    };
    let rounds = tiles.div_ceil(workgroups);
    (lab.device().is_cpu() && rounds > MOST_ROUNDS).then(|| {
        format!(
            "a loop over {rounds} tiles is too long for a CPU device, which may end one after {MOST_ROUNDS}"
        )
    })
}

/// Light probes with room for all waves and for few, in workgroups of one wave and more.
fn probes(lab: &mut Lab, args: &Args, size: Extent, wave: u32) -> Result<()> {
    let steps = args.steps.unwrap_or(if lab.device().is_cpu() { 64 } else { 1024 });
    // With 36 sums six waves of 64 lanes fit on a SIMD of GCN.
    let many = args.sums.unwrap_or(if wave == 64 { 36 } else { 66 });
    lab.report.setting("steps", steps);
    lab.report.setting("sums", many);
    for (name, sums, lengths) in [
        ("regular", FEW_SUMS, Lengths::Equal),
        ("irregular", FEW_SUMS, Lengths::Irregular),
        ("probes", many, Lengths::Irregular),
        ("even_probes", many, Lengths::Equal),
    ] {
        let probes = Probes::new(lab, name, size, sums, (steps / sums).max(1), lengths)?;
        for waves in WAVES {
            let kernel = probes.kernel(lab, waves * wave);
            let groups = in_rows(probes.count.div_ceil(waves * wave));
            lab.variant(format!("{name}_{waves}"), move |cmd, rep| {
                cmd.dispatch(kernel, &probes.bindings(rep.index), &[probes.count], groups);
            });
        }
    }
    Ok(())
}
