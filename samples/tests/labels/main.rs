//! What a capture tool sees of each sample: regions that nest, and frames under `--profile` alone.
//! The layer of the tests writes the calls down.

mod events;
mod log;
mod submits;
#[path = "../support/mod.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use log::{Handed, Log};
use record::error::EXIT_SKIPPED;
use support::{Call, Checkout, Ended, FaultLayer, for_each_sample, quick, ran, trial};

fn main() -> Result<ExitCode> {
    LAYER.get_or_init(|| FaultLayer::build().map_err(|error| format!("{error:#}")));
    let mut trials = for_each_sample(&[("regions", regions)])?;
    trials.push(trial("a_wrong_result_fails_a_profile", a_wrong_result_fails_a_profile));
    trials.push(trial("captures_have_seconds_of_their_own", captures_have_seconds_of_their_own));
    trials.push(trial("asymmetric_events_keep_to_the_rules", events::asymmetric_events_keep_to_the_rules));
    trials.push(trial("submits_are_in_flight", submits::submits_are_in_flight));
    support::run(trials)
}

static LAYER: OnceLock<Result<FaultLayer, String>> = OnceLock::new();

/// A call with every variant, as small as those with bands allow.
fn call(sample: &str) -> Result<Call> {
    Ok(Call::new(sample)?.words(&quick(sample, "64x384")?).args(["--all"]))
}

/// Runs it with the log on. Whatever it is asked, its regions nest.
fn logged(call: Call) -> Result<(Ended, Log)> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("labels");
    let layer = LAYER.get().context("the layer is built first")?.as_ref().map_err(anyhow::Error::msg)?;
    let ended = layer.on(call, &format!("labels:{}", path.display())).right()?;
    let text = std::fs::read_to_string(&path).context("reading the log of labels")?;
    let log = Log::read(&text).with_context(|| ended.to_string())?;
    Ok((ended, log))
}

/// The variants that run here, in their order, and the log of measuring them.
fn measured(sample: &str) -> Result<(Vec<String>, Log)> {
    let (ended, log) = logged(call(sample)?.words("--samples 1 --repetitions 2 --json -"))?;
    let record = ended.record()?;
    let names: Vec<String> = ran(&record).map(|row| row.variant.clone()).collect();
    ensure!(!names.is_empty(), "no variant ran: {ended}");
    Ok((names, log))
}

/// No label is on a queue, where one may cost a wait, and every variant is in a region of its name.
fn timed_without_frames(log: &Log, variants: &[String]) -> Result<()> {
    let labels = log.handed.iter().filter(|handed| !is_submit(handed)).count();
    ensure!(labels == 0, "{labels} labels on a queue");
    let seen: BTreeSet<&String> = log.submits().flat_map(|recording| &recording.outermost).collect();
    for variant in variants {
        ensure!(seen.contains(variant), "no region {variant} in {seen:?}");
    }
    // It would be in the log if it were there: this is what `profile` must not see.
    ensure!(log.submits().any(|recording| recording.has_query()), "no timestamp is in the log");
    Ok(())
}

/// Measured, checked and shown to a capture tool.
fn regions(sample: &str) -> Result<()> {
    let (variants, log) = measured(sample)?;
    timed_without_frames(&log, &variants).context("measured")?;
    let (_, log) = logged(call(sample)?.args(["--check"]))?;
    timed_without_frames(&log, &variants).context("with --check")?;
    profile(sample, &variants).context("with --profile")
}

/// One frame a variant and nothing else in it; preparation before it, verification behind it.
fn profile(sample: &str, variants: &[String]) -> Result<()> {
    if sample == TIMES_SUBMITS {
        let ended = call(sample)?.args(["--profile"]).run()?.with_code(EXIT_SKIPPED.into())?;
        ensure!(ended.stderr.contains("there is nothing to trace or capture"), "{ended}");
        return Ok(());
    }
    let (ended, log) = logged(call(sample)?.args(["--profile"]))?;
    let prepared = if sample == EMPTIES_CACHES { &["prepare", "empty the caches"][..] } else { &["prepare"] };
    let shown = frames(&log, prepared)?;
    let names: Vec<&str> = shown.iter().map(|frame| frame.variant.as_str()).collect();
    ensure!(names == variants, "frames of {names:?} instead of {variants:?}: {ended}");
    for frame in &shown {
        let line = ended.stdout.lines().find(|line| line.split(' ').next() == Some(&frame.variant));
        let line = line.with_context(|| format!("no line of {}: {ended}", frame.variant))?;
        let last = format!(" {}, ", frame.last_submit);
        ensure!(line.contains(&last), "'{last}' is not in '{line}'");
        for (kind, count) in &frame.counts {
            let said = format!(", {count} {kind}");
            ensure!(line.contains(&said), "'{said}' is not in '{line}'");
        }
    }
    ensure!(!log.submits().any(|recording| recording.has_query()), "a query in a capture");
    Ok(())
}

/// What lies between the labels of a frame.
struct Frame {
    variant: String,
    /// Numbers of dispatches and draws.
    counts: BTreeMap<String, usize>,
    /// Number of its last submit, counted from 1.
    last_submit: usize,
}

/// A sample whose times are not of its variants' commands.
const TIMES_SUBMITS: &str = "round_trip";
/// A sample that is always measured with empty caches.
const EMPTIES_CACHES: &str = "hidden_latency";

/// Labels of a frame, from the outside in.
const BEGIN: [&str; 2] = ["capture-marker,begin_capture", "AmdFrameBegin"];
const END: [&str; 2] = ["AmdFrameEnd", "capture-marker,end_capture"];

/// Takes the log apart into frames, each with its preparation before, in these regions, and its verification behind it.
fn frames(log: &Log, prepared: &[&str]) -> Result<Vec<Frame>> {
    let mut frames = Vec::new();
    let (mut at, mut submits) = (0, 0);
    // Of the last submit outside of frames.
    let mut before: &[String] = &[];
    while let Some(handed) = log.handed.get(at) {
        match handed {
            Handed::Submit { recording, .. } => {
                (before, at, submits) = (&recording.outermost, at + 1, submits + 1);
            }
            Handed::Label { .. } => {
                let rest = &log.handed[at..];
                let count = rest.iter().skip(BEGIN.len()).take_while(|h| is_submit(h)).count();
                submits += count;
                let length = BEGIN.len() + count + END.len();
                let context = || format!("the frame at submit {submits}");
                let (variant, counts) = frame(rest, count).with_context(context)?;
                ensure!(before == prepared, "{before:?} was submitted before {variant}");
                let Some(Handed::Submit { recording, .. }) = rest.get(length) else {
                    anyhow::bail!("no submit follows the frame of {variant}");
                };
                ensure!(recording.outermost == ["verify"], "{recording:?} was submitted after {variant}");
                frames.push(Frame { variant, counts, last_submit: submits });
                at += length;
            }
        }
    }
    Ok(frames)
}

fn is_submit(handed: &Handed) -> bool {
    matches!(handed, Handed::Submit { .. })
}

/// The variant and the numbers of its dispatches and draws, where `count` submits lie between the labels of a frame.
fn frame(handed: &[Handed], count: usize) -> Result<(String, BTreeMap<String, usize>)> {
    let (begin, rest) = handed.split_at(BEGIN.len().min(handed.len()));
    let (inside, rest) = rest.split_at(count);
    labels_are(begin, &BEGIN)?;
    labels_are(&rest[..END.len().min(rest.len())], &END)?;
    let (mut names, mut counts) = (BTreeSet::new(), BTreeMap::new());
    for handed in inside {
        let Handed::Submit { recording, .. } = handed else { continue };
        // One for each command buffer.
        names.extend(recording.outermost.iter().cloned());
        for (command, regions) in &recording.commands {
            if command == "timestamp" && *regions == 1 {
                continue;
            }
            ensure!(["dispatch", "draw"].contains(&&**command), "{command} among the commands of a variant");
            ensure!(*regions > 1, "a {command} without a region of its own: {recording:?}");
            *counts.entry(command.clone()).or_insert(0) += 1;
        }
    }
    ensure!(names.len() == 1 && !counts.is_empty(), "{counts:?} in regions {names:?}");
    Ok((names.into_iter().collect(), counts))
}

fn labels_are(handed: &[Handed], names: &[&str]) -> Result<()> {
    let is = |(handed, wanted): (&Handed, &&str)| match handed {
        // A label that stays open over a submit crashes captures of Radeon GPU Profiler.
        Handed::Label { call, name } => call == "queue insert label" && name == wanted,
        Handed::Submit { .. } => false,
    };
    ensure!(
        handed.len() == names.len() && handed.iter().zip(names).all(is),
        "{handed:?} instead of the labels {names:?}"
    );
    Ok(())
}

/// A lawful variant that is wrong fails the run and is named, and so is a seeded fault of another size.
fn a_wrong_result_fails_a_profile() -> Result<()> {
    let checkout = Checkout::copy()?;
    checkout.replace("data_race/race.comp", "d <= RADIUS", "d < RADIUS")?;
    let ended = checkout.call("data_race")?.words("--profile --size 64").failed()?;
    for variant in ["full_barrier_64x64", "seeded_fault_64x64"] {
        let line = ended.stdout.lines().find(|line| line.split(' ').next() == Some(variant));
        let failed =
            line.is_some_and(|line| line.contains(" FAILED: submit ") && line.contains("pixels differ"));
        ensure!(failed, "{variant} did not fail: {ended}");
    }
    // A race is counted, not judged.
    ended.shows(&["wrong pixels (expected)"])
}

/// RADV names captures after the second: a frame shares its own with no other submit.
fn captures_have_seconds_of_their_own() -> Result<()> {
    let words = "--profile --size 32 --variants no_barrier_32*";
    let shown = |ended: &Ended| ended.stdout.lines().filter(|line| line.contains(" submit ")).count();
    let lasts = |call: Call| -> Result<(usize, Duration)> {
        let began = Instant::now();
        let ended = call.words(words).right()?;
        Ok((shown(&ended), began.elapsed()))
    };
    let (variants, waiting) = lasts(Call::new("data_race")?.env("MESA_VK_TRACE_PER_SUBMIT", "1"))?;
    ensure!(variants > 0, "no variant was shown");
    // A whole second before and one behind each variant.
    let least = 2 * Duration::from_secs(1) * u32::try_from(variants)?;
    ensure!(waiting >= least, "{variants} variants took {waiting:?}, less than {least:?}");
    let (_, plain) = lasts(Call::new("data_race")?)?;
    ensure!(
        plain + Duration::from_secs(1) < waiting,
        "it waits without a capture too: {plain:?} and {waiting:?}"
    );
    Ok(())
}
