//! Wave timelines: every sample can be traced, nothing of it is in a timing run, and what cannot be
//! trusted is refused with a reason. A trace from a CPU device shows no overlap, which is the truth
//! there.

mod hostile;
mod parts;
#[path = "../support/mod.rs"]
mod support;
mod written;

use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use record::error::EXIT_SKIPPED;
use record::trace::TraceFigures;
use record::{Record, Row, Traced};
use support::{Call, Ended, for_each_sample, quick, trial};

const SAMPLE: &str = "pipelined_events";
/// Two bands, and a size that takes milliseconds.
const SMALL: &str = "--size 96 --bands 2 --align 8 --samples 2";
/// A sample whose times are not of its variants' commands.
const TIMES_SUBMITS: &str = "round_trip";
const LAYER: &str = "VK_LAYER_KHRONOS_validation";

fn main() -> Result<ExitCode> {
    let mut trials = for_each_sample(&[("traced", traced)])?;
    trials.push(trial("the_same_kernels_are_timed", the_same_kernels_are_timed));
    trials.push(trial("two_queues_are_traced", two_queues_are_traced));
    trials.push(trial("the_layer_is_silent", the_layer_is_silent));
    trials.extend(hostile::trials()?);
    trials.extend(parts::trials());
    trials.extend(written::trials());
    support::run(trials)
}

/// The record of a traced run, and what it said.
fn run_traced(call: Call) -> Result<(Record, Ended)> {
    let folder = tempfile::tempdir()?;
    let ended = call.words("--json - --trace t.json").within(folder.path()).right()?;
    Ok((ended.record()?, ended))
}

fn figures(row: &Row) -> Result<&TraceFigures> {
    match &row.trace {
        Some(Traced::Ok { figures, .. }) => Ok(figures),
        other => anyhow::bail!("{}: {other:?}", row.variant),
    }
}

/// Every variant that has a time has a trace, whose dispatches are those that it records, one after the
/// other.
fn traced(sample: &str) -> Result<()> {
    if sample == TIMES_SUBMITS {
        let ended = Call::new(sample)?.words("--trace t.json").run()?.with_code(EXIT_SKIPPED.into())?;
        ensure!(ended.stderr.contains("there is nothing to trace or capture"), "{ended}");
        return Ok(());
    }
    let size = quick(sample, "64x384")?;
    let call = Call::new(sample)?.words(&size).words("--all --samples 1 --repetitions 2");
    let (record, ended) = run_traced(call)?;
    let timed = || record.rows.iter().filter(|row| row.isolated_us.is_some());
    ensure!(timed().count() > 0, "nothing has a time: {ended}");
    for row in timed() {
        let figures = figures(row)?;
        ensure!(figures.whole.span_us() <= figures.stamps_us * 1.02 + 3.0, "{}: {figures:?}", row.variant);
        if figures.dispatches.iter().any(|dispatch| dispatch.part.is_some()) {
            parts::complete(&record, row, figures)?;
            continue;
        }
        let overlapping = figures.overlapping();
        ensure!(overlapping.0 == 0, "{}: {overlapping:?} dispatches overlap on a CPU", row.variant);
        for dispatch in &figures.dispatches {
            // Kernels of a name may differ in their workgroups.
            let of_name = record.kernels.iter().filter(|kernel| kernel.name == dispatch.kernel);
            let groups: u64 = dispatch.groups.iter().map(|&n| u64::from(n)).product();
            let mut waves = of_name.map(|kernel| {
                let workgroup: u32 = kernel.workgroup.iter().product();
                groups * u64::from(workgroup.div_ceil(record.device.subgroup_size))
            });
            if let [width, height, 0] = dispatch.groups {
                // Waves of a draw may not be full, and small triangles do not cover the viewport.
                let most = if height == 0 { width } else { width * height };
                let full = f64::from(most / record.device.subgroup_size);
                let triangles = row.variant.split('_').find_map(|word| word.parse::<u32>().ok());
                let (least, most) = match triangles.filter(|_| sample == "first_pixel") {
                    Some(triangles) if height > 0 => (f64::from(triangles) / 8.0, 4.0 * f64::from(triangles)),
                    _ if height == 0 => (full, f64::from(most)),
                    _ => (full, 2.0 * full),
                };
                let is_whole = dispatch.one_in == 1 && (least..=most).contains(&dispatch.phases.waves);
                ensure!(is_whole, "{}: waves are missing: {dispatch:?}", row.variant);
                continue;
            }
            let is_whole = waves.any(|waves| (dispatch.phases.waves / waves as f64 - 1.0).abs() < 1e-9);
            ensure!(is_whole, "{}: waves are missing: {dispatch:?}", row.variant);
        }
    }
    ensure!(record.rows.iter().all(|row| row.trace.is_none() || row.isolated_us.is_some()), "{ended}");
    Ok(())
}

/// A record with a trace names the same code as one without.
fn the_same_kernels_are_timed() -> Result<()> {
    let call = || -> Result<Call> { Ok(Call::new(SAMPLE)?.words(SMALL).words("--all")) };
    let (traced, _) = run_traced(call()?)?;
    let plain = call()?.record()?;
    let own = |record: &Record| -> Vec<_> {
        record.kernels.iter().map(|kernel| (kernel.name.clone(), kernel.spirv_sha256.clone())).collect()
    };
    ensure!(!own(&plain).is_empty() && own(&plain) == own(&traced), "{plain:?}\n{traced:?}");
    ensure!(plain.rows.iter().all(|row| row.trace.is_none()), "{plain:?}");
    Ok(())
}

fn two_queues_are_traced() -> Result<()> {
    let call = Call::new("event_matrix")?.words(SMALL).words("--variants two_queues");
    let call = call.env("HOTLAP_ONE_QUEUE_AS_SEVERAL", "1");
    let (record, ended) = run_traced(call)?;
    let row = record.rows.iter().find(|row| row.variant == "two_queues").context("no such row")?;
    let dispatches = figures(row)?.dispatches.len();
    // Three passes in two bands.
    ensure!(dispatches == 6, "{dispatches} dispatches: {ended}");
    Ok(())
}

/// What a traced run submits is as valid as the rest.
fn the_layer_is_silent() -> Result<()> {
    let call = Call::new(SAMPLE)?.words(SMALL).env("VK_INSTANCE_LAYERS", LAYER);
    let folder = tempfile::tempdir()?;
    let call = call.env("VK_LOADER_DEBUG", "layer").words("--trace t.json").within(folder.path());
    let ended = call.right()?;
    // What the layer has to say without a messenger goes to the standard output.
    ensure!(ended.stderr.contains(LAYER) && !ended.stdout.contains("VUID"), "{ended}");
    Ok(())
}
