//! Shaders that compute something else, and counters that cannot be trusted.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use record::{Ended as End, Kind, Promise, Record, Row, Status, read_json};

use crate::SAMPLE;
use crate::support::{Checkout, Ended, is_lawful, trial};

const STEP: &str = "chain/step.comp";
const TEXEL: &str = "chain/texel.glsl";
const COMPARE: &str = "lab/compare.comp";
/// Two bands, so that both a split pass and a whole one are tried, and a size that takes milliseconds. Passes in
/// one dispatch have kernels, and mutants, of their own.
const SMALL: &str = "--size 96 --bands 2 --align 8 --without tile_*";

/// Where a mutant shows.
#[derive(Clone, Copy)]
enum Shows {
    Everywhere,
    /// Whole passes stay right.
    WhereSplit,
}

/// What to replace by what.
type Edits = &'static [(&'static str, &'static str)];
/// Name, shader, edits, and where they must show.
type Mutant = (&'static str, &'static str, Edits, Shows);

const MUTANTS: [Mutant; 9] = [
    ("one_neighbour_too_few", STEP, &[("d <= RADIUS", "d < RADIUS")], Shows::Everywhere),
    ("one_neighbour_too_many", STEP, &[("d <= RADIUS", "d <= RADIUS + 1")], Shows::Everywhere),
    (
        "left_and_right_swapped",
        STEP,
        &[
            ("max(at.x - d, 0), at.y", "LEFT, at.y"),
            ("min(at.x + d, last.x), at.y", "max(at.x - d, 0), at.y"),
            ("LEFT, at.y", "min(at.x + d, last.x), at.y"),
        ],
        Shows::Everywhere,
    ),
    (
        "one_row_further_down",
        STEP,
        &[("min(at.y + d, last.y)", "min(at.y + d + 1, last.y)")],
        Shows::Everywhere,
    ),
    // Only the last two columns can tell.
    (
        "edge_one_too_early",
        STEP,
        &[("min(at.x + d, last.x)", "min(at.x + d, last.x - 1)")],
        Shows::Everywhere,
    ),
    ("last_row_left_out", STEP, &[("row < end_row", "row + 1 < end_row")], Shows::Everywhere),
    ("band_begins_too_high", STEP, &[("uint row = first_row +", "uint row =")], Shows::WhereSplit),
    ("generation_stands_still", TEXEL, &[("reads.generation + 1u", "reads.generation")], Shows::Everywhere),
    (
        "generation_runs_ahead",
        TEXEL,
        &[("min(reads.generation, texel >> MIX_BITS)", "(texel >> MIX_BITS) + 1u")],
        Shows::Everywhere,
    ),
];

/// Counters that cannot be trusted: name, edits, and whether the shader under test is broken as well.
const COUNTERS: [(&str, Edits, bool); 3] = [
    ("counts_nothing", &[("if (count > 0u)", "if (false)")], true),
    ("counts_only_the_first_half", &[("if (differs(i))", "if (differs(i) && 2 * i < elements)")], true),
    (
        "counts_what_is_right",
        &[("&& quad_is_equal(4u * quad)", "&& false"), ("if (differs(i))", "if (!differs(i))")],
        false,
    ),
];

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![trial("unbroken", unbroken)];
    trials.extend(MUTANTS.into_iter().flat_map(|(name, shader, edits, shows)| {
        [
            trial(format!("bench::{name}"), move || measured(shader, edits, shows)),
            trial(format!("check::{name}"), move || checked(shader, edits, shows)),
        ]
    }));
    trials.extend(COUNTERS.into_iter().flat_map(|(name, edits, broken)| {
        [
            trial(format!("counter::bench::{name}"), move || counter_measured(edits, broken)),
            trial(format!("counter::check::{name}"), move || counter_checked(edits, broken)),
        ]
    }));
    trials
}

fn bench(checkout: &Checkout) -> Result<Ended> {
    checkout.call(SAMPLE)?.words(SMALL).words("--samples 2 --repetitions 2 --json -").run()
}

fn check(checkout: &Checkout) -> Result<Ended> {
    checkout.call(SAMPLE)?.words(SMALL).words("--check").run()
}

fn broken(shader: &str, edits: Edits) -> Result<Checkout> {
    let checkout = Checkout::copy()?;
    for (old, new) in edits {
        checkout.replace(shader, old, new)?;
    }
    Ok(checkout)
}

/// Without it, a copy that cannot run at all would pass for a mutant that was caught.
fn unbroken() -> Result<()> {
    let checkout = Checkout::copy()?;
    let record = read_json(&bench(&checkout)?.with_code(EXIT_RIGHT.into())?.stdout)?;
    ensure!(record.rows.iter().all(|row| row.status == Status::Ok), "not every variant ran: {record:?}");
    let split = record.rows.iter().filter(|row| is_lawful(row) && is_split(row)).count();
    let whole = record.rows.iter().filter(|row| is_lawful(row) && !is_split(row)).count();
    ensure!(split > 0 && whole > 0, "mutants need lawful variants of both kinds: {split}, {whole}");
    check(&checkout)?.with_code(EXIT_RIGHT.into())?;
    Ok(())
}

fn is_split(row: &Row) -> bool {
    row.variant.ends_with("_2")
}

fn is_hit(row: &Row, shows: Shows) -> bool {
    matches!(shows, Shows::Everywhere) || is_split(row)
}

/// Wrong rows are called wrong and have no time.
fn measured(shader: &str, edits: Edits, shows: Shows) -> Result<()> {
    let ended = bench(&broken(shader, edits)?)?.with_code(EXIT_FAILED.into())?;
    let record = ended.record()?;
    ensure!(record.ended == End::Complete, "a wrong row ended the run: {:?}", record.ended);
    for row in &record.rows {
        let text = || format!("{} ({:?}): {:?}", row.variant, row.promise, row.status);
        match (is_hit(row, shows), must_be_right(row, &record)) {
            (true, true) => ensure!(called_wrong(row, &record), "not called wrong: {}", text()),
            // What may race is counted instead.
            (true, false) => {
                let counted = row.racy.is_some_and(|racy| racy.racy_samples == racy.samples && racy.max > 0);
                ensure!(row.status == Status::Ok && counted, "not counted: {}, {:?}", text(), row.racy);
            }
            (false, true) => ensure!(row.status == Status::Ok, "taken for wrong: {}", text()),
            // Elsewhere than on a CPU device it may race, whatever the mutant.
            (false, false) => {}
        }
    }
    Ok(())
}

/// Relying on hardware is no excuse on a CPU device, where all see one memory.
fn must_be_right(row: &Row, record: &Record) -> bool {
    let relies = matches!(row.promise, Promise::Hardware { .. });
    is_lawful(row) || relies && record.device.kind == Kind::Cpu
}

fn called_wrong(row: &Row, record: &Record) -> bool {
    let Status::Wrong { elements, first } = &row.status else { return false };
    let timeless = row.isolated_us.is_none() && row.pipelined_us.is_none() && row.samples.is_empty();
    let texels = 96 * 96 * u64::from(record.method.repetitions);
    timeless && (1..=texels).contains(elements) && first.contains("texel (")
}

/// Each wrong variant has its line, and says where.
fn checked(shader: &str, edits: Edits, shows: Shows) -> Result<()> {
    let checkout = broken(shader, edits)?;
    let record = read_json(&bench(&checkout)?.stdout)?;
    let ended = check(&checkout)?.with_code(EXIT_FAILED.into())?;
    for row in record.rows.iter().filter(|row| is_lawful(row)) {
        let mut lines = ended.stdout.lines();
        let line = lines.find(|line| line.split_whitespace().next() == Some(&row.variant));
        let expected = if is_hit(row, shows) { "FAILED" } else { "ok:" };
        ensure!(
            line.is_some_and(|line| line.contains(expected)),
            "{} not {expected} in {ended}",
            row.variant
        );
        let below = lines.next().unwrap_or_default();
        ensure!(
            !is_hit(row, shows)
                || below.contains(" differ from the CPU ") && below.contains(", the first at texel ("),
            "no word of where {} is wrong: {ended}",
            row.variant
        );
    }
    Ok(())
}

fn with_counter(edits: Edits, also_broken: bool) -> Result<Checkout> {
    let checkout = broken(COMPARE, edits)?;
    if also_broken {
        checkout.replace(STEP, "d <= RADIUS", "d < RADIUS")?;
    }
    Ok(checkout)
}

/// The device's count is not believed where the CPU counts otherwise: nothing is right then.
fn counter_measured(edits: Edits, also_broken: bool) -> Result<()> {
    let ended = bench(&with_counter(edits, also_broken)?)?.with_code(EXIT_FAILED.into())?;
    let line = ended.stderr.lines().find(|line| line.contains("the device counted"));
    ensure!(line.is_some_and(|line| line.contains("the CPU")), "no word of the counter: {ended}");
    let record = ended.record()?;
    ensure!(
        matches!(&record.ended, End::Failed { reason } if reason.contains("the device counted")),
        "the record does not say how it ended: {:?}",
        record.ended
    );
    ensure!(record.rows.iter().all(|row| row.isolated_us.is_none()), "a time in spite of it: {ended}");
    Ok(())
}

fn counter_checked(edits: Edits, also_broken: bool) -> Result<()> {
    let ended = check(&with_counter(edits, also_broken)?)?.with_code(EXIT_FAILED.into())?;
    ensure!(ended.stdout.contains("the device counted"), "no word of the counter: {ended}");
    ensure!(!ended.stdout.contains(" ok:"), "something is right in spite of it: {ended}");
    Ok(())
}
