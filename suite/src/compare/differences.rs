//! Lists other differences between two records that may explain a different time.

use std::collections::BTreeMap;

use record::self_test::Certificate;
use record::{Ended, Kind, Promise, Record, Row};

use super::outcome::counts_wrong_results;
use super::pairs::same_device;

/// The differences, one line each.
#[must_use]
pub fn differences(before: &Record, after: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    let mut differ = |what: &str, a: String, b: String| {
        if a != b {
            lines.push(format!("{what}: {a} → {b}"));
        }
    };
    differ("device", before.device.name.clone(), after.device.name.clone());
    if same_device(before, after) {
        differ("device's UUID", before.device.uuid.clone(), after.device.uuid.clone());
    }
    differ("driver", before.device.driver(), after.device.driver());
    differ("commit", commit(before), commit(after));
    differ("build", before.tool.build.clone(), after.tool.build.clone());
    differ("caches", before.method.caches.clone(), after.method.caches.clone());
    differ("repetitions", before.method.repetitions.to_string(), after.method.repetitions.to_string());
    differ("queue", before.device.queue_family.clone(), after.device.queue_family.clone());
    differ("host", host(before), host(after));
    let tools =
        |r: &Record| if r.method.tools.is_empty() { "none".into() } else { r.method.tools.join(", ") };
    differ("tools in the way", tools(before), tools(after));
    let (floor, other) = (before.method.floor_us, after.method.floor_us);
    if floor.max(other) > 1.5 * floor.min(other) {
        lines.push(format!("floor of the timestamps: {floor:.3} → {other:.3} µs"));
    }
    lines.extend(kernels(before, after));
    lines.extend(raced(before, after));
    lines.extend(standing(before, after));
    lines
}

fn commit(record: &Record) -> String {
    let short = |commit: &String| commit.chars().take(12).collect::<String>();
    let commit = record.tool.commit.as_ref().map_or_else(|| "unknown".into(), short);
    if record.tool.dirty == Some(true) { format!("{commit} with uncommitted changes") } else { commit }
}

fn host(record: &Record) -> String {
    let host = &record.host;
    format!("{}, {}, {} threads", host.system, host.processor.as_deref().unwrap_or("unknown"), host.threads)
}

/// Kernels with the same name, constants and workgroup size, but different code.
fn kernels(before: &Record, after: &Record) -> Option<String> {
    let known: BTreeMap<_, _> = before
        .kernels
        .iter()
        .map(|kernel| ((&kernel.name, &kernel.constants, kernel.workgroup), &kernel.spirv_sha256))
        .collect();
    let mut changed: Vec<&str> = after
        .kernels
        .iter()
        .filter(|kernel| {
            let old = known.get(&(&kernel.name, &kernel.constants, kernel.workgroup));
            old.is_some_and(|hash| **hash != kernel.spirv_sha256)
        })
        .map(|kernel| kernel.name.as_str())
        .collect();
    changed.sort_unstable();
    changed.dedup();
    (!changed.is_empty()).then(|| format!("kernels whose SPIR-V is another: {}", changed.join(", ")))
}

/// Variants that rely on hardware and were wrong on only one side: their order was correct by chance.
fn raced(before: &Record, after: &Record) -> Option<String> {
    // Trials have a row for it.
    if counts_wrong_results(before) && counts_wrong_results(after) {
        return None;
    }
    let of = |row: &Row| row.racy.map(|racy| (racy.racy_samples, racy.samples));
    let rows = before.rows.iter().filter(|row| matches!(row.promise, Promise::Hardware { .. }));
    let told: Vec<String> = rows
        .filter_map(|row| {
            let other = after.rows.iter().find(|other| other.variant == row.variant)?;
            let ((old, of_old), (new, of_new)) = (of(row)?, of(other)?);
            ((old == 0) != (new == 0))
                .then(|| format!("{} in {old} of {of_old} → {new} of {of_new} samples", row.label()))
        })
        .collect();
    (!told.is_empty()).then(|| format!("wrong pixels on one side only: {}", told.join("; ")))
}

/// The names of failed self-test checks; `None` if none failed.
#[must_use]
pub fn failed_checks(record: &Record) -> Option<String> {
    let names: Vec<&str> =
        record.self_test.iter().flat_map(Certificate::failed).map(|check| &check.name[..]).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Warnings that apply to a side even if the other does not differ.
fn standing(before: &Record, after: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    for (side, record) in [("first", before), ("second", after)] {
        if record.tool.build == "debug" && record.device.kind != Kind::Cpu {
            lines.push(format!("the {side} is of a debug build"));
        }
        if record.ended != Ended::Complete {
            lines.push(format!("the run of the {side} did not end by itself"));
        }
        if let Some(checks) = failed_checks(record) {
            lines.push(format!(
                "the self-test of the {side} failed ({checks}): its times are not to be trusted"
            ));
        }
    }
    let tools = &before.method.tools;
    // If they differ, that is already reported.
    if !tools.is_empty() && *tools == after.method.tools {
        let tools = tools.join(", ");
        lines.push(format!(
            "tools in the way on both sides: {tools}; under a validation layer times are no times"
        ));
    }
    if before.device.kind == Kind::Cpu || after.device.kind == Kind::Cpu {
        lines.push("a CPU device: its times say nothing about a GPU".into());
    }
    lines
}
