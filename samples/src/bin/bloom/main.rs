//! A bloom of 21 short passes, most of them over small images. What do the barriers between them cost, and what is left
//! of that when passes are merged, or all go in one dispatch whose tiles wait for each other?
//!
//! ```text
//! scene ─▶ threshold ─▶ ½ ─▶ ¼ ─▶ ⅛ ─▶ 1/16 ─▶ 1/32      five down-samples
//!                       │    │    │     │       │
//!                      blur blur blur  blur    blur       each in x, then in y
//!                       │    │    │     │       │
//! scene ───── + ◀────── ◀─── ◀─── ◀──── ◀───────┘         five up-samples
//! ```
//!
//! The talk advises merging passes. `merged` has three: threshold and all down-samples, both blurs of all levels, all
//! up-samples. Levels go from one to the next through shared memory. In the other variants each up-sample also adds the
//! blur of its level, and the last one the scene. Their threshold is a pass of its own.
//!
//! A barrier drains the GPU. A pass over less than a quarter of the texels does not fill it, so most of the chain's
//! time is draining and filling. `barriers_each` has 20 barriers, one before each pass. `barriers` has 12, because
//! passes that do not need each other share one, as the talk advises. `events`, which runs on request, has an event per
//! pass. It has the costs of events without the talk's gain: it neither splits dispatches nor has coherent stores.
//!
//! `tile_flags_*`, which are ours, run all passes in one dispatch: a workgroup claims a ticket, which stands for a tile
//! of a pass, and waits for the tiles that it reads. Begin with `pyramid.rs`, then `shaders/bloom/tiles.comp`. Tickets
//! and flags start at 0. They are filled before the timed window; an engine has to reset them in each frame.
//!
//! *Why the waits end.* A ticket waits only for earlier tickets (`order.rs`), whose workgroups have all begun. Vulkan
//! does not promise them progress while others wait. So a wait times out after a second, and the row is `wrong`.
//!
//! Texels are integers and the blur's weights are binomial, so every pass has one right result, and each is checked.
//!
//! Expect merged passes to win. Without merging, expect one dispatch to win at 1920x1080 and to lose at 3840x2160. In µs,
//! on an H200 (`events` in another run):
//! ```text
//!            no_barrier   barriers_each   barriers   events   tile_flags_chained   merged
//! 1920x1080          44              96         74      134                   64       46
//! 3840x2160         165             217        195        –                  214      123
//! ```
//!
//! `--trace` shows what remains: small levels are a chain of eight steps. Each takes 3.5 µs while traced, 0.9 to 1.4 of
//! them for the work on a tile.
//!
//! Look for, in RGP or Nsight: how few waves are in flight between the third down-sample and the third up-sample.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Examples of Being Idle Bound" and
//! "Pipelining with Events".
//! Specification: Vulkan 1.3, appendix B (Memory Model: Availability and Visibility).

mod device;
mod kernels;
mod merged;
mod one_dispatch;
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
use common::{Cmd, EventState, Extent, Lab, Workgroup, run, sample};
use device::Bloom;
use kernels::{Kernels, Load};
use merged::merged;
use one_dispatch::in_one_dispatch;
use order::Order;
use reference::MOST_RADIUS;
use samples::{STORES, size};
use shapes::{tile_for, workgroup_for};
use tiles::Tiles;
use verdict::{headline, verdict};

/// What do the barriers of a bloom cost, and what is left when its passes are merged?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--trace waves.svg # see what runs while other levels wait\n\
    --size 960x540,1920x1080,3840x2160 # at which size does one dispatch win?")]
struct Args {
    /// Image size [default: 1920x1080, on a CPU 240x135]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Reach of a blur in texels
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = value_parser!(u32).range(1..=i64::from(MOST_RADIUS)))]
    radius: u32,
    /// Workgroup of a dispatch, and rows [default: 32x8]
    ///
    /// Merged passes have their own.
    #[arg(long, value_name = "WxH[xROWS]", allow_hyphen_values = true)]
    workgroup: Option<Workgroup>,
    /// Workgroup of a tile in one dispatch, and rows
    ///
    /// Rows are halved per level. The default depends on device and size.
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
    merged(lab, &bloom)?;
    let workgroup = args.tile.unwrap_or_else(|| tile_for(lab.device(), size));
    in_one_dispatch(lab, &bloom, Tiles { workgroup, radius: args.radius, order: args.order })?;
    lab.report.headline(headline);
    let radius = args.radius;
    lab.report.verdict(move |figures| verdict(figures, size, radius));
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
