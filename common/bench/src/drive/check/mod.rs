//! `--check`: records each variant under core and synchronization validation, compares its results with the CPU
//! reference, also in other orders of its dispatches, and compares the layer's messages with those that the recording may
//! raise.

mod attachments;
mod findings;
mod layer;
mod orders;

use std::collections::BTreeSet;
use std::rc::Rc;

use anyhow::{Result, ensure};
use record::error::one_line;
use record::{Promise, Status};

use super::expected::Expected;
use super::session::{BadNotes, Session};
use super::tour::{Said, Tour, miscount, must_differ};
use super::verify::Counted;
use crate::lab::Lab;
use crate::mutate::{Break, Mutation};
use attachments::first_unseen;
use findings::Findings;
use layer::{canary, compare, first_of_each, known};
use orders::try_orders;

/// Checks all variants of the lab, until `stopped` returns true.
///
/// # Errors
/// The layer does not report a hazard that is made on purpose, so its silence would prove nothing.
pub fn check(lab: &Lab, broken: Option<Break>, stopped: &dyn Fn() -> bool) -> Result<Tour> {
    canary(lab)?;
    let mut session = Session::new(lab)?;
    let mut tour = Tour::new(lab, "setting up");
    let layer = lab.gpu.messages().map_or_else(String::new, |messages| known(&messages.layer));
    tour.say("layer", &Said::Fine(format!("a barrier left out on purpose was reported ({layer})")));
    let heard = first_of_each(&lab.gpu.take_messages());
    if !heard.is_empty() {
        tour.say("setting up", &Said::listed(heard));
    }
    session.dry_run()?;
    // Messages of the dry run are raised again by the samples below.
    drop(lab.gpu.take_messages());
    let mut tour = tour.visit(lab, stopped, "not checked", |v| {
        let said = one_variant(&mut session, v, broken);
        session.scripts.mutation = Mutation::default();
        // After an error, drop its remaining messages, so that they are not counted for the next variant.
        drop(lab.gpu.take_messages());
        said
    });
    tour.count();
    Ok(tour)
}

/// Checks the allowed orders and the variant as recorded. A variant with empty access masks is checked once more
/// with the masks filled in, because only then can the layer check its execution dependencies.
fn one_variant(session: &mut Session<'_>, v: usize, broken: Option<Break>) -> Result<Said> {
    let (lab, uses) = (session.lab, Rc::clone(&session.uses));
    let variant = &lab.variants[v];
    let mut findings = Findings::default();
    let as_recorded = Mutation { complete: false, broken };
    let not_run = match uses.left_out(v) {
        // A variant that the device cannot run as recorded can still run one dispatch at a time.
        Some(Status::Skipped { reason }) if variant.left_out.is_none() => Some(reason),
        Some(Status::Skipped { reason } | Status::Unsupported { reason }) => {
            return Ok(Said::LeftOut(reason.clone()));
        }
        _ => None,
    };
    // Dispatches that race within themselves are wrong in the recorded order, too.
    let can_run = (variant.races_in_a_dispatch || try_orders(session, v, as_recorded, &mut findings)?)
        && not_run.is_none();
    // Without its waits, work on other queues would outlive the sample.
    let unjoined = broken == Some(Break::NoWaits) && variant.takes_several_queues;
    if can_run && !unjoined {
        run_changed(session, v, as_recorded, &mut findings)?;
        if matches!(variant.promise, Promise::Hardware { .. }) {
            run_changed(session, v, Mutation { complete: true, broken }, &mut findings)?;
        }
    }
    Ok(findings.said(lab, variant, not_run.map(String::as_str)))
}

/// Submits once with one repetition and once with two, to see dependencies between repetitions.
fn run_changed(session: &mut Session<'_>, v: usize, mutation: Mutation, found: &mut Findings) -> Result<()> {
    let lab = session.lab;
    let variant = &lab.variants[v];
    session.scripts.mutation = mutation;
    let script = session.scripts.script(v, 1)?;
    let expected = Expected::of(lab, variant, &script, session.events_reset(v, 1), mutation.complete);
    let leaves_out = matches!(variant.promise, Promise::Nothing { .. }) || variant.leaves_out_visibility;
    if !leaves_out || mutation.complete {
        let of_two = session.scripts.script(v, 2.min(lab.repetitions()))?;
        found.problems.extend(first_unseen(lab, &of_two));
    }
    for repetitions in [1, 2.min(lab.repetitions())] {
        let reading = match session.sample(Some(v), repetitions) {
            Err(error) if error.is::<BadNotes>() => {
                found.problems.push(one_line(&error));
                break;
            }
            reading => reading?,
        };
        let on_cpu = session.count_on_cpu(v, repetitions)?;
        ensure!(
            on_cpu == reading.wrong,
            "the device counted {} wrong elements, the CPU {on_cpu} in the same images",
            reading.wrong
        );
        // Stale values are counted by a measurement, not here. They cannot occur with filled-in masks, nor on a CPU
        // device, where all threads see one memory.
        let must = must_differ(&variant.promise, !mutation.complete && !lab.device().is_cpu());
        let counted = Counted { wrong: reading.wrong, first: reading.first_wrong, uneven: reading.uneven };
        let problem = must.and_then(|n| miscount(&session.uses, v, counted, n, repetitions));
        if found.problems.is_empty() {
            found.problems.extend(problem);
        }
        found.wrong = found.wrong.max(reading.wrong);
    }
    let heard = lab.gpu.take_messages();
    let ids: BTreeSet<&String> = heard.iter().map(|message| &message.id).collect();
    found.messages = found.messages.max(ids.len());
    found.problems.extend(compare(&heard, variant, &expected));
    Ok(())
}
