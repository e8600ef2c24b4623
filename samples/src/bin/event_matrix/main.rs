//! What does each form of Vulkan event cost between two passes, and does any of them let passes overlap?
//!
//! ```text
//! time →          set and wait: what the talk uses to keep the GPU full (`pipelined_events`)
//! events          ▕ band 0.0 ▏set▕ band 0.1 ▏set▕ wait▕ band 1.0 ▏set▕ wait▕ band 1.1 ▏
//!                 set only: what a set costs, and whether it drains
//! sets            ▕ band 0.0 ▏set▕ band 0.1 ▏set▕ band 1.0 ▏set▕ band 1.1 ▏
//!                 wait only, for events set before the submit: what a wait costs
//! waits           ▕ band 0.0 ▏▕ band 0.1 ▏▕ wait▕ band 1.0 ▏▕ wait▕ band 1.1 ▏
//! ```
//!
//! There are ten forms: sync1 or sync2, access masks with plain stores or no access masks with coherent stores,
//! device-only or host-visible. With VK_KHR_maintenance9 events can be asymmetric: a set of sync2 then names stages alone,
//! as in sync1. For comparison, bands are also ordered by barriers where the waits would be, and whole passes by a
//! barrier that names one image.
//!
//! `two_queues` orders bands by a timeline semaphore. The second queue is of the first other family that can compute
//! (family 2 of an H200), if there is one. Both families share the images, and no variant uses such images on one
//! queue: the cost of sharing cannot be told from the cost of the semaphore.
//!
//! Expect what a driver's source says, which is printed beside what was measured: nearly all open drivers drain the GPU at
//! a wait, some at a set too. NVK and PanVK need not for sync2 without access masks, the first form of the table. On an
//! H200 with driver 580 all forms cost nearly the same: a set drains the GPU, and a wait for an event that was set long
//! ago costs as much as a barrier. Two queues take 350 µs there, every form of event from 254 to 258 (1152x1152, 12
//! passes).
//!
//! Look for, in RGP, Nsight or `--trace`: does a dispatch after a set or a wait start before the previous one ends?
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Pipelining with Events".
//! Specification: Vulkan 1.3, chapter 7 (Events, Semaphores), appendix B (Memory Model: Availability and Visibility).

mod as_read;
mod drains;
mod event_form;
#[cfg(test)]
mod tests;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use as_read::AsRead;
use common::lab::Setting;
use common::{COHERENT_STORES, Cmd, Figures, Lab, Pass, Queue, Stage, run, sample};
use event_form::EventForm;
use samples::bands::Bands;
use samples::chain::{Chain, ChainArgs};
use samples::{LOADS, STORES};
use verdict::{headline, verdict};

/// What does each form of event cost, set and waited for, only set, and only waited for?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--matrix -v # every form of event, all figures\n\
    --size 256..2048*2 # does any form win at another size?")]
struct Args {
    #[command(flatten)]
    chain: ChainArgs,
}

fn main() -> ExitCode {
    run(sample!(), event_matrix)
}

fn event_matrix(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.report.show_matrix();
    let chain = Chain::new(lab, &args.chain)?;
    let bands = Bands::new(&chain, args.chain.bands, args.chain.align);
    whole_passes(lab, chain);
    bands_without_events(lab, chain, bands);
    for form in EventForm::all() {
        bands_with_events(lab, chain, bands, form);
    }
    two_queues(lab, chain, Bands::new(&chain, 2, args.chain.align))?;
    lab.report.headline(move |figures| headline(figures, bands.count));
    let as_read = AsRead::of(lab.device())?;
    if lab.device().is_cpu() {
        as_read.alone().iter().for_each(|line| lab.report.note(line));
    }
    let lines = move |figures: &Figures<'_>| as_read.beside(figures, chain.passes, bands.count);
    lab.report.verdict(move |figures| {
        Some(verdict(figures, chain.size, chain.passes, bands.count)? + "\n" + &lines(figures).join("\n"))
    });
    chain.expect(lab);
    Ok(())
}

fn whole_passes(lab: &mut Lab, chain: Chain) {
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

    lab.variant("image_barrier", move |cmd, rep| {
        for pass in rep.passes(chain.passes) {
            if let Some(previous) = pass.previous() {
                cmd.pipeline_barrier2_image(chain.written(previous), STORES, LOADS);
            }
            chain.dispatch(cmd, chain.plain, pass, chain.all_rows());
        }
    });
}

/// Bands with no sync, for both kinds of stores, and bands with barriers where the waits would be.
fn bands_without_events(lab: &mut Lab, chain: Chain, bands: Bands) {
    let n = bands.count;
    for (name, kernel) in [("bands_no_sync", chain.plain), ("bands_no_sync_coherent", chain.coherent)] {
        lab.variant(format!("{name}_{n}"), move |cmd, rep| {
            for (pass, band) in bands.of(rep) {
                chain.dispatch(cmd, kernel, pass, bands.rows(pass, band));
            }
        })
        .races("every dependency between passes")
        .skip(bands.impossible());
    }

    lab.variant(format!("barrier_bands_{n}"), move |cmd, rep| {
        for (pass, band) in bands.of(rep) {
            if pass.has_previous() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            chain.dispatch(cmd, chain.plain, pass, bands.rows(pass, band));
        }
    })
    .skip(bands.impossible());
}

/// Bands with events of one form: set and waited for, only set, only waited for.
fn bands_with_events(lab: &mut Lab, chain: Chain, bands: Bands, form: EventForm) {
    let kernel = if form.coherent { chain.coherent } else { chain.plain };
    let lacking = form.lacking(&lab.gpu);
    let already_set = "every set: the events were set before the run";
    for (name, sets, waits, left_out) in [
        ("events", true, true, None),
        ("sets", true, false, Some("every wait")),
        ("waits", false, true, Some(already_set)),
    ] {
        let set_before: Setting = Box::new(move |cmd, event| form.set(cmd, event));
        let events = lab.events(chain.passes * bands.count, form.state, (!sets).then_some(set_before));
        let variant = lab.variant(form.variant(name, bands.count), move |cmd, rep| {
            for (pass, band) in bands.of(rep) {
                if let Some(previous) = pass.previous().filter(|_| waits) {
                    form.wait(cmd, bands.event(events, previous, band));
                }
                chain.dispatch(cmd, kernel, pass, bands.rows(pass, band));
                if sets && pass.has_next() {
                    form.set(cmd, bands.event(events, pass, band));
                }
            }
        });
        variant.skip(bands.impossible());
        if lacking.is_some() {
            variant.on_request().skip(lacking.clone());
        }
        if let Some(left_out) = left_out {
            variant.races(left_out);
        } else if form.coherent {
            variant.relies_on(COHERENT_STORES);
        }
    }
}

/// Band 0 of every pass on one queue, band 1 on the other. Band 0 needs only band 0 of the pass before, so the first
/// queue runs ahead; the second waits for its timeline semaphore.
fn two_queues(lab: &mut Lab, chain: Chain, bands: Bands) -> Result<()> {
    let chain = chain.for_all_queues(lab)?;
    lab.variant_on_queues("two_queues", move |queues, rep| {
        let ordered = |cmd: &Cmd, pass: Pass, band| {
            if pass.has_previous() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            chain.dispatch(cmd, chain.plain, pass, bands.rows(pass, band));
        };
        let mut band0 = queues.submit2(Queue::FIRST, &[], |_| {});
        let mut band1 = band0;
        for pass in rep.passes(chain.passes) {
            // Here `band0` is still the submit of the previous pass, whose band 0 this band 1 reads.
            band1 =
                queues.submit2(Queue::SECOND, &[(band0, Stage::COMPUTE_SHADER)], |cmd| ordered(cmd, pass, 1));
            band0 = queues.submit2(Queue::FIRST, &[], |cmd| ordered(cmd, pass, 0));
        }
        queues.submit2(Queue::FIRST, &[(band1, Stage::ALL_COMMANDS)], |_| {});
    })
    .skip(bands.impossible());
    chain.expect(lab);
    Ok(())
}
