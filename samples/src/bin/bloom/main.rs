//! A bloom of 21 short passes, most of them over small images. What do the barriers between them cost, and what is left
//! of that when all passes go in one dispatch whose tiles wait for each other?
//!
//! ```text
//! scene ─▶ threshold ─▶ ½ ─▶ ¼ ─▶ ⅛ ─▶ 1/16 ─▶ 1/32      five down-samples
//!                       │    │    │     │       │
//!                      blur blur blur  blur    blur       each in x, then in y
//!                       │    │    │     │       │
//! scene ───── + ◀────── ◀─── ◀─── ◀──── ◀───────┘         five up-samples
//! ```
//!
//! An engine merges the threshold into the first down-sample and has fewer passes, so that barriers weigh less there.
//! Here the threshold is a pass of its own, which costs a write and a read of the full size.
//!
//! A barrier drains the GPU, and a pass over less than a quarter of the texels does not fill it, so the chain is mostly
//! drains and fills. `barriers_each` has 20 barriers, one before each pass. `barriers` has 12, because passes that do
//! not need each other share one, as the talk advises. `events`, which runs on request, has an event per pass.
//! `tile_flags_*` run all passes in one dispatch: a workgroup claims a ticket, which stands for a tile of a pass, and
//! waits for the tiles that it reads (`shaders/bloom/tiles.comp`). Large blurs fill the GPU while small levels wait.
//!
//! *Why the waits end.* A ticket waits only for earlier tickets (`order.rs`), whose workgroups have all begun. Vulkan
//! does not promise them progress while others wait. So a wait times out after a second, and the row is `wrong`.
//!
//! Texels are integers and the blur's weights are binomial, so every pass has one right result, and each is checked.
//!
//! Expect one dispatch to win at 1920x1080 and to lose at 3840x2160. In µs, on an H200:
//! ```text
//!            barriers_each   barriers   events   tile_flags_chained
//! 1920x1080             97         75      134                   64
//! 3840x2160            217        195        –                  214
//! ```
//!
//! `--trace` shows what is left: eight steps between small levels run one after another. Traced, each takes 3.5 µs, of
//! which the work on a tile is 0.9 to 1.4.
//!
//! Look for, in RGP or Nsight: how few waves are in flight between the third down-sample and the third up-sample.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Examples of Being Idle Bound" and
//! "Pipelining with Events".
//! Specification: Vulkan 1.3, appendix B (Memory Model: Availability and Visibility).

mod device;
mod kernels;
mod order;
mod pyramid;
mod reference;
mod shapes;
mod tiles;
mod verdict;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::rc::Rc;

use anyhow::Result;
use clap::value_parser;
use common::{Binding, BufferSet, Cmd, EventState, Extent, Lab, Workgroup, run, sample};
use device::Bloom;
use kernels::{Kernels, Load};
use order::Order;
use reference::MOST_RADIUS;
use samples::waits::lacking;
use samples::{LOADS, STORES, in_rows, name_of, size};
use shapes::{tile_for, workgroup_for};
use tiles::Tiles;

/// What do the barriers of a bloom cost, and what is left when all passes go in one dispatch?
#[derive(clap::Args, Clone, Debug)]
struct Args {
    /// Image size [default: 1920x1080, on a CPU device 240x135]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Reach of a blur in texels
    #[arg(long, default_value_t = 6, value_parser = value_parser!(u32).range(1..=i64::from(MOST_RADIUS)))]
    radius: u32,
    /// Workgroup of a pass in its own dispatch, and rows per invocation [default: 32x8, if the device has room]
    #[arg(long, value_name = "WxH[xROWS]", allow_hyphen_values = true)]
    workgroup: Option<Workgroup>,
    /// Workgroup of a tile in one dispatch, and rows per invocation, halved per level [default: by device and size]
    #[arg(long, value_name = "WxH[xROWS]", allow_hyphen_values = true)]
    tile: Option<Workgroup>,
    /// Order of the tiles in one dispatch
    #[arg(long, value_enum, default_value_t = Order::Urgent)]
    order: Order,
}

fn main() -> ExitCode {
    run(sample!(), bloom)
}

fn bloom(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    let size = size(lab, args.size, [1920, 1080], [240, 135]);
    lab.report.setting("radius", args.radius);
    let bloom = Bloom::new(lab, size, args.radius)?;

    let workgroup = args.workgroup.unwrap_or_else(|| workgroup_for(lab.device()));
    lab.report.setting("workgroup", workgroup);
    for load in Load::ALL {
        in_dispatches(lab, &bloom, load, workgroup)?;
    }
    in_one_dispatch(lab, &bloom, args)?;
    lab.report.verdict(verdict::verdict);
    bloom.expect(lab);
    Ok(())
}

/// Each pass a dispatch of its own: without order, with a barrier before each pass, with the fewest barriers that order
/// them, and with an event for each, waited for before the first pass that reads it.
fn in_dispatches(lab: &mut Lab, bloom: &Bloom, load: Load, workgroup: Workgroup) -> Result<()> {
    let (suffix, scope) = (load.suffix(), load.scope());
    let both = Rc::new((bloom.clone(), Kernels::new(lab, bloom, load, workgroup)));
    let dispatch = move |cmd: &Cmd, rep, pass: u32| {
        let (bloom, kernels) = &*both;
        let what = bloom.passes[pass as usize];
        cmd.region(format_args!("{what}"), || kernels.dispatch(cmd, bloom, rep, pass));
    };
    let Bloom { passes, steps, count, .. } = bloom.clone();

    let record = dispatch.clone();
    lab.variant(format!("no_barrier{suffix}"), move |cmd, rep| {
        rep.passes(count).for_each(|pass| record(cmd, rep, pass.index));
    })
    .races("every dependency between passes");

    let record = dispatch.clone();
    lab.variant(format!("barriers_each{suffix}"), move |cmd, rep| {
        for pass in rep.passes(count) {
            if pass.has_previous() {
                cmd.pipeline_barrier2(STORES, scope);
            }
            record(cmd, rep, pass.index);
        }
    });

    let (record, in_steps) = (dispatch.clone(), Rc::clone(&steps));
    let step_count = u32::try_from(steps.len())?;
    lab.variant(format!("barriers{suffix}"), move |cmd, rep| {
        for step in rep.passes(step_count) {
            if step.has_previous() {
                cmd.pipeline_barrier2(STORES, scope);
            }
            in_steps[step.index as usize].iter().for_each(|&pass| record(cmd, rep, pass));
        }
    });

    let events = lab.events(count, EventState::DeviceOnly, None);
    lab.variant(format!("events{suffix}"), move |cmd, rep| {
        if let Some(before) = rep.index.checked_sub(1) {
            cmd.wait_events2(events.get(before, count - 1), STORES, scope);
        }
        // A wait covers all later passes, so each event is waited for once.
        let mut waited = BTreeSet::new();
        for &pass in steps.iter().flatten() {
            for read in passes[pass as usize].reads().filter(|&read| waited.insert(read)) {
                cmd.wait_events2(events.get(rep.index, read), STORES, scope);
            }
            dispatch(cmd, rep, pass);
            if pass + 1 < count || !rep.is_last() {
                cmd.set_event2(events.get(rep.index, pass), STORES, scope);
            }
        }
    });
    Ok(())
}

/// All passes in one dispatch: a tile waits for the tiles that it reads.
fn in_one_dispatch(lab: &mut Lab, bloom: &Bloom, args: &Args) -> Result<()> {
    let workgroup = args.tile.unwrap_or_else(|| tile_for(lab.device(), bloom.size));
    let tiles = Tiles { workgroup, radius: bloom.radius, order: args.order };
    lab.report.setting("tile", tiles.workgroup);
    lab.report.setting("order", name_of(&tiles.order));
    let flags = lab.output("flags", BufferSet::new(1, tiles.flag_words(&bloom.passes)?, 0))?;
    let timeouts = lab.output("timeouts", BufferSet::new(1, 1, 0))?;
    lab.expect(timeouts, 0, || vec![0]).counts("timeouts: waits that timed out");
    let passes = Rc::clone(&bloom.passes);
    let table = lab.input_buffer("passes", move || tiles.table(&passes)).uniform();
    let passes = Rc::clone(&bloom.passes);
    let order = Binding::from(lab.input_buffer("order of the tickets", move || tiles.units(&passes)));
    let groups = in_rows(tiles.tickets(&bloom.passes));
    let forms = [("tile_flags_strict", false), ("tile_flags_chained", true)];
    let proved = bloom.clone();
    lab.prove(forms.map(|(name, _)| name), move |lab| tiles.prove(lab, &proved, [table, order], groups));
    for (name, chained) in forms {
        let lacking = lacking(lab.device(), chained);
        let kernel = tiles.kernel(lab, bloom, chained).build();
        let (scene, planes) = (bloom.scene, bloom.planes);
        lab.variant(name, move |cmd, rep| {
            if rep.index > 0 {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            let [flags, timeouts] = [flags, timeouts].map(|buffers| buffers.get(rep.index, 0));
            let [scene, planes] = [scene, planes.whole(rep.index)].map(Binding::from);
            cmd.dispatch(kernel, &[table, order, scene, planes, flags.into(), timeouts.into()], &(), groups);
        })
        .skip(lacking);
    }
    Ok(())
}
