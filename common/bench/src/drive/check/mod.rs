//! `--check`: records each variant under core and synchronization validation, compares its output
//! with the CPU twin, in other orders of its dispatches too, and compares the layer's messages with the
//! list that the sample gives.

mod layer;
mod orders;
mod words;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Result, ensure};
use record::error::{Halt, one_line};
use record::{Promise, Status};

use super::session::Session;
use super::verify::Counted;
use crate::lab::Lab;
use crate::mutate::{Break, Mutation};
use crate::variant::Recording;
use layer::{canary, compare_alarms, first_of_each, known};
use orders::try_orders;
use words::conclude;

/// What `--check` found.
#[derive(Debug, Default)]
pub struct Checked {
    /// One line a variant, with what is wrong below it.
    pub report: String,
    /// Columns that the longest name takes.
    names: usize,
    /// Variants that failed.
    pub failed: usize,
    /// What hindered the check of a variant.
    pub errors: Vec<anyhow::Error>,
    /// The user stopped it between two variants.
    pub interrupted: bool,
}

/// Checks all variants of the lab, or those before `stopped` says so.
///
/// # Errors
/// The layer does not report a hazard made on purpose, so its silence would prove nothing.
pub fn check(lab: &Lab, broken: Option<Break>, stopped: &dyn Fn() -> bool) -> Result<Checked> {
    canary(lab)?;
    let mut session = Session::new(lab)?;
    let names = lab.variants.iter().map(|v| v.name.len()).max().unwrap_or(0).max("setting up".len());
    let mut checked = Checked { names, ..Checked::default() };
    let layer = lab.gpu.messages().map_or_else(String::new, |messages| known(&messages.layer));
    let alive = format!("a missing barrier was reported: synchronization validation is alive ({layer})");
    line(&mut checked, "canary", &alive);
    report(&mut checked, "setting up", &first_of_each(&lab.gpu.take_messages()));
    session.dry_run()?;
    // What the rehearsals raise, the samples below raise again.
    drop(lab.gpu.take_messages());
    for (v, variant) in lab.variants.iter().enumerate() {
        checked.interrupted |= stopped();
        if checked.interrupted {
            line(&mut checked, &variant.name, "not checked");
            continue;
        }
        let found = match session.left_out(v) {
            // What the device cannot run as recorded, it can still run one dispatch at a time.
            Some(Status::Skipped { reason }) if variant.left_out.is_none() => {
                orders_alone(lab, &mut session, v, broken).map(|findings| (findings, reason))
            }
            Some(Status::Skipped { reason } | Status::Unsupported { reason }) => {
                line(&mut checked, &variant.name, &format!("left out: {reason}"));
                continue;
            }
            _ => one_variant(lab, &mut session, v, broken).map(|findings| (findings, String::new())),
        };
        session.mutation = Mutation::default();
        match found {
            Ok((findings, reason)) => conclude(&mut checked, lab, v, findings, &reason),
            Err(error) => {
                line(&mut checked, &variant.name, &format!("FAILED: {}", one_line(&error)));
                checked.failed += 1;
                // A queue that hung, a lost device, a wait that failed: nothing more can be checked.
                let is_last = error.is::<Halt>() || lab.gpu.is_busy();
                checked.errors.push(error.context(variant.name.clone()));
                if is_last {
                    for variant in &lab.variants[v + 1..] {
                        line(&mut checked, &variant.name, "not checked");
                    }
                    break;
                }
            }
        }
        // An error on the way may have left some, and they are not the next variant's.
        drop(lab.gpu.take_messages());
    }
    Ok(checked)
}

/// What the checks of one variant found.
#[derive(Default)]
struct Findings {
    /// Most elements that differed in a sample.
    wrong: u64,
    /// Orders of its dispatches that were tried beside the recorded one, and how many gave a wrong
    /// result.
    orders: usize,
    possible: usize,
    wrong_orders: usize,
    /// Ids of messages that came, listed or not.
    alarms: usize,
    problems: Vec<String>,
}

/// The orders that the variant allows, the variant as it is recorded and, where it leaves access
/// masks empty, once more with them filled in: the layer then judges the execution dependencies,
/// which it could not tell apart before.
fn one_variant(lab: &Lab, session: &mut Session<'_>, v: usize, broken: Option<Break>) -> Result<Findings> {
    let mut findings = Findings::default();
    let as_recorded = Mutation { complete: false, broken };
    if !try_orders(lab, session, v, as_recorded, &mut findings)? {
        return Ok(findings);
    }
    // Without its waits the second queue's work would outlive the sample.
    let unjoined = broken == Some(Break::NoWaits) && matches!(lab.variants[v].record, Recording::Queues(_));
    if unjoined {
        return Ok(findings);
    }
    run_changed(lab, session, v, as_recorded, &mut findings)?;
    if matches!(lab.variants[v].promise, Promise::Hardware { .. }) {
        run_changed(lab, session, v, Mutation { complete: true, broken }, &mut findings)?;
    }
    Ok(findings)
}

fn orders_alone(lab: &Lab, session: &mut Session<'_>, v: usize, broken: Option<Break>) -> Result<Findings> {
    let mut findings = Findings::default();
    try_orders(lab, session, v, Mutation { complete: false, broken }, &mut findings)?;
    Ok(findings)
}

/// One submit with one repetition and one with two, so that dependencies between repetitions are
/// seen too.
fn run_changed(
    lab: &Lab,
    session: &mut Session<'_>,
    v: usize,
    mutation: Mutation,
    found: &mut Findings,
) -> Result<()> {
    let variant = &lab.variants[v];
    session.mutation = mutation;
    for repetitions in [1, 2.min(lab.repetitions())] {
        let reading = session.sample(Some(v), repetitions)?;
        let on_cpu = session.count_on_cpu(v, repetitions)?;
        ensure!(
            on_cpu == reading.wrong,
            "the device counted {} wrong elements, the CPU {on_cpu} in the same images",
            reading.wrong
        );
        let expected = match variant.promise {
            // Caches may show it a stale value, which its row of a measurement counts; not where its
            // masks are filled in, nor on a CPU device, where all see one memory.
            Promise::Hardware { .. } if !mutation.complete && !lab.device().is_cpu() => None,
            ref promise => must_differ(promise),
        };
        let counted = Counted { wrong: reading.wrong, first: reading.first_wrong, uneven: reading.uneven };
        let problem = expected.and_then(|n| miscount(session, v, counted, n, repetitions));
        if found.problems.is_empty() {
            found.problems.extend(problem);
        }
        found.wrong = found.wrong.max(reading.wrong);
    }
    let heard = lab.gpu.take_messages();
    found.alarms = found.alarms.max(heard.iter().map(|message| &message.id).collect::<BTreeSet<_>>().len());
    found.problems.extend(compare_alarms(&heard, variant, mutation.complete));
    Ok(())
}

fn line(checked: &mut Checked, name: &str, text: &str) {
    let _ = writeln!(checked.report, "{name:<width$} {text}", width = checked.names);
}

fn report(checked: &mut Checked, what: &str, heard: &[String]) {
    if heard.is_empty() {
        return;
    }
    line(checked, what, "FAILED");
    checked.failed += 1;
    for problem in heard {
        let _ = writeln!(checked.report, "    {problem}");
    }
}

/// How many elements of a repetition differ where the variant is as it promises in every order.
pub(in crate::drive) fn must_differ(promise: &Promise) -> Option<u64> {
    match promise {
        Promise::Law | Promise::Hardware { .. } => Some(0),
        Promise::Fault { elements } => Some(*elements),
        Promise::Nothing { .. } => None,
    }
}

/// What is wrong where not just `expected` elements of each repetition differ.
pub(in crate::drive) fn miscount(
    session: &Session<'_>,
    v: usize,
    counted: Counted,
    expected: u64,
    repetitions: u32,
) -> Option<String> {
    let Counted { wrong, first, uneven } = counted;
    let first = first.map_or_else(String::new, |first| session.checked().place(v, first));
    match expected * u64::from(repetitions) {
        n if n == wrong && !uneven => None,
        0 => Some(format!("{wrong} texels differ from the CPU twin, the first at {first}")),
        n => Some(format!("{wrong} texels differ from the CPU twin, where a fault of {n} was put")),
    }
}
