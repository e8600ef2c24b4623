//! A bloom, as engines run it: 21 short passes, most of them over small images. What do the barriers between them
//! cost, and what is left of that when all passes go in one dispatch whose tiles wait for each other?
//!
//! ```text
//! scene ─▶ threshold ─▶ ½ ─▶ ¼ ─▶ ⅛ ─▶ 1/16 ─▶ 1/32      five down-samples
//!                       │    │    │     │       │
//!                      blur blur blur  blur    blur       each in x, then in y
//!                       │    │    │     │       │
//! scene ───── + ◀────── ◀─── ◀─── ◀──── ◀───────┘         five up-samples
//! ```
//!
//! A barrier drains the GPU, and below a quarter of the image a pass does not fill it: the chain is mostly drains
//! and fills. `barriers_each` has one before each pass, as a frame graph without foresight does; `barriers` leaves
//! passes that need none of each other between the same two, 12 instead of 20; `events` set and wait for one event a
//! pass. `tile_flags*` take all passes in one dispatch: a workgroup takes a ticket, which is a tile of a pass, and waits
//! for the tiles that it reads, of the same level or of another (`shaders/bloom/tiles.comp`). Large blurs then fill the
//! GPU while small levels are still waiting.
//!
//! *Why it ends*, what Vulkan does not promise, and what is lawful, is said in `pipelined_events.rs`; that tickets wait
//! for earlier ones alone, in `samples/src/bloom/order.rs`. Every wait is bounded, a wait that ended in vain makes the
//! row `wrong`, and `--variant barriers*` is the fallback.
//!
//! Texels have four channels of 16 bits, whole numbers, and the Gaussian is a binomial one, so that every pass has one
//! right result; all 21 are checked. Images lie in one buffer, so that one binding holds all of them; that hardware
//! would filter when images grow is not used by any variant.
//!
//! Expect on an H200 at 1920x1080 96 µs with a barrier each, 74 with shared ones, 134 with events, 65 in one dispatch; at
//! 3840x2160 one dispatch loses, 225 against 195. `--trace` shows what is left: eight steps between small levels follow
//! one another, from the end of a pass to the end of the one that reads it 3.5 µs each, of which 0.9 to 1.4 are a tile's
//! own loads, arithmetic and stores; with barriers 4.3. Most waves wait meanwhile. `--ladder` has barriers compete with
//! five shapes of workgroups and three ways to load.
//!
//! The blur of the first level ends as late as those steps do, 57 and 54 µs after the first wave of 78 (traced), so that
//! shortening one of the two gains nothing. Before them lie 23 µs of threshold and first down-sample, behind them 22 of
//! the last two up-samples. What else was tried there, 65 µs being the figure to beat:
//! - texels that tell of their own arrival at small levels, as `tile_tags` of `pipelined_events` has them, staged and
//!   announced ahead, so that few ask: a step falls to 1.4 to 2 µs, and the whole takes 72 to 80. With 8 KiB of shared
//!   memory the driver gives the kernel 48 registers in place of 32, which alone costs 12 µs, with 5 KiB it does not, but
//!   then they take 75 where the same code takes 70 without them: those who ask may slow down the others;
//! - large passes as dispatches with barriers, the rest in one dispatch: 67 with flags, 70 with such texels;
//! - some 150 orders of the tickets, by hill climbing or in bands of lines: 63.4 to 86. The best is one order for one
//!   size of one device, and was not kept for 3 %;
//! - workgroups that take ticket after ticket 79, tiles through shared memory 86.
//!
//! Look for, in RGP or Nsight: how few waves are in flight between the third down-sample and the third up-sample.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Pipelining with Events".
//! Specification: Vulkan 1.3, appendix B (Memory Model: Availability and Visibility).

mod device;
mod order;
mod pyramid;
mod reference;
mod tiles;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::rc::Rc;

use anyhow::Result;
use clap::value_parser;
use common::{Binding, BufferSet, Cmd, EventState, Extent, Lab, Promise, Shows, Workgroup, run, sample};
use device::{Bloom, Kernels, SHAPES, views, words};
use order::Order;
use reference::MOST_RADIUS;
use samples::load::Load;
use samples::tile_flags::{self, Access as FlagAccess, Form};
use samples::{LOADS, STORES, by_default, in_rows, name_of, size};
use tiles::{Tiles, tile_for, workgroup_for};

/// What do the barriers of a bloom cost, and what is left when all passes go in one dispatch?
#[derive(clap::Args, Clone, Debug)]
struct Args {
    /// Image size [default: 1920x1080, on a CPU device 240x135]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Reach of a blur in texels
    #[arg(long, default_value_t = 6, value_parser = value_parser!(u32).range(1..=i64::from(MOST_RADIUS)))]
    radius: u32,
    /// Compare passes in one dispatch with barriers in five shapes of workgroups
    #[arg(long)]
    ladder: bool,
    /// Passes in dispatches of their own: workgroup, and how many rows an invocation loops over [default: 32x8, where
    /// the device has so large ones]
    #[arg(long, value_name = "WxH[xROWS]", allow_hyphen_values = true)]
    workgroup: Option<Workgroup>,
    /// Passes in one dispatch: workgroup of a tile, and rows of an invocation at the full level, of which each level
    /// below has half [default: by device and size]
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
    lab.report.source("Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, \"Pipelining with Events\"");
    let size = size(lab, args.size, [1920, 1080], [240, 135]);
    lab.report.setting("radius", args.radius);
    let bloom = Bloom::new(lab, size, args.radius)?;

    let workgroup = args.workgroup.unwrap_or_else(|| workgroup_for(lab.device()));
    let shapes = if args.ladder { SHAPES.to_vec() } else { vec![workgroup] };
    let [mut free, mut ordered] = [Vec::new(), Vec::new()];
    for (load, &workgroup) in
        Load::ALL.into_iter().flat_map(|load| shapes.iter().map(move |shape| (load, shape)))
    {
        let shape = if args.ladder { format!("_{workgroup}") } else { String::new() };
        let form = Dispatches { load, workgroup, shape };
        in_dispatches(lab, &bloom, &form);
        if args.ladder || load != Load::Sampled {
            free.push(form.name(NO_BARRIER));
            ordered.extend([form.name(BARRIERS_EACH), form.name(BARRIERS)]);
        }
    }
    lab.report.setting("workgroup", if args.ladder { "several".to_owned() } else { workgroup.to_string() });
    in_one_dispatch(lab, &bloom, args)?;
    if !args.ladder {
        // A sampled view takes an H200 81 µs where storage buffers take 74.
        by_default(lab, |name| !name.ends_with(Load::Sampled.suffix()) && !name.starts_with(EVENTS));
    }
    lab.report.bound(free);
    lab.report.baseline(ordered);
    lab.report.matrix("µs", Shows::Times);
    lab.report.verdict(tile_flags::verdict);
    bloom.expect(lab);
    Ok(())
}

const NO_BARRIER: &str = "no_barrier";
const BARRIERS_EACH: &str = "barriers_each";
const BARRIERS: &str = "barriers";
const EVENTS: &str = "events";

/// One way of making each pass a dispatch.
struct Dispatches {
    load: Load,
    workgroup: Workgroup,
    /// What names have of the workgroup, if anything.
    shape: String,
}

impl Dispatches {
    fn name(&self, order: &str) -> String {
        format!("{order}{}{}", self.shape, self.load.suffix())
    }

    fn row(&self) -> String {
        format!("{}, {}", self.workgroup, words(self.load))
    }
}

/// Each pass a dispatch of its own: without order, with a barrier before each pass, with the fewest that order them, and
/// with an event for each, waited for before the first pass that reads it.
fn in_dispatches(lab: &mut Lab, bloom: &Bloom, form: &Dispatches) {
    let (scope, words) = (form.load.scope(), words(form.load));
    let kernels = Kernels::new(lab, bloom, form.load, form.workgroup);
    let passes = Rc::new((bloom.clone(), kernels));
    let dispatch = move |cmd: &Cmd, rep, pass: usize| {
        let (bloom, kernels) = &*passes;
        cmd.region(format_args!("{}", bloom.passes[pass]), || kernels.dispatch(cmd, bloom, rep, pass));
    };
    let count = bloom.passes.len();

    let pass = dispatch.clone();
    lab.variant(form.name(NO_BARRIER), move |cmd, rep| (0..count).for_each(|at| pass(cmd, rep, at)))
        .caption(&format!("Nothing orders the passes, which read from {words}: the bound."))
        .promise(Promise::races("every dependency between passes"))
        .cell(IN_DISPATCHES, &form.row(), "no order");

    let pass = dispatch.clone();
    lab.variant(form.name(BARRIERS_EACH), move |cmd, rep| {
        for at in 0..count {
            if at > 0 || rep.index > 0 {
                cmd.pipeline_barrier2(STORES, scope);
            }
            pass(cmd, rep, at);
        }
    })
    .caption(&format!("A barrier before each pass; texels are read from {words}."))
    .cell(IN_DISPATCHES, &form.row(), "a barrier each");

    let (steps, pass) = (Rc::clone(&bloom.steps), dispatch.clone());
    lab.variant(form.name(BARRIERS), move |cmd, rep| {
        for (at, step) in steps.iter().enumerate() {
            if at > 0 || rep.index > 0 {
                cmd.pipeline_barrier2(STORES, scope);
            }
            step.iter().for_each(|&at| pass(cmd, rep, at));
        }
    })
    .caption(&format!("Passes that need none of each other share a barrier; they read from {words}."))
    .cell(IN_DISPATCHES, &form.row(), "barriers where needed");

    let Bloom { passes, steps, .. } = bloom.clone();
    let events = lab.events(u32::try_from(count).unwrap_or(u32::MAX), EventState::DeviceOnly, None);
    lab.variant(form.name(EVENTS), move |cmd, rep| {
        let event = |repetition, pass: usize| events.get(repetition, u32::try_from(pass).unwrap_or(u32::MAX));
        if let Some(before) = rep.index.checked_sub(1) {
            cmd.wait_events2(event(before, count - 1), STORES, scope);
        }
        let mut waited = BTreeSet::new();
        for &pass in steps.iter().flatten() {
            for read in passes[pass].reads().filter(|&read| waited.insert(read)) {
                cmd.wait_events2(event(rep.index, read), STORES, scope);
            }
            dispatch(cmd, rep, pass);
            if pass + 1 < count || !rep.is_last() {
                cmd.set_event2(event(rep.index, pass), STORES, scope);
            }
        }
    })
    .caption(&format!("An event for each pass, which its first reader waits for; they read from {words}."))
    .cell(IN_DISPATCHES, &form.row(), "events")
    .on_request();
}

/// Those that a bloom has.
fn forms() -> impl Iterator<Item = Form> {
    Form::all().filter(|form| form.access != FlagAccess::Tagged && !form.staged)
}

/// All passes in one dispatch: a tile waits for the tiles that it reads.
fn in_one_dispatch(lab: &mut Lab, bloom: &Bloom, args: &Args) -> Result<()> {
    let workgroup = args.tile.unwrap_or_else(|| tile_for(lab.device(), bloom.size));
    let tiles = Tiles { workgroup, radius: bloom.radius, order: args.order };
    lab.report.setting("tile", tiles.workgroup);
    lab.report.setting("order", name_of(&tiles.order));
    let flags = lab.output("flags", BufferSet::new(1, tiles.flag_words(&bloom.passes)?, 0))?;
    let bail_outs = lab.output("bail-outs", BufferSet::new(1, 1, 0))?;
    lab.expect(bail_outs, 0, || vec![0]).counts("bail-outs: waits that ended in vain");
    let passes = Rc::clone(&bloom.passes);
    let table = lab.input_buffer("passes", move || tiles.table(&passes)).uniform();
    let passes = Rc::clone(&bloom.passes);
    let order = lab.input_buffer("order of the tickets", move || tiles.units(&passes));
    let groups = in_rows(tiles.tickets(&bloom.passes));
    let (proved, buffers) = (bloom.clone(), [table, bail_outs.get(0, 0).into(), order.into()]);
    lab.prove(forms().map(Form::name), move |lab| tiles.prove(lab, &proved, buffers, groups));
    for form in forms() {
        let lacking = form.lacking(lab.device());
        let kernel = tiles.kernel(lab, bloom, form).build();
        let views = views(lab, bloom, form);
        let (scene, planes) = (bloom.scene, bloom.planes);
        let variant = lab.variant(form.name(), move |cmd, rep| {
            if rep.index > 0 {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            let [flags, bail_outs] = [flags, bail_outs].map(|buffers| buffers.get(rep.index, 0));
            let mut bindings: Vec<Binding> = vec![
                scene.into(),
                planes.whole(rep.index).into(),
                table,
                flags.into(),
                bail_outs.into(),
                order.into(),
            ];
            bindings.extend(views.get(rep.index as usize));
            cmd.dispatch(kernel, &bindings, &(), groups);
        });
        variant.caption(&form.says()).cell(IN_ONE_DISPATCH, form.row(), form.column()).skip(lacking);
        if form.access == FlagAccess::Sampled {
            variant.promise(Promise::relies_on(VIEWED));
        }
    }
    Ok(())
}

const IN_DISPATCHES: &str = "Each pass a dispatch";
const IN_ONE_DISPATCH: &str = "All passes in one dispatch";
const VIEWED: &str = "a sampled view finding what another workgroup stored: that who acquires a flag also drops what the view's \
     cache held of lines in which other tiles lie";
