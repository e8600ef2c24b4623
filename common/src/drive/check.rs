//! `--check`: records each variant under core and synchronization validation, compares its output
//! with the CPU twin, and compares the layer's messages with the list that the sample gives.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Result, ensure};
use ash::vk;

use super::order::Order;
use super::session::Session;
use super::verify::Counted;
use crate::cmd::script::Script;
use crate::error::{Halt, one_line};
use crate::lab::Lab;
use crate::memory::Sharing;
use crate::record::{Promise, Status};
use crate::tamper::{Break, Tamper};
use crate::validation::Message;
use crate::variant::{Alarm, Recording, Variant};

/// What `--check` found.
#[derive(Debug, Default)]
pub struct Checked {
    /// One line a variant, with what is wrong below it.
    pub report: String,
    /// Columns that the longest name takes.
    names: usize,
    /// Variants that failed.
    pub failed: usize,
    /// A queue that hung, a lost device or a wait that failed, after which nothing more could be checked.
    pub aborted: Option<anyhow::Error>,
}

/// Checks all variants of the lab.
///
/// # Errors
/// The layer does not report a hazard made on purpose, so its silence would prove nothing.
pub fn check(lab: &Lab, broken: Option<Break>) -> Result<Checked> {
    canary(lab)?;
    let mut session = Session::new(lab)?;
    let names = lab.variants.iter().map(|v| v.name.len()).max().unwrap_or(0).max("setting up".len());
    let mut checked = Checked { names, ..Checked::default() };
    line(&mut checked, "canary", "a missing barrier was reported: synchronization validation is alive");
    report(&mut checked, "setting up", &first_of_each(&lab.gpu.take_messages()));
    session.rehearse()?;
    // What the rehearsals raise, the samples below raise again.
    drop(lab.gpu.take_messages());
    for (v, variant) in lab.variants.iter().enumerate() {
        let found = match session.left_out(v) {
            // What the device cannot run as recorded, it can still run one dispatch at a time.
            Some(Status::Skipped { reason }) if variant.left_out.is_none() => {
                orders_alone(lab, &session, v, broken).map(|findings| (findings, reason))
            }
            Some(Status::Skipped { reason } | Status::Unsupported { reason }) => {
                line(&mut checked, &variant.name, &format!("left out: {reason}"));
                continue;
            }
            _ => one_variant(lab, &mut session, v, broken).map(|findings| (findings, String::new())),
        };
        lab.gpu.tamper.set(Tamper::default());
        match found {
            Ok((findings, reason)) => conclude(&mut checked, lab, v, findings, &reason),
            Err(error) => {
                line(&mut checked, &variant.name, &format!("FAILED: {}", one_line(&error)));
                checked.failed += 1;
                if error.is::<Halt>() || lab.gpu.is_busy() {
                    checked.aborted = Some(error);
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
    let as_recorded = Tamper { complete: false, broken };
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
        run_changed(lab, session, v, Tamper { complete: true, broken }, &mut findings)?;
    }
    Ok(findings)
}

fn orders_alone(lab: &Lab, session: &Session<'_>, v: usize, broken: Option<Break>) -> Result<Findings> {
    let mut findings = Findings::default();
    try_orders(lab, session, v, Tamper { complete: false, broken }, &mut findings)?;
    Ok(findings)
}

/// More orders than this teach nothing new and take too long.
const MOST_ORDERS: usize = 64;

/// Runs the dispatches in other orders that the recording allows; see [`super::order`]. Returns
/// whether the recording can be submitted at all.
fn try_orders(
    lab: &Lab,
    session: &Session<'_>,
    v: usize,
    tamper: Tamper,
    found: &mut Findings,
) -> Result<bool> {
    let variant = &lab.variants[v];
    lab.gpu.tamper.set(tamper);
    let (script, _) = session.script(v, 1)?;
    if let Some(reason) = session.endless(&script) {
        found.problems.push(reason);
        return Ok(false);
    }
    let expected = must_differ(&variant.promise);
    let names = dispatch_names(lab, &script);
    for repetitions in [1, 2.min(lab.repetitions())] {
        let (script, _) = session.script(v, repetitions)?;
        let recorded: Vec<usize> = (0..script.dispatches().count()).collect();
        let counted = session.replay(v, &script, repetitions, &recorded)?;
        // Even a variant that races computes the right thing when nothing overlaps.
        if let Some(problem) = miscount(session, v, counted, expected.unwrap_or(0), repetitions) {
            found.problems.push(problem);
            return Ok(true);
        }
    }
    let order = Order::of(&script, session.events_reset(v, 1));
    found.possible = order.free();
    for (early, order) in order.others(MOST_ORDERS) {
        let Counted { wrong, first, .. } = session.replay(v, &script, 1, &order)?;
        found.orders += 1;
        found.wrong_orders += usize::from(wrong != expected.unwrap_or(0));
        if expected.is_some_and(|n| n != wrong) && found.wrong_orders == 1 {
            found.problems.push(format!(
                "{wrong} texels differ from the CPU twin when dispatch {} of {} ({}) runs as early as the recorded dependencies allow{}",
                early + 1,
                names.len(),
                names[early],
                first.map_or_else(String::new, |first| format!(", the first at {}", session.place(v, first)))
            ));
        }
    }
    if matches!(variant.promise, Promise::Nothing { .. }) && found.wrong_orders == 0 {
        found.problems.push("no order of its dispatches gives a wrong result: it leaves out nothing".into());
    }
    found.problems.extend(first_of_each(&lab.gpu.take_messages()).into_iter().map(|(id, (_, text))| {
        format!("{id} in another order, though each dispatch is behind a full barrier: {text}")
    }));
    Ok(true)
}

fn dispatch_names(lab: &Lab, script: &Script) -> Vec<String> {
    let arena = lab.gpu.arena();
    script
        .dispatches()
        .map(|d| {
            format!("{} {}x{}x{}", arena.kernel(d.kernel).facts.name, d.groups[0], d.groups[1], d.groups[2])
        })
        .collect()
}

/// How many elements of a repetition differ where the variant is as it promises in every order.
pub(super) fn must_differ(promise: &Promise) -> Option<u64> {
    match promise {
        Promise::Law | Promise::Hardware { .. } => Some(0),
        Promise::Fault { elements } => Some(*elements),
        Promise::Nothing { .. } => None,
    }
}

/// One submit with one repetition and one with two, so that dependencies between repetitions are
/// seen too.
fn run_changed(
    lab: &Lab,
    session: &mut Session<'_>,
    v: usize,
    tamper: Tamper,
    found: &mut Findings,
) -> Result<()> {
    let variant = &lab.variants[v];
    let mut chains = 0;
    lab.gpu.tamper.set(tamper);
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
            Promise::Hardware { .. } if !tamper.complete && !lab.on_cpu() => None,
            ref promise => must_differ(promise),
        };
        let counted = Counted { wrong: reading.wrong, first: reading.first_wrong, uneven: reading.uneven };
        let problem = expected.and_then(|n| miscount(session, v, counted, n, repetitions));
        if found.problems.is_empty() {
            found.problems.extend(problem);
        }
        found.wrong = found.wrong.max(reading.wrong);
        chains += repetitions;
    }
    let heard = first_of_each(&lab.gpu.take_messages());
    let listed = if tamper.complete { &variant.completed_alarms } else { &variant.alarms };
    found.alarms = found.alarms.max(heard.len());
    found.problems.extend(compare_alarms(&heard, variant, listed, chains));
    Ok(())
}

/// What is wrong where not just `expected` elements of each repetition differ.
pub(super) fn miscount(
    session: &Session<'_>,
    v: usize,
    counted: Counted,
    expected: u64,
    repetitions: u32,
) -> Option<String> {
    let Counted { wrong, first, uneven } = counted;
    let first = first.map_or_else(String::new, |first| session.place(v, first));
    match expected * u64::from(repetitions) {
        n if n == wrong && !uneven => None,
        0 => Some(format!("{wrong} texels differ from the CPU twin, the first at {first}")),
        n => Some(format!("{wrong} texels differ from the CPU twin, where a fault of {n} was put")),
    }
}

/// The messages that are not listed or come too often, and the listed ones that did not come.
fn compare_alarms(
    heard: &BTreeMap<String, (usize, String)>,
    variant: &Variant,
    listed: &[Alarm],
    chains: u32,
) -> Vec<String> {
    let races = matches!(variant.promise, Promise::Nothing { .. });
    let hazard = |id: &str| id.starts_with("SYNC-HAZARD");
    let mut problems = Vec::new();
    for (id, (count, text)) in heard {
        match listed.iter().find(|a| a.id == *id) {
            Some(alarm) if *count > (alarm.at_most * chains) as usize => problems.push(format!(
                "{id} came {count} times, {} are listed because {}; the first: {text}",
                alarm.at_most * chains,
                alarm.reason
            )),
            None if !(races && hazard(id)) => {
                problems.push(format!("{id} ({count} times), the first: {text}"))
            }
            _ => {}
        }
    }
    problems.extend(listed.iter().filter(|a| !heard.contains_key(&a.id)).map(|a| {
        format!("{} did not come, although it is listed because {}: take it off the list", a.id, a.reason)
    }));
    if races && !heard.keys().any(|id| hazard(id)) {
        problems.push("the layer did not notice the dependency that is left out".into());
    }
    problems
}

/// One bad dispatch can give hundreds of messages: the first of each id, and how many there were.
fn first_of_each(messages: &[Message]) -> BTreeMap<String, (usize, String)> {
    let mut heard: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for message in messages {
        heard.entry(message.id.clone()).or_insert_with(|| (0, shorten(&message.text))).0 += 1;
    }
    heard
}

/// The layer repeats the specification's clause at the end of a line of a thousand characters.
fn shorten(text: &str) -> String {
    let text = text.replace('\n', " ");
    let sentence = text.split(" | ").last().unwrap_or(&text);
    let sentence = sentence.split("The Vulkan spec states").next().unwrap_or(sentence).trim();
    let mut short: String = sentence.chars().take(600).collect();
    if short.len() < sentence.len() {
        short.push('…');
    }
    short
}

fn conclude(checked: &mut Checked, lab: &Lab, v: usize, findings: Findings, not_run: &str) {
    let variant = &lab.variants[v];
    if findings.problems.is_empty() {
        let seen = if not_run.is_empty() {
            format!("{}, {}", result(lab, variant, &findings), alarms(variant, findings.alarms))
        } else {
            format!("not submitted as recorded, since {not_run}")
        };
        line(checked, &variant.name, &format!("ok: {seen}, {}", orders(&findings)));
        return;
    }
    line(checked, &variant.name, "FAILED");
    checked.failed += 1;
    for problem in findings.problems {
        let _ = writeln!(checked.report, "    {problem}");
    }
}

fn result(lab: &Lab, variant: &Variant, findings: &Findings) -> String {
    match (&variant.promise, findings.wrong) {
        _ if lab.checks.is_empty() => "no output compared".into(),
        (_, 0) => "every texel right".into(),
        (Promise::Fault { .. }, _) => "just the texels of its fault wrong".into(),
        (_, wrong) => format!("{wrong} racy texels, as it may"),
    }
}

fn alarms(variant: &Variant, alarms: usize) -> String {
    match alarms {
        0 => "validation silent".to_owned(),
        _ if matches!(variant.promise, Promise::Nothing { .. }) => "its hazard was reported".to_owned(),
        1 => "validation silent beyond 1 listed alarm".to_owned(),
        n => format!("validation silent beyond {n} listed alarms"),
    }
}

fn orders(findings: &Findings) -> String {
    let tried = match (findings.orders, findings.possible) {
        (tried, possible) if tried < possible => format!("{tried} (of {possible}) other orders"),
        (1, _) => "1 other order".into(),
        (tried, _) => format!("{tried} other orders"),
    };
    match (findings.orders, findings.wrong_orders) {
        (0, _) => "its dispatches have one order".into(),
        (_, 0) => format!("right in {tried}"),
        (_, wrong) => format!("wrong in {wrong} of {tried}, as it must"),
    }
}

fn line(checked: &mut Checked, name: &str, text: &str) {
    let _ = writeln!(checked.report, "{name:<width$} {text}", width = checked.names);
}

fn report(checked: &mut Checked, what: &str, heard: &BTreeMap<String, (usize, String)>) {
    if heard.is_empty() {
        return;
    }
    line(checked, what, "FAILED");
    checked.failed += 1;
    for (id, (count, text)) in heard {
        let _ = writeln!(checked.report, "    {id} ({count} times), first: {text}");
    }
}

/// Two dispatches on the same images without a barrier: the layer must report them, and with a
/// barrier it must not.
fn canary(lab: &Lab) -> Result<()> {
    let gpu = &lab.gpu;
    let kernel = lab.kernel("lab/increment.comp").build()?;
    let images = [
        gpu.image("canary A", [8, 8], vk::Format::R32_UINT, Sharing::FirstQueue)?,
        gpu.image("canary B", [8, 8], vk::Format::R32_UINT, Sharing::FirstQueue)?,
    ];
    gpu.settle_images(&images)?;
    let sing = |barrier: bool| {
        gpu.run_once("the canary", |cmd| {
            cmd.dispatch(kernel, &[images[0], images[1]], &(), [1, 1, 1]);
            if barrier {
                cmd.full_barrier();
            }
            cmd.dispatch(kernel, &[images[1], images[0]], &(), [1, 1, 1]);
        })?;
        Ok::<_, anyhow::Error>(gpu.take_messages())
    };
    let earlier = gpu.take_messages();
    ensure!(earlier.is_empty(), "validation while setting up: {}", shorten(&earlier[0].text));
    ensure!(
        sing(false)?.iter().any(|m| m.id.starts_with("SYNC-HAZARD")),
        "the validation layer did not report a barrier that was left out on purpose, so its silence \
         would prove nothing: this version does not check shader accesses, or is switched off by its \
         settings"
    );
    let whole = sing(true)?;
    ensure!(
        whole.is_empty(),
        "the validation layer reports a correct recording: {}",
        shorten(&whole[0].text)
    );
    Ok(())
}
