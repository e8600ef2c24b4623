//! Clocks and buffers that cannot be trusted: a status and a reason, never a picture.

use std::fs;

use anyhow::{Context, Result, bail, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_SKIPPED};
use record::{Ended as End, Traced, read_json};

use crate::support::{Call, Checkout, read_record, trial};
use crate::{SAMPLE, SMALL};

const WRAPPER: &str = "lab/trace.glsl";
const CLOCK: &str = "return clockRealtime2x32EXT();";

/// Name, what the wrapper holds, what that is replaced by, and what is said of the traces.
const BROKEN: [(&str, &str, &str, &str); 6] = [
    ("clock_stands_still", CLOCK, "return uvec2(7, 0);", "stands still"),
    ("clock_runs_backwards", CLOCK, "return uvec2(0) - clockRealtime2x32EXT();", "runs backwards"),
    (
        "two_clock_domains",
        CLOCK,
        "return clockRealtime2x32EXT() + uvec2((gl_WorkGroupID.x & 1u) * 400000000u, 0);",
        "do not agree",
    ),
    ("buffer_overflows", "slot < trace_slots", "slot + 3 < trace_slots", "found no slot"),
    ("end_never_noted", "TRACE_BEGUN | TRACE_ENDED", "TRACE_BEGUN", "never came to their end"),
    (
        "result_changed",
        "    traced_main();",
        "    if (gl_WorkGroupID.y > 0) { traced_main(); }",
        "were wrong",
    ),
];

const PARTS: &str = "lab/trace_parts.glsl";

/// The same of what is put around a kernel that names its parts.
const BROKEN_PARTS: [(&str, &str, &str, &str); 6] = [
    ("part_not_known", "uvec2(part, now)", "uvec2(part + 2u, now)", "the kernel names pass 3 of 3"),
    ("unit_not_known", "trace_draws(unit, slot)", "trace_draws(unit + 1u, slot)", "names a tile"),
    ("stamp_not_known", "n < TRACE_STAMPS", "n + 1 < TRACE_STAMPS", "or a stamp"),
    (
        "part_never_named",
        "trace_draws(unit, slot)",
        "trace_draws(unit, slot) || part == 1u",
        "no wave of pass 2",
    ),
    (
        "stamps_out_of_order",
        "[(n + 2) % 4] = trace_low(trace_clock());",
        "[(n + 2) % 4] = trace_low(trace_clock()) - n * 1000000000u;",
        "runs backwards",
    ),
    ("unit_never_ended", "TRACE_BEGUN | TRACE_ENDED", "TRACE_BEGUN", "never came to their end"),
];

pub fn trials() -> Vec<Trial> {
    let broken = BROKEN.into_iter();
    let mut trials: Vec<Trial> = broken
        .map(|(name, old, new, says)| {
            trial(format!("hostile::{name}"), move || refused(BARRIER, WRAPPER, old, new, says))
        })
        .collect();
    trials.extend(BROKEN_PARTS.into_iter().map(|(name, old, new, says)| {
        trial(format!("hostile::{name}"), move || refused(ONE_DISPATCH, PARTS, old, new, says))
    }));
    let clock = ("lab/clock.comp", "ticks = clockRealtime2x32EXT();");
    trials.push(trial("hostile::no_tick", move || {
        refused(BARRIER, clock.0, clock.1, "ticks = uvec2(5, 0);", "stands still")
    }));
    trials.push(trial("hostile::no_clock", no_clock));
    trials.push(trial("hostile::no_memory", no_memory));
    trials.push(trial("hostile::no_ending", no_ending));
    trials
}

const BARRIER: &str = "full_barrier";
const ONE_DISPATCH: &str = "tile_flags_chained_staged";

/// The run goes on, the row says why it has no trace, and no timeline of it is drawn.
fn refused(variant: &str, shader: &str, old: &str, new: &str, says: &str) -> Result<()> {
    let checkout = Checkout::copy()?;
    checkout.replace(shader, old, new)?;
    let [out, json] = ["out.svg", "out.json"].map(|name| checkout.path().join(name));
    let call = checkout.call(SAMPLE)?.words(SMALL).args(["--variant", variant]);
    let call = call.args(["--trace".as_ref(), out.as_os_str(), "--json".as_ref(), json.as_os_str()]);
    let ended = call.run()?;
    let record = read_json(&fs::read_to_string(json)?)?;
    let row = record.rows.iter().find(|row| row.variant == variant).context("no such row")?;
    ensure!(row.isolated_us.is_some(), "its time is lost: {ended}");
    match &row.trace {
        Some(Traced::Refused { reason }) if reason.contains(says) => {}
        other => bail!("no word of '{says}': {other:?}"),
    }
    ensure!(ended.stdout.contains(says), "no word of '{says}': {ended}");
    if !record.rows.iter().any(|row| matches!(row.trace, Some(Traced::Ok { .. }))) {
        let ended = ended.with_code(EXIT_FAILED.into())?;
        ensure!(!fs::exists(&out)? && ended.stderr.contains("no variant was traced"), "{ended}");
        ensure!(matches!(record.ended, End::Failed { .. }), "the record says {:?}: {ended}", record.ended);
    }
    Ok(())
}

/// A call that fails while waves are traced ends the run: times are kept, the reason is said once whatever the
/// number of files, and the record holds it.
fn no_memory() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call =
        Call::new(SAMPLE)?.words(SMALL).words("--variant full_barrier --json a.json").within(folder.path());
    let call =
        call.words("--trace out.svg --trace out.json").env("HOTLAP_FAULT", "creating buffer trace#1:memory");
    let ended = call.run()?.with_code(EXIT_FAILED.into())?;
    let reasons = ended.stderr.lines().filter(|line| line.starts_with("pipelined_events: "));
    ensure!(reasons.count() == 1 && !fs::exists(folder.path().join("out.svg"))?, "{ended}");
    let record = read_record(&folder.path().join("a.json"))?;
    let says = |reason: &str| reason.contains("out of device memory while creating buffer trace");
    ensure!(
        matches!(&record.ended, End::Failed { reason } if says(reason)),
        "the record says {:?}: {ended}",
        record.ended
    );
    ensure!(record.rows.iter().all(|row| row.isolated_us.is_some()), "its times are lost: {ended}");
    Ok(())
}

fn no_clock() -> Result<()> {
    let call = || -> Result<Call> { Ok(Call::new(SAMPLE)?.words(SMALL).env("HOTLAP_NO_WAVE_CLOCK", "1")) };
    let ended = call()?.words("--trace out.svg").run()?.with_code(EXIT_SKIPPED.into())?;
    ensure!(ended.stdout.is_empty() && ended.stderr.lines().count() == 1, "{ended}");
    ensure!(ended.stderr.contains("VK_KHR_shader_clock"), "{ended}");
    call()?.run()?.with_code(0)?;
    Ok(())
}

fn no_ending() -> Result<()> {
    for words in ["--trace out", "--trace -", "--trace out.pdf"] {
        let ended = Call::new(SAMPLE)?.words(words).run()?.with_code(EXIT_FAILED.into())?;
        ensure!(ended.stderr.lines().count() == 1 && ended.stderr.contains(".svg, .png or .json"), "{ended}");
    }
    for words in ["--check --trace out.svg", "--size 64,96 --trace out.svg", "--trace a.svg --trace a.svg"] {
        let ended = Call::new(SAMPLE)?.words(words).run()?.with_code(EXIT_FAILED.into())?;
        ensure!(ended.stderr.contains("--trace"), "{ended}");
    }
    Ok(())
}
