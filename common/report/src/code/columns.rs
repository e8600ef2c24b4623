//! The columns of the tables of `--code`.

use isa::{ChipCode, CodeReport, Compiled, Counts, INSTRUCTION_CACHE, Limit, Occupancy, Outcome, Unit};

use crate::charset::{ABSENT, BLANK};
use crate::format::trimmed;

/// A heading and the function that reads its figure.
pub(super) struct Column {
    /// The heading; it is broken at each space. `UNIT` is replaced by the unit whose resources workgroups share.
    pub head: &'static str,
    pub of: fn(&Compiled) -> String,
    /// Whether the column holds words, which are aligned to the left.
    pub is_text: bool,
}

const fn figure(head: &'static str, of: fn(&Compiled) -> String) -> Column {
    Column { head, of, is_text: false }
}

const fn words(head: &'static str, of: fn(&Compiled) -> String) -> Column {
    Column { head, of, is_text: true }
}

/// The limits of occupancy, then the costs of a kernel, then its instruction counts.
pub(super) static COLUMNS: [Column; 21] = [
    figure("VGPRs", |c| c.vgprs.to_string()),
    figure("LDS bytes", |c| c.lds_bytes.to_string()),
    figure("Groups /UNIT", |c| absent_or(c.occupancy.as_ref().map(|occupancy| occupancy.groups))),
    words("Limited by", |c| absent_or(c.occupancy.as_ref().map(|occupancy| limits(&occupancy.limits)))),
    words("Shed\u{a0}for 1\u{a0}more", |c| absent_or(c.occupancy.as_ref().and_then(to_shed))),
    figure("of\u{a0}I$", |c| of_cache(c.code_bytes)),
    figure("Waves /SIMD", |c| {
        absent_or(c.occupancy.as_ref().map(|occupancy| trimmed(occupancy.waves_in_groups())))
    }),
    figure("Code bytes", |c| c.code_bytes.to_string()),
    figure("SGPRs", |c| c.sgprs.to_string()),
    figure("VMEM loads", |c| counted(c, |counts| counts.vmem_loads)),
    figure("VMEM stores", |c| counted(c, |counts| counts.vmem_stores)),
    figure("LDS ops", |c| counted(c, |counts| counts.lds)),
    figure("Spilled", |c| (c.spilled_vgprs + c.spilled_sgprs).to_string()),
    figure("Scratch bytes", |c| c.scratch_bytes.to_string()),
    figure("glc loads", |c| counted(c, |counts| counts.vmem_loads_glc)),
    figure("glc stores", |c| counted(c, |counts| counts.vmem_stores_glc)),
    figure("Barriers", |c| counted(c, |counts| counts.barriers)),
    figure("Scalar loads", |c| counted(c, |counts| counts.scalar_loads)),
    figure("VALU", |c| counted(c, |counts| counts.valu)),
    figure("SALU", |c| counted(c, |counts| counts.salu)),
    figure("Branches", |c| counted(c, |counts| counts.branches)),
];

impl Column {
    /// The heading in the table of `chip`.
    pub fn head_of(&self, chip: &ChipCode) -> String {
        let mut compiled = chip.kernels.iter().filter_map(Outcome::compiled);
        let unit = compiled.find_map(|compiled| Some(compiled.occupancy.as_ref()?.unit));
        self.head.replace("UNIT", &unit.unwrap_or(Unit::Cu).to_string())
    }
}

/// Follows a count of instructions in code that has a loop.
const LOOPED: char = '*';

fn counted(compiled: &Compiled, of: fn(&Counts) -> u64) -> String {
    let Some(counts) = &compiled.counts else { return ABSENT.to_owned() };
    let figure = of(counts).to_string();
    if counts.backward_branches > 0 && of(counts) > 0 { figure + &LOOPED.to_string() } else { figure }
}

fn absent_or(figure: Option<impl ToString>) -> String {
    figure.map_or_else(|| ABSENT.to_owned(), |figure| figure.to_string())
}

// One line per limit, here and in `to_shed`: on one line they would take the width of two more columns.
fn limits(limits: &[Limit]) -> String {
    limits.iter().map(Limit::to_string).collect::<Vec<_>>().join("\n")
}

/// The registers and LDS that the kernel has to give up to fit one more workgroup.
fn to_shed(occupancy: &Occupancy) -> Option<String> {
    let shed = occupancy.shed?;
    let parts = [(shed.vgprs, "VGPRs"), (shed.sgprs, "SGPRs"), (shed.lds_bytes, "LDS")];
    let parts = parts.iter().filter(|(much, _)| *much > 0).map(|(much, what)| format!("{much} {what}"));
    Some(parts.collect::<Vec<_>>().join(",\n"))
}

/// Percentage of the instruction cache, rounded up.
fn of_cache(code_bytes: u64) -> String {
    format!("{}{BLANK}%", (code_bytes * 100).div_ceil(INSTRUCTION_CACHE.into()))
}

/// The variants with their kernels. Only the first kernel of a variant has its name; a variant that is left out has
/// one row without a kernel.
pub(super) fn rows(report: &CodeReport) -> impl Iterator<Item = (&str, Option<usize>)> {
    report.variants.iter().flat_map(|variant| {
        let kernels: Vec<Option<usize>> = match variant.left_out {
            Some(_) => vec![None],
            None => variant.kernels.iter().copied().map(Some).collect(),
        };
        let name = |at| if at == 0 { variant.variant.as_str() } else { "" };
        kernels.into_iter().enumerate().map(move |(at, kernel)| (name(at), kernel))
    })
}
