//! Notes below the tables of `--code`.

use std::collections::BTreeMap;

use isa::{Chip, ChipCode, CodeReport, Compiled, Occupancy, Outcome, Unit};

/// The lines below the tables: first problems, then the meaning of marks and columns.
pub(super) fn notes(report: &CodeReport) -> Vec<String> {
    let mut notes = left_out_variants(report);
    notes.extend(report.chips.iter().flat_map(of_chip));
    notes.extend(loads(report));
    notes.extend(stores(report));
    if all(report).any(|(_, _, c)| c.counts.is_some_and(|counts| counts.backward_branches > 0)) {
        notes.push("* Counted in the code, which has a loop: what stands in it runs more often.".into());
    }
    notes.extend(occupancy(report));
    notes.push(format!(
        "No variant was run. The kernels are those for {} (subgroups of {}).",
        report.declared_on, report.declared_for_subgroups_of
    ));
    notes
}

pub(super) fn left_out_variants(report: &CodeReport) -> Vec<String> {
    let reasons = report.variants.iter().filter_map(|variant| Some((variant, variant.left_out.as_ref()?)));
    reasons.map(|(variant, reason)| format!("{} is left out: {reason}", variant.variant)).collect()
}

/// All compiled kernels of all chips, with their numbers.
fn all(report: &CodeReport) -> impl Iterator<Item = (&ChipCode, usize, &Compiled)> {
    report
        .chips
        .iter()
        .flat_map(|chip| compiled(chip).map(move |(number, compiled)| (chip, number, compiled)))
}

fn compiled(chip: &ChipCode) -> impl Iterator<Item = (usize, &Compiled)> {
    (1..).zip(&chip.kernels).filter_map(|(number, outcome)| Some((number, outcome.compiled()?)))
}

/// Problems of a chip's kernels and figures that are unknown.
fn of_chip(chip: &ChipCode) -> Vec<String> {
    let (name, mut notes) = (&chip.chip, Vec::new());
    for (number, outcome) in (1..).zip(&chip.kernels) {
        if let Outcome::Refused(reason) = outcome {
            notes.push(format!("{name} cannot have kernel {number}: {reason}."));
        }
    }
    let in_memory = |(number, c): (usize, &Compiled)| {
        let spilled = c.spilled_vgprs + c.spilled_sgprs;
        let scratch = c.scratch_bytes;
        (spilled + scratch > 0)
            .then(|| format!("kernel {number} ({spilled} spilled, {scratch} bytes of scratch)"))
    };
    let in_memory: Vec<String> = compiled(chip).filter_map(in_memory).collect();
    if !in_memory.is_empty() {
        notes.push(format!("Registers kept in memory on {name}: {}.", in_memory.join(", ")));
    }
    for (number, c) in compiled(chip) {
        if c.code_bytes > chip.instruction_cache.into() {
            notes.push(format!(
                "Kernel {number} on {name}: {} bytes of code are more than the instruction cache of {} KiB, which \
                 several compute units share.",
                c.code_bytes,
                chip.instruction_cache / 1024
            ));
        }
    }
    if compiled(chip).any(|(_, c)| c.counts.is_none()) {
        notes.push(format!("RADV shows no machine code for {name}: nothing in it is counted."));
    }
    if compiled(chip).any(|(_, c)| c.occupancy.is_none()) {
        notes.push(format!(
            "Waves and groups of {name} are not computed: the model is of GCN 2 to 5 and RDNA 1 to 3."
        ));
    }
    notes
}

/// Says which kernels have loads that bypass the nearest cache.
fn loads(report: &CodeReport) -> Option<String> {
    let mut chips: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for chip in &report.chips {
        let counts = || compiled(chip).filter_map(|(number, c)| Some((number, c.counts?)));
        if counts().all(|(_, counts)| counts.vmem_loads == 0) {
            continue;
        }
        let marked = counts().filter(|(_, counts)| counts.vmem_loads_glc > 0);
        let marked: Vec<String> = marked.map(|(number, _)| number.to_string()).collect();
        chips.entry(marked.join(", ")).or_default().push(&chip.chip);
    }
    if chips.keys().all(String::is_empty) {
        return (!chips.is_empty())
            .then(|| "No load has glc: all may be answered by the nearest cache.".into());
    }
    let several = chips.len() > 1;
    let part = |(kernels, chips): (String, Vec<&str>)| {
        let on = if several { format!(" on {}", chips.join(", ")) } else { String::new() };
        if kernels.is_empty() { format!("none{on}") } else { format!("those of kernel {kernels}{on}") }
    };
    let parts: Vec<String> = chips.into_iter().map(part).collect();
    Some(format!("Loads with glc, which pass by the nearest cache: {}.", parts.join("; ")))
}

/// Explains `glc` on stores, and the cases in which it carries no information.
fn stores(report: &CodeReport) -> Vec<String> {
    let mut notes = Vec::new();
    if all(report).any(|(_, _, c)| c.counts.is_some_and(|counts| counts.vmem_stores_glc > 0)) {
        notes.push(
            "RADV 22.3.6 marks every store glc to an image or a buffer that the kernel does not read, coherent or not: \
             only where the kernel reads it as well does glc tell coherent stores from others."
                .into(),
        );
    }
    let stores = |chip: &ChipCode| compiled(chip).any(|(_, c)| c.counts.is_some_and(|c| c.vmem_stores > 0));
    let unmarked = report.chips.iter().filter(|chip| stores(chip));
    let unmarked = unmarked.filter(|chip| Chip::named(&chip.chip).is_some_and(|chip| !chip.marks_stores));
    let unmarked: Vec<&str> = unmarked.map(|chip| chip.chip.as_str()).collect();
    if !unmarked.is_empty() {
        notes.push(format!(
            "RDNA 3 ({}) has no glc on stores, coherent or not: their code does not show the difference.",
            unmarked.join(", ")
        ));
    }
    notes
}

/// Explains the figures of occupancy.
fn occupancy(report: &CodeReport) -> Vec<String> {
    let known: Vec<&Occupancy> = all(report).filter_map(|(_, _, c)| c.occupancy.as_ref()).collect();
    if known.is_empty() {
        return Vec::new();
    }
    let mut notes =
        vec!["Groups, and what limits them, follow from registers, LDS (bytes) and workgroup.".to_owned()];
    let to_shed = "What a kernel has to give up for one group more is counted as registers are granted, so that up \
                   to a granule fewer may do.";
    let slots = if known.iter().any(|occupancy| occupancy.shed.is_none()) {
        " – where wave slots or barriers allow no more."
    } else {
        ""
    };
    notes.push(format!("{to_shed}{slots}"));
    notes.push(
        "Waves per SIMD are those of whole workgroups that fit, the mean of a unit's four SIMDs.".into(),
    );
    let units: Vec<Unit> = known.iter().map(|occupancy| occupancy.unit).collect();
    if units.contains(&Unit::Wgp) {
        notes.push(
            "WGP: a workgroup processor of RDNA, two compute units whose four SIMDs of 32 lanes and 128 KiB of LDS a \
             workgroup shares as RADV compiles it. Its driver counts a wave of 64 lanes twice; the table does not."
                .into(),
        );
    }
    notes
}
