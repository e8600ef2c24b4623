//! Counters that cannot be trusted.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::Ended as End;

use crate::support::{Checkout, trial};

const SAMPLE: &str = "pipelined_events";
const SMALL: &str = "--size 96 --bands 2 --align 8";

const COMPARE: &str = "lab/compare.comp";

/// Name, the shader of the runner and what is replaced in it by what, and whether the shader under test is broken as
/// well.
const COUNTERS: [(&str, &str, &[[&str; 2]], bool); 4] = [
    ("counts_nothing", COMPARE, &[["if (count > 0u)", "if (false)"]], true),
    (
        "counts_only_the_first_half",
        COMPARE,
        &[["if (differs(i))", "if (differs(i) && 2 * i < elements)"]],
        true,
    ),
    (
        "counts_what_is_right",
        COMPARE,
        &[["&& quad_is_equal(4u * quad)", "&& false"], ["if (differs(i))", "if (!differs(i))"]],
        false,
    ),
    ("compares_a_row_late", "lab/lay_out.comp", &[["% sides.x, number", "% sides.x, 1u + number"]], false),
];

pub fn trials() -> Vec<Trial> {
    COUNTERS
        .map(|(name, shader, edits, broken)| {
            trial(format!("counter::{name}"), move || told(shader, edits, broken))
        })
        .into()
}

/// The device's count is not believed where the CPU counts otherwise: nothing is right then.
fn told(shader: &str, edits: &[[&str; 2]], also_broken: bool) -> Result<()> {
    let checkout = Checkout::copy()?;
    for [old, new] in edits {
        checkout.replace(shader, old, new)?;
    }
    if also_broken {
        checkout.replace("chain/step.comp", "d <= RADIUS", "d < RADIUS")?;
    }
    let call = || Ok::<_, anyhow::Error>(checkout.call(SAMPLE)?.words(SMALL));
    let ended = call()?.words("--samples 2 --repetitions 2 --json -").failed()?;
    let line = ended.stderr.lines().find(|line| line.contains("the device counted"));
    ensure!(line.is_some_and(|line| line.contains("the CPU")), "no word of the counter: {ended}");
    let record = ended.record()?;
    let says = |reason: &str| reason.contains("the device counted");
    ensure!(matches!(&record.ended, End::Failed { reason } if says(reason)), "{:?}", record.ended);
    ensure!(record.rows.iter().all(|row| row.isolated_us.is_none()), "a time in spite of it: {ended}");
    let ended = call()?.words("--check").failed()?;
    ended.shows(&["the device counted"])?;
    ensure!(!ended.stdout.contains(" ok:"), "something is right in spite of it: {ended}");
    Ok(())
}
