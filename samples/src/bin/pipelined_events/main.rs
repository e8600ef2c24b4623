//! Passes that each read what the one before wrote: what does it cost to order them, with a barrier after each pass,
//! and with the talk's split dispatches and events?
//!
//! ```text
//! time →          a barrier drains the GPU before the next pass fills it again
//! full_barrier    ▕▔▔ pass 0 ▔▔▔╲ ╱▔▔▔ pass 1 ▔▔▔╲ ╱▔▔▔ pass 2 ▔▔▔╲
//!                 an event lets band 0 of the next pass (1.0) start while band 1 of this one (0.1) still runs
//! events_2        ▕▔ 0.0 ▔▏▔ 0.1 ▔▏▔ 1.0 ▔▏▔ 1.1 ▔▏▔ 2.0 ▔▏▔ 2.1 ▔╲      if the driver lets it
//! ```
//!
//! Band n reads only what bands up to n of the pass before wrote (`samples/src/bands.rs` draws the cut). One wait
//! suffices: the event set after band n also covers bands 0 to n-1.
//!
//! `events_coherent_2` is the talk's form: coherent stores bypass L1, so that no cache need be flushed, and loads stay
//! cached. That is right only while each cache line is written once, before any read: with one image per pass, not with
//! `--ping-pong`. The talk adds two conditions: caches are flushed at the start and the end of a frame (a full barrier
//! precedes each timed part here), and no split straddles a cache line (`--align`).
//!
//! The slide has three dispatches on two images and an image barrier; here each pass has an image, the barrier is a
//! memory barrier, and the records have 12 passes (the default is 3). On the talk's Vega barriers took 1.31x as long as
//! no sync, and events 1.03x. The talk suspects a flush of L2: the driver's caution, or a usage that needs it. On an
//! H200 (driver 580, 1152x1152) barriers take 1.09x and events 1.44x. There the driver drains the GPU at each set,
//! whatever the form (`event_matrix`), and the split alone takes longer than the barrier (198 against 194 µs): with two
//! bands no event could win. According to its source, RADV drains at each wait. From about 2048x2048 on an H200 a drain
//! is short beside a pass.
//!
//! Look for, in RGP, Nsight or `--trace`: do the first waves of a pass start before the previous pass ends?
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Pipelining with Events", "Simple Data Race Tester:
//! Variations at 1152 x 1152 on Vega".
//! Specification: Vulkan 1.3, chapter 7 (Events) and appendix B (Memory Model: Availability and Visibility).

mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use common::{COHERENT_STORES, EventState, Lab, run, sample};
use samples::bands::Bands;
use samples::chain::{Chain, ChainArgs};
use samples::{LOADS, NO_ACCESS, STORES};
use verdict::{headline, verdict};

/// What does a barrier between passes cost, and do split passes with events cost less?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--trace waves.svg # see where the GPU is empty\n\
    --size 256..4096*2 # from which size do events win?")]
struct Args {
    #[command(flatten)]
    chain: ChainArgs,
}

fn main() -> ExitCode {
    run(sample!(), pipelined_events)
}

fn pipelined_events(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    let chain = Chain::new(lab, &args.chain)?;
    let bands = Bands::new(&chain, args.chain.bands, args.chain.align);
    let events = lab.events(chain.passes * bands.count, EventState::DeviceOnly, None);
    let n = bands.count;

    lab.variant("no_barrier", move |cmd, rep| {
        for pass in rep.passes(chain.passes) {
            chain.dispatch(cmd, chain.plain, pass, chain.all_rows());
        }
    })
    .races("every dependency between passes");

    lab.variant("full_barrier", move |cmd, rep| {
        for pass in rep.passes(chain.passes) {
            if pass.has_previous() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            chain.dispatch(cmd, chain.plain, pass, chain.all_rows());
        }
    });

    // Drains like `full_barrier`, with coherent stores in place of a cache flush: the difference is what the flush
    // costs less what these stores cost. (`data_race` has an `execution_only` with plain stores.)
    lab.variant("execution_only", move |cmd, rep| {
        for pass in rep.passes(chain.passes) {
            if pass.has_previous() {
                cmd.pipeline_barrier2(NO_ACCESS, NO_ACCESS);
            }
            chain.dispatch(cmd, chain.coherent, pass, chain.all_rows());
        }
    })
    .relies_on(COHERENT_STORES);

    lab.variant(format!("bands_no_sync_{n}"), move |cmd, rep| {
        for (pass, band) in bands.of(rep) {
            chain.dispatch(cmd, chain.plain, pass, bands.rows(pass, band));
        }
    })
    .races("every dependency between passes")
    .skip(bands.impossible());

    lab.variant(format!("events_{n}"), move |cmd, rep| {
        for (pass, band) in bands.of(rep) {
            if let Some(previous) = pass.previous() {
                cmd.wait_events2(bands.event(events, previous, band), STORES, LOADS);
            }
            chain.dispatch(cmd, chain.plain, pass, bands.rows(pass, band));
            if pass.has_next() {
                cmd.set_event2(bands.event(events, pass, band), STORES, LOADS);
            }
        }
    })
    .skip(bands.impossible());

    // The talk's form: the event only orders, and coherent stores take the place of a cache flush.
    lab.variant(format!("events_coherent_{n}"), move |cmd, rep| {
        for (pass, band) in bands.of(rep) {
            if let Some(previous) = pass.previous() {
                cmd.wait_events2(bands.event(events, previous, band), NO_ACCESS, NO_ACCESS);
            }
            chain.dispatch(cmd, chain.coherent, pass, bands.rows(pass, band));
            if pass.has_next() {
                cmd.set_event2(bands.event(events, pass, band), NO_ACCESS, NO_ACCESS);
            }
        }
    })
    .relies_on(COHERENT_STORES)
    .skip(bands.impossible());

    lab.report.headline(move |figures| headline(figures, n));
    lab.report.verdict(move |figures| verdict(figures, chain.size, chain.passes, n));
    chain.expect(lab);
    Ok(())
}
