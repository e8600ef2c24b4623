//! The tables of `--code`: a row a variant and kernel, a table a chip.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use super::below::wrapped;
use super::charset::Charset;
use super::figure::{ABSENT, BLANK, width};
use crate::isa::{ChipCode, CodeReport, Compiled, Counts, KernelCode, Limit, Outcome, VariantCode};

/// The kernels with their numbers, then what each chip's compiler made of them, in `room` columns where
/// that is possible, and how to read it. Ends with a newline.
#[must_use]
pub(crate) fn code(charset: Charset, room: u16, report: &CodeReport) -> String {
    let mut text = String::new();
    for (number, kernel) in (1..).zip(&report.kernels) {
        text += &wrapped(&format!("Kernel {number}: {}", described(kernel, &report.kernels)), room);
    }
    for chip in &report.chips {
        text += &format!("\n{}, {}\n", chip.device, chip.driver);
        text += &drawn(charset, room, report, chip);
    }
    text.push('\n');
    for line in notes(report) {
        text += &wrapped(&line, room);
    }
    charset.fit(&text).into_owned()
}

/// Name, workgroup, and the constants in which it differs from others of its name.
fn described(kernel: &KernelCode, all: &[KernelCode]) -> String {
    let [x, y, z] = kernel.workgroup;
    let mut parts = vec![kernel.name.clone(), format!("workgroup {x}x{y}x{z}")];
    let same = || all.iter().filter(|other| other.name == kernel.name);
    for (name, value) in &kernel.constants {
        if same().any(|other| other.constants.get(name) != Some(value)) {
            parts.push(format!("{name}={value}"));
        }
    }
    parts.join(", ")
}

/// A head, and where its figure comes from. The last ones go first where there is no room.
type Column = (&'static str, fn(&Compiled) -> String);

const COLUMNS: [Column; 17] = [
    ("VGPRs", |c| c.vgprs.to_string()),
    ("SGPRs", |c| c.sgprs.to_string()),
    ("LDS bytes", |c| c.lds_bytes.to_string()),
    ("Code bytes", |c| c.code_bytes.to_string()),
    ("Waves /SIMD", |c| absent_or(c.occupancy.as_ref().map(|_| c.subgroups_per_simd))),
    ("Groups /CU", |c| absent_or(c.occupancy.as_ref().map(|occupancy| occupancy.groups_per_cu))),
    ("VMEM loads", |c| counted(c, |counts| counts.vmem_loads)),
    ("VMEM stores", |c| counted(c, |counts| counts.vmem_stores)),
    ("LDS ops", |c| counted(c, |counts| counts.lds)),
    ("Spilled", |c| (c.spilled_vgprs + c.spilled_sgprs).to_string()),
    ("Scratch bytes", |c| c.scratch_bytes.to_string()),
    ("Limited by", |c| absent_or(c.occupancy.as_ref().map(|occupancy| limits(&occupancy.limits)))),
    ("Barriers", |c| counted(c, |counts| counts.barriers)),
    ("Scalar loads", |c| counted(c, |counts| counts.scalar_loads)),
    ("VALU", |c| counted(c, |counts| counts.valu)),
    ("SALU", |c| counted(c, |counts| counts.salu)),
    ("Branches", |c| counted(c, |counts| counts.branches)),
];

/// Columns that stay however narrow the terminal is.
const LEAST: usize = 11;

fn counted(compiled: &Compiled, of: fn(&Counts) -> u64) -> String {
    let Some(counts) = &compiled.counts else { return ABSENT.to_owned() };
    let figure = of(counts).to_string();
    if counts.backward_branches > 0 && of(counts) > 0 { figure + "*" } else { figure }
}

fn absent_or(figure: Option<impl ToString>) -> String {
    figure.map_or_else(|| ABSENT.to_owned(), |figure| figure.to_string())
}

fn limits(limits: &[Limit]) -> String {
    limits.iter().map(Limit::to_string).collect::<Vec<_>>().join(" ")
}

fn drawn(charset: Charset, room: u16, report: &CodeReport, chip: &ChipCode) -> String {
    let fits = |text: &String| text.lines().all(|line| width(line) <= usize::from(room));
    let mut tables = (LEAST..=COLUMNS.len()).rev().map(|columns| draw(charset, report, chip, columns));
    let widest = tables.find(fits);
    widest.unwrap_or_else(|| draw(charset, report, chip, LEAST))
}

fn draw(charset: Charset, report: &CodeReport, chip: &ChipCode, columns: usize) -> String {
    let columns = &COLUMNS[..columns];
    let rule = LineStyle::none().fill(charset.rule()).junction(charset.rule());
    let mut table = Table::new();
    let heads = columns.iter().map(|(head, _)| head.replace(' ', "\n"));
    table
        .load_style(TableStyle::new().top_border(rule).header_separator(rule).bottom_border(rule))
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(["Variant".to_owned(), "Kernel".to_owned()].into_iter().chain(heads));
    for variant in &report.variants {
        for row in rows(variant, chip, columns) {
            table.add_row(row.iter().map(|cell| charset.fit_part(cell).into_owned()));
        }
    }
    for index in 0..columns.len() + 2 {
        if let Some(drawn) = table.column_mut(index) {
            drawn.set_padding((0, u16::from(index <= columns.len())));
            let is_text =
                index == 0 || columns.get(index.wrapping_sub(2)).is_some_and(|c| c.0 == "Limited by");
            drawn.set_cell_alignment(if is_text { CellAlignment::Left } else { CellAlignment::Right });
        }
    }
    table.lines().map(|line| line.replace(BLANK, " ").trim_end().to_owned() + "\n").collect()
}

/// A row for each kernel of a variant, which is named in the first.
fn rows(variant: &VariantCode, chip: &ChipCode, columns: &[Column]) -> Vec<Vec<String>> {
    if variant.left_out.is_some() {
        return vec![vec![variant.variant.clone(), "skipped".into()]];
    }
    let row = |(at, &kernel): (usize, &usize)| {
        let name = if at == 0 { variant.variant.clone() } else { String::new() };
        let figures: Vec<String> = match chip.kernels.get(kernel) {
            Some(Outcome::Compiled(compiled)) => columns.iter().map(|(_, of)| of(compiled)).collect(),
            _ => vec![ABSENT.to_owned(); columns.len()],
        };
        [name, (kernel + 1).to_string()].into_iter().chain(figures).collect()
    };
    variant.kernels.iter().enumerate().map(row).collect()
}

/// What the reader must know.
fn notes(report: &CodeReport) -> Vec<String> {
    let mut notes = Vec::new();
    for variant in &report.variants {
        if let Some(reason) = &variant.left_out {
            notes.push(format!("{} is left out: {reason}", variant.variant));
        }
    }
    for chip in &report.chips {
        for (number, outcome) in (1..).zip(&chip.kernels) {
            if let Outcome::Refused(reason) = outcome {
                notes.push(format!("{} cannot have kernel {number}: {reason}.", chip.chip));
            }
        }
        let compiled = || chip.kernels.iter().filter_map(Outcome::compiled);
        if compiled().any(|c| c.counts.is_none()) {
            notes.push(format!("RADV shows no machine code for {}: nothing in it is counted.", chip.chip));
        }
        if compiled().any(|c| c.occupancy.is_none()) {
            notes.push(format!(
                "Waves and groups of {} are not computed: the model is of GCN 2 to 5.",
                chip.chip
            ));
        }
    }
    let all = || report.chips.iter().flat_map(|chip| chip.kernels.iter().filter_map(Outcome::compiled));
    if all().any(|c| c.counts.is_some_and(|counts| counts.backward_branches > 0)) {
        notes.push("* Counted in the code, which has a loop: what stands in it runs more often.".into());
    }
    notes.push(format!(
        "No variant was run. The kernels are those for {} (subgroups of {}); waves a SIMD are the driver's figure, groups \
         a CU follow from registers, LDS and workgroup.",
        report.declared_on, report.declared_for_subgroups_of
    ));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{Occupancy, SCHEMA};
    use crate::record::Tool;

    fn kernel(particles: u32) -> KernelCode {
        KernelCode {
            name: "physics/solve.comp [LEAN]".into(),
            spirv_sha256: String::new(),
            constants: [("ITERATIONS".to_owned(), 8), ("PARTICLES".to_owned(), particles)].into(),
            workgroup: [1024, 1, 1],
        }
    }

    fn compiled(occupancy: Option<Occupancy>, counts: Option<Counts>) -> Outcome {
        Outcome::Compiled(Box::new(Compiled {
            subgroup_size: 64,
            vgprs: 32,
            sgprs: 48,
            spilled_vgprs: 0,
            spilled_sgprs: 2,
            scratch_bytes: 0,
            lds_bytes: 32_768,
            code_bytes: 7004,
            subgroups_per_simd: 8,
            occupancy,
            counts,
        }))
    }

    fn chip(chip: &str, kernels: Vec<Outcome>) -> ChipCode {
        let (device, driver) = (format!("Null hardware (RADV {chip})"), "Mesa 22.3.6".into());
        ChipCode { chip: chip.into(), device, driver, kernels }
    }

    fn variant(variant: &str, kernels: &[usize], left_out: Option<&str>) -> VariantCode {
        VariantCode {
            variant: variant.into(),
            kernels: kernels.into(),
            left_out: left_out.map(str::to_owned),
        }
    }

    fn tool() -> Tool {
        let [name, version, build, shaders] = ["hot-lap", "0.1.0", "debug", "embedded"].map(str::to_owned);
        Tool { name, version, commit: None, dirty: None, build, shaders }
    }

    fn report() -> CodeReport {
        let limits = vec![Limit::Vgprs, Limit::Lds];
        let occupancy = Occupancy { groups_per_cu: 2, limits, waves_per_simd: 8 };
        let counts = Counts { vmem_loads: 9, lds: 120, backward_branches: 1, ..Counts::default() };
        let refused = Outcome::Refused("it has no 16-bit integers".into());
        let vega = vec![compiled(Some(occupancy), Some(counts)), refused];
        CodeReport {
            schema: SCHEMA,
            tool: tool(),
            sample: "group_physics".into(),
            command: Vec::new(),
            configuration: [].into(),
            declared_on: "llvmpipe".into(),
            declared_for_subgroups_of: 8,
            kernels: vec![kernel(512), kernel(1024)],
            variants: vec![
                variant("lean", &[0], None),
                variant("in_two_kernels", &[0, 1], None),
                variant("half", &[], Some("the device has no 16-bit floats")),
            ],
            chips: vec![
                chip("VEGA10", vega),
                chip("NAVI21", vec![compiled(None, None), compiled(None, None)]),
            ],
            failed: [].into(),
        }
    }

    #[test]
    fn two_chips() {
        insta::assert_snapshot!(code(Charset::Utf8, 180, &report()));
    }

    #[test]
    fn narrow_in_ascii() {
        insta::assert_snapshot!(code(Charset::Ascii, 100, &report()));
    }

    #[test]
    fn the_least_stays_and_the_rest_fits() {
        let least: Vec<&str> =
            COLUMNS[..LEAST].iter().filter_map(|(head, _)| head.split(' ').next()).collect();
        for room in 60..200 {
            let text = code(Charset::Utf8, room, &report());
            assert!(least.iter().all(|head| text.contains(head)), "{room}\n{text}");
            let widest = text.lines().map(width).max().unwrap_or(0);
            assert!(room < 105 || widest <= usize::from(room), "{widest} at {room}\n{text}");
        }
    }
}
