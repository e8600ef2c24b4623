//! A bloom of 21 short passes, most of them over small images. What do the barriers between them cost, and what is left of
//! that when all passes go in one dispatch whose tiles wait for each other?
//!
//! ```text
//! scene ─▶ threshold ─▶ ½ ─▶ ¼ ─▶ ⅛ ─▶ 1/16 ─▶ 1/32      five down-samples
//!                       │    │    │     │       │
//!                      blur blur blur  blur    blur       each in x, then in y
//!                       │    │    │     │       │
//! scene ───── + ◀────── ◀─── ◀─── ◀──── ◀───────┘         five up-samples
//! ```
//!
//! An engine would threshold inside the first down-sample. Here the first pass stores a thresholded image of full size, a
//! write and a read before anything else can begin. An engine also has fewer passes, so that barriers weigh less there.
//!
//! A barrier drains the GPU, and below a quarter of the image a pass does not fill it: the chain is mostly drains and
//! fills. `barriers_each` has a barrier before each pass, `barriers` only 12 instead of 20, and `events` an event per pass.
//! `tile_flags_*` run all passes in one dispatch: a workgroup claims a ticket, which stands for a tile of a pass, and waits
//! for the tiles that it reads (`shaders/bloom/tiles.comp`). Large blurs then fill the GPU while small levels wait.
//!
//! *Why the waits end.* Tickets wait for earlier tickets alone (`order.rs`), which are held by workgroups that have begun.
//! Vulkan does not promise that a workgroup which has begun makes progress while others wait, so each wait times out after
//! a second, is counted, and makes the row `wrong`.
//!
//! Texels are whole numbers and the Gaussian is a binomial one, so that every pass has one right result. All are checked.
//!
//! Expect on an H200 at 1920x1080 96 µs with a barrier each, 74 with shared ones, 134 with events and 65 in one dispatch.
//! At 3840x2160 one dispatch loses: 225 against 195. `--trace` shows what is left: eight steps between small levels follow
//! one another, each 3.5 µs, of which a tile's loads, arithmetic and stores take 0.9 to 1.4.
//!
//! Look for, in RGP or Nsight: how few waves are in flight between the third down-sample and the third up-sample.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Pipelining with Events".
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
    /// Passes in one dispatch: in which order tickets stand for tiles
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
        in_dispatches(lab, &bloom, load, workgroup);
    }
    in_one_dispatch(lab, &bloom, args)?;
    lab.report.verdict(verdict::verdict);
    bloom.expect(lab);
    Ok(())
}

/// Each pass a dispatch of its own: without order, with a barrier before each pass, with the fewest barriers that order
/// them, and with an event for each, waited for before the first pass that reads it.
fn in_dispatches(lab: &mut Lab, bloom: &Bloom, load: Load, workgroup: Workgroup) {
    let (suffix, scope) = (load.suffix(), load.scope());
    let passes = Rc::new((bloom.clone(), Kernels::new(lab, bloom, load, workgroup)));
    let dispatch = move |cmd: &Cmd, rep, pass: usize| {
        let (bloom, kernels) = &*passes;
        cmd.region(format_args!("{}", bloom.passes[pass]), || kernels.dispatch(cmd, bloom, rep, pass));
    };
    let [count, step_count] =
        [bloom.passes.len(), bloom.steps.len()].map(|count| u32::try_from(count).unwrap_or(u32::MAX));

    let pass = dispatch.clone();
    lab.variant(format!("no_barrier{suffix}"), move |cmd, rep| {
        (0..).zip(rep.passes(count)).for_each(|(at, _)| pass(cmd, rep, at));
    })
    .races("every dependency between passes");

    let pass = dispatch.clone();
    lab.variant(format!("barriers_each{suffix}"), move |cmd, rep| {
        for (at, of) in (0..).zip(rep.passes(count)) {
            if of.has_previous() {
                cmd.pipeline_barrier2(STORES, scope);
            }
            pass(cmd, rep, at);
        }
    });

    let (steps, pass) = (Rc::clone(&bloom.steps), dispatch.clone());
    lab.variant(format!("barriers{suffix}"), move |cmd, rep| {
        for (step, of) in steps.iter().zip(rep.passes(step_count)) {
            if of.has_previous() {
                cmd.pipeline_barrier2(STORES, scope);
            }
            step.iter().for_each(|&at| pass(cmd, rep, at));
        }
    });

    let Bloom { passes, steps, .. } = bloom.clone();
    let events = lab.events(count, EventState::DeviceOnly, None);
    lab.variant(format!("events{suffix}"), move |cmd, rep| {
        let event = |repetition, pass: usize| events.get(repetition, u32::try_from(pass).unwrap_or(u32::MAX));
        if let Some(before) = rep.index.checked_sub(1) {
            cmd.wait_events2(event(before, passes.len() - 1), STORES, scope);
        }
        let mut waited = BTreeSet::new();
        for &pass in steps.iter().flatten() {
            for read in passes[pass].reads().filter(|&read| waited.insert(read)) {
                cmd.wait_events2(event(rep.index, read), STORES, scope);
            }
            dispatch(cmd, rep, pass);
            if pass + 1 < passes.len() || !rep.is_last() {
                cmd.set_event2(event(rep.index, pass), STORES, scope);
            }
        }
    });
}

/// All passes in one dispatch: a tile waits for the tiles that it reads.
fn in_one_dispatch(lab: &mut Lab, bloom: &Bloom, args: &Args) -> Result<()> {
    let workgroup = args.tile.unwrap_or_else(|| tile_for(lab.device(), bloom.size));
    let tiles = Tiles { workgroup, radius: bloom.radius, order: args.order };
    lab.report.setting("tile", tiles.workgroup);
    lab.report.setting("order", name_of(&tiles.order));
    let flags = lab.output("flags", BufferSet::new(1, tiles.flag_words(&bloom.passes)?, 0))?;
    let timeouts = lab.output("timeouts", BufferSet::new(1, 1, 0))?;
    lab.expect(timeouts, 0, || vec![0]).counts("timeouts: waits that ended in vain");
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
