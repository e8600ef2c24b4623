//! A chain of passes that each need the one before: what a barrier between them costs, and whether
//! splitting every pass into bands and ordering them by events costs less.
//!
//! ```text
//! time →             a barrier drains the GPU before the next pass fills it again
//! full_barrier       ▕▔▔ pass 0 ▔▔▔╲ ╱▔▔▔ pass 1 ▔▔▔╲ ╱▔▔▔ pass 2 ▔▔▔╲
//!                    an event releases band 0 of the next pass while band 1 of this one still runs
//! events, 2 bands    ▕▔ 0.a ▔▏▔ 0.b ▔▏▔ 1.a ▔▏▔ 1.b ▔▏▔ 2.a ▔▏▔ 2.b ▔╲      if the driver lets it
//! ```
//!
//! How the bands are cut, so that band n needs band n of the pass before and no later one, is drawn in
//! `samples/src/bands.rs`.
//!
//! Expect the talk's 1.31 for the barrier and 1.03 for the events only where events neither drain the
//! GPU nor cost as much as what they save. Current RADV drains in the wait; on NVIDIA 580 a set alone
//! takes 3 to 4 µs, a wait for an event set long before as much as a barrier, and `--trace` shows that
//! both drain: no dispatch behind one overlaps the one before. And where one pass is long enough to hide drain and fill (from
//! about 2048² on an H200), there is little to save.
//!
//! `--matrix` tries every form of event that Vulkan has (sync1 and sync2, with and without access
//! masks, device-only and host-visible), set and waited for, only set, only waited for; image barriers,
//! barriers at the waits' positions, and two queues with a timeline semaphore.
//!
//! # All passes in one dispatch
//!
//! Where events drain, the dependency can live inside a dispatch: a workgroup takes a ticket, which stands for
//! a tile of a pass, waits for the few tiles of the pass before that it reads, stores, and tells
//! (`shaders/chain/tiles.comp`, `tile_flags*` and `tile_tags*`).
//!
//! ```text
//! tickets   0 1 2 3 4 5 │ 6 7 8 9 …      pass 1 begins with ticket 6, as soon as a workgroup is free; it waits
//!           pass 0      │ pass 1         for tiles 0, 1 and 3 alone, which have long been stored
//! ```
//!
//! *Why it ends.* Tickets are taken in order, so whoever holds one knows that all before it are held by
//! workgroups that have begun; and no tile waits for a later ticket (`samples/src/tile_flags/order.rs` has the
//! proof). The first ticket that is not done waits for nothing. By workgroup ids instead, workgroups that
//! have begun could fill the device and wait for ones that have not.
//!
//! *What Vulkan does not promise* is that a workgroup which has begun goes on while others wait: no version
//! of it guarantees forward progress between workgroups. GPUs with fair scheduling of resident waves keep it
//! in practice. It is known to fail where waves that have begun may starve (Apple's and some mobile GPUs), and
//! on CPU devices that run a workgroup to its end before the next on the same thread, unless, as here, only
//! earlier ones are waited for. So every wait ends, after a second or more; a wait that ended in vain is counted
//! and makes the row `wrong`, and the passes with barriers stand beside it (`--variant full_barrier`).
//!
//! *What is lawful.* `tile_flags_strict` goes past the caches with each access; `tile_flags_chained` leaves
//! accesses cached and has acquire and release carry them; `tile_tags` has no flags at all, because a texel of
//! this chain tells its own generation: each access is an atomic of its own. `tile_flags` reads through a
//! sampled view, which no acquire covers, and is labelled.
//!
//! `--ladder` sets them against the fastest of ten shapes of workgroups, of two ways to load. Expect gains where
//! a pass is short beside its drain and fill. Where it is long they lose: at 4096x4096 and radius 2 on an H200,
//! loads through shared memory, barriers add 8 % to what nothing orders and flags 20 to 36 %.
//!
//! Look for, in RGP or Nsight: whether the first waves of a pass start before the last waves of the
//! pass before end, and the gap in front of each pass of `full_barrier`.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Pipelining with Events".
//! Specification: Vulkan 1.3, chapter 7 (Events) and appendix B (Memory Model: Availability and Visibility).

mod bands;
mod event_form;
mod load;
mod verdict;

use std::collections::BTreeSet;
use std::ops::Range;
use std::process::ExitCode;

use anyhow::{Result, bail};
use bands::Bands;
use clap::value_parser;
use common::{
    Access1, Binding, BufferSet, COHERENT_STORES, Cmd, Event, Extent, Format, Image, ImageSet, Images,
    Kernel, Lab, Queue, Reliance, Rep, Scope1, Shows, Stage, Stage1, Workgroup, run, sample,
};
use event_form::EventForm;
use samples::chain;
use samples::load::Load;
use samples::tile_flags::order::Order;
use samples::tile_flags::{self, Flags, Form, Fused, Grid};
use samples::{LOADS, NO_ACCESS, STORES, by_default, in_rows, name_of, size};
use verdict::verdict;

// The same in the flags of Vulkan 1.0.
const STORES1: Scope1 = (Stage1::COMPUTE_SHADER, Access1::SHADER_WRITE);
const LOADS1: Scope1 = (Stage1::COMPUTE_SHADER, Access1::SHADER_READ);
const NO_ACCESS1: Scope1 = (Stage1::COMPUTE_SHADER, Access1::empty());

/// What does a barrier between passes cost, and do split passes with events cost less?
#[derive(clap::Args, Clone, Debug)]
struct Args {
    /// Image size [default: 1152x1152 as on the slide, on a CPU device 384x384]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Passes of the chain, each reading what the one before wrote, so at least two
    #[arg(long, default_value_t = 3, value_parser = value_parser!(u32).range(2..=200))]
    passes: u32,
    /// Length of the arms of the cross that a pass reads, in texels
    #[arg(long, default_value_t = 2, value_parser = value_parser!(u32).range(1..=64))]
    radius: u32,
    /// Numbers of bands that a pass is split into, comma-separated [default: 2,4]
    #[arg(long, value_delimiter = ',', value_parser = value_parser!(u32).range(2..=16))]
    bands: Vec<u32>,
    /// Workgroup, and how many rows an invocation loops over
    #[arg(long, value_name = "WxH[xROWS]", default_value = "8x8", allow_hyphen_values = true)]
    workgroup: Workgroup,
    /// Lines between bands start on multiples of this many rows; the talk advises 64, because no
    /// API tells how far a cache line reaches
    #[arg(long, value_name = "ROWS", default_value_t = 64, value_parser = value_parser!(u32).range(1..=4096))]
    align: u32,
    /// Two images in turn instead of one per pass: a line read two passes ago may then be stale
    #[arg(long)]
    ping_pong: bool,
    /// Compare passes in one dispatch with the best of ten shapes of workgroups, with barriers and without
    #[arg(long)]
    ladder: bool,
    /// Passes in one dispatch: workgroup of a tile, and rows of an invocation [default: by device and size]
    #[arg(long, value_name = "WxH[xROWS]", allow_hyphen_values = true)]
    tile: Option<Workgroup>,
    /// Passes in one dispatch: tiles in flight, whose workgroups take ticket after ticket; 0 for a workgroup
    /// each [default: by device and size]
    #[arg(long, value_name = "TILES", value_parser = value_parser!(u32).range(0..=65535))]
    in_flight: Option<u32>,
    /// Passes in one dispatch: in which order tickets stand for tiles
    #[arg(long, value_enum, default_value_t = Order::Passes)]
    order: Order,
    /// Passes in one dispatch: what a flag stands for
    #[arg(long, value_enum, default_value_t = Flags::Tile)]
    flags: Flags,
}

fn main() -> ExitCode {
    run(sample!(), pipelined_events)
}

fn pipelined_events(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.report.source("Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, \"Pipelining with Events\"");
    let chain = Chain::new(lab, args)?;

    lab.variant("no_barrier", move |cmd, rep| {
        chain.passes(cmd, |pass| chain.step(cmd, chain.plain, rep, pass, 0..chain.size.height));
    })
    .caption(
        "Nothing orders the passes: they may overlap and read too early, and costs are counted from here.",
    )
    .races("every dependency between passes")
    .cell(WHOLE_OR_BANDS, "no order", "whole")
    .published("lottes2018", "ladder/no_barrier");

    lab.variant("full_barrier", move |cmd, rep| {
        chain.passes(cmd, |pass| {
            if chain.before(rep, pass).is_some() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            chain.step(cmd, chain.plain, rep, pass, 0..chain.size.height);
        });
    })
    .caption("A barrier between passes drains the GPU before the next pass may fill it again.")
    .cell(WHOLE_OR_BANDS, "memory barrier", "whole")
    .published("lottes2018", "ladder/barrier");

    // The same wait for all earlier waves, but no cache is written back or invalidated for it.
    lab.variant("execution_only", move |cmd, rep| {
        chain.passes(cmd, |pass| {
            if chain.before(rep, pass).is_some() {
                cmd.pipeline_barrier2(NO_ACCESS, NO_ACCESS);
            }
            chain.step(cmd, chain.coherent, rep, pass, 0..chain.size.height);
        });
    })
    .caption("The barrier between passes only orders them: coherent stores take the place of a cache flush.")
    .relies_on(COHERENT_STORES)
    .cell(WHOLE_OR_BANDS, "execution barrier, coherent stores", "whole");

    // What the barrier says of one image, a driver may take for all of memory.
    lab.variant("image_barrier", move |cmd, rep| {
        chain.passes(cmd, |pass| {
            if let Some((repetition, _)) = chain.before(rep, pass) {
                let read = if pass == 0 { chain.passes } else { pass };
                cmd.pipeline_barrier2_image(chain.image(repetition, read), STORES, LOADS);
            }
            chain.step(cmd, chain.plain, rep, pass, 0..chain.size.height);
        });
    })
    .caption(
        "The barrier between passes names one image: a driver may do less for it, or as much as for all.",
    )
    .cell(WHOLE_OR_BANDS, "image barrier", "whole")
    .on_request();

    let counts =
        if args.bands.is_empty() { BTreeSet::from([2, 4]) } else { args.bands.iter().copied().collect() };
    for &count in &counts {
        let bands = chain.cut(count);
        if let (Some(reason), false) = (bands.impossible(), args.bands.is_empty()) {
            bail!("{reason}");
        }
        split(lab, chain, bands);
        for form in EventForm::all() {
            ordered_by_events(lab, chain, bands, form);
        }
    }
    on_two_queues(lab, chain)?;
    in_one_dispatch(lab, chain, args)?;
    fused(lab, chain);
    if args.ladder {
        let [free, ordered] = of_all_shapes(lab, chain);
        let compared = ["no_barrier_", "full_barrier_", "tile_", FUSED];
        by_default(lab, |name| compared.iter().any(|start| name.starts_with(start)));
        lab.report.bound(free);
        lab.report.baseline(ordered);
        lab.report.matrix("÷ the bound", Shows::Ratios);
        lab.report.show_matrix();
        lab.report.verdict(tile_flags::verdict);
    } else {
        lab.report.bound(["no_barrier"]);
        lab.report.baseline(["full_barrier"]);
        lab.report.matrix("÷ no_barrier", Shows::Ratios);
        let counts: Vec<u32> = counts.into_iter().collect();
        lab.report.matrix_verdict(move |figures| verdict(figures, chain.passes, &counts));
    }
    chain.expect(lab, chain.images);
    Ok(())
}

/// The chain with each pass in bands: without any order, and with barriers where the waits would be.
fn split(lab: &mut Lab, chain: Chain, bands: Bands) {
    let (count, column) = (bands.count, format!("{} bands", bands.count));

    // What splitting itself costs: more dispatches, no dependency.
    lab.variant(format!("bands_no_sync_{count}"), move |cmd, rep| {
        chain.bands(cmd, bands, |pass, _, rows| chain.step(cmd, chain.plain, rep, pass, rows));
    })
    .caption(&format!(
        "Passes split into {count} bands that nothing orders: what more and smaller dispatches cost."
    ))
    .races("every dependency between passes")
    .cell(WHOLE_OR_BANDS, "no order", &column)
    .skip(bands.impossible());

    // What coherent stores cost by themselves: the form of events that has them is compared with this.
    lab.variant(format!("bands_no_sync_coherent_{count}"), move |cmd, rep| {
        chain.bands(cmd, bands, |pass, _, rows| chain.step(cmd, chain.coherent, rep, pass, rows));
    })
    .caption(&format!(
        "Passes split into {count} bands that nothing orders, with coherent stores: what those cost."
    ))
    .races("every dependency between passes")
    .cell(WHOLE_OR_BANDS, "no order, coherent stores", &column)
    .on_request()
    .skip(bands.impossible());

    lab.variant(format!("barrier_bands_{count}"), move |cmd, rep| {
        chain.bands(cmd, bands, |pass, _, rows| {
            if chain.before(rep, pass).is_some() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            chain.step(cmd, chain.plain, rep, pass, rows);
        });
    })
    .caption(&format!(
        "A barrier before each of {count} bands a pass, just where events would be waited for."
    ))
    .cell(WHOLE_OR_BANDS, "memory barrier", &column)
    .on_request()
    .skip(bands.impossible());
}

/// The chain in bands that events order: set and waited for, only set, only waited for.
fn ordered_by_events(lab: &mut Lab, chain: Chain, bands: Bands, form: EventForm) {
    let (count, words, [split, kind]) = (bands.count, form.words(), form.in_captions(bands.count));
    let table = format!("{count} bands ordered by events");
    let name = |what: &str| form.variant(what, count);
    let events = lab.events(chain.passes * count, form.state, None);
    let event = move |(repetition, pass), band| events.get(repetition, pass * count + band);
    let kernel = if form.coherent { chain.coherent } else { chain.plain };

    let variant = lab.variant(name("events"), move |cmd, rep| {
        chain.bands(cmd, bands, |pass, band, rows| {
            if let Some(before) = chain.before(rep, pass) {
                wait(cmd, form, event(before, band));
            }
            chain.step(cmd, kernel, rep, pass, rows);
            if chain.is_followed(rep, pass) {
                set(cmd, form, event((rep.index, pass), band));
            }
        });
    });
    variant.caption(&format!("{split}, ordered by {kind}: watch whether they overlap."));
    variant.cell(&table, &words, "set and wait").skip(bands.impossible());
    if form.coherent {
        variant.relies_on(COHERENT_STORES);
        if count == 2 && form.is_default() {
            variant.published("lottes2018", "ladder/split_by_events");
        }
    }
    if !form.is_default() {
        variant.on_request();
    }

    let variant = lab.variant(name("sets"), move |cmd, rep| {
        chain.bands(cmd, bands, |pass, band, rows| {
            chain.step(cmd, kernel, rep, pass, rows);
            if chain.is_followed(rep, pass) {
                set(cmd, form, event((rep.index, pass), band));
            }
        });
    });
    variant.caption(&format!("{split}, setting {kind} that none awaits: what a set costs."));
    variant.races("every wait").cell(&table, &words, "set only").skip(bands.impossible());
    // One such row tells in the default run what a set costs.
    if !form.is_default() || form.coherent || count > 2 {
        variant.on_request();
    }

    // Nothing runs between such a set and its wait, so that only the wait itself is in the window.
    let set_before = move |cmd: &Cmd, event| set(cmd, form, event);
    let before = lab.events(chain.passes * count, form.state, Some(Box::new(set_before)));
    lab.variant(name("waits"), move |cmd, rep| {
        chain.bands(cmd, bands, |pass, band, rows| {
            if let Some((repetition, pass)) = chain.before(rep, pass) {
                wait(cmd, form, before.get(repetition, pass * count + band));
            }
            chain.step(cmd, kernel, rep, pass, rows);
        });
    })
    .caption(&format!("{split}, awaiting {kind} set long ago: what a wait costs."))
    .races("every set: the events were set before the run")
    .cell(&table, &words, "wait only")
    .on_request()
    .skip(bands.impossible());
}

/// Sets an event of a form.
fn set(cmd: &Cmd, form: EventForm, event: Event) {
    match (form.sync1, form.coherent) {
        (true, _) => cmd.set_event(event, Stage1::COMPUTE_SHADER),
        (false, true) => cmd.set_event2(event, NO_ACCESS, NO_ACCESS),
        (false, false) => cmd.set_event2(event, STORES, LOADS),
    }
}

/// Waits for an event of a form.
fn wait(cmd: &Cmd, form: EventForm, event: Event) {
    match (form.sync1, form.coherent) {
        (true, true) => cmd.wait_events(event, NO_ACCESS1, NO_ACCESS1),
        (true, false) => cmd.wait_events(event, STORES1, LOADS1),
        (false, true) => cmd.wait_events2(event, NO_ACCESS, NO_ACCESS),
        (false, false) => cmd.wait_events2(event, STORES, LOADS),
    }
}

/// Band 0 of every pass on one queue, band 1 on the other. Band 0 needs only band 0 of the pass
/// before, so the first queue runs ahead; the second waits for its timeline semaphore.
fn on_two_queues(lab: &mut Lab, chain: Chain) -> Result<()> {
    let bands = chain.cut(2);
    let chain = chain.with_images_of_both_queues(lab)?;
    lab.variant_on_queues("two_queues", move |queues, rep| {
        let ordered = |cmd: &Cmd, pass, band| {
            if chain.before(rep, pass).is_some() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            chain.step(cmd, chain.plain, rep, pass, bands.rows(pass, band));
        };
        let mut first = queues.submit2(Queue::First, &[], |_| {});
        let mut second = first;
        for pass in 0..chain.passes {
            second =
                queues.submit2(Queue::Second, &[(first, Stage::COMPUTE_SHADER)], |cmd| ordered(cmd, pass, 1));
            first = queues.submit2(Queue::First, &[], |cmd| ordered(cmd, pass, 0));
        }
        queues.submit2(Queue::First, &[(second, Stage::ALL_COMMANDS)], |_| {});
    })
    .caption("Each of 2 bands has a queue of its own, and a timeline semaphore orders the second behind the first.")
    .cell(WHOLE_OR_BANDS, "two queues, timeline semaphore", "2 bands")
    .on_request()
    .skip(bands.impossible());
    chain.expect(lab, chain.images);
    Ok(())
}

/// All passes in one dispatch: a tile waits for the tiles that it reads, not for all of the pass before.
fn in_one_dispatch(lab: &mut Lab, chain: Chain, args: &Args) -> Result<()> {
    let grid = chain.grid(lab, args);
    let flags = lab.output("flags", BufferSet::new(1, grid.flag_words(), 0))?;
    let bail_outs = lab.output("bail-outs", BufferSet::new(1, 1, 0))?;
    lab.expect(bail_outs, 0, || vec![0]).counts("bail-outs: waits that ended in vain");
    let order = lab.input_buffer("order of the tickets", move || grid.lines());
    for form in Form::all() {
        let in_turn = form.needs_all_layers().filter(|_| chain.ping_pong).map(str::to_owned);
        let (lacking, kernel) = (form.lacking(lab.device()), grid.kernel(lab, form).build());
        let sampled = form.relies_on().is_some();
        let variant = lab.variant(form.name(), move |cmd, rep| {
            if chain.before(rep, 0).is_some() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            let (texels, buffers) = (chain.images.whole(rep.index), [flags, bail_outs]);
            let [flags, bail_outs] = buffers.map(|buffers| buffers.get(rep.index, 0));
            let mut bindings: Vec<Binding> =
                vec![texels.into(), flags.into(), bail_outs.into(), order.into()];
            bindings.extend(sampled.then_some(texels.sampled()));
            cmd.dispatch(kernel, &bindings, &(), in_rows(grid.workgroups()));
        });
        variant.caption(&form.says()).cell(ONE_DISPATCH, form.row(), form.column());
        if let Some(relies_on) = form.relies_on() {
            variant.relies_on(Reliance::on(relies_on));
        }
        variant.skip(grid.impossible());
        // A driver need not take the kernel of a form that it lacks something for.
        variant.skip(lacking.or(in_turn));
        if !ONE_DISPATCH_BY_DEFAULT.contains(&&*form.name()) {
            variant.on_request();
        }
    }
    Ok(())
}

/// Several passes a dispatch, each of a tile and as much around it as the further ones need: what it buys to
/// store only the last of them.
fn fused(lab: &mut Lab, chain: Chain) {
    let Fused { depth, side } = Fused::new(lab.device().max_shared_memory, chain.passes, chain.radius);
    let kernel = Fused { depth, side }.kernel(lab, chain.radius).build();
    let groups = [chain.size.width.div_ceil(side), chain.size.height.div_ceil(side), 1];
    lab.variant(FUSED, move |cmd, rep| {
        for first in (0..chain.passes).step_by(depth as usize) {
            if chain.before(rep, first).is_some() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            let images = [first, first + depth].map(|generation| chain.image(rep.index, generation));
            cmd.dispatch(kernel, &images, &(), groups);
        }
    })
    .caption(&format!(
        "{depth} passes a dispatch, computed from one load of a tile and its border: only the last is stored."
    ))
    .cell(ONE_DISPATCH, "fused, only every last pass is stored", "barriers")
    .on_request();
}

/// The chain in dispatches of ten shapes, through storage images and sampled views, and in six through shared
/// memory: without any order, and with a barrier between passes. Returns the names of those without order that
/// load each texel for itself, of which the fastest is the bound, and of all with barriers.
fn of_all_shapes(lab: &mut Lab, chain: Chain) -> [Vec<String>; 2] {
    let (mut free, mut ordered) = (Vec::new(), Vec::new());
    for load in Load::ALL {
        for &workgroup in load::shapes(load) {
            let [width, height] = workgroup.tile();
            let groups = [chain.size.width.div_ceil(width), chain.size.height.div_ceil(height), 1];
            let kernel = load::kernel(lab, load, workgroup, chain.radius).build();
            let step = move |cmd: &Cmd, rep: Rep, pass| {
                let [from, to] = [pass, pass + 1].map(|generation| chain.image(rep.index, generation));
                match load {
                    Load::Staged => cmd.dispatch(kernel, &[from, to], &(), groups),
                    _ => cmd.dispatch(
                        kernel,
                        &[load::binding(load, from), to.into()],
                        &[0, chain.size.height],
                        groups,
                    ),
                }
            };
            let [shape, words] = [format!("{width}x{height} by {workgroup}"), load::words(load).to_owned()];
            let name = |order: &str| format!("{order}_{workgroup}{}", load.suffix());

            lab.variant(name("no_barrier"), move |cmd, rep| chain.passes(cmd, |pass| step(cmd, rep, pass)))
                .caption(&format!("Nothing orders the passes; tiles are {shape}, read through {words}."))
                .races("every dependency between passes")
                .cell(SHAPES, &format!("{workgroup}, {words}"), "no order");

            lab.variant(name("full_barrier"), move |cmd, rep| {
                chain.passes(cmd, |pass| {
                    if chain.before(rep, pass).is_some() {
                        cmd.pipeline_barrier2(STORES, load.scope());
                    }
                    step(cmd, rep, pass);
                });
            })
            .caption(&format!("A barrier between passes; tiles are {shape}, read through {words}."))
            .cell(SHAPES, &format!("{workgroup}, {words}"), "memory barrier");
            free.extend((load != Load::Staged).then(|| name("no_barrier")));
            ordered.push(name("full_barrier"));
        }
    }
    [free, ordered]
}

/// The tables of `--matrix`.
const WHOLE_OR_BANDS: &str = "Whole passes and bands";
const ONE_DISPATCH: &str = "Passes in one dispatch";
/// The lawful form and the one without flags.
const ONE_DISPATCH_BY_DEFAULT: [&str; 2] = ["tile_flags_chained_staged", "tile_tags_staged"];
const FUSED: &str = "fused_tiles";
const SHAPES: &str = "Shapes of workgroups";

/// What all variants share.
#[derive(Clone, Copy)]
struct Chain {
    size: Extent,
    passes: u32,
    radius: u32,
    align: u32,
    workgroup: Workgroup,
    /// Generation 0 and one per pass, or two in turn.
    images: Images,
    ping_pong: bool,
    plain: Kernel,
    coherent: Kernel,
}

impl Chain {
    fn new(lab: &mut Lab, args: &Args) -> Result<Self> {
        let size = size(lab, args.size, [1152; 2], [384; 2]);
        let &Args { passes, radius, align, workgroup, ping_pong, .. } = args;
        lab.report.setting("workgroup", workgroup);
        lab.report.setting("images", if ping_pong { "two in turn" } else { "one per pass" });
        for (name, value) in [("passes", passes), ("radius", radius), ("align", align)] {
            lab.report.setting(name, value);
        }
        let kernel = || load::kernel(lab, Load::Stored, workgroup, radius);
        // A workgroup that is asked for and impossible refuses the run.
        let (plain, coherent) = (kernel().draft()?, kernel().define("COHERENT_STORES").build());
        let count = if ping_pong { 2 } else { passes + 1 };
        let images = lab.output(
            "generation",
            ImageSet::new(count, size.sides(), Format::R32_UINT, chain::UNWRITTEN).layers(),
        )?;
        Ok(Self { size, passes, radius, align, workgroup, images, ping_pong, plain, coherent })
    }

    /// The same, on images of its own, since sharing them may cost the other variants time.
    fn with_images_of_both_queues(self, lab: &mut Lab) -> Result<Self> {
        let count = if self.ping_pong { 2 } else { self.passes + 1 };
        let images = ImageSet::new(count, self.size.sides(), Format::R32_UINT, chain::UNWRITTEN);
        let images = lab.output("shared generation", images.for_both_queues())?;
        Ok(Self { images, ..self })
    }

    /// Index of the image that holds a generation.
    fn index(&self, generation: u32) -> u32 {
        if self.ping_pong { generation % 2 } else { generation }
    }

    fn image(&self, repetition: u32, generation: u32) -> Image {
        self.images.get(repetition, self.index(generation))
    }

    /// How the passes are cut into tiles, where they go in one dispatch.
    fn grid(&self, lab: &mut Lab, args: &Args) -> Grid {
        let Self { size, passes, radius, .. } = *self;
        let &Args { order, flags, .. } = args;
        let mut shape = tile_flags::shape_for(lab.device(), size);
        if let Some(tile) = args.tile {
            shape.workgroup = tile;
        }
        if let Some(tiles) = args.in_flight {
            shape.in_flight = Some(tiles).filter(|&tiles| tiles > 0);
        }
        lab.report.setting("tile", shape.workgroup);
        lab.report.setting("in_flight", shape.in_flight.unwrap_or(0));
        for (name, value) in [("order", name_of(&order)), ("flags", name_of(&flags))] {
            lab.report.setting(name, value);
        }
        Grid { size, passes, radius, shape, order, flags, two_in_turn: self.ping_pong }
    }

    fn cut(&self, count: u32) -> Bands {
        Bands::new(self.size, self.passes, self.radius, self.align, count)
    }

    fn passes(&self, cmd: &Cmd, record: impl Fn(u32)) {
        for pass in 0..self.passes {
            cmd.region(format_args!("pass {pass}"), || record(pass));
        }
    }

    fn bands(&self, cmd: &Cmd, bands: Bands, record: impl Fn(u32, u32, Range<u32>)) {
        self.passes(cmd, |pass| {
            for band in 0..bands.count {
                cmd.region(format_args!("band {band}"), || record(pass, band, bands.rows(pass, band)));
            }
        });
    }

    /// The one dispatch of the chain: a pass, or a band of it.
    fn step(&self, cmd: &Cmd, kernel: Kernel, rep: Rep, pass: u32, rows: Range<u32>) {
        let [from, to] = [pass, pass + 1].map(|generation| self.image(rep.index, generation));
        let read = rows.start.saturating_sub(self.radius)..rows.end + self.radius;
        let [width, height] = self.workgroup.tile();
        let groups = [self.size.width.div_ceil(width), (rows.end - rows.start).div_ceil(height), 1];
        cmd.dispatch(kernel, &[from.rows(read), to.rows(rows.clone())], &[rows.start, rows.end], groups);
    }

    /// Repetition and pass recorded just before, if any: a repetition of the chain follows the one
    /// before it as a pass does.
    fn before(&self, rep: Rep, pass: u32) -> Option<(u32, u32)> {
        match pass.checked_sub(1) {
            Some(before) => Some((rep.index, before)),
            None => Some((rep.index.checked_sub(1)?, self.passes - 1)),
        }
    }

    fn is_followed(&self, rep: Rep, pass: u32) -> bool {
        pass + 1 < self.passes || !rep.is_last()
    }

    fn expect(&self, lab: &mut Lab, images: Images) {
        let Self { size, radius, passes, .. } = *self;
        lab.seed(images, 0, move || chain::seed(size));
        lab.expect(images, self.index(passes), move || chain::reference(size, radius, passes));
    }
}
