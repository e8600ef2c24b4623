//! Notes under a run's table.

use record::Row;

use super::plan::LONGEST_SUBMIT_US;
use crate::lab::Lab;
use crate::measure::Plan;

/// `VkDriverId` of the drivers on Mesa's common runtime: RADV, ANV, llvmpipe, Turnip, V3DV, PanVK,
/// Venus, Dozen, NVK, PowerVR, Honeykrisp.
const MESA: [i32; 11] = [3, 5, 13, 18, 19, 20, 22, 23, 24, 25, 26];

/// Notes on what is missing from the table, and why.
pub(super) fn notes(lab: &Lab, plan: &Plan, rows: &[Row]) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(lab.untraced().map(|reason| reason + "."));
    if plan.repetitions < lab.repetitions() {
        let n = plan.repetitions;
        let left = if n < 2 { "there is no time back to back".to_owned() } else { format!("N is {n}") };
        notes.push(format!(
            "So that submits stay under {} ms, and {} samples of each variant fit into the time, {left}.",
            LONGEST_SUBMIT_US / 1e3,
            plan.rule.min_samples
        ));
    }
    let lost = |row: &&Row| {
        let taken = row.samples.iter().any(|sample| sample.many_us.is_some());
        taken && row.isolated_us.is_some() && row.pipelined_us.is_none()
    };
    let lost: Vec<&str> = rows.iter().filter(lost).map(|row| row.variant.as_str()).collect();
    // With fewer than 6 samples there is no interval, and one negative difference is enough.
    let is_short = |name: &&str| rows.iter().any(|row| row.variant == *name && row.samples.len() < 6);
    let (short, noisy): (Vec<&str>, Vec<&str>) = lost.into_iter().partition(is_short);
    for (names, reason) in [
        (noisy, "is lost in noise: zero lies within its interval"),
        (short, "is not known: of its few samples one has T(N) below T(1)"),
    ] {
        if !names.is_empty() {
            notes.push(format!("The time back to back of {} {reason}.", names.join(", ")));
        }
    }
    let on_queues = rows
        .iter()
        .filter(|row| row.isolated_us.is_some())
        .filter_map(|row| lab.variants.iter().find(|v| v.name == row.variant))
        .find(|v| v.takes_several_queues);
    if on_queues.is_some() && lab.gpu.uses_one_queue_as_several() {
        notes.push("One queue was taken for several, so no time here is one of several queues.".into());
    }
    if let Some(variant) = on_queues.filter(|_| MESA.contains(&lab.device().driver_id)) {
        notes.push(format!(
            "{}: Mesa's drivers hold submits that wait for the CPU back in the process, so its time includes the \
             CPU's submitting.",
            variant.name
        ));
    }
    if let Some(tool) = lab.gpu.tools.iter().find(|tool| tool.to_lowercase().contains("validation")) {
        notes.push(format!("{tool} was active: these times are no times."));
    }
    notes
}
