//! `--check`: records each variant under core and synchronization validation, compares its output
//! with the CPU twin, and compares the layer's messages with the list that the sample gives.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Result, ensure};
use ash::vk;

use super::session::Session;
use crate::error::{Halt, one_line};
use crate::lab::Lab;
use crate::record::{Promise, Status};
use crate::tamper::{Break, Tamper};
use crate::validation::Message;
use crate::variant::{Alarm, Variant};

/// What `--check` found.
#[derive(Debug, Default)]
pub struct Checked {
    /// One line a variant, with what is wrong below it.
    pub report: String,
    /// Variants that failed.
    pub failed: usize,
    /// A queue that hung or a lost device, after which nothing more could be checked.
    pub aborted: Option<anyhow::Error>,
}

/// Checks all variants of the lab.
///
/// # Errors
/// The layer does not report a hazard made on purpose, so its silence would prove nothing.
pub fn check(lab: &Lab, broken: Option<Break>) -> Result<Checked> {
    canary(lab)?;
    let mut session = Session::new(lab)?;
    let mut checked = Checked {
        report:
            "canary                  a missing barrier was reported: synchronization validation is alive\n"
                .into(),
        ..Checked::default()
    };
    report(&mut checked, "setting up", &first_of_each(&lab.gpu.take_messages()));
    session.rehearse()?;
    // What the rehearsals raise, the samples below raise again.
    drop(lab.gpu.take_messages());
    for (v, variant) in lab.variants.iter().enumerate() {
        if let Some(Status::Skipped { reason } | Status::Unsupported { reason }) = session.left_out(v) {
            line(&mut checked, &variant.name, &format!("left out: {reason}"));
            continue;
        }
        match one_variant(lab, &mut session, v, broken) {
            Ok(findings) => conclude(&mut checked, variant, findings, lab.checks.is_empty()),
            Err(error) if error.is::<Halt>() => {
                line(&mut checked, &variant.name, &format!("FAILED: {}", one_line(&error)));
                checked.failed += 1;
                checked.aborted = Some(error);
                break;
            }
            Err(error) => {
                line(&mut checked, &variant.name, &format!("FAILED: {}", one_line(&error)));
                checked.failed += 1;
            }
        }
        // An error on the way may have left some, and they are not the next variant's.
        drop(lab.gpu.take_messages());
    }
    Ok(checked)
}

#[derive(Default)]
struct Findings {
    wrong: u64,
    first: String,
    /// Ids of messages that came, listed or not.
    alarms: usize,
    problems: Vec<String>,
}

/// The variant as it is recorded and, where it leaves access masks empty, once more with them filled
/// in: the layer then judges the execution dependencies, which it could not tell apart before.
fn one_variant(lab: &Lab, session: &mut Session<'_>, v: usize, broken: Option<Break>) -> Result<Findings> {
    let variant = &lab.variants[v];
    let mut findings = Findings::default();
    run_changed(lab, session, v, Tamper { complete: false, broken }, &mut findings)?;
    if matches!(variant.promise, Promise::Hardware { .. }) {
        run_changed(lab, session, v, Tamper { complete: true, broken }, &mut findings)?;
    }
    Ok(findings)
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
    let mut chains = 0;
    lab.gpu.tamper.set(tamper);
    for repetitions in [1, 2.min(lab.repetitions())] {
        let reading = session.sample(Some(v), repetitions)?;
        let on_cpu = session.count_on_cpu(repetitions)?;
        ensure!(
            on_cpu == reading.wrong,
            "the device counted {} wrong elements, the CPU {on_cpu} in the same images",
            reading.wrong
        );
        if found.wrong == 0 {
            found.first = reading.first_wrong.map_or_else(String::new, |f| session.place(f));
        }
        found.wrong = found.wrong.max(reading.wrong);
        chains += repetitions;
    }
    lab.gpu.tamper.set(Tamper::default());
    let heard = first_of_each(&lab.gpu.take_messages());
    let variant = &lab.variants[v];
    let listed = if tamper.complete { &variant.completed_alarms } else { &variant.alarms };
    found.alarms = found.alarms.max(heard.len());
    found.problems.extend(compare_alarms(&heard, variant, listed, chains));
    Ok(())
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

fn conclude(checked: &mut Checked, variant: &Variant, findings: Findings, unchecked: bool) {
    let mut problems = findings.problems;
    let result = match (&variant.promise, findings.wrong) {
        _ if unchecked => "no output compared".to_owned(),
        (_, 0) => "every texel right".to_owned(),
        (Promise::Law, wrong) => {
            problems.insert(
                0,
                format!("{wrong} texels differ from the CPU twin, the first at {}", findings.first),
            );
            "wrong".to_owned()
        }
        (_, wrong) => format!("{wrong} racy texels, as it may"),
    };
    let alarms = match findings.alarms {
        0 => "validation silent".to_owned(),
        _ if matches!(variant.promise, Promise::Nothing { .. }) => "its hazard was reported".to_owned(),
        1 => "validation silent beyond 1 listed alarm".to_owned(),
        n => format!("validation silent beyond {n} listed alarms"),
    };
    if problems.is_empty() {
        line(checked, &variant.name, &format!("ok: {result}, {alarms}"));
        return;
    }
    line(checked, &variant.name, "FAILED");
    checked.failed += 1;
    for problem in problems {
        let _ = writeln!(checked.report, "    {problem}");
    }
}

fn line(checked: &mut Checked, name: &str, text: &str) {
    let _ = writeln!(checked.report, "{name:<23} {text}");
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
        gpu.image("canary A", [8, 8], vk::Format::R32_UINT)?,
        gpu.image("canary B", [8, 8], vk::Format::R32_UINT)?,
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
