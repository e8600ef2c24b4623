//! Clocks and buffers that cannot be trusted: a status and a reason, never a picture.

use std::fs;

use anyhow::{Context, Result, bail, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_FAILED;
use record::{Ended as End, Traced};

use crate::support::{Call, Checkout, holds_only, read_record, trial};
use crate::{SAMPLE, SMALL};

const WRAPPER: &str = "lab/trace.glsl";
const CLOCK: &str = "return clockRealtime2x32EXT();";

const PARTS: &str = "lab/trace_parts.glsl";
const BARRIER: &str = "full_barrier";
const ONE_DISPATCH: &str = "tile_flags_chained_staged";

/// Name, what is put around a kernel or the clock's own kernel holds, what that is replaced by, and what is said of the
/// traces.
type Broken = [&'static str; 4];

const BROKEN: [Broken; 6] = [
    ["clock_stands_still", CLOCK, "return uvec2(7, 0);", "stands still"],
    ["clock_runs_backwards", CLOCK, "return uvec2(0) - clockRealtime2x32EXT();", "runs backwards"],
    [
        "two_clock_domains",
        CLOCK,
        "return clockRealtime2x32EXT() + uvec2((gl_WorkGroupID.x & 1u) * 400000000u, 0);",
        "do not agree",
    ],
    ["buffer_overflows", "slot < trace_slots", "slot + 3 < trace_slots", "found no slot"],
    ["end_never_noted", "TRACE_BEGUN | TRACE_ENDED", "TRACE_BEGUN", "never came to their end"],
    [
        "result_changed",
        "    traced_main();",
        "    if (gl_WorkGroupID.y > 0) { traced_main(); }",
        "were wrong",
    ],
];

/// The same of what is put around a kernel that names its parts.
const BROKEN_PARTS: [Broken; 6] = [
    ["part_not_known", "uvec2(part, now)", "uvec2(part + 2u, now)", "the kernel names pass 3 of 3"],
    ["unit_not_known", "trace_draws(unit, slot)", "trace_draws(unit + 1u, slot)", "names a tile"],
    ["stamp_not_known", "n < TRACE_STAMPS", "n + 1 < TRACE_STAMPS", "or a stamp"],
    [
        "part_never_named",
        "trace_draws(unit, slot)",
        "trace_draws(unit, slot) || part == 1u",
        "no wave of pass 2",
    ],
    [
        "stamps_out_of_order",
        "[(n + 2) % 4] = trace_low(trace_clock());",
        "[(n + 2) % 4] = trace_low(trace_clock()) - n * 1000000000u;",
        "runs backwards",
    ],
    ["unit_never_ended", "TRACE_BEGUN | TRACE_ENDED", "TRACE_BEGUN", "never came to their end"],
];

const BROKEN_CLOCK: [Broken; 1] =
    [["no_tick", "ticks = clockRealtime2x32EXT();", "ticks = uvec2(5, 0);", "stands still"]];

pub fn trials() -> Vec<Trial> {
    let of = |variant: &'static str, shader: &'static str| {
        move |[name, old, new, says]: Broken| {
            trial(format!("hostile::{name}"), move || refused(variant, [shader, old, new], says))
        }
    };
    let mut trials: Vec<Trial> = BROKEN.map(of(BARRIER, WRAPPER)).into();
    trials.extend(BROKEN_PARTS.map(of(ONE_DISPATCH, PARTS)));
    trials.extend(BROKEN_CLOCK.map(of(BARRIER, "lab/clock.comp")));
    trials.push(trial("hostile::no_memory", no_memory));
    trials
}

/// The run goes on, the row says why it has no trace, and no timeline of it is drawn.
fn refused(variant: &str, [shader, old, new]: [&str; 3], says: &str) -> Result<()> {
    let checkout = Checkout::copy()?;
    checkout.replace(shader, old, new)?;
    let call = checkout.call(SAMPLE)?.words(SMALL).args(["--variant", variant]);
    let ended = call.words("--trace out.svg --json out.json").run()?;
    let record = read_record(&checkout.path().join("out.json"))?;
    let row = record.rows.iter().find(|row| row.variant == variant).context("no such row")?;
    ensure!(row.isolated_us.is_some(), "its time is lost: {ended}");
    match &row.trace {
        Some(Traced::Refused { reason }) if reason.contains(says) => {}
        other => bail!("no word of '{says}': {other:?}"),
    }
    ended.shows(&[says])?;
    if !record.rows.iter().any(|row| matches!(row.trace, Some(Traced::Ok { .. }))) {
        let ended = ended.with_code(EXIT_FAILED.into())?;
        ensure!(
            !fs::exists(checkout.path().join("out.svg"))? && ended.stderr.contains("no variant was traced"),
            "{ended}"
        );
        ensure!(matches!(record.ended, End::Failed { .. }), "the record says {:?}: {ended}", record.ended);
    }
    Ok(())
}

/// A call that fails while waves are traced ends the run: times are kept, the reason is said once whatever the
/// number of files, and the record holds it.
fn no_memory() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let words = "--variant full_barrier --json a.json --trace out.svg --trace out.json";
    let call = Call::new(SAMPLE)?.words(SMALL).words(words).within(folder.path());
    let ended = call.env("HOTLAP_FAULT", "creating buffer trace#1:memory").failed()?;
    let reason = ended.reason()?.to_owned();
    ensure!(reason.contains("out of device memory while creating buffer trace"), "{ended}");
    holds_only(folder.path(), &["a.json"])?;
    let record = read_record(&folder.path().join("a.json"))?;
    ensure!(record.ended == End::Failed { reason }, "the record says {:?}: {ended}", record.ended);
    ensure!(record.rows.iter().all(|row| row.isolated_us.is_some()), "its times are lost: {ended}");
    Ok(())
}
