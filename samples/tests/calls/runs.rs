//! Which variants and values a call runs: some of them, splits into bands, and sweeps.

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::{Record, Row, Status};

use crate::SAMPLE;
use crate::support::{Call, read_record, trial};

pub fn trials() -> Vec<Trial> {
    vec![
        trial("runs::some_variants", some_variants),
        trial("runs::split_impossible", split_impossible),
        trial("runs::each_value_has_its_run", each_value_has_its_run),
        trial("runs::a_sweep_checks_too", a_sweep_checks_too),
    ]
}

/// The two that ratios are made with come along, and nothing else.
fn some_variants() -> Result<()> {
    let words = "--size 96 --bands 2 --align 8 --variants events_2 --samples 1";
    let record = Call::new(SAMPLE)?.words(words).record()?;
    let names: Vec<&str> = record.rows.iter().map(|row| row.variant.as_str()).collect();
    ensure!(names == ["no_barrier", "full_barrier", "events_2"], "{names:?}");
    ensure!(record.rows.iter().all(|row| row.to_bound.is_some() && row.to_baseline.is_some()), "no ratios");
    Ok(())
}

/// The reason names the smallest size, which is that.
fn split_impossible() -> Result<()> {
    let call = |size: &str| -> Result<Call> {
        Ok(Call::new(SAMPLE)?.words("--bands 4 --samples 1 --size").args([size]))
    };
    let left_out = |record: &Record| -> Vec<String> {
        let reason = |row: &Row| match &row.status {
            Status::Skipped { reason } => Some(reason.clone()),
            _ => None,
        };
        record.rows.iter().filter_map(reason).collect()
    };
    let record = call("128")?.record()?;
    let reasons = left_out(&record);
    ensure!(reasons.len() == 3 && record.rows.len() == 6, "{:?}", record.rows);
    let after = reasons[0].split_once("--size ").context("it names no size")?.1;
    let smallest = after.split(' ').next().unwrap_or_default();
    // Lines lie 64 rows apart and move up by 64 in each pass after the first: the third line of the
    // first pass is at 3 * 64 + 2 * 64, with one row below it.
    ensure!(smallest == "128x321", "not the smallest size: {reasons:?}");
    for reason in &reasons {
        ensure!(["4 bands", "3 passes", "--align"].iter().all(|text| reason.contains(text)), "{reason}");
    }

    let record = call(smallest)?.record()?;
    let split = record.rows.iter().filter(|row| row.variant.ends_with("_4") && row.status == Status::Ok);
    ensure!(split.count() == 3, "not all was split into 4 bands at {smallest}");
    ensure!(left_out(&call("128x320")?.record()?) == reasons, "another reason one row below {smallest}");
    Ok(())
}

fn each_value_has_its_run() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let words = "--samples 1 --variants no_barrier --size 16..64*2 --radius 1,2 --out kept";
    let ended = Call::new(SAMPLE)?.words(words).within(folder.path()).right()?;
    for size in ["16", "32", "64"] {
        for radius in ["1", "2"] {
            let kept = format!("kept/size={size}-radius={radius}/record.json");
            let used = read_record(&folder.path().join(kept))?.configuration;
            ensure!(used["size"] == format!("{size}x{size}") && used["radius"] == radius, "{used:?}");
        }
    }
    ended.shows(&["size=16, radius=1: 2 of 2 variants", "size=64, radius=2: 2 of 2 variants"])?;
    let words = "--samples 1 --variants no_barrier --size 16,32 --times";
    Call::new(SAMPLE)?.words(words).right()?.shows(&[
        "size=16   size=32",
        "barrier after each pass",
        "no sync",
    ])
}

fn a_sweep_checks_too() -> Result<()> {
    let ended = Call::new(SAMPLE)?.words("--check --variants full_barrier --size 16,32").right()?;
    ensure!(ended.stdout.matches("full_barrier").count() == 2, "{ended}");
    Ok(())
}
