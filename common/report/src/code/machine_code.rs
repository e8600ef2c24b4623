//! The table of what is counted in NVIDIA's machine code.

use std::collections::{BTreeMap, BTreeSet};

use isa::SassCounts;

use crate::table::{Column, Side, Table};

/// What the figures are of.
pub(super) const NOTE: &str = "Figures of the machine code are of the largest loop that has no other inside, or of \
    the whole code where there is no loop; spills are always of the whole code. Reuse % is of the two factors of each \
    FFMA: those that the instruction just before it kept.";

/// Loads by the bits per lane.
type Loads = BTreeMap<u32, usize>;

/// One row per kernel, and a column for each width of loads that one of them has.
pub(super) fn table(kernels: &[SassCounts]) -> Table {
    let mut table = Table::new("Kernel", (1..=kernels.len()).map(|number| number.to_string())).apart(0);
    let mut push = |head: &str, of: &dyn Fn(&SassCounts) -> Option<String>| {
        table.push(Column::new(Side::Right, head, kernels.iter().map(of)));
    };
    push("Loop bytes", &|counts| counts.loop_bytes.map(|bytes| bytes.to_string()));
    push("Instructions", &|counts| Some(counts.instructions.to_string()));
    push("FFMA", &|counts| Some(counts.fmas.to_string()));
    push("FFMA %", &|counts| percent(counts.fmas, counts.instructions));
    push("Reuse %", &|counts| percent(counts.reused_factors, 2 * counts.fmas));
    let mut push_loads = |name: &str, of: fn(&SassCounts) -> &Loads| {
        for width in kernels.iter().flat_map(|counts| of(counts).keys()).collect::<BTreeSet<_>>() {
            let count = |counts: &SassCounts| Some(of(counts).get(width).unwrap_or(&0).to_string());
            push(&format!("{name}.{width}"), &count);
        }
    };
    push_loads("LDG", |counts| &counts.global_loads);
    push_loads("LDS", |counts| &counts.shared_loads);
    push("Barriers", &|counts| Some(counts.barriers.to_string()));
    push("Spills", &|counts| Some(counts.spills.to_string()));
    table
}

fn percent(part: usize, all: usize) -> Option<String> {
    (all > 0).then(|| format!("{:.1}", 100.0 * part as f64 / all as f64))
}
