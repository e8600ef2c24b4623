//! What must be true of the zones of a run.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use record::{Record, Row};

use super::heard::{Heard, Zone};
use super::support::ran;

/// Of a row's first sample the counter is checked, and from a second one N is chosen.
const PROBES: usize = 2;
/// The windows that the floor comes from, before the first sample and behind the last.
const EMPTY: &str = "an empty window";
/// So many each time.
const EMPTY_WINDOWS: usize = 32;

/// Exactly one zone for each submit that a record tells of, and nothing else but empty windows.
pub fn all_are_there(record: &Record, heard: &Heard) -> Result<()> {
    let mut expected = BTreeMap::new();
    let warm_up = record.method.warm_up as usize;
    for row in ran(record) {
        expected.insert(row.variant.clone(), row.samples.len() + warm_up + PROBES);
        expected.insert(name_of_long(record, row), row.samples.len() + warm_up);
    }
    ensure!(expected.len() >= 6, "too few variants ran to prove anything: {expected:?}");
    let mut arrived = counted(&heard.gpu);
    arrived.remove(EMPTY);
    ensure!(arrived == expected, "of the GPU zones {expected:?} there arrived {arrived:?}");
    Ok(())
}

/// The spans of all steps, as often as each is taken, and nothing else.
pub fn spans_are_there(record: &Record, heard: &Heard) -> Result<()> {
    let arrived = counted(&heard.cpu);
    // Of an empty window there is no zone where a device writes the same time at both of its ends.
    let submits = arrived.get("submit").copied().unwrap_or_default();
    let most = heard.gpu.len() + 2 * EMPTY_WINDOWS;
    ensure!((heard.gpu.len()..=most).contains(&submits), "{submits} submits");
    let expected = [
        ("open the device", 1),
        ("declare", 1),
        ("record", submits),
        ("submit", submits),
        ("wait", submits),
        ("check on the CPU", ran(record).count()),
        ("write the results", 1),
    ];
    let expected = expected.map(|(name, count)| (name.to_owned(), count)).into();
    ensure!(arrived == expected, "of the spans {expected:?} there arrived {arrived:?}");
    Ok(())
}

fn counted(zones: &[Zone]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for zone in zones {
        *counts.entry(zone.name.clone()).or_default() += 1;
    }
    counts
}

/// Zones of one queue, measured one after the other, neither overlap nor are empty.
pub fn are_in_order(heard: &Heard) -> Result<()> {
    let mut last = f64::MIN;
    for zone in &heard.gpu {
        ensure!(last < zone.begin && zone.begin < zone.end, "{zone:?} after one that ended at {last}");
        last = zone.end;
    }
    for zone in &heard.cpu {
        ensure!(0.0 <= zone.begin && zone.begin <= zone.end, "{zone:?}");
    }
    Ok(())
}

/// The last zones of each name are the samples that were kept, in their order. A profiler that came
/// late has fewer.
pub fn last_as_long_as_recorded(record: &Record, heard: &Heard) -> Result<()> {
    for row in ran(record) {
        let one = row.samples.iter().map(|sample| sample.one_us).collect();
        last_as_long_as(one, heard, &row.variant)?;
        let many = row.samples.iter().filter_map(|sample| sample.many_us).collect();
        last_as_long_as(many, heard, &name_of_long(record, row))?;
    }
    Ok(())
}

fn last_as_long_as(samples_us: Vec<f64>, heard: &Heard, name: &str) -> Result<()> {
    let zones = heard.gpu.iter().filter(|zone| zone.name == name).rev();
    for (zone, us) in zones.zip(samples_us.iter().rev()) {
        // The receiver rounds both ends to nanoseconds.
        let apart = (zone.end - zone.begin - us * 1e3).abs();
        ensure!(apart <= 1.5, "{zone:?} lasts {} ns, the record says {us} µs", zone.end - zone.begin);
    }
    Ok(())
}

/// On the CPU's axis, each zone lies between the beginning of its submit and the end of the wait, but
/// for what the comparison of the clocks may be wrong by, in nanoseconds.
pub fn lie_within_their_submits(heard: &Heard, slack: f64) -> Result<()> {
    let (submits, waits) = (heard.spans("submit"), heard.spans("wait"));
    // The zones of empty windows may be missing, their submits are not.
    let samples: Vec<&Zone> = heard.gpu.iter().filter(|zone| zone.name != EMPTY).collect();
    ensure!(submits.len() == samples.len() + 2 * EMPTY_WINDOWS, "{} submits", submits.len());
    ensure!(waits.len() == submits.len(), "{} waits", waits.len());
    let around = submits.iter().zip(waits.iter()).skip(EMPTY_WINDOWS);
    for (zone, (submit, wait)) in samples.into_iter().zip(around) {
        ensure!(
            submit.begin - slack <= zone.begin && zone.end <= wait.end + slack,
            "{zone:?} was submitted at {} and waited for until {}",
            submit.begin,
            wait.end
        );
    }
    Ok(())
}

/// The clocks were compared shortly before each zone, and more than once.
pub fn were_synchronised(heard: &Heard) -> Result<()> {
    ensure!(heard.syncs.len() >= 2, "the clocks were compared {} times", heard.syncs.len());
    for zone in &heard.gpu {
        let synced = zone.synced.context("a zone before the clocks were compared")?;
        // A quarter of a second, and what a loaded machine adds between looking and doing.
        ensure!(zone.end - synced < 1e9, "{zone:?} came long after the clocks were compared");
    }
    Ok(())
}

fn name_of_long(record: &Record, row: &Row) -> String {
    format!("{} x{}", row.variant, record.method.repetitions)
}
