//! Clocks and buffers that cannot be trusted: a status and a reason, never a picture.

use std::fs;

use anyhow::{Result, ensure};
use common::error::{EXIT_FAILED, EXIT_SKIPPED};
use common::record::Traced;
use libtest_mimic::Trial;

use crate::support::{Call, Checkout, trial};
use crate::{SAMPLE, SMALL, run_traced};

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
    ("end_never_noted", "|= TRACE_ENDED", "|= 0u", "never came to their end"),
    (
        "result_changed",
        "    traced_main();",
        "    if (gl_WorkGroupID.y > 0) { traced_main(); }",
        "were wrong",
    ),
];

pub fn trials() -> Vec<Trial> {
    let broken = BROKEN.into_iter();
    let mut trials: Vec<Trial> = broken
        .map(|(name, old, new, says)| {
            trial(format!("hostile::{name}"), move || refused(WRAPPER, old, new, says))
        })
        .collect();
    let clock = ("lab/clock.comp", "ticks = clockRealtime2x32EXT();");
    trials.push(trial("hostile::no_tick", move || {
        refused(clock.0, clock.1, "ticks = uvec2(5, 0);", "stands still")
    }));
    trials.push(trial("hostile::no_clock", no_clock));
    trials.push(trial("hostile::no_ending", no_ending));
    trials
}

/// The run goes on, the row says why it has no trace, and no timeline is written.
fn refused(shader: &str, old: &str, new: &str, says: &str) -> Result<()> {
    let checkout = Checkout::copy()?;
    checkout.replace(shader, old, new)?;
    let out = checkout.path().join("out.svg");
    let call = checkout.call(SAMPLE)?.words(SMALL).words("--variant full_barrier");
    let ended = call.args(["--trace".as_ref(), out.as_os_str()]).run()?.with_code(EXIT_FAILED.into())?;
    ensure!(!fs::exists(&out)?, "a picture was drawn");
    ensure!(
        ended.stdout.contains("full_barrier") && ended.stdout.contains(says),
        "no word of '{says}': {ended}"
    );
    ensure!(ended.stderr.contains("no variant was traced"), "{ended}");
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
