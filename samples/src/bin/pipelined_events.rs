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
//! Look for, in RGP or Nsight: whether the first waves of a pass start before the last waves of the
//! pass before end, and the gap in front of each pass of `full_barrier`.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Pipelining with Events".
//! Specification: Vulkan 1.3, chapter 7 (Events) and appendix B (Memory Model).

use std::collections::BTreeSet;
use std::ops::Range;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::value_parser;
use common::{
    Access, Access1, Cmd, Event, EventState, Extent, Figures, Format, Image, Images, Kernel, Lab, Queue, Rep,
    Scope, Scope1, Shows, Stage, Stage1, Summary, Workgroup, run, sample,
};
use samples::bands::Bands;
use samples::chain;

const STORES: Scope = (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_WRITE);
const LOADS: Scope = (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_READ);
/// Nothing made available, nothing made visible: an execution dependency.
const NO_ACCESS: Scope = (Stage::COMPUTE_SHADER, Access::NONE);

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
}

fn main() -> ExitCode {
    run(sample!(), pipelined_events)
}

fn pipelined_events(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.source("Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, \"Pipelining with Events\"");
    let chain = Chain::new(lab, args)?;
    lab.matrix("÷ no_barrier", Shows::Ratios);

    lab.variant("no_barrier", move |cmd, rep| {
        chain.passes(cmd, |pass| chain.step(cmd, chain.plain, rep, pass, 0..chain.size.height));
    })
    .says("Nothing orders the passes: they may overlap and read too early, and costs are counted from here.")
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
    .says("A barrier between passes drains the GPU before the next pass may fill it again.")
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
    .says("The barrier between passes only orders them: coherent stores take the place of a cache flush.")
    .relies_on(CACHED_LOADS)
    .cell(WHOLE_OR_BANDS, "execution barrier, coherent stores", "whole")
    .alarm(READ_AFTER_WRITE, chain.passes - 1, NO_VISIBILITY);

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
    .says("The barrier between passes names one image: a driver may do less for it, or as much as for all.")
    .cell(WHOLE_OR_BANDS, "image barrier", "whole")
    .alarm(WRITE_AFTER_READ, (chain.passes - 1) * u32::from(chain.ping_pong), OTHER_IMAGE)
    .on_request();

    let counts =
        if args.bands.is_empty() { BTreeSet::from([2, 4]) } else { args.bands.iter().copied().collect() };
    for &count in &counts {
        let bands = chain.cut(count);
        if let (Some(reason), false) = (bands.impossible(), args.bands.is_empty()) {
            bail!("{reason}");
        }
        split(lab, chain, bands);
        for form in Form::all() {
            ordered_by_events(lab, chain, bands, form)?;
        }
    }
    on_two_queues(lab, chain, args)?;

    lab.bound("no_barrier");
    lab.baseline("full_barrier");
    let counts: Vec<u32> = counts.into_iter().collect();
    lab.matrix_verdict(move |figures| verdict(figures, chain.passes, &counts));
    chain.expect(lab, chain.images)
}

/// The chain with each pass in bands: without any order, and with barriers where the waits would be.
fn split(lab: &mut Lab, chain: Chain, bands: Bands) {
    let (count, column) = (bands.count, format!("{} bands", bands.count));

    // What splitting itself costs: more dispatches, no dependency.
    lab.variant(format!("bands_no_sync_{count}"), move |cmd, rep| {
        chain.bands(cmd, bands, |pass, _, rows| chain.step(cmd, chain.plain, rep, pass, rows));
    })
    .says(&format!(
        "Passes split into {count} bands that nothing orders: what more and smaller dispatches cost."
    ))
    .races("every dependency between passes")
    .cell(WHOLE_OR_BANDS, "no order", &column)
    .skip(bands.impossible());

    // What coherent stores cost by themselves: the form of events that has them is compared with this.
    lab.variant(format!("bands_no_sync_coherent_{count}"), move |cmd, rep| {
        chain.bands(cmd, bands, |pass, _, rows| chain.step(cmd, chain.coherent, rep, pass, rows));
    })
    .says(&format!(
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
    .says(&format!("A barrier before each of {count} bands a pass, just where events would be waited for."))
    .cell(WHOLE_OR_BANDS, "memory barrier", &column)
    .on_request()
    .skip(bands.impossible());
}

/// The chain in bands that events order: set and waited for, only set, only waited for.
fn ordered_by_events(lab: &mut Lab, chain: Chain, bands: Bands, form: Form) -> Result<()> {
    let (count, words, [split, kind]) = (bands.count, form.words(), form.in_captions(bands.count));
    let table = format!("{count} bands ordered by events");
    let name = |what: &str| form.variant(what, count);
    // Thousands of events are made only where a variant needs them.
    let wanted = ["events", "sets", "waits"].iter().any(|what| lab.asks_for(&name(what)));
    let each = if form.is_default() || wanted { chain.passes * count } else { 0 };
    let events = lab.events(each, form.state)?;
    let event = move |(repetition, pass), band| events.get(repetition, pass * count + band);
    let kernel = if form.coherent { chain.coherent } else { chain.plain };
    // All but the last band of a pass begin while the image that they read is still being written.
    let (steps, ping_pong) = (chain.passes - 1, u32::from(chain.ping_pong));

    let variant = lab.variant(name("events"), move |cmd, rep| {
        chain.bands(cmd, bands, |pass, band, rows| {
            if let Some(before) = chain.before(rep, pass) {
                form.wait(cmd, event(before, band));
            }
            chain.step(cmd, kernel, rep, pass, rows);
            if chain.is_followed(rep, pass) {
                form.set(cmd, event((rep.index, pass), band));
            }
        });
    });
    variant.says(&format!("{split}, ordered by {kind}: watch whether they overlap."));
    variant.cell(&table, &words, "set and wait").skip(bands.impossible());
    variant.alarm(WRITE_AFTER_READ, (count - 1) * steps * ping_pong, ONE_IMAGE);
    if form.coherent {
        variant
            .relies_on(CACHED_LOADS)
            .published_if(count == 2 && form.is_default(), "lottes2018", "ladder/split_by_events")
            .alarm(READ_AFTER_WRITE, count * steps, NO_VISIBILITY)
            .completed_alarm(READ_AFTER_WRITE, (count - 1) * steps, ONE_IMAGE)
            .completed_alarm(WRITE_AFTER_READ, (count - 1) * steps * ping_pong, ONE_IMAGE);
    } else {
        variant.alarm(READ_AFTER_WRITE, (count - 1) * steps, ONE_IMAGE);
    }
    if !form.is_default() {
        variant.on_request();
    }

    let variant = lab.variant(name("sets"), move |cmd, rep| {
        chain.bands(cmd, bands, |pass, band, rows| {
            chain.step(cmd, kernel, rep, pass, rows);
            if chain.is_followed(rep, pass) {
                form.set(cmd, event((rep.index, pass), band));
            }
        });
    });
    variant.says(&format!("{split}, setting {kind} that none awaits: what a set costs."));
    variant.races("every wait").cell(&table, &words, "set only").skip(bands.impossible());
    // One such row tells in the default run what a set costs.
    if !form.is_default() || form.coherent || count > 2 {
        variant.on_request();
    }

    // Nothing runs between such a set and its wait, so that only the wait itself is in the window.
    let each = if lab.asks_for(&name("waits")) { chain.passes * count } else { 0 };
    let before = lab.events_set_before(each, form.state, |cmd, event| form.set(cmd, event))?;
    lab.variant(name("waits"), move |cmd, rep| {
        chain.bands(cmd, bands, |pass, band, rows| {
            if let Some((repetition, pass)) = chain.before(rep, pass) {
                form.wait(cmd, before.get(repetition, pass * count + band));
            }
            chain.step(cmd, kernel, rep, pass, rows);
        });
    })
    .says(&format!("{split}, awaiting {kind} set long ago: what a wait costs."))
    .races("every set: the events were set before the run")
    .cell(&table, &words, "wait only")
    .on_request()
    .skip(bands.impossible());
    Ok(())
}

/// Band 0 of every pass on one queue, band 1 on the other. Band 0 needs only band 0 of the pass
/// before, so the first queue runs ahead; the second waits for its timeline semaphore.
fn on_two_queues(lab: &mut Lab, chain: Chain, args: &Args) -> Result<()> {
    let bands = chain.cut(2);
    let asked = lab.asks_for("two_queues");
    let chain = if asked { chain.with_images_of_both_queues(lab, args)? } else { chain };
    lab.variant_on_queues("two_queues", move |queues, rep| {
        let ordered = |cmd: &Cmd<'_>, pass, band| {
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
    .says("Each of 2 bands has a queue of its own, and a timeline semaphore orders the second behind the first.")
    .cell(WHOLE_OR_BANDS, "two queues, timeline semaphore", "2 bands")
    // Layer 1.4.309 looks across submits, 1.3.239 does not.
    .possible_alarm(WRITE_AFTER_WRITE, chain.passes, ONE_IMAGE)
    .on_request()
    .skip(bands.impossible());
    if asked { chain.expect(lab, chain.images) } else { Ok(()) }
}

/// How an event is set and waited for.
#[derive(Clone, Copy)]
struct Form {
    /// With the commands of Vulkan 1.0 instead of synchronization2.
    sync1: bool,
    /// The talk's own form: coherent stores instead of a cache flush, the event only orders.
    coherent: bool,
    state: EventState,
}

impl Form {
    fn all() -> impl Iterator<Item = Self> {
        let states = [EventState::DeviceOnly, EventState::HostVisible];
        let forms = states.into_iter().flat_map(|state| [false, true].map(|sync1| (state, sync1)));
        forms.flat_map(|(state, sync1)| [false, true].map(|coherent| Self { sync1, coherent, state }))
    }

    /// Shown without being asked for.
    fn is_default(self) -> bool {
        !self.sync1 && self.state == EventState::DeviceOnly
    }

    fn set(self, cmd: &Cmd<'_>, event: Event) {
        match (self.sync1, self.coherent) {
            (true, _) => cmd.set_event(event, Stage1::COMPUTE_SHADER),
            (false, true) => cmd.set_event2(event, NO_ACCESS, NO_ACCESS),
            (false, false) => cmd.set_event2(event, STORES, LOADS),
        }
    }

    fn wait(self, cmd: &Cmd<'_>, event: Event) {
        match (self.sync1, self.coherent) {
            (true, true) => cmd.wait_events(event, NO_ACCESS1, NO_ACCESS1),
            (true, false) => cmd.wait_events(event, STORES1, LOADS1),
            (false, true) => cmd.wait_events2(event, NO_ACCESS, NO_ACCESS),
            (false, false) => cmd.wait_events2(event, STORES, LOADS),
        }
    }

    /// `events_coherent_sync1_host_2`: the name of a variant in this form.
    fn variant(self, what: &str, count: u32) -> String {
        let parts = [(self.coherent, "_coherent"), (self.sync1, "_sync1"), (self.is_host(), "_host")];
        let parts: String = parts.into_iter().filter_map(|(holds, part)| holds.then_some(part)).collect();
        format!("{what}{parts}_{count}")
    }

    fn words(self) -> String {
        let sync = if self.sync1 { "sync1" } else { "sync2" };
        let access = if self.coherent { "no access, coherent stores" } else { "write→read" };
        let state = if self.is_host() { "host-visible" } else { "device-only" };
        format!("{sync}, {access}, {state}")
    }

    /// What captions call passes in so many bands, and events of this form.
    fn in_captions(self, count: u32) -> [String; 2] {
        let stores = if self.coherent { " with coherent stores" } else { "" };
        let host = if self.is_host() { "host-visible " } else { "" };
        let sync = if self.sync1 { "sync1 " } else { "" };
        [format!("Passes in {count} bands{stores}"), format!("{host}{sync}events")]
    }

    fn is_host(self) -> bool {
        self.state == EventState::HostVisible
    }
}

/// What the matrix says, in words: what one barrier, set and wait cost, and whether events pay. The
/// form of event that counts is the fastest that was right in every sample.
fn verdict(figures: &Figures<'_>, passes: u32, counts: &[u32]) -> Option<String> {
    let steps = f64::from(passes - 1);
    let barrier = per(&figures.difference_us("full_barrier", "no_barrier")?, steps);
    let Some((form, count)) = fastest_events(figures, counts) else {
        return Some(format!(
            "In short: a barrier costs {barrier} µs here. Of events nothing is known: no variant with bands ran \
             (a smaller --align lets more sizes be split)."
        ));
    };
    let over = |what: &str, other: &str| figures.difference_us(&form.variant(what, count), other);
    let unsplit = format!("bands_no_sync{}_{count}", if form.coherent { "_coherent" } else { "" });
    let each = |what: &str| {
        let cost = over(what, &unsplit).map(|difference| per(&difference, steps * f64::from(count)));
        cost.unwrap_or_else(|| "an unknown number of".into())
    };
    // Only where neither is lost in noise is one a share of the other.
    let found = |what: &str| {
        let difference = over(what, &unsplit)?;
        difference.median_95.filter(|interval| interval.low > 0.0).map(|_| difference.median)
    };
    let share = found("sets")
        .zip(found("events"))
        .map(|(set, both)| format!(" ({:.0} % of that)", 100.0 * set / both));
    Some(format!(
        "In short: a barrier costs {barrier} µs here. The fastest events, {} ({}), cost {} µs each when they are set and \
         waited for, {} µs{} when they are only set, {} µs when ones that were set long ago are waited for. {}{}",
        form.variant("events", count),
        form.words(),
        each("events"),
        each("sets"),
        share.unwrap_or_default(),
        each("waits"),
        overlap(over("events", "full_barrier"), over("events", &format!("barrier_bands_{count}"))),
        seen(figures, |what| form.variant(what, count), &unsplit).unwrap_or_default()
    ))
}

/// What the waves themselves told, where they were traced: how many dispatches had waves in flight together
/// with the next.
fn seen(figures: &Figures<'_>, form: impl Fn(&str) -> String, unsplit: &str) -> Option<String> {
    let trace = |variant: &str| figures.trace(variant);
    let overlapping = |variant: &str| {
        let (overlapping, all) = trace(variant)?.overlapping();
        Some(format!("{overlapping} of {all}"))
    };
    let events = trace(&form("events"))?;
    let (together, pairs) = events.overlapping();
    #[expect(clippy::cast_precision_loss, reason = "a handful of dispatches")]
    let empty = events.gaps_us / pairs.max(1) as f64;
    // Where nothing overlaps without any order either, that nothing does with events says nothing of them.
    let (free, _) = trace(unsplit)?.overlapping();
    let concluded = match together {
        0 if 2 * free > pairs => {
            format!(" An event set and waited for drains this GPU, for {empty:.1} µs on average.")
        }
        _ => String::new(),
    };
    Some(format!(
        " In the traces {together} of {pairs} dispatches overlap the next where events are set and waited for, {} where \
         they are only set, {} where ones set long ago are waited for, {} without any order, {} with a barrier after each \
         pass.{concluded}",
        overlapping(&form("sets"))?,
        overlapping(&form("waits"))?,
        overlapping(unsplit)?,
        overlapping("full_barrier")?,
    ))
}

/// Form and number of bands of the events with the least isolated time that were right in every sample.
fn fastest_events(figures: &Figures<'_>, counts: &[u32]) -> Option<(Form, u32)> {
    let all = counts.iter().flat_map(|&count| Form::all().map(move |form| (form, count)));
    let right = all.filter_map(|(form, count)| {
        let row = figures.row(&form.variant("events", count))?;
        let right = row.racy.is_none_or(|racy| racy.racy_samples == 0);
        Some((form, count, row.isolated_us.filter(|_| right)?.median))
    });
    right.min_by(|a, b| a.2.total_cmp(&b.2)).map(|(form, count, _)| (form, count))
}

/// Whether events seem to overlap, from what they cost beyond one barrier a pass, and beyond barriers
/// in their place. Only an interval that leaves 0 out decides.
fn overlap(whole: Option<Summary>, in_place: Option<Summary>) -> &'static str {
    let interval = |difference: Option<Summary>| difference.and_then(|difference| difference.median_95);
    match (interval(whole), interval(in_place)) {
        (Some(whole), Some(in_place)) if whole.high < 0.0 && in_place.high < 0.0 => {
            "They beat the barrier, and barriers in their place: they seem to overlap; a trace has to show it."
        }
        (Some(whole), Some(in_place)) if whole.low > 0.0 && in_place.high < 0.0 => {
            "They cost less than barriers in their place and more than one barrier a pass: they may overlap, and it does not pay."
        }
        (Some(_), Some(in_place)) if in_place.low > 0.0 => {
            "They cost more than barriers in their place: no sign that they overlap."
        }
        _ => "Whether they overlap cannot be told from these samples.",
    }
}

/// `1.52 (1.48 to 1.55)`: a difference divided by what it is the difference of.
fn per(difference: &Summary, count: f64) -> String {
    let interval = difference
        .median_95
        .map_or_else(String::new, |i| format!(" ({:.2} to {:.2})", i.low / count, i.high / count));
    format!("{:.2}{interval}", difference.median / count)
}

const READ_AFTER_WRITE: &str = "SYNC-HAZARD-READ-AFTER-WRITE";
const WRITE_AFTER_WRITE: &str = "SYNC-HAZARD-WRITE-AFTER-WRITE";
const WRITE_AFTER_READ: &str = "SYNC-HAZARD-WRITE-AFTER-READ";
const OTHER_IMAGE: &str =
    "the barrier orders all earlier reads, but the layer credits it to its own image alone";
const NO_VISIBILITY: &str = "visibility is what the variant leaves out";
const CACHED_LOADS: &str = "coherent stores reaching the cache that all multiprocessors share, and on plain loads \
                            finding them there because no other cache held their lines before";
const ONE_IMAGE: &str = "the rows that two bands touch are disjoint or ordered, but the layer sees one image";

/// The first table of `--matrix`.
const WHOLE_OR_BANDS: &str = "Whole passes and bands";

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
        let size = lab.size(args.size, [1152; 2], [384; 2]);
        let &Args { passes, radius, align, workgroup, ping_pong, .. } = args;
        lab.setting("workgroup", workgroup);
        lab.setting("images", if ping_pong { "two in turn" } else { "one per pass" });
        for (name, value) in [("passes", passes), ("radius", radius), ("align", align)] {
            lab.setting(name, value);
        }
        let kernel = || {
            lab.kernel("chain/step.comp")
                .workgroup(workgroup.invocations())
                .constant("ROWS", workgroup.rows)
                .constant("RADIUS", radius)
                .constant("MULTIPLIER", chain::MULTIPLIER)
        };
        let (plain, coherent) = (kernel().build()?, kernel().define("COHERENT_STORES").build()?);
        let count = if ping_pong { 2 } else { passes + 1 };
        let images =
            lab.output_images("generation", count, size.sides(), Format::R32_UINT, chain::UNWRITTEN)?;
        Ok(Self { size, passes, radius, align, workgroup, images, ping_pong, plain, coherent })
    }

    /// The same, on images of its own, since sharing them may cost the other variants time.
    fn with_images_of_both_queues(self, lab: &mut Lab, args: &Args) -> Result<Self> {
        let count = if args.ping_pong { 2 } else { self.passes + 1 };
        let (size, format) = (self.size.sides(), Format::R32_UINT);
        let images = lab.for_both_queues(|lab| {
            lab.output_images("shared generation", count, size, format, chain::UNWRITTEN)
        })?;
        Ok(Self { images, ..self })
    }

    /// Index of the image that holds a generation.
    fn index(&self, generation: u32) -> u32 {
        if self.ping_pong { generation % 2 } else { generation }
    }

    fn image(&self, repetition: u32, generation: u32) -> Image {
        self.images.get(repetition, self.index(generation))
    }

    fn cut(&self, count: u32) -> Bands {
        Bands::new(self.size, self.passes, self.radius, self.align, count)
    }

    fn passes(&self, cmd: &Cmd<'_>, record: impl Fn(u32)) {
        for pass in 0..self.passes {
            cmd.region(format_args!("pass {pass}"), || record(pass));
        }
    }

    fn bands(&self, cmd: &Cmd<'_>, bands: Bands, record: impl Fn(u32, u32, Range<u32>)) {
        self.passes(cmd, |pass| (0..bands.count).for_each(|band| record(pass, band, bands.rows(pass, band))));
    }

    /// The one dispatch of the chain: a pass, or a band of it.
    fn step(&self, cmd: &Cmd<'_>, kernel: Kernel, rep: Rep, pass: u32, rows: Range<u32>) {
        let images = [pass, pass + 1].map(|generation| self.image(rep.index, generation));
        let [width, height] = self.workgroup.tile();
        let groups = [self.size.width.div_ceil(width), (rows.end - rows.start).div_ceil(height), 1];
        cmd.dispatch(kernel, &images, &[rows.start, rows.end], groups);
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

    fn expect(&self, lab: &mut Lab, images: Images) -> Result<()> {
        lab.seed(images, 0, &chain::seed(self.size))?;
        lab.expect(images, self.index(self.passes), chain::twin(self.size, self.radius, self.passes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::record::{Record, Traced};

    fn recorded() -> Record {
        samples::recorded("matrix-512-12-passes").unwrap()
    }

    fn verdict_of(record: &Record) -> String {
        verdict(&Figures::new(&record.rows), 12, &[2, 4]).unwrap()
    }

    /// Multiplies the isolated times of the variants that begin so.
    fn scaled(mut record: Record, start: &str, factor: f64) -> Record {
        for row in record.rows.iter_mut().filter(|row| row.variant.starts_with(start)) {
            row.samples.iter_mut().for_each(|sample| sample.one_us *= factor);
            let times: Vec<f64> = row.samples.iter().map(|sample| sample.one_us).collect();
            row.isolated_us = Summary::of(&times);
        }
        record
    }

    #[test]
    fn a_record_leads_to_its_own_verdict() {
        let record = recorded();
        assert_eq!(record.verdict.as_deref(), Some(&*verdict_of(&record)));
    }

    #[test]
    fn events_that_beat_the_barrier_seem_to_overlap() {
        let faster = scaled(recorded(), "events_coherent_sync1_4", 0.2);
        let text = verdict_of(&faster);
        assert!(text.contains("events_coherent_sync1_4 ("), "{text}");
        assert!(text.contains("they seem to overlap; a trace has to show it"), "{text}");
        // Where barriers in their place are faster still, the reason is another than overlap.
        let text = verdict_of(&scaled(faster, "barrier_bands_4", 0.1));
        assert!(text.contains("no sign that they overlap"), "{text}");
    }

    #[test]
    fn what_the_waves_told_is_said() {
        let record = samples::recorded("waves-512-12-passes").unwrap();
        let text = verdict_of(&record);
        assert_eq!(record.verdict.as_deref(), Some(&*text));
        assert!(
            text.contains("0 of 23 dispatches overlap the next where events are set and waited for"),
            "{text}"
        );
        assert!(text.contains("drains this GPU"), "{text}");
        let without = verdict_of(&recorded());
        assert!(!without.contains("traces"), "{without}");
        // A GPU that overlaps nothing shows nothing of events.
        let mut serial = record;
        for row in &mut serial.rows {
            if let Some(Traced::Ok { figures, .. }) = &mut row.trace {
                figures.dispatches.iter_mut().filter_map(|d| d.overlap.as_mut()).for_each(|o| o.us = -1.0);
            }
        }
        let text = verdict_of(&serial);
        assert!(text.contains("0 of 23 without any order") && !text.contains("drains this GPU"), "{text}");
    }

    #[test]
    fn what_raced_or_did_not_run_is_no_evidence() {
        let mut raced = scaled(recorded(), "events_4", 0.2);
        let row = raced.rows.iter_mut().find(|row| row.variant == "events_4").unwrap();
        row.racy.as_mut().unwrap().racy_samples = 1;
        assert!(!verdict_of(&raced).contains("events_4 ("));
        let mut whole = recorded();
        whole.rows.retain(|row| !row.variant.starts_with("events"));
        assert!(verdict_of(&whole).contains("Of events nothing is known"));
        let mut few = recorded();
        few.rows.iter_mut().for_each(|row| row.samples.truncate(2));
        assert!(verdict_of(&few).contains("cannot be told"));
    }
}
