//! Passes in one dispatch: each is traced as if it were a dispatch of its own, and its waves say what they do.

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::trace::{DispatchFigures, TraceFigures};
use record::{Record, Row};

use crate::support::{Call, trial};
use crate::{figures, run_traced};

const SAMPLE: &str = "tiles_in_one_dispatch";
const WORDS: &str = "--size 192 --workgroup 10x8x4 --passes 5 --samples 2";
/// Per pass, and invocations of each.
const TILES: u32 = 30;
const INVOCATIONS: u32 = 10 * 8;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("parts::each_tile_is_traced", passes),
        trial("parts::one_tile_of_several_is_recorded", sampled),
    ]
}

/// Dispatches that are parts, each after the other, have all waves of their units together.
pub fn complete(record: &Record, row: &Row, figures: &TraceFigures) -> Result<()> {
    let parts = &figures.dispatches;
    let in_a_row = parts.iter().any(|part| part.overlap.is_some_and(|overlap| overlap.at_work_us.is_some()));
    for (number, dispatch) in (1..).zip(parts) {
        let part = dispatch.part.as_ref().with_context(|| format!("{}: {dispatch:?}", row.variant))?;
        ensure!(part.number == number && part.of as usize == parts.len(), "{}: {part:?}", row.variant);
        told(dispatch, in_a_row && number < part.of).with_context(|| row.variant.clone())?;
    }
    let first = parts.first().context("no part")?;
    let units = first.part.as_ref().map_or(0, |part| part.units);
    let waves: f64 = parts.iter().map(|dispatch| dispatch.phases.waves).sum();
    // Kernels of one file may differ in their workgroups.
    let kernels = record.kernels.iter().filter(|kernel| kernel.name == first.kernel);
    let expected: Vec<f64> = kernels
        .map(|kernel| kernel.workgroup.iter().product::<u32>().div_ceil(record.device.subgroup_size))
        .map(|per_unit| f64::from(units * per_unit))
        .collect();
    let is_whole = expected.iter().any(|expected| (waves / expected - 1.0).abs() < 1e-9);
    ensure!(first.one_in > 1 || is_whole, "{}: {waves} waves, not {expected:?}", row.variant);
    Ok(())
}

/// Shares sum up to all, and who comes first says when the next one's work begins.
fn told(dispatch: &DispatchFigures, has_next: bool) -> Result<()> {
    let shares: f64 = dispatch.stretches.iter().map(|stretch| stretch.share).sum();
    let wave_us: f64 = dispatch.stretches.iter().map(|stretch| stretch.wave_us).sum();
    ensure!((shares - 1.0).abs() < 1e-6, "{dispatch:?}");
    ensure!((wave_us / dispatch.wave_us - 1.0).abs() < 1e-6, "{dispatch:?}");
    let at_work = dispatch.overlap.and_then(|overlap| overlap.at_work_us);
    ensure!(at_work.is_some() == has_next, "{dispatch:?}");
    let later = dispatch.overlap.zip(at_work).is_none_or(|(overlap, at_work)| at_work <= overlap.us + 1e-6);
    // A wave that a busy machine puts aside behind its last store may end when all of the next part has.
    let apart_or_within = dispatch.overlap.is_none_or(|overlap| overlap.us <= 0.0 || overlap.share >= 1.0);
    ensure!(later || apart_or_within, "{dispatch:?}");
    Ok(())
}

fn passes() -> Result<()> {
    let call = Call::new(SAMPLE)?.words(WORDS).words("--variants tags,flags,flags_chained");
    let (record, ended) = run_traced(call)?;
    let is_of = |row: &&Row| ["tags", "flags"].iter().any(|form| row.variant.starts_with(form));
    let rows = || record.rows.iter().filter(is_of).filter(|row| row.trace.is_some());
    ensure!(rows().count() == 3, "{ended}");
    for row in rows() {
        let figures = figures(row)?;
        complete(&record, row, figures)?;
        ensure!(figures.dispatches.len() == 5, "{}: {ended}", row.variant);
        let waves = f64::from(TILES * INVOCATIONS.div_ceil(record.device.subgroup_size));
        for (number, pass) in (1..).zip(&figures.dispatches) {
            ensure!(
                (pass.phases.waves / waves - 1.0).abs() < 1e-9,
                "{}: {waves} waves, not {pass:?}",
                row.variant
            );
            let at_work = pass.overlap.and_then(|overlap| overlap.at_work_us);
            ensure!(at_work.is_some() == (number < 5), "{}: {pass:?}", row.variant);
        }
        let units = figures.dispatches[0].part.as_ref().map(|part| part.units);
        ensure!(units == Some(5 * TILES), "{}: {units:?}", row.variant);
        let told: Vec<&str> = figures.stretches.iter().map(|stretch| &*stretch.what).collect();
        ensure!(told.iter().any(|what| what.ends_with("load")), "{}: {told:?}", row.variant);
    }
    Ok(())
}

/// Three times as many waves as slots.
fn sampled() -> Result<()> {
    let call = Call::new(SAMPLE)?.words(WORDS).env("HOTLAP_TRACE_SLOTS", "518");
    let (record, ended) = run_traced(call.words("--variants flags_chained"))?;
    let row = record.rows.iter().find(|row| row.variant == "flags_chained").context("no such row")?;
    let figures = figures(row)?;
    complete(&record, row, figures)?;
    let per_pass = f64::from(TILES * INVOCATIONS.div_ceil(record.device.subgroup_size));
    let waves: f64 = figures.dispatches.iter().map(|dispatch| dispatch.phases.waves).sum();
    ensure!((waves / (5.0 * per_pass) - 1.0).abs() < 1e-9, "{waves}: {ended}");
    for dispatch in &figures.dispatches {
        let waves = dispatch.phases.waves / per_pass - 1.0;
        ensure!(dispatch.one_in == 3 && waves.abs() < 0.2, "{dispatch:?}");
    }
    Ok(())
}
